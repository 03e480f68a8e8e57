"""Arguments in, text and exit codes out."""
