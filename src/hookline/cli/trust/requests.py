"""`hookline trust request`, `requests` and `refuse`: an installer asks, a person answers."""

from __future__ import annotations

import os
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping

from hookline.cli import common
from hookline.cli.actions import Action
from hookline.cli.hooks.listing import opened_for, usable
from hookline.cli.render import counted, one_line, table
from hookline.engine.opening import Opened
from hookline.model.errors import StateError, UsageError
from hookline.state.trust.requests import TrustRequest, TrustRequests
from hookline.system.processes.tags import callers


def request(parser: ArgumentParser, arguments: list[str]) -> int:
    """Asks for the hooks of a file. 0: asked, or all trusted already; 1: a person refused them."""
    parser.add_argument("file", metavar="FILE", help="the config file that holds the hooks")
    parser.add_argument("--by", metavar="NAME", help="who asks (default: the program that calls)")
    parser.add_argument("--why", metavar="TEXT", default="", help="what the hooks are for, in a sentence")
    parser.add_argument("--json", action="store_true", help="what became of each hook, as JSON")
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    requests = TrustRequests(opened.paths, opened.workspace)
    source, states, waiting = _hooks_of(opened, options.file, requests.refused())
    asked = None
    if waiting:
        started_by = callers()
        by = options.by or next(iter(started_by), "an unnamed program")
        asked = requests.ask(source, by, options.why, started_by, waiting)
    if options.json:
        common.print_json(_as_json(source, states, asked))
    _say_what_became(source, states, asked)
    return 1 if asked is None and "refused" in states.values() else 0


def list_requests(parser: ArgumentParser, arguments: list[str]) -> int:
    """What is asked for and not yet answered."""
    parser.add_argument("--json", action="store_true", help="a JSON list")
    options = parser.parse_args(arguments)
    found = _requests_of(options).open()
    if options.json:
        common.print_json([_as_json(each.source, dict.fromkeys(each.hooks, "asked"), each) for each in found])
        return 0
    rows = [
        (each.id, one_line(each.source, 80), str(len(each.hooks)), one_line(each.by, 80), each.why)
        for each in found
    ]
    sys.stdout.write(table(("id", "file", "hooks", "asked by", "why"), rows))
    return 0


def refuse(parser: ArgumentParser, arguments: list[str]) -> int:
    """Takes a request off the list; its content cannot be asked for again for a while."""
    parser.add_argument("request", metavar="ID", help="as `hookline trust requests` shows it")
    options = parser.parse_args(arguments)
    requests = _requests_of(options)
    for each in requests.open():
        if each.id == options.request:
            requests.refuse(each.hooks.values())
            common.say(f"refused: {one_line(each.source, 200)}, asked for by {each.by}")
            return 0
    raise UsageError(f"no request `{options.request}`", "`hookline trust requests` lists them")


ACTIONS = {
    "request": Action(
        "ask for the hooks of a config file to be trusted",
        "hookline trust request .claude/settings.json --by 'acme 1.2' --why 'formats what you edit'",
        request,
        more="Nothing is trusted by asking.",
    ),
    "requests": Action(
        "what programs ask to be trusted; nothing of it is", "hookline trust requests", list_requests
    ),
    "refuse": Action("say no to a request; nothing else changes", "hookline trust refuse 1f3a9c20", refuse),
}


def request_line(request: TrustRequest) -> str:
    """Who asked, in words that claim no more than is known."""
    day = time.strftime("%Y-%m-%d", time.gmtime(request.at))
    through = f", through {' < '.join(request.programs)}" if request.programs else ""
    why = f": “{one_line(request.why, 300)}”" if request.why else ""
    return one_line(f"asked for on {day} by one that calls itself “{request.by}”{through}{why}", 600)


def _requests_of(options: Namespace) -> TrustRequests:
    opened = opened_for(options)
    return TrustRequests(opened.paths, opened.workspace)


def _hooks_of(
    opened: Opened, file: str, refused: frozenset[str]
) -> tuple[str, dict[str, str], dict[str, str]]:
    """The file as people know it, the state of each hook in it, and the fingerprints worth asking for."""
    path = os.path.realpath(file)
    hooks = usable(opened.hooks.specs)
    mine = [spec for spec in hooks if spec.path and os.path.realpath(spec.path) == path]
    if not mine:
        raise StateError(
            f"no hook comes from `{file}`", "`hookline list --files` shows the files that are read"
        )
    items = {item.spec.id: item.fingerprint for item in opened.store.review(hooks)}
    states = {spec.id: _state(items.get(spec.id), refused) for spec in mine}
    return mine[0].source, states, {name: items[name] for name, state in states.items() if state == "asked"}


def _state(fingerprint: str | None, refused: frozenset[str]) -> str:
    if fingerprint is None:
        return "trusted"
    return "refused" if fingerprint in refused else "asked"


def _say_what_became(source: str, states: Mapping[str, str], asked: TrustRequest | None) -> None:
    refused = sum(state == "refused" for state in states.values())
    if asked is not None:
        common.say(
            f"asked for {counted(len(asked.hooks), 'hook')} of {one_line(source, 200)}; nothing of it runs yet"
        )
        common.say("a person answers with `hookline trust`")
    elif not refused:
        common.say(f"the hooks of {one_line(source, 200)} are trusted already")
    if refused:
        common.warn(
            f"refused before, so not asked for: {counted(refused, 'hook')} of {one_line(source, 200)}"
        )


def _as_json(source: str, states: Mapping[str, str], asked: TrustRequest | None) -> dict[str, object]:
    """`state` of a hook: asked, trusted or refused. `id` and `until` (seconds since 1970) are null for none."""
    pinned = asked.hooks if asked else {}
    return {
        "schema": 1,
        "id": asked.id if asked else None,
        "source": source,
        "by": asked.by if asked else None,
        "why": asked.why if asked else None,
        "programs": list(asked.programs) if asked else [],
        "at": asked.at if asked else None,
        "until": asked.until if asked else None,
        "hooks": [
            {"id": name, "state": state, "fingerprint": pinned.get(name)} for name, state in states.items()
        ],
    }
