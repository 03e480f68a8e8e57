"""Config with a place for every value: texts become nodes, nodes are read, and every fault is told at once."""
