"""Trust: what a person accepted, by content, and kept outside the repository."""
