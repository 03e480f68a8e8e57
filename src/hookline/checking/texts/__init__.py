"""What a hook says in plain words, and who hears it."""
