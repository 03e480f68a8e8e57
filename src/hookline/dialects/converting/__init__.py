"""Hooks of one dialect as hooks of another, and every difference that makes, told one by one."""
