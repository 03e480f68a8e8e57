"""What an entry starts: is it there, can it start, and with which variables."""
