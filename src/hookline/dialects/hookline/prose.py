"""Text that stands where a shell line should, as a shell refuses it: whether any program is in it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hookline.model.typing import Any
from hookline.shell.programs.table import Programs
from hookline.shell.reading import Reading
from hookline.system.patterns.late import late

_REFUSED = late(r"stands where a (?:word|command) should")
_SPECIAL = late(r"[$`\\{}<>!~\"'*?=&|;]|\][^\s)]|[^\s(]\[")  # quotes and patterns may hide a name
_STARTED = late(r"^\s*(?:~|[^\s(]*/)", re.MULTILINE)  # a program by its path


def is_prose(line: str, reading: Reading, programs: Programs) -> bool:
    """Whether a line that cannot be read names no program of the table, and nothing in it is expanded or written.

    `Time (mean ± σ): 15 ms`: a shell takes it for a mistake, and no program that anything is known of is in it.
    """
    if len(reading.unknowns) != 1 or not _REFUSED.search(reading.unknowns[0].why) or _SPECIAL.search(line):
        return False
    if _STARTED.search(line):
        return False  # zsh takes `./x (x)` for a pattern of names, and runs it
    return not any(programs.row((name,)) for name in names_in(line))


def names_in(line: str) -> set[str]:
    """What may be the name of a program in a plain text, without its folder."""
    return {word.rpartition("/")[2] for word in re.split(r"[\s()\[\],:]+", line)}


def may_name(asked: Mapping[str, Any], line: str) -> bool:
    """Whether a rule is about a program that such a text has among its words."""
    programs = {
        text.split()[0] for key in ("shell", "shell_exact") for text in asked.get(key, ()) if text.split()
    }
    return any("*" in name for name in programs) or not programs.isdisjoint(names_in(line))
