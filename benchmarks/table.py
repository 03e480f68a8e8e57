"""All rows in one table: ours over the limit, side by side with the goal and with peers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import (
    rows_bridge,
    rows_bus,
    rows_changes,
    rows_engine,
    rows_githooks,
    rows_guards,
    rows_http,
    rows_load,
    rows_loop,
    rows_process,
)

Row = dict[str, Any]

ROWS: dict[str, tuple[Callable[[], Row | list[Row]], ...]] = {
    "1": (rows_process.row1_runner, rows_engine.row1),
    "2": (rows_process.row2,),
    "3": (rows_process.row3,),
    "4": (rows_process.row4,),
    "5": (rows_bridge.row5,),
    "6": (rows_engine.row6,),
    "7": (rows_engine.row7,),
    "8": (rows_changes.row8,),
    "10": (rows_engine.row10,),
    "11": (rows_githooks.row11,),
    "12": (rows_http.row12,),
    "13": (rows_loop.row13,),
    "14": (rows_bus.row14,),
    "15": (rows_load.row15,),
    "16": (rows_bridge.row16,),
    "17": (rows_guards.row17,),
}


def programs_of_the_machine() -> str:
    """PATH without what is relative or below the folder we stand in: nothing of a workspace is run."""
    here = os.path.realpath(Path.cwd())
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(
        folder
        for folder in folders
        if folder.startswith("/") and not f"{os.path.realpath(folder)}/".startswith(f"{here}/")
    )


def measure(names: list[str]) -> Iterator[Row]:
    """The rows of these numbers (default: all), one by one as they are measured."""
    os.environ["PATH"] = programs_of_the_machine()
    for name in names or ROWS:
        for make in ROWS[name]:
            found = make()
            yield from found if isinstance(found, list) else [found]
