"""Fixtures of the HTTP tests."""

from tests.web.browser import chromium, page
from tests.web.serving import serving

__all__ = ["chromium", "page", "serving"]
