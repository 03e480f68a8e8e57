"""Attacks on one's own guards: the same command spelled in many ways, fired at the hooks that are to stop it."""
