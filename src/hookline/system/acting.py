"""Whose environment is meant where rules look at it: the caller's, in a process that stays and serves many."""

from __future__ import annotations

import os
from contextvars import ContextVar

from hookline.model.typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    from contextvars import Token

_caller: ContextVar[Mapping[str, str] | None] = ContextVar("caller", default=None)


def variables() -> Mapping[str, str]:
    """The caller's environment while somebody acts for it, else that of this process."""
    found = _caller.get()
    return os.environ if found is None else found


class ActingFor:
    """Within it, this environment is the one that is meant; that of this process where there is none."""

    __slots__ = ("_environment", "_token")

    def __init__(self, environment: Mapping[str, str] | None) -> None:
        self._environment = environment

    def __enter__(self) -> None:
        self._token: Token[Mapping[str, str] | None] = _caller.set(self._environment)

    def __exit__(self, *error: object) -> None:
        _caller.reset(self._token)
