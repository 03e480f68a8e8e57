"""What canary calls showed, as text, as JSON and for code scanning."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from hookline.cli.hooks.problems import sarif_log, sarif_result
from hookline.cli.render import coloured, counted, laid_out, painted, table, visible, wants_colour
from hookline.installing.attested import Attested, Lapse
from hookline.model.record import fields_of

_STATE_COLOURS = {"fired": "32", "ready": "32", "failed": "31", "unproven": "33"}


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
            proof["agent"], proof["state"], proof["event"], proof["name"],
            " ".join(filter(None, (proof["verdict"], proof["call"]))),
        )
        for proof in found["guards"]
    ]  # fmt: skip
    made = (
        coloured(table(("agent", "state", "event", "guard", "canary"), rows), _STATE_COLOURS) if rows else ""
    )
    lines = []
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
    return made + laid_out("".join(lines))


def sarif_of(lapses: Sequence[Lapse]) -> str:
    """The faults for code scanning."""
    codes = dict.fromkeys(lapse.code for lapse in lapses)
    results = [
        sarif_result(
            lapse.code, "error", "; ".join(filter(None, (f"{lapse.subject}: {lapse.message}", lapse.hint))),
            lapse.source, lapse.line,
        )
        for lapse in lapses
    ]  # fmt: skip
    return sarif_log("hookline attest", [{"id": code} for code in codes], results)
