"""Edits that put our entries into an agent's config, leave every other byte alone, and can be taken back."""
