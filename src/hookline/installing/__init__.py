"""Getting called: entries in agents' settings, git's hooks, a first hooks file."""
