"""Whose environment is meant where rules look at it: the caller's, in a process that stays and serves many."""

from __future__ import annotations

import _thread
import os

from hookline.model.typing import Mapping


class _Caller(
    _thread._local
):  # one of `contextvars` takes a library that is loaded at every call, and nothing waits
    environment: Mapping[str, str] | None = None


_caller = _Caller()


def variables() -> Mapping[str, str]:
    """The caller's environment while somebody acts for it, else that of this process."""
    found = _caller.environment
    return os.environ if found is None else found


class ActingFor:
    """Within it, this environment is the one that is meant; that of this process where there is none.

    It is for work that never waits: what else this thread does meanwhile would be taken for that caller's.
    """

    __slots__ = ("_before", "_environment")

    def __init__(self, environment: Mapping[str, str] | None) -> None:
        self._environment = environment

    def __enter__(self) -> None:
        self._before = _caller.environment
        _caller.environment = self._environment

    def __exit__(self, *error: object) -> None:
        _caller.environment = self._before
