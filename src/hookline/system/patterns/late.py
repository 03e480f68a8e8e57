"""Regular expressions that are compiled when they are first asked: a look at hooks knows far more than it needs."""

from __future__ import annotations

import re
from typing import Any, cast


def late(text: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, or stands for it until it is asked."""
    return cast(re.Pattern[str], _Late(text, flags))


class _Late:
    def __init__(self, text: str, flags: int) -> None:
        self._given = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._given), name)
        setattr(self, name, found)  # the next time it is there
        return found
