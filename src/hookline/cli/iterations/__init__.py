"""Commands of the iteration host."""
