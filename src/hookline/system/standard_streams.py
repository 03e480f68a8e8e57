"""Stand-ins for standard streams that whoever started us closed (`>&-`)."""

from __future__ import annotations

import os
import sys


def hold_standard_streams() -> None:
    """Fills the places of closed streams, so that no file opened later is taken for one of them.

    What is written as text to such a stream goes nowhere. Descriptor 1 itself takes no bytes: whoever has an
    answer to give, and not only talk, shall notice that nobody can get it.
    """
    for number, name, flags in (
        (0, "stdin", os.O_RDONLY),
        (1, "stdout", os.O_RDONLY),
        (2, "stderr", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            _fill(number, flags)
            stream = open(os.devnull, "w" if number else "r", encoding="utf-8")  # noqa: SIM115 - stays open
            setattr(sys, name, stream)


def _fill(number: int, flags: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, flags)
        if null != number:
            os.dup2(null, number)
            os.close(null)
        os.set_inheritable(number, True)
