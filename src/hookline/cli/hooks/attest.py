"""`hookline attest`: do the guards fire, for each agent that is used here, or on every machine of a fleet?"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from hookline.cli import common, flags
from hookline.cli.history.opened import opened_history
from hookline.cli.hooks.listing import opened_for
from hookline.cli.hooks.problems import fault_lines, sarif_log, sarif_result
from hookline.cli.render import coloured, counted, laid_out, table, visible, wants_colour
from hookline.hosts.fleet.holding import attest_subject, fleet_log, held_by
from hookline.installing.attesting import attest
from hookline.installing.canaries import Attested, Lapse
from hookline.model.errors import UsageError
from hookline.model.record import fields_of, replace
from hookline.model.typing import Any
from hookline.system.loops.loop import run_asyncio

FORMATS = ("text", "json", "sarif")
EXAMPLE = "hookline attest --agent claude --output-format sarif"
_SUMMARY = (
    "Proves by canary calls, sent the way each agent sends its own, that guards are installed, trusted and fire.\n"
    "Nothing of a canary is carried out; guards are asked about it for real. Exits 1 when one would not fire."
)
_STATE_COLOURS = {"fired": "32", "ready": "32", "failed": "31", "unproven": "33"}


def run(arguments: list[str]) -> int:
    """Prints each guard with what was seen of it; 1 when one would not fire."""
    parser = common.parser("attest", _SUMMARY, EXAMPLE)
    words = "that agent, whether it is used here or not; without it every one that is"
    flags.add_several(parser, "--agent", "A", words)
    flags.add_formats(parser, FORMATS)
    flags.add_bus(parser, "of all machines that hold a policy over this NATS server")
    parser.add_argument("--group", default="all", metavar="G", help="which machines (default: all)")
    flags.add_span(parser, "--wait", "how long to wait for them (20)", 20.0)
    options = parser.parse_args(arguments)
    form = options.output_format
    if options.bus:
        return attest_fleet(options.bus, options.group, options.wait, form)
    opened = opened_for(options)
    with opened_history() as history:
        found = run_asyncio(attest(opened, history, options.agent))
    sys.stdout.write(_WRITERS[form](found))
    return 1 if found.lapses else 0


_WRITERS = {
    "text": lambda found: text_of(as_json(found)),
    "json": lambda found: common.json_text(as_json(found)),
    "sarif": lambda found: sarif_of(found.lapses),
}


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
        told = fault_lines(
            "error", lapse["subject"] + place, lapse["message"], lapse["code"], lapse["hint"], colour
        )
        lines += [f"{line}\n" for line in told]
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


def attest_fleet(url: str, group: str, wait_s: float, form: str) -> int:
    """Asks every machine, and prints what they found; 1 when a guard would not fire, or a machine is silent."""
    answers, silent = asyncio.run(_asked(url, group, wait_s))
    if not answers and not silent:
        raise UsageError(f"no machine holds a policy of `{group}`", "`hookline fleet hold` does")
    lapses = [
        _lapse(answer, given) for answer in answers for each in answer["attested"] for given in each["lapses"]
    ]
    lapses += [Lapse("", "silent", host, "it did not answer") for host in silent]
    match form:
        case "json":
            sys.stdout.write(
                common.json_text({"schema": 1, "group": group, "machines": answers, "silent": silent})
            )
        case "sarif":
            sys.stdout.write(sarif_of(lapses))
        case _:
            _print(answers, silent)
    return 1 if lapses else 0


async def _asked(url: str, group: str, wait_s: float) -> tuple[list[dict[str, Any]], list[str]]:
    """What each machine answered, by name, and those that said nothing in time."""
    log = fleet_log(url, common.warn)
    answers: dict[str, dict[str, Any]] = {}
    news = asyncio.Event()

    async def hear(message: Any) -> None:
        found = json.loads(message.data)
        answers[str(found["host"])] = found
        news.set()

    try:
        known = {each.host for each in await held_by(log, group)}
        client = await log.client()
        inbox = client.new_inbox()
        await client.subscribe(inbox, cb=hear)
        await client.publish(attest_subject(group), b"{}", reply=inbox)
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s if known else 0):
                while known - answers.keys():
                    await news.wait()
                    news.clear()
    finally:
        await log.close()
    return [answers[host] for host in sorted(answers)], sorted(known - answers.keys())


def _lapse(answer: dict[str, Any], given: dict[str, Any]) -> Lapse:
    found = Lapse(**given)
    return replace(found, subject=f"{answer['host']}: {found.subject}")


def _print(answers: list[dict[str, Any]], silent: list[str]) -> None:
    for answer in answers:
        fault = f", which refuses a newer one: {answer['fault']}" if answer["fault"] else ""
        sys.stdout.write(visible(f"{answer['host']}: policy version {answer['version']}{fault}") + "\n")
        sys.stdout.write("".join(map(text_of, answer["attested"])) or "no workspace to attest there\n")
    for host in silent:
        sys.stdout.write(visible(f"{host}: it did not answer") + "\n")
    sys.stdout.write(f"{counted(len(answers), 'machine')} answered, {len(silent)} did not\n")
