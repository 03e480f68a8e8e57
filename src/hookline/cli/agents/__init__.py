"""Commands that stand in other programs' hooks."""
