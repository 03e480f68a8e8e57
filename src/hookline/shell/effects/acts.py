"""What a command does, as values: its effects, and the words they are done to."""

from __future__ import annotations

import re

from hookline.model.record import Record
from hookline.shell.effects.places import is_secret
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.conditions import joined
from hookline.shell.reading import NOWHERE, Command, Hole, Word

_ONE_NAME = re.compile(r"[@+]\(([^()|*?\[\]]+)\)")


class Effect(Record):
    """One thing a command does. `target` is the word it does it to: a path, a host, or None.

    `certain` is false where a hole decides whether it happens. `below`: not the target itself but files in it,
    of which the line does not say the names.
    """

    name: str
    target: Word | None = None
    certain: bool = True
    below: bool = False
    cwd: Word = NOWHERE


class Deeds(Record):
    """One command of a reading, taken apart, with its effects; `marks` are what only this module looks at."""

    command: Command
    given: Arguments
    effects: tuple[Effect, ...] = ()
    marks: frozenset[str] = frozenset()


def below(folder: Word, path: Word) -> Word:
    """A path seen from where `folder` is."""
    path = _named(path) if path.holes else path
    if not folder.parts or path.prefix.startswith(("/", "~")) or folder.literal == "":
        return path
    last = folder.parts[-1]
    slash = () if isinstance(last, str) and last.endswith("/") else ("/",)
    return joined((*folder.parts, *slash, *path.parts), path)


def _named(path: Word) -> Word:
    """With `@(server.key)` as the one name that it fits."""
    found = [
        _ONE_NAME.fullmatch(part.text) if isinstance(part, Hole) and part.kind == "glob" else None
        for part in path.parts
    ]
    if not any(found):
        return path
    return joined((name[1] if name else part for name, part in zip(found, path.parts, strict=True)), path)


def opaque_of(deeds: Deeds) -> str:
    """What of a command no reader sees into, in words; empty if there is nothing."""
    return " ".join(deeds.given.path) if "opaque" in deeds.marks or "spread" in deeds.marks else ""


def reads_secret(deeds: Deeds) -> bool:
    """Whether a command reads what nobody else should see: a file with secrets, or all variables."""
    if "shows" in deeds.marks or ("dumps" in deeds.marks and not deeds.given.operands):
        return True
    return any(
        effect.name == "read" and effect.target is not None and is_secret(below(effect.cwd, effect.target))
        for effect in deeds.effects
    )


def connects(deeds: Deeds) -> bool:
    """Whether a command talks to another host."""
    return any(effect.name == "connect" for effect in deeds.effects)
