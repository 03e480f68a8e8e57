"""Where a script goes: its statements, in whatever language it is written."""
