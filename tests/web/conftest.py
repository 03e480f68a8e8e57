"""Fixtures of the HTTP tests."""

from tests.web.browser import page
from tests.web.serving import serving

__all__ = ["page", "serving"]
