"""Globs and regular expressions from config files, answered in bounded time."""
