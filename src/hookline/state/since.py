"""A moment in the past as people write it: a span, a day, a time stamp."""

from __future__ import annotations

import re
import time
from datetime import date, datetime, timedelta

from hookline.model.errors import UsageError

_SPANS = {
    word: seconds
    for words, seconds in (
        ("s sec second seconds", 1), ("m min minute minutes", 60), ("h hour hours", 3600), ("d day days", 86400),
        ("w week weeks", 604800),
    )
    for word in words.split()
}  # fmt: skip
_MOST_S = 1e11  # before there were clocks, and still a number
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def parse_since(text: str, now: float | None = None) -> float:
    """Seconds since the epoch for a span back from now (`2h`, `1d12h`, `3 days ago`), `today`, `yesterday`, a
    weekday (the last one), a date, a time stamp or plain seconds.

    All without a zone are local time. Raises UsageError.
    """
    given = text.strip().lower()
    moment = time.time() if now is None else now
    if (back := span_s(given.removesuffix("ago").strip())) is not None:
        return moment - back
    if (number := _number(given)) is not None and number > 1e8:
        return number
    today = date.fromtimestamp(moment)
    try:
        if (days := _days_back(given, today.weekday())) is not None:
            return datetime.fromisoformat((today - timedelta(days=days)).isoformat()).timestamp()
        return datetime.fromisoformat(text.strip()).timestamp()
    except ValueError:
        raise UsageError(
            f"`{text}` is no time",
            "write a span (`2h`, `7d`), `today`, `yesterday`, a date (`2026-11-21`) or a time stamp",
        ) from None


def span_s(text: str) -> float | None:
    """`90s`, `1d12h`, `3 days`, `2 hours 5 minutes` in seconds."""
    parts = re.findall(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text)
    if not parts or "".join(re.split(r"\d+(?:\.\d+)?\s*[a-z]+", text)).strip():
        return None
    if any(unit not in _SPANS for _, unit in parts):
        return None
    return min(sum(float(number) * _SPANS[unit] for number, unit in parts), _MOST_S)


def _days_back(text: str, weekday: int) -> int | None:
    if text in ("today", "yesterday"):
        return 1 if text == "yesterday" else 0
    named = [number for number, day in enumerate(_DAYS) if len(text) >= 3 and day.startswith(text)]
    return (weekday - named[0]) % 7 or 7 if named else None


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if 0 <= found < 1e11 else None
