"""Prints the part of CHANGELOG.md that belongs to a version: python tools/release_notes.py v0.2.0"""

from __future__ import annotations

import re
import sys
from pathlib import Path


def notes(text: str, version: str) -> str:
    """The lines under `## VERSION`. Raises KeyError where there is no such heading."""
    sections = re.split(r"^## +", text, flags=re.MULTILINE)[1:]
    for section in sections:
        title, _, body = section.partition("\n")
        if title.split()[:1] == [version.removeprefix("v")]:
            return body.strip() + "\n"
    raise KeyError(version)


if __name__ == "__main__":
    print(notes((Path(__file__).parents[1] / "CHANGELOG.md").read_text(), sys.argv[1]), end="")
