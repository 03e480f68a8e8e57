"""Words that a shell script says in a branch of their own, on its way to look for something else."""

from __future__ import annotations

import re

from hookline.system.patterns.late import late

# `if` one look at one value, nothing but words, `fi`
_BRANCH = late(
    r"(?m)^(?P<margin>[ \t]*)if[ \t]+(?P<look>(?:\[\[?|echo|printf)[^\n;&]*(?:&&[^\n;&]*)?)"
    r"(?:;[ \t]*|[ \t]*\n[ \t]*)then[ \t]*\n"
    r"(?P<body>(?:[ \t]*(?:(?:echo|printf)\b[^\n]*|#[^\n]*|)\n)+)(?P=margin)fi\b[ \t]*$",
    needs=("fi",),
)
_LOOK = late(r"(?m)^[ \t]*if[ \t]+(?P<look>[^\n]*?)(?:;[ \t]*|[ \t]*\n[ \t]*)then\b")
_ENDS = late(r"(?m)(?:^|[;&|{])[ \t]*(?:exit|return)[ \t]+(?P<code>[^\s;]+)")
_CLOSES = late(r"(?m)(?:^|;)[ \t]*(?:fi|else|elif)\b")
_NAME = late(r"\$\{?(\w+)")
_SETS = r"(?m)(?:^|[;&|({]|\b(?:local|then|do|else)\b)[ \t]*%s\+?=|\bread\b[^\n]*\b%s\b"
_LETTERS = late(r"[\w./-]{3,}")
_OPTIONS = late(r"\$\{?\w+\}?|\s-\w+\b|\b(?:grep|echo|printf)\b")


def is_aside(script: str, at: int) -> bool:
    """Whether what was said up to a place is all that its branch does, and each later end but 0 stands behind another
    look at the same value: a line that is met by the one look alone ends well."""
    branch = next((each for each in _BRANCH.finditer(script) if each.start("body") <= at <= each.end()), None)
    if branch is None:
        return False
    names, letters = set(_NAME.findall(branch["look"])), _letters(branch["look"])
    rest = script[branch.end() :]
    if len(names) != 1 or not letters or re.search(_SETS % (*names, *names), rest):
        return False
    ends = [each for each in _ENDS.finditer(rest) if each["code"] != "0"]
    return bool(ends) and all(_looks_elsewhere(rest[: each.start()], names, letters) for each in ends)


def _looks_elsewhere(before: str, names: set[str], letters: set[str]) -> bool:
    """Whether the branch an end stands in is taken for other letters of the same value."""
    look = next(reversed([*_LOOK.finditer(before)]), None)
    if look is None or _CLOSES.search(before, look.end()):
        return False
    other = _letters(look["look"])
    alike = any(one in two or two in one for one in letters for two in other)
    return set(_NAME.findall(look["look"])) == names and bool(other) and not alike


def _letters(look: str) -> set[str]:
    return set(_LETTERS.findall(_OPTIONS.sub(" ", look)))
