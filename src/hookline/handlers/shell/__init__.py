"""How a value enters a shell line, and never as text."""
