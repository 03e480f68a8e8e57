"""What a hook reads of its call, held against what the agent sends there."""
