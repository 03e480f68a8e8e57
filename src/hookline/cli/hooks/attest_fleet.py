"""`hookline attest --bus`: do the guards of a whole fleet fire?"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from typing import Any

from hookline.cli import common
from hookline.cli.hooks.attest_views import sarif_of, text_of
from hookline.cli.render import counted, visible
from hookline.hosts.fleet.holding import attest_subject, fleet_log, held_by
from hookline.installing.attested import Lapse
from hookline.model.errors import UsageError
from hookline.model.record import replace


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
