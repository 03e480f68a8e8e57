"""Times in a config: each dialect has its unit, and a value in the wrong one shows."""

from __future__ import annotations

from hookline.model.typing import Literal

Unit = Literal["ms", "s"]

UNIT_WORDS = {"ms": "milliseconds", "s": "seconds"}
SHORTEST_S = 0.01
LONGEST_S = 3600.0

_IN_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_TEXT = r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|min|h)\s*"


def seconds_from(value: object, unit: Unit) -> float | None:
    """`value` in seconds; None when it is no time of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = round(float(value) * _IN_SECONDS[unit], 9) if abs(value) < 1e15 else float("inf")
    return seconds if 0 <= seconds < float("inf") else None


_MOST = 1e12  # of any unit: longer than anybody waits, and still a number


def seconds_from_text(text: str) -> float | None:
    """`2s`, `500ms`, `1.5m` or `1h` in seconds; None for anything else."""
    import re

    found = re.fullmatch(_TEXT, text)
    return round(min(float(found[1]), _MOST) * _IN_SECONDS[found[2]], 9) if found else None


def in_unit(seconds: float, unit: Unit) -> str:
    """`seconds` as a config in `unit` would have it."""
    amount = round(seconds / _IN_SECONDS[unit], 6)
    return f"{amount:.0f}" if amount == int(amount) else f"{amount:g}"


def implausible(seconds: float, unit: Unit) -> tuple[str, str] | None:
    """Message and hint when a time is over an hour or under 10 ms, which mostly is the wrong unit; not whole hours."""
    if SHORTEST_S <= seconds <= LONGEST_S or seconds == 0 or (unit == "s" and seconds % 3600 == 0):
        return None
    written, other = in_unit(seconds, unit), "s" if unit == "ms" else "ms"
    message = f"{written} {UNIT_WORDS[unit]} is {_spoken(seconds)}"
    if seconds < SHORTEST_S and unit == "ms":
        message = f"{written} {UNIT_WORDS[unit]} is too short for any hook"
    meant = seconds * 1000 if unit == "ms" else seconds / 1000
    if (seconds < SHORTEST_S) != (unit == "ms") or not SHORTEST_S <= meant <= LONGEST_S:
        return message, f"the unit here is {UNIT_WORDS[unit]}"
    return message, f"if {UNIT_WORDS[other]} were meant, write `{in_unit(meant, unit)}`"


def _spoken(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:g} ms"
    return f"{seconds / 60:.0f} minutes" if seconds < 7200 else f"{seconds / 3600:.0f} hours"
