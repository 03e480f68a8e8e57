"""`hookline bench guards`: many lines, those to stop and harmless ones, fired at all packs."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from hookline.cli import common
from hookline.cli.render import table

# At most this part of the harmless lines may be stopped, and denied outright; of what is to be stopped, pass.
MOST_ALARMS, MOST_DENIALS, MOST_PASSED = 0.01, 0.002, 0.01


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
        _print(found, measuring)
    if options.show:
        _show(found, options.show)
    return 0 if all(_is_good(name, total) for name, total in totals.items()) else 1


def _is_good(name: str, total: dict[str, Any]) -> bool:
    if name == "stop":
        return bool(total["silent"] <= total["lines"] * MOST_PASSED)
    stopped = total["denied"] + total["asked"]
    return bool(stopped <= total["lines"] * MOST_ALARMS and total["denied"] <= total["lines"] * MOST_DENIALS)


def _print(found: dict[str, list[Any]], measuring: ModuleType) -> None:
    head = ("corpus", "", "lines", "denied", "asked", "silent", "p50 µs", "p99 µs")
    rows = []
    for name, judged in found.items():
        for field in ("family", "kind"):
            rows += [
                _cells(name, part, measuring.summary(each))
                for part, each in measuring.by(judged, field).items()
                if part
            ]
        rows.append(_cells(name, "all", measuring.summary(judged)))
    sys.stdout.write(table(head, rows))


def _cells(name: str, part: str, total: dict[str, Any]) -> tuple[str, ...]:
    keys = ("lines", "denied", "asked", "silent", "p50_us", "p99_us")
    return (name, part, *(str(total[key]) for key in keys))


def _show(found: dict[str, list[Any]], what: str) -> None:
    for name, judged in found.items():
        for each in judged:
            stopped = each.verdict.word not in ("none", "allow")
            if stopped == (what == "alarms") and (name == "harmless") == (what == "alarms"):
                rules = ", ".join(each.rules)
                sys.stdout.write(f"{name} {each.line.family} {each.line.kind}: {each.line.text!r} {rules}\n")
