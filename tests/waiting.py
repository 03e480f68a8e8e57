"""Waits for what other processes do: no test assumes how long that takes, or in which order it comes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
DEADLINE_S = 200.0  # long enough for a machine that is busy with much else; it only ends what hangs


def until(test: Callable[[], T], what: str = "it") -> T:
    """The first true value of `test()`."""
    end = time.monotonic() + DEADLINE_S
    while True:
        if found := test():
            return found
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.01)


def wait_for(path: Path) -> None:
    """Returns once the file is there; there may be nothing in it yet."""
    until(path.exists, f"{path}")


def written(path: Path) -> str:
    """What is in the file, once there is a whole line of it."""
    return until(lambda: path.exists() and (text := path.read_text()).endswith("\n") and text, f"{path}")


def is_running(process: int) -> bool:
    """False once it has ended, whether or not anybody has collected it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0] not in "ZX"
    except OSError:
        return False


def wait_until_gone(process: int) -> None:
    """Returns once it has ended; a signal only begins that."""
    until(lambda: not is_running(process), f"the end of process {process}")
