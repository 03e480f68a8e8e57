"""Talk to a model or an agent."""
