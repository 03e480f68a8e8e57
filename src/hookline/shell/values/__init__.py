"""What a shell knows while it runs through a line, and what a word becomes by that."""
