"""Hook output as people and models may read it: without what only a terminal understands, and its telling line."""

from __future__ import annotations

from hookline.model.short_json import without_middle

_TERMINAL = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor moves
    r"|\x1b[\]PX^_][^\x07\x1b]*+(?:\x07|\x1b\\)"  # titles, links and other strings
    r"|\x1b[ -/]*[0-~]"  # short sequences
    r"|\x9b[0-?]*[ -/]*[@-~]"
    r"|[\x00\x1b]"
)


def plain_text(output: str) -> str:
    """`output` without ANSI sequences and NULs; everything else stays, down to the last newline."""
    if "\x1b" not in output and "\x00" not in output and "\x9b" not in output:
        return output
    import re

    return re.sub(_TERMINAL, "", output, flags=re.DOTALL)


def one_line(text: str) -> str:
    """`text` with line breaks and other control characters made visible."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def bounded(text: str, limit: int) -> str:
    """At most about `limit` bytes of `text`: its head and its tail, with how much is missing between them."""
    octets = text.encode("utf-8", "replace")
    if len(octets) <= limit:
        return text
    half = limit // 2
    head, tail = octets[:half].decode("utf-8", "ignore"), octets[-half:].decode("utf-8", "ignore")
    return without_middle(text, len(head), len(tail))


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
