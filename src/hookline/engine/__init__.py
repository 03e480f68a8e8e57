"""Plan, run, merge, record."""
