"""What a guard looks for, when it looks, and what it lets through."""
