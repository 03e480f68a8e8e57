"""The tool loop: a model, tools, permissions, and every hook of a session."""
