"""What is seldom written, for random lines: a row of `rarest_lines.txt`, with random words in it."""

from __future__ import annotations

import re
from pathlib import Path

from tests.shell.rarer_lines import Rarer

PROGRAMS = ("ok", "ok1", "ok2", "no", "no1")  # stand-ins: the first three succeed
_FILLED = re.compile(r"NAME|OTHER|WORDS?|CODE|SIMPLE|COMMANDS|PROGRAM")
_ROWS: dict[str, list[str]] = {}
for _row in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
    if _row.startswith("== "):
        _rows = _ROWS.setdefault(_row[3:], [])
    elif _row and not _row.startswith("# "):
        _rows.append(_row.replace("⏎", "\n").replace("⇥", "\t"))


class Rarest(Rarer):
    """Rows; what stands in them is made by who goes on from here."""

    def row(self, section: str, depth: int) -> str:
        same = {"NAME": self.name(), "OTHER": self.name()}

        def filled(found: re.Match[str]) -> str:
            match found[0]:
                case "NAME" | "OTHER":
                    return same[found[0]]
                case "WORD":
                    return self.word(depth - 1)
                case "WORDS":
                    return " ".join(self.word(depth - 1) for _ in range(self.random.randrange(4)))
                case "CODE":
                    return self.quoted(self.simple(0))
                case "SIMPLE":
                    return self.simple(0)
                case "COMMANDS":
                    return self.commands(min(depth - 1, 1))
            return self.random.choice(PROGRAMS)

        return _FILLED.sub(filled, self.random.choice(_ROWS[section]))
