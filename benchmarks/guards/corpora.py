"""The lines: written by hand, spelled by the generator, or from a file of one's own."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hookline.hosts.probing.spellings import KINDS, spellings
from hookline.model.errors import UsageError
from hookline.system.files import read_text

HERE = Path(__file__).parent
SPELLED = 3  # further spellings of each line to stop


class Line(NamedTuple):
    """One line. `family` says what it is about, `kind` how it is spelled."""

    text: str
    family: str
    kind: str = "plain"


def written(name: str) -> Iterator[Line]:
    """The lines of `stop.txt` or `harmless.txt`: `⟨a¦b⟩` stands for several, `⏎` for a new line."""
    family = ""
    for row in (HERE / f"{name}.txt").read_text().split("\n"):
        if row.startswith("## "):
            family = row[3:]
        elif row and not row.startswith("# "):
            yield from (Line(text, family) for text in _alternatives(row))


def _alternatives(row: str) -> Iterator[str]:
    parts = re.split("⟨([^⟩]*)⟩", row)
    choices = [part.split("¦") if index % 2 else [part] for index, part in enumerate(parts)]
    for chosen in itertools.product(*choices):
        yield "".join(chosen).replace("⏎", "\n")


def spelled(seed: int = 0, each: int = SPELLED) -> Iterator[Line]:
    """That many further spellings of each line to stop, drawn by a seed."""
    chance = random.Random(seed)
    for line in written("stop"):
        wanted = chance.sample(KINDS[1:], len(KINDS) - 1)
        found = (next(iter(_some(line.text, kind, chance)), None) for kind in wanted)
        for text, kind in itertools.islice(filter(None, found), each):
            yield Line(text, line.family, kind)


def _some(text: str, kind: str, chance: random.Random) -> list[tuple[str, str]]:
    found = [(each.line, kind) for each in spellings(text, kinds=(kind,), seed=chance.randrange(1000))]
    return [chance.choice(found)] if found else []


def from_file(path: str) -> Iterator[Line]:
    """The lines of a file: each as it stands, or as JSON with `line`, and `what` or `class` if it has a family.

    Raises UsageError for a file that is no text.
    """
    found = read_text(path)
    if found.state != "text":
        raise UsageError(
            f"`{path}` {found.reason or f'is {found.state}'}", "name a file with shell lines in it"
        )
    for row in filter(str.strip, found.text.splitlines()):
        given = _object(row)
        if "line" in given:
            yield Line(str(given["line"]), str(given.get("what", "")), str(given.get("class", "plain")))
        else:
            yield Line(row, "")


def _object(row: str) -> dict[str, object]:
    try:
        found = json.loads(row)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
