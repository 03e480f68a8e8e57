"""Commands of the issue host."""
