"""Carry out one hook and say what happened, without an opinion."""
