"""Imports by name, without `importlib`, whose own import costs more than most of our modules."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def attribute(module: str, name: str) -> Any:
    """`name` of a module, which is imported if it was not yet. Raises ImportError and AttributeError."""
    __import__(module)
    return getattr(sys.modules[module], name)
