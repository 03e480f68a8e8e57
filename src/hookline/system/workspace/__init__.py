"""A workspace's files: which folder it is, what changed in it, and since when."""
