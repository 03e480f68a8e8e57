"""Commands that tell what ran."""
