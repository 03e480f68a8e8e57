"""Whether a script gives a variable a value itself."""

from __future__ import annotations

import re

_NO_FUNCTION = r"(?!(?:echo|printf|export|local|readonly|unset|declare|env|exec)\b)"
# by its name, to a function that fills it: `load_input CALL`
_HANDED = rf"(?m)^[ \t]*(?:(?:if|while)[ \t]+)?{_NO_FUNCTION}[a-z]\w*_\w+(?:[ \t]+[\w-]+)*[ \t]+%s(?=[ \t]*(?:[;|&]|$))"


def assigned(name: str, text: str) -> bool:
    """Whether the text itself gives the variable a value."""
    escaped = re.escape(name)
    ways = (
        rf"(?<![\w$]){escaped}\+?=(?![\"']?\$\{{?{escaped}\b)",
        rf"\bfor\s+{escaped}\b", rf"\bread\b[^;|&\n]*\b{escaped}\b",
        rf"\$(?:env:)?{escaped}\s*=(?!=)", rf"\b(?:mapfile|readarray)\b[^;|&\n]*\b{escaped}\b", rf"-v\s+{escaped}\b",
        rf"\bset\s+\"?{escaped}=", rf"--(?:arg|argjson|slurpfile|rawfile)\s+{escaped}\b",
        rf"foreach\s*\(\s*\${escaped}\b", rf"\bparam\s*\([^)]*\${escaped}\b",
        _HANDED % escaped,
    )  # fmt: skip
    return any(re.search(way, text) for way in ways)


def takes_in(text: str) -> bool:
    """Whether a shell script takes in another file, which may set anything."""
    return re.search(r"(?m)^[ \t]*(?:\.|source)\s", text) is not None
