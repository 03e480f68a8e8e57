"""Commands that show, check, try and translate hooks."""
