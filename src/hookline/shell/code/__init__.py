"""Code that stands in a line and is not the shell's: what can be seen in it."""
