"""Remember: trust, history, sessions, obligations."""
