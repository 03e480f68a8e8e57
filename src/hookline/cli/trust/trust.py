"""`hookline trust`, `enable` and `disable`: a person decides which hooks may run."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence

from hookline.cli import common
from hookline.cli.actions import run_action
from hookline.cli.hooks.listing import agent_of, hook_named, opened_for, usable
from hookline.cli.trust.review import ACTIONS, review
from hookline.engine.opening import Opened
from hookline.model.errors import StateError, UsageError
from hookline.model.hooks import HookSpec
from hookline.model.record import fields_of
from hookline.state.trust.requests import TrustRequests


def trust(arguments: list[str]) -> int:
    """Reviews what is new or changed; 1 while something waits for a decision."""
    if arguments and not arguments[0].startswith("-"):
        return run_action("trust", ACTIONS, arguments)
    options = _parser().parse_args(arguments)
    opened = opened_for(options)
    if options.log:
        return _log(opened, options.json)
    if options.revoke:
        opened.store.revoke(common.user_name())
        common.say("nothing of this workspace is trusted any more")
        return 0
    if options.strict or options.relax:
        return _set_strict(opened, options.strict)
    if options.trust_hash:
        return _accept_hashes(opened, options.trust_hash)
    return review(opened, options)


def enable(arguments: list[str]) -> int:
    """Takes a `disable` back."""
    opened, spec = _hook_named("enable", arguments)
    opened.store.enable(spec, common.user_name())
    if not spec.enabled:
        why = spec.origin.disabled_why or f"switched off in {spec.source}"
        common.warn(f"`{spec.id}` stays off: {why}")
        return 1
    common.say(f"`{spec.id}` is on")
    return 0


def disable(arguments: list[str]) -> int:
    """Switches one hook off in this repository, whatever its config says."""
    opened, spec = _hook_named("disable", arguments)
    opened.store.disable(spec, common.user_name())
    agent = agent_of(spec)
    off = f"is off for hookline, but {agent} runs it itself and goes on doing so" if agent else "is off"
    common.say(f"`{spec.id}` {off}; `hookline enable {spec.id}` brings it back")
    return 0


def _parser() -> ArgumentParser:
    parser = common.parser(
        "trust",
        "Shows the hooks that are new or changed, and asks whether they may run.\n\n"
        "`hookline trust request FILE` lets an installer ask for its hooks, `trust requests` lists what is\n"
        "asked for, `trust refuse ID` says no.",
        "hookline trust --yes",
    )
    one = parser.add_mutually_exclusive_group()
    one.add_argument("--yes", action="store_true", help="accept all of them without asking")
    one.add_argument("--revoke", action="store_true", help="take back every acceptance in this workspace")
    one.add_argument("--log", action="store_true", help="the journal of decisions")
    one.add_argument("--strict", action="store_true", help="from now on a guard that cannot speak blocks")
    one.add_argument("--relax", action="store_true", help="take `--strict` back")
    one.add_argument(
        "--trust-hash", action="append", metavar="SHA256", help="accept exactly this content (repeatable)"
    )
    parser.add_argument("--json", action="store_true", help="what waits (or the journal) as a JSON list")
    return parser


def _set_strict(opened: Opened, strict: bool) -> int:
    opened.store.set_strict(strict, common.user_name())
    word = "blocks" if strict else "does not block"
    common.say(f"here an untrusted or broken guard {word} from now on")
    return 0


def _accept_hashes(opened: Opened, hashes: Sequence[str]) -> int:
    try:
        opened.store.accept_hashes(hashes, common.user_name())
    except StateError as error:
        raise UsageError(f"--trust-hash: {error.message}", error.hint) from error
    known = {opened.store.verdict(spec).fingerprint for spec in usable(opened.hooks.specs)}
    TrustRequests(opened.paths, opened.workspace).settle(hashes)
    for each in hashes:
        if each not in known:
            common.warn(f"no hook here has the content `{each}` now")
    common.say(f"accepted {len(hashes)}")
    return 0


def _log(opened: Opened, as_json: bool) -> int:
    entries = opened.store.log()
    found = [{**fields_of(entry), "hooks": dict(entry.hooks)} for entry in entries]
    rows = [(e.at, e.action, e.by, e.workspace, " ".join(e.hooks)) for e in entries]
    common.print_rows(as_json, found, ("at", "action", "by", "workspace", "hooks"), rows)
    fault = opened.store.verify_log()
    if fault:
        common.warn(f"the journal was tampered with: {fault}")
    return 1 if fault else 0


def _hook_named(command: str, arguments: list[str]) -> tuple[Opened, HookSpec]:
    verb = {"enable": "Switches a hook on again", "disable": "Switches one hook off"}[command]
    parser = common.parser(command, f"{verb} in this repository.", f"hookline {command} gencode:PreToolUse:")
    parser.add_argument(
        "hook", metavar="HOOK", help="its id, enough of its id, or its name (`hookline list`)"
    )
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    return opened, hook_named(options.hook, opened.hooks)
