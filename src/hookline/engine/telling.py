"""Of all that a failed hook printed the one line that says most."""

from __future__ import annotations

from hookline.dialects.plain_text import plain_text

_SIGNS = (
    "error", "fail", "exception", "fatal", "panic", "denied", "not found", "cannot", "no such", "undefined",
)  # fmt: skip
_BROKE_OFF = "Traceback (most recent call last):"


def telling_line(stdout: str, stderr: str) -> str:
    """The first line that looks like an error, of standard error where something stands there; else the first.

    Of what broke off with an exception of Python's it is the last. Empty where nothing was printed.
    """
    text = plain_text(stderr).strip() or plain_text(stdout).strip()
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    if _BROKE_OFF in text:
        return lines[-1]
    return next((line for line in lines if any(sign in line.lower() for sign in _SIGNS)), lines[0])
