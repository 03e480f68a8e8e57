"""The hooks that start the same script as another."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from hookline.checking.entries import Entry
from hookline.checking.lines import HookLine


def words_of(entry: Entry) -> str:
    return " ".join((entry.line, *entry.argv))


def names_one(words: str, names: Iterable[str]) -> bool:
    """Whether one of these files stands in a line; `gate.sh` is not `stop-gate.sh`."""
    return any(re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", words) for name in names)


def known_as(line: HookLine, shown: str) -> tuple[str, ...]:
    """A script by its path; where the line has another, which starts it in turn, by that one's path as well."""
    behind = not names_one(words_of(line.entry), [os.path.basename(shown)])
    return (shown, *(each.shown for each in line.started if behind))


def alike(line: HookLine, shown: str) -> list[Entry]:
    """The hooks of the file that start a script."""
    names = [*map(os.path.basename, known_as(line, shown))]
    return [each for each in line.entry.file.entries if names_one(words_of(each), names)]


def is_for_this_alone(line: HookLine, shown: str) -> bool:
    """Whether no other hook of the file starts a script, nor another agent that reads the file."""
    return not line.entry.sharing and all(each is line.entry for each in alike(line, shown))
