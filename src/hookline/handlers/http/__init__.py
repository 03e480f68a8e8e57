"""Hooks that are HTTP requests, and where such a request may go."""
