"""What people get wrong in their hooks, found without running them."""
