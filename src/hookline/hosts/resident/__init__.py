"""A process of the user's own that answers bridged calls fast."""
