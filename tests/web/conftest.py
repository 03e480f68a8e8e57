"""Fixtures of the HTTP tests."""

from tests.web.serving import serving

__all__ = ["serving"]
