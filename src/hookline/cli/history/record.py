"""`hookline record` and `hookline replay`: keep bridged calls, and run them again."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from typing import Any

from hookline.cli import common, flags
from hookline.cli.history.opened import opened_history, run_named
from hookline.cli.history.text import asked_words
from hookline.cli.render import counted
from hookline.hosts.bridge.replay import Replayed
from hookline.hosts.bridge.replay import replay as run_again
from hookline.model.asked import asked_again
from hookline.model.errors import HooklineError, UsageError
from hookline.state.paths import Paths
from hookline.state.recordings import Recordings, read_calls
from hookline.system import files


def record(arguments: list[str]) -> int:
    """Switches recording on or off, or says how things stand."""
    parser = common.parser(
        "record",
        "Keeps the payloads and answers of bridged calls, secrets taken out.",
        "hookline record start",
    )
    parser.add_argument("action", choices=("start", "stop", "status", "list", "clear"), help="what to do")
    parser.add_argument("--json", action="store_true", help="for programs (`list`: the calls themselves)")
    options = parser.parse_args(arguments)
    kept = recordings()
    if options.action in ("start", "stop"):
        kept.switch(options.action == "start")
    if options.action == "clear":
        kept.clear()
    calls = kept.calls()
    if options.action == "list":
        _list(calls, options.json)
        return 0
    on = kept.wanted(files.environment())
    if options.json:
        sys.stdout.write(json.dumps({"recording": on, "calls": len(calls), "path": kept.path}) + "\n")
    else:
        common.print_line(
            f"recording is {'on' if on else 'off'}; {counted(len(calls), 'call')} in {kept.path}"
        )
    return 0


def replay(arguments: list[str]) -> int:
    """Runs recorded calls again; exit code 1 when one is answered otherwise."""
    parser = common.parser(
        "replay",
        "Runs the hooks of recorded calls again, for real, and shows which are answered otherwise now.",
        "hookline replay --last 20",
    )
    parser.add_argument(
        "what", nargs="?", metavar="WHAT",
        help="a file of recorded calls, or one decision: a run's id, `last`, or a hook (default: all that "
        "`hookline record` kept)",
    )  # fmt: skip
    flags.add_count(parser, "--last", "only the last N calls", least=1)
    parser.add_argument("--agent", help="only calls of that agent")
    parser.add_argument("--event", help="only calls of that event, as the agent names it")
    parser.add_argument("--json", action="store_true", help="every call, one JSON object a line")
    options = parser.parse_args(arguments)
    calls = _calls(options)
    place = os.path.realpath(common.workspace_of(options.workspace)) if options.workspace else None
    if options.agent is not None:
        common.known_dialect(options.agent)
    wanted = [
        call
        for call in calls
        if options.agent in (None, call["agent"])
        and options.event in (None, call.get("event"))
        and place in (None, call.get("workspace"))
    ]
    if options.last is not None:
        wanted = wanted[-options.last :]
    return _replay(wanted, options.json)


def _calls(options: Namespace) -> list[dict[str, Any]]:
    """Of a file, of one decision, or all. Raises UsageError, and HooklineError for a call that was not recorded."""
    what = options.what
    if what is None:
        return recordings().calls()
    if os.path.isfile(what):
        return read_calls(what)
    if os.sep in what or what.endswith(".jsonl"):
        raise UsageError(f"replay: `{what}` is no file")
    with opened_history() as history:
        found = run_named(what, history, common.workspace_of(options.workspace))
    call = recordings().answered_by(found["run"])
    if call is not None:
        return [call]
    question = asked_again(found)
    raise HooklineError(
        f"the call of run {found['run']} ({asked_words(found) or found['event']}) was not recorded",
        f"ask today's hooks about what is kept of it, and run none: {question}"
        if question
        else "`hookline record start` keeps the calls of agents from then on",
    )


def recordings() -> Recordings:
    """This user's."""
    return Recordings(Paths.from_environment(files.environment()).recordings)


def _list(calls: list[dict[str, Any]], as_json: bool) -> None:
    for call in calls:
        if as_json:
            sys.stdout.write(json.dumps(call, ensure_ascii=False) + "\n")
        else:
            answer = call.get("answer", {}).get("stdout") or "silence"
            common.print_line(f"{call.get('at')}  {call['agent']} {call.get('event')}  {answer[:100]}")


def _replay(calls: list[dict[str, Any]], as_json: bool) -> int:
    changed = 0
    for done in run_again(calls, files.environment()):
        changed += done.changed
        _show(done, as_json)
    common.say(f"{counted(len(calls), 'call')}, {changed} answered otherwise")
    return 1 if changed else 0


def _show(done: Replayed, as_json: bool) -> None:
    call = done.call
    if as_json:
        shown = {
            "agent": call["agent"], "event": call.get("event"), "at": call.get("at"), "changed": done.changed,
            "before": done.before, "now": done.now, "notes": list(done.notes),
        }  # fmt: skip
        sys.stdout.write(json.dumps(shown, ensure_ascii=False) + "\n")
        return
    mark = "changed" if done.changed else "same   "
    tool = call.get("payload", {}).get("tool_name") or ""
    common.print_line(f"{mark} {call.get('at')}  {call['agent']} {call.get('event')} {tool}")
    if done.changed:
        for word, answer in (("before", done.before), ("now", done.now)):
            common.print_line(f"  {word + ':':<8}{answer.get('stdout') or 'silence'}")
