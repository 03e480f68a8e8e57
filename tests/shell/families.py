"""Lines by family: what may stand at a place, at each of the places where it may stand (`families.txt`)."""

from __future__ import annotations

from pathlib import Path

PLACE = "§"


def _read(text: str) -> dict[str, list[str]]:
    """The lines of each family by its name."""
    found: dict[str, list[str]] = {}
    for section in text.split("\n== ")[1:]:
        name, *rows = section.split("\n")
        rows = [row.replace("⏎", "\n").replace("⇥", "\t") for row in rows if row]
        if name != "in":
            family, values = name, rows
            continue
        found[family] = [place.replace(PLACE, value) for place in rows for value in values]
    return found


FAMILIES = _read(Path(__file__).with_suffix(".txt").read_text("utf-8"))
