"""Commands that run an agent, and what a person sees of it."""
