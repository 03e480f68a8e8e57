"""The line as a tree: words, quotes, lists, compound commands; nothing is expanded yet."""
