"""Variables of our own environment that nobody else shall see."""

from __future__ import annotations

import os
from ctypes import CDLL, c_char_p, c_void_p, memset


def take_secret(name: str) -> str:
    """A variable's value, which is gone from this process's environment afterwards; empty without one.

    Also from the memory it was started with, which `/proc/PID/environ` shows to every process of the user.
    """
    value = os.environ.get(name, "")
    if value:
        find = CDLL(None).getenv
        find.restype, find.argtypes = c_void_p, [c_char_p]
        place = find(name.encode())
        if place:
            memset(place, ord("x"), len(os.fsencode(value)))
    os.environ.pop(name, None)
    return value
