"""The regular expressions a glob is made of: stars, guards against dots, ranges, and how pieces are joined."""

from __future__ import annotations

import re

ANY = r"[^/]"
STAR = r"[^/]*?"
SOMETHING = r"(?=[^\n\r\u2028\u2029])"
CHAR = r"[^\n\r\u2028\u2029]"
NO_DOT = r"(?!\.)"
NO_DOTS = r"(?!(?:^|/)\.{1,2}(?:/|\Z))"
NO_DOT_SEGMENT = r"(?!\.{0,1}(?:/|\Z))"
NO_DOTS_SEGMENT = r"(?!\.{1,2}(?:/|\Z))"
DOTS_SEGMENT = r"\.{1,2}(?:/|\Z)"


class Token:
    """A piece of the pattern and of the regular expression; later pieces may still change it."""

    __slots__ = ("out", "text", "type")

    def __init__(self, kind: str, text: str, out: str) -> None:
        self.type = kind
        self.text = text
        self.out = out


def joined(tokens: list[Token]) -> str:
    """The regular expression, where a star never tries again what the next star could take.

    In `*a*b*c` the first `a` is as good as any later one: without that, time grows with a power of the
    number of stars.
    """
    pieces: list[str] = []
    depth = star = 0
    for index, token in enumerate(tokens):
        pieces.append(token.out)
        depth += token.out.count("(?:") + token.out.count("|") + (token.out in ("(", ")"))
        if token.type == "star" and token.out == STAR and not depth:
            if star and star < index:
                pieces[star] = "(?>" + pieces[star]
                pieces[index - 1] += ")"
            star = index
        elif token.type not in ("text", "dot", "qmark") or not token.out:
            star = 0
    return "".join(pieces)


def globstar(dot: bool) -> str:
    """What `**` stands for: anything, but for hidden parts (unless `dot`) and for `.` and `..`."""
    hidden = DOTS_SEGMENT if dot else r"\."
    return rf"(?:(?!(?:^|/){hidden}){CHAR})*?"


def known_form(pattern: str, dot: bool) -> str | None:
    """Whole patterns with a meaning of their own, alone or before one last extension."""
    start, inner = (NO_DOTS, NO_DOTS_SEGMENT) if dot else (NO_DOT, NO_DOT)
    folders = rf"(?:{start}{globstar(dot)}/)?"
    forms = {
        "*": f"{start}{SOMETHING}{STAR}",
        ".*": rf"\.{SOMETHING}{STAR}",
        "*.*": rf"{start}{STAR}\.{SOMETHING}{STAR}",
        "*/*": rf"{start}{STAR}/{SOMETHING}{inner}{STAR}",
        "**": start + globstar(dot),
        "**/*": f"{folders}{inner}{SOMETHING}{STAR}",
        "**/*.*": rf"{folders}{inner}{STAR}\.{SOMETHING}{STAR}",
        "**/.*": rf"{folders}\.{SOMETHING}{STAR}",
    }
    if pattern in forms:
        return forms[pattern]
    ending = re.fullmatch(r"(.*?)\.([A-Za-z0-9_]+)", pattern)
    before = known_form(ending[1], dot) if ending else None
    return rf"{before}\.{ending[2]}" if ending and before is not None else None


def overlaps(inner: str) -> bool:
    """Whether a repeated group could fit the same text in many ways."""
    parts = inner.split("|")
    overlap = any(a.startswith(b) for i, a in enumerate(parts) for j, b in enumerate(parts) if i != j)
    return overlap or re.search(r"[*+?!@(\[{\\]", inner) is not None


def character_range(parts: list[str]) -> str:
    """What `{a..c}` stands for; what makes no range stays text."""
    first, last = sorted(parts) if len(parts) == 2 else ("", "")
    try:
        source = f"[{first}-{last}]"
        re.compile(source)
    except re.error:
        source = re.escape("..".join(parts))
    return source if len(parts) == 2 else re.escape("..".join(parts))
