"""Makes the files that are read at every event from the packs' TOML: `python tools/packs.py`."""

from __future__ import annotations

import json
from pathlib import Path

from hookline.dialects.hookline.packs import FOLDER, SHIPPED, as_row
from hookline.installing.packs import shipped_pack


def made(name: str) -> str:
    """What stands in the JSON of a pack."""
    rows = [as_row(spec) for spec in shipped_pack(name).rules]
    return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for name in SHIPPED:
        Path(FOLDER, f"{name}.json").write_text(made(name))
