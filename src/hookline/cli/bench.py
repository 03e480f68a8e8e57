"""`hookline bench`: what hookline costs, as ratios measured in one run; `bench guards`: how packs judge many lines."""

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
from hookline.cli.render import table
from hookline.model.errors import HooklineError, UsageError

PACKAGE = "hookline_benchmarks"

# At most this part of the harmless lines may be stopped, and denied outright; of what is to be stopped, pass.
MOST_ALARMS, MOST_DENIALS, MOST_PASSED = 0.01, 0.002, 0.01


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
    if (folder := common.beside("benchmarks", "table.py")) is None:
        raise HooklineError("the benchmarks are not part of this installation", "run it from a checkout")
    spec = spec_from_file_location(
        PACKAGE, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    sys.modules[PACKAGE] = module_from_spec(spec)
    return importlib.import_module(f"{PACKAGE}.{name}")


def run_guards(arguments: list[str], measuring: ModuleType) -> int:
    """Prints the table; 1 when more lines pass, or more harmless ones are stopped, than should."""
    parser = common.parser(
        "bench guards",
        "Fires lines to stop and harmless ones at all packs at `balanced`, and counts.",
        "hookline bench guards --show silent",
    )
    parser.add_argument(
        "--stop", default="", metavar="FILE", help='other lines to stop, as they are or as {"line": …}'
    )
    parser.add_argument("--harmless", default="", metavar="FILE", help="other harmless lines")
    parser.add_argument("--show", choices=("silent", "alarms"), help="also print these lines")
    parser.add_argument("--json", action="store_true", help="the figures for programs")
    options = parser.parse_args(arguments)
    found = measuring.measure(options.stop, options.harmless)
    totals = {name: measuring.summary(judged) for name, judged in found.items() if judged}
    if options.json:
        common.print_json(totals)
    else:
        _print_totals(found, measuring)
    if options.show:
        _show_lines(found, options.show)
    return 0 if all(_is_good(name, total) for name, total in totals.items()) else 1


def _is_good(name: str, total: dict[str, Any]) -> bool:
    if name == "stop":
        return bool(total["silent"] <= total["lines"] * MOST_PASSED)
    stopped = total["denied"] + total["asked"]
    return bool(stopped <= total["lines"] * MOST_ALARMS and total["denied"] <= total["lines"] * MOST_DENIALS)


def _print_totals(found: dict[str, list[Any]], measuring: ModuleType) -> None:
    head = ("corpus", "", "lines", "denied", "asked", "silent", "p50 µs", "p99 µs")
    rows = []
    for name, judged in found.items():
        for field in ("family", "kind"):
            rows += [
                _total_cells(name, part, measuring.summary(each))
                for part, each in measuring.by(judged, field).items()
                if part
            ]
        rows.append(_total_cells(name, "all", measuring.summary(judged)))
    sys.stdout.write(table(head, rows))


def _total_cells(name: str, part: str, total: dict[str, Any]) -> tuple[str, ...]:
    keys = ("lines", "denied", "asked", "silent", "p50_us", "p99_us")
    return (name, part, *(str(total[key]) for key in keys))


def _show_lines(found: dict[str, list[Any]], what: str) -> None:
    for name, judged in found.items():
        for each in judged:
            stopped = each.verdict.word not in ("none", "allow")
            if stopped == (what == "alarms") and (name == "harmless") == (what == "alarms"):
                rules = ", ".join(each.rules)
                sys.stdout.write(f"{name} {each.line.family} {each.line.kind}: {each.line.text!r} {rules}\n")
