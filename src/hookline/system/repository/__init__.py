"""What git knows, read and asked without trusting the repository."""
