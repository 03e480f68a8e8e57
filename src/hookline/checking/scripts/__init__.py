"""How a script is written: what the shell or the language makes of it before anything is looked at."""
