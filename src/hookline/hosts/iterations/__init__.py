"""Rounds of an agent with tasks, notes and hooks (iteratr)."""
