"""Time, read in one place."""

from __future__ import annotations

import os
from time import monotonic, time

__all__ = ["iso_time", "monotonic", "new_run_id", "now", "now_ms"]


def now() -> float:
    """Seconds since the epoch."""
    return time()


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return int(time() * 1000)


def new_run_id() -> str:
    """Sorts by time and is never given twice: milliseconds in hexadecimal, then 32 random bits."""
    return f"{int(time() * 1000):011x}{os.urandom(4).hex()}"


def iso_time(seconds: float | None = None) -> str:
    """UTC time stamp with milliseconds, such as `2026-11-21T10:00:00.000Z`."""
    from time import gmtime, strftime

    at = time() if seconds is None else seconds
    return f"{strftime('%Y-%m-%dT%H:%M:%S', gmtime(at))}.{int(at % 1 * 1000):03d}Z"
