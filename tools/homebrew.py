"""Prints the Homebrew formula of a release: python tools/homebrew.py dist/hookline-0.2.0.tar.gz"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

TEMPLATE = Path(__file__).parents[1] / "packaging/homebrew/hookline.rb"


def formula(source: Path) -> str:
    """The formula for this source archive, named `hookline-VERSION.tar.gz`."""
    version = source.name.removeprefix("hookline-").removesuffix(".tar.gz")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    return TEMPLATE.read_text().replace("VERSION", version).replace("SHA256", digest)


if __name__ == "__main__":
    print(formula(Path(sys.argv[1])), end="")
