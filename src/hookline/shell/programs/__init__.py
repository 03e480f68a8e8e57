"""What the words of a command are to its program, by the table, and what else it runs."""
