"""A script as one hook runs it: with its arguments, at its event."""
