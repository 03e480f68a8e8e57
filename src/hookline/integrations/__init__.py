"""hookline inside other people's agents: one module for each library, and what they have in common in `gate`."""
