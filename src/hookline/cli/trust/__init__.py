"""Commands by which a person decides what may run."""
