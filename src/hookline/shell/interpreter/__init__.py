"""The way through the tree, as a shell would take it: builtins, functions, traps, what each way leaves behind."""
