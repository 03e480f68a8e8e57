"""Makes the file that is read at every call from the rows of programs: `python tools/programs.py`."""

from __future__ import annotations

import json
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from hookline.shell.programs import table
from hookline.shell.programs.table import Row, as_written

dumps = partial(json.dumps, separators=(",", ":"))
FILE = Path(table.__file__).with_name("programs.json")


def made() -> str:
    """A row in each line by its path, in their order; of one that stands elsewhere too, that path."""
    known = as_written()
    lines: dict[str, str] = {}
    first: dict[str, str] = {}
    for name in dict.fromkeys(known.names()):
        for path in known.paths(name) if name[0] != "+" else [(name,)]:
            row = known.added(name[1:]) if name[0] == "+" else known.row(path)
            assert row is not None
            text, place = dumps(_shown(row)), " ".join(path)
            usual = " ".join(row.path)
            if first.setdefault(text, place) != place and len(text) > 40:
                text = dumps([first[text]])
            lines[place] = text if usual == place.removeprefix("+") else dumps(usual)
    return "{\n" + ",\n".join(f'"{place}":{lines[place]}' for place in sorted(lines)) + "\n}\n"


def _shown(row: Row) -> list[object]:
    """Its parts without its path, and without what is empty at their end."""
    options: list[list[object]] = []
    for option, given in groupby(row.options.items(), itemgetter(1)):
        names, keys = ",".join(option.names), ",".join(name for name, _ in given)
        options.append(_short([names, option.takes, option.ends, keys if keys != names else ""]))
    deeds = [_short([each.name, each.targets, each.conditions]) for each in row.deeds]
    return _short([options, sorted(row.flags), deeds, sorted(row.subs)])


def _short(parts: list[object]) -> list[object]:
    while parts and not parts[-1]:
        parts.pop()
    return parts


if __name__ == "__main__":
    FILE.write_text(made())
