"""Regular expressions that are compiled when they are first asked: a look at hooks knows far more than it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from hookline.model.typing import Any


def late(text: str, flags: int = 0, needs: tuple[str, ...] = ()) -> re.Pattern[str]:
    """What `re.compile` gives, or stands for it until it is asked: of a text that has none of `needs`, nothing is.

    Where letter case does not matter, `needs` are in lower case.
    """
    return _Needing(text, flags, needs) if needs else _Late(text, flags)  # type: ignore[return-value]  # a stand-in


class _Late:
    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(*self._given)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._compiled, name)
        setattr(self, name, found)  # the next time it is there
        return found


class _Needing(_Late):
    def __init__(self, text: str, flags: int, needs: tuple[str, ...]) -> None:
        super().__init__(text, flags)
        self._needs = needs
        self._folds = bool(flags) and bool(flags & re.IGNORECASE)
        self._last = ("", False)

    def search(self, text: str, *within: int) -> re.Match[str] | None:
        return self._compiled.search(text, *within) if self._may_be_in(text) else None

    def match(self, text: str, *within: int) -> re.Match[str] | None:
        return self._compiled.match(text, *within) if self._may_be_in(text) else None

    def finditer(self, text: str, *within: int) -> Iterator[re.Match[str]]:
        return self._compiled.finditer(text, *within) if self._may_be_in(text) else iter(())

    def findall(self, text: str, *within: int) -> list[Any]:
        return self._compiled.findall(text, *within) if self._may_be_in(text) else []

    def sub(self, given: Any, text: str, count: int = 0) -> str:
        return self._compiled.sub(given, text, count) if self._may_be_in(text) else text

    def _may_be_in(self, text: str) -> bool:
        """Looked for once in a text, which `match` is asked about at place after place."""
        last, may_be = self._last
        if last is not text:
            may_be = any(map((text.lower() if self._folds else text).__contains__, self._needs))
            self._last = (text, may_be)
        return may_be
