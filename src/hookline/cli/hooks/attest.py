"""`hookline attest`: do the guards fire, for each agent that is used here?"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from typing import Any

from hookline import __version__
from hookline.cli import common
from hookline.cli.history.opened import opened_history
from hookline.cli.hooks.listing import opened_for
from hookline.cli.render import counted, painted, table, visible, wants_colour
from hookline.installing.attested import Attested
from hookline.installing.attesting import attest
from hookline.model.record import fields_of

FORMATS = ("text", "json", "sarif")
EXAMPLE = "hookline attest --agent claude --output-format sarif"
_STATE_COLOURS = {"fired": "32", "ready": "32", "failed": "31", "unproven": "33"}
_SUMMARY = (
    "Proves by canary calls, sent the way each agent sends its own, that guards are installed, trusted and fire.\n"
    "Nothing of a canary is carried out; guards are asked about it for real. Exits 1 when one would not fire."
)


def run(arguments: list[str]) -> int:
    """Prints each guard with what was seen of it; 1 when one would not fire."""
    parser = common.parser("attest", _SUMMARY, EXAMPLE)
    parser.add_argument(
        "--agent", action="append", default=[], metavar="A",
        help="that agent, whether it is used here or not (repeatable; default: every one that is)",
    )  # fmt: skip
    parser.add_argument("--output-format", choices=FORMATS, default="text", help="text, json or sarif")
    parser.add_argument("--json", action="store_true", help="the second")
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    with opened_history() as history:
        found = asyncio.run(attest(opened, history, options.agent))
    sys.stdout.write(_WRITERS["json" if options.json else options.output_format](found))
    return 1 if found.lapses else 0


def as_json(found: Attested) -> dict[str, Any]:
    """The object that `--json` prints, and that a machine sends over a bus."""
    return {
        "schema": 1,
        "workspace": found.workspace,
        "agents": list(found.agents),
        "guards": [fields_of(proof) for proof in found.proofs],
        "lapses": [fields_of(lapse) for lapse in found.lapses],
    }


def text_of(found: Mapping[str, Any]) -> str:
    """That object for people."""
    colour = wants_colour(sys.stdout)
    rows = [
        (
            proof["agent"], painted(proof["state"], _STATE_COLOURS[proof["state"]], colour), proof["event"],
            visible(proof["name"]), visible(" ".join(filter(None, (proof["verdict"], proof["call"])))),
        )
        for proof in found["guards"]
    ]  # fmt: skip
    lines = [table(("agent", "state", "event", "guard", "canary"), rows)] if rows else []
    for lapse in found["lapses"]:
        place = (
            f" ({lapse['source']}{':' + str(lapse['line']) if lapse['line'] else ''})"
            if lapse["source"]
            else ""
        )
        head = painted("error", "31", colour)
        lines.append(
            f"{head}: {visible(lapse['subject'] + place)}: {visible(lapse['message'])} [{lapse['code']}]\n"
        )
        if lapse["hint"]:
            lines.append(f"  hint: {visible(lapse['hint'])}\n")
    fired = sum(proof["state"] == "fired" for proof in found["guards"])
    agents = ", ".join(found["agents"]) or "no agent"
    lines.append(
        f"{visible(found['workspace'])}: {agents}; {counted(len(found['guards']), 'guard')}, {fired} fired, "
        f"{counted(len(found['lapses']), 'fault')}\n"
    )
    return "".join(lines)


def _as_sarif(found: Attested) -> str:
    codes = dict.fromkeys(lapse.code for lapse in found.lapses)
    results = [
        {
            "ruleId": lapse.code,
            "level": "error",
            "message": {"text": "; ".join(filter(None, (f"{lapse.subject}: {lapse.message}", lapse.hint)))},
            "locations": [_location(lapse.source, lapse.line)] if lapse.source else [],
        }
        for lapse in found.lapses
    ]
    driver = {"name": "hookline attest", "version": __version__, "rules": [{"id": code} for code in codes]}
    return _dumped(
        {
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{"tool": {"driver": driver}, "results": results}],
        }
    )


def _location(source: str, line: int) -> dict[str, Any]:
    region = {"region": {"startLine": line}} if line else {}
    return {"physicalLocation": {"artifactLocation": {"uri": source}, **region}}


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


_WRITERS = {
    "text": lambda found: text_of(as_json(found)),
    "json": lambda found: _dumped(as_json(found)),
    "sarif": _as_sarif,
}
