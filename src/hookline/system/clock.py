"""Time, read in one place."""

from __future__ import annotations

import os
from time import monotonic, time

__all__ = ["monotonic", "new_run_id", "now", "now_ms"]


def now() -> float:
    """Seconds since the epoch."""
    return time()


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return int(time() * 1000)


def new_run_id() -> str:
    """Sorts by time and is never given twice: milliseconds in hexadecimal, then 32 random bits."""
    return f"{int(time() * 1000):011x}{os.urandom(4).hex()}"
