"""The files that a patch writes and deletes, by its headers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.code.pieces import Reads, argv, opaque
from hookline.shell.reading import Inner
from hookline.system.patterns.late import late

_HEADER = late(r"(\+\+\+|---|rename to|rename from|copy to) ([^\t\n]+)", re.MULTILINE)
_BOTH = late(r"diff --git \"?\S+ \"?[a-z]/(\S+)")  # of files of which only the mode or the bytes change


def commands_of_patch(text: str, how: str) -> Iterator[Inner]:
    """Without the first folder where that is one of git's (`a/`, `b/`), as `-p1` takes it."""
    before = ""
    told = False
    for line in text.splitlines():
        if both := _BOTH.match(line):
            told = True
            yield argv(how, "python:write", both[1].strip('"'))
        found = _HEADER.match(line)
        if found is None:
            continue
        name = found[2].strip().strip('"')
        name = name[2:] if name[:2] in ("a/", "b/", "i/", "w/", "c/", "o/") else name
        if found[1] == "---":
            before = name
        elif name == "/dev/null" or found[1] == "rename from":
            told = True
            yield argv(how, "rm", before if name == "/dev/null" else name)
        else:
            told = True
            yield argv(how, "python:write", name)
    if not told:
        yield opaque(how)


READERS: dict[str, Reads] = {"patch": commands_of_patch}
