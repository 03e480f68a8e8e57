"""Exit 2 that no hook meant: shells, interpreters and many programs end so when they themselves are in trouble.

It denies all the same, as the agent has it so and a guard that failed is no yes; a person is told what it looks like.
Only what stands last on stderr counts: who goes on to words of their own, and ends with 2 then, means it.
"""

from __future__ import annotations

import re

from hookline.model.results import RawResult

_SHELLS = frozenset(("ash", "bash", "dash", "ksh", "sh", "zsh"))
_PARSING = re.compile(
    r"(?P<who>[^\n:]+): (?:-c: |eval: )?(?:line )?\d+: (?:[Ss]yntax error|unexpected EOF|.*: unexpected end of file)"
)
_TEST = re.compile(
    r"[^\n]*: (?:\[|test): [^\n]*(?:integer expression expected|llegal number|operator expected|arguments|missing `\]')"
)
_NO_SCRIPT = re.compile(r"\S*(?P<who>python[\d.]*): can't open file '")
_USAGE = re.compile(
    r"(?:\S+: error: (?:unrecognized arguments|the following arguments are required|argument )|Error: )"
)
_IN_TROUBLE = re.compile(
    r"(?:\S*/)?(?P<who>[efz]?grep|rg|jq|[gm]?awk|diff|cmp|ls|sort): [^\n]*"
    r"(?:No such file|Is a directory|[Pp]ermission denied|option|[Uu]nmatched|rror)"
)
_HELP = re.compile(r"Try ['`](?:\S*/)?(?P<who>[\w-]+) (?:--help|-h)'")


def accident(raw: RawResult, command: str) -> str:
    """What an exit 2 looks like that nobody meant, in words; empty for one that may be a denial."""
    lines = raw.stderr.strip().splitlines()
    last = lines[-1] if lines else ""
    if len(lines) > 1 and last.endswith("'") and ": `" in last and ": line " in last:
        last = lines[-2]  # bash repeats the line
    if found := _PARSING.match(last):
        who = found["who"].rpartition("/")[2]
        return "its shell could not read it" if who in _SHELLS or who in command else ""
    if _TEST.match(last):
        return "a test in it could not be made"
    if found := _NO_SCRIPT.match(last):
        return f"`{found['who']}` did not find its script"
    if _USAGE.match(last) and any(line.lower().startswith("usage: ") for line in lines):
        return "a program was called with arguments that it does not take"
    helps = _HELP.match(last)
    if found := _IN_TROUBLE.match(last) or (helps if helps and helps["who"] in command else None):
        return f"`{found['who']}` could not do its work"
    return ""
