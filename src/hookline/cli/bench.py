"""`hookline bench`: what hookline costs, as ratios measured side by side in one run."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

from hookline.cli import common
from hookline.cli.bench_guards import run_guards
from hookline.cli.render import table
from hookline.model.errors import HooklineError, UsageError

PACKAGE = "hookline_benchmarks"


def run(arguments: list[str]) -> int:
    """Measures the rows; 1 when a goal is missed."""
    if arguments[:1] == ["guards"]:
        return run_guards(arguments[1:], _benchmarks("guards.measure"))
    parser = common.parser(
        "bench",
        "What hookline costs, against C and against other libraries, as ratios.",
        "hookline bench 6 7",
    )
    parser.add_argument("rows", nargs="*", metavar="ROW", help="numbers of rows (default: all), or `guards`")
    parser.add_argument("--json", action="store_true", help="one JSON object per row")
    options = parser.parse_args(arguments)
    rows = _benchmarks()
    for name in options.rows:
        if name not in rows.ROWS:
            raise UsageError(f"bench: no row `{name}`", f"rows: {', '.join(rows.ROWS)}")
    common.say("measuring: a minute or so; other work on the machine spoils it")
    found = []
    for row in rows.measure(options.rows):
        found.append(row)
        if options.json:
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
            sys.stdout.flush()
        else:
            common.say(f"  {row['name']}")
    if not options.json:
        head = ("row", "ratio", "goal", "", "quickest", "peers", "note")
        sys.stdout.write(table(head, map(_cells, found)))
    return 1 if any(row.get("met") is False for row in found) else 0


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    peers = ", ".join(f"{who} {ratio}x" for who, ratio in row.get("peers", {}).items())
    ratio = "–" if row["ratio"] is None else f"{row['ratio']}x"
    met = "" if row.get("met") is None else "✓" if row["met"] else "✗"
    quick = f"{row['quick_ratio']}x" if "quick_ratio" in row else ""
    goal = row["goal"] if isinstance(row["goal"], str) else f"{row['goal']}x"
    return (row["name"], ratio, f"≤ {goal}", met, quick, peers, row.get("note", ""))


def _benchmarks(name: str = "table") -> ModuleType:
    """A module of the benchmarks: inside an installed hookline, or beside its sources."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = (os.path.join(here, "_benchmarks"), os.path.join(here, "..", "..", "benchmarks"))
    folder = next((each for each in folders if os.path.isfile(os.path.join(each, "table.py"))), None)
    if folder is None:
        raise HooklineError("the benchmarks are not part of this installation", "run it from a checkout")
    spec = spec_from_file_location(
        PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    sys.modules[PACKAGE] = module_from_spec(spec)
    return importlib.import_module(f"{PACKAGE}.{name}")
