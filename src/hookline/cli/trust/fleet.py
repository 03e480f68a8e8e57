"""`hookline fleet`: one policy for many machines, published once and held by each."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from argparse import ArgumentParser, Namespace
from typing import Any

from hookline.cli import common, flags
from hookline.cli.actions import Action, run_action
from hookline.cli.ending import until_signal
from hookline.cli.history.opened import opened_history
from hookline.cli.hooks.attest import as_json
from hookline.cli.render import table
from hookline.engine.opening import open_engine
from hookline.hosts.fleet.holding import (
    FOLDER,
    Holder,
    fleet_log,
    held_by,
    hold,
    latest_version,
    nothing_published,
    policy_subject,
    published,
)
from hookline.hosts.fleet.policy import SIGNERS, checked_signer, policy_files, read_policy, sign, text_of
from hookline.hosts.iterations.tasks import checked_name
from hookline.installing.attesting import attest
from hookline.model.errors import HooklineError, StateError, UsageError
from hookline.model.record import fields_of
from hookline.model.rendering import iso_time


def run(arguments: list[str]) -> int:
    """Publishes, holds, or says who holds what."""
    return run_action("fleet", ACTIONS, arguments)


def _options(parser: ArgumentParser, arguments: list[str]) -> Namespace:
    flags.add_bus(parser, required=True)
    parser.add_argument("--group", default="all", metavar="G", help="which machines (default: all)")
    options = parser.parse_args(arguments)
    checked_name(options.group, "group")
    return options


def publish(parser: ArgumentParser, arguments: list[str]) -> int:
    """Signs a folder, and sends it."""
    parser.add_argument("folder", metavar="FOLDER", help="`hooks.toml`, what it runs, and `trusted`")
    parser.add_argument("--key", required=True, metavar="FILE", help="the SSH key that signs")
    words = "its name in the machines' list of signers (default: your user name)"
    parser.add_argument("--by", default="", metavar="NAME", help=words)
    return asyncio.run(_publish(_options(parser, arguments)))


def hold_policy(parser: ArgumentParser, arguments: list[str]) -> int:
    """Takes what was published, until a signal."""
    add = parser.add_argument
    add("--to", default=FOLDER, metavar="DIR", help=f"the machine's folder (default: {FOLDER})")
    add("--signers", metavar="FILE", help=f"who may publish (default: `{SIGNERS}` in that folder)")
    add("--once", action="store_true", help="take what is there now, and end")
    words = "this machine's name (default: its host name); dots become `-`"
    add("--name", default="", metavar="HOST", help=words)
    flags.add_several(parser, "--attest", "DIR", "a workspace to attest when asked")
    return asyncio.run(_hold(_options(parser, arguments)))


def status(parser: ArgumentParser, arguments: list[str]) -> int:
    """Who holds what."""
    parser.add_argument("--json", action="store_true", help="one JSON object, with a list of machines")
    return asyncio.run(_status(_options(parser, arguments)))


async def _publish(options: Namespace) -> int:
    found, by = policy_files(options.folder), checked_signer(options.by or common.user_name())
    log = fleet_log(options.bus, common.warn)
    try:
        known = latest_version(await published(log, options.group))
        held = [each.version for each in await held_by(log, options.group)]  # of what the log no longer has
        version = max(known, *held, 0) + 1
        text = text_of(options.group, version, by, iso_time(time.time()), found)
        event = {"policy": text, "signature": await sign(text, options.key)}
        await log.append(policy_subject(options.group), event)
    finally:
        await log.close()
    common.print_line(f"published version {version} of `{options.group}`, signed as {by}")
    return 0


async def _hold(options: Namespace) -> int:
    holder = Holder(
        options.group, os.path.abspath(options.to), options.signers or os.path.join(options.to, SIGNERS), common.say,
        options.name,
    )  # fmt: skip
    workspaces = [common.workspace_of(each) for each in options.attest]
    heard: list[int] = []
    await until_signal(hold(holder, options.bus, lambda: _attested(workspaces), options.once), heard)
    if heard:
        return 128 + heard[0]
    return 1 if holder.fault else 0


async def _attested(workspaces: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for workspace in workspaces:
        try:
            with opened_history() as history:
                found.append(as_json(await attest(open_engine(workspace, history=False), history)))
        except HooklineError as error:
            lapse = {"agent": "", "code": "unreadable", "subject": workspace, "message": error.message, "hint": "",
                     "source": "", "line": 0}  # fmt: skip
            found.append({"schema": 1, "workspace": workspace, "agents": [], "guards": [], "lapses": [lapse]})
    return found


async def _status(options: Namespace) -> int:
    log = fleet_log(options.bus, common.warn)
    try:
        events = await published(log, options.group)
        machines = await held_by(log, options.group)
    finally:
        await log.close()
    if not events:
        raise UsageError(*nothing_published(options.group))
    try:
        policy = read_policy(str(events[-1].get("policy")), "")
    except StateError as error:
        words = f"what was published last for `{options.group}` counts nowhere: {error.message}"
        raise StateError(words, "publish again") from None
    behind = [each for each in machines if each.digest != policy.digest or each.fault]
    if options.json:
        common.print_json({
            "group": policy.group, "version": policy.version, "digest": policy.digest, "by": policy.by, "at": policy.at,
            "machines": [{**fields_of(each), "current": each not in behind} for each in machines],
        })  # fmt: skip
        return 1 if behind else 0
    common.print_line(
        f"`{policy.group}` is at version {policy.version}, published by {policy.by} at {policy.at}"
    )
    rows = [
        (
            each.host,
            str(each.version or "none"),
            each.fault or ("behind" if each in behind else "current"),
            each.at,
        )
        for each in machines
    ]
    sys.stdout.write(table(("machine", "version", "state", "last heard"), rows))
    return 1 if behind else 0


ACTIONS = {
    "publish": Action(
        "sign a folder and send it to all machines",
        "hookline fleet publish ./policy --bus nats://10.0.0.5:4222 --key ~/.ssh/id_ed25519 --by ann@example.com",
        publish,
    ),
    "hold": Action(
        "take the policy from the bus and hold it, until a signal", "hookline fleet hold --bus nats://10.0.0.5:4222",
        hold_policy,
    ),
    "status": Action(
        "which machine holds which version", "hookline fleet status --bus nats://10.0.0.5:4222", status
    ),
}  # fmt: skip
