"""What a hook answers in JSON, held against what the agent reads there."""
