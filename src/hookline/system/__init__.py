"""The only code that touches processes, files, git and time."""
