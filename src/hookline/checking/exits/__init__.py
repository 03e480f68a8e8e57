"""The code a hook ends with: what it means to the agent, and where it is lost."""
