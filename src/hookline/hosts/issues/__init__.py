"""Issues, worked on one after another, with hooks around each (AutoAgent)."""
