"""`hookline history`, `show`, `tail` and `stats`: what ran."""

from __future__ import annotations

import sys

from hookline.cli import common
from hookline.cli.render import one_line, painted, table, visible, wants_colour
from hookline.model.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping
    from typing import Any

    from hookline.state.history import History

_MARKS = {"ran": "✓", "timed_out": "⏱", "launch_failed": "✗", "bad_output": "✗", "cancelled": "✗",
          "untrusted": "!", "invalid": "!", "no_such_event": "!"}  # fmt: skip
_SILENT = ("not_matched", "no_such_event", "duplicate")


def history(arguments: list[str]) -> int:
    """Decisions, newest first."""
    parser = common.parser(
        "history", "What ran, newest first.", "hookline history --failed --since 2h --event PreToolUse"
    )
    _add_filters(parser)
    parser.add_argument("--limit", type=int, default=50, metavar="N", help="at most N (default 50; 0: all)")
    parser.add_argument("--all", action="store_true", help="of every workspace, not only of this one")
    parser.add_argument("--json", action="store_true", help="a JSON list of decisions")
    options = parser.parse_args(arguments)
    with opened_history() as kept:
        found = kept.runs(**_filters(options), limit=options.limit or None)
    if options.json:
        common.print_json(found)
    else:
        sys.stdout.write(table(("run", "at", "event", "verdict", "hooks"), map(_row, found)))
    return 0


def show(arguments: list[str]) -> int:
    """One decision in full."""
    parser = common.parser("show", "One decision with everything its hooks said.", "hookline show 4f2a")
    parser.add_argument("run", metavar="RUN", help="a run's id, or enough of its beginning or end")
    parser.add_argument("--json", action="store_true", help="the decision's object")
    options = parser.parse_args(arguments)
    with opened_history() as kept:
        found = kept.get(options.run)
    if found is None:
        raise UsageError(f"no run `{options.run}`", "`hookline history` lists them")
    if options.json:
        common.print_json(found)
    else:
        sys.stdout.write(run_text(found))
    return 0


def tail(arguments: list[str]) -> int:
    """Decisions as they are made."""
    parser = common.parser("tail", "Decisions as they are made, by any process.", "hookline tail --json")
    parser.add_argument("--last", type=int, default=0, metavar="N", help="begin with the last N")
    parser.add_argument("--count", type=int, metavar="N", help="end after N")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    options = parser.parse_args(arguments)
    left = options.count
    with opened_history() as kept:
        common.say("waiting for decisions; ^C ends")
        for found in kept.tail(max(0, kept.last_number() - options.last)):
            _print_tail(found, options.json)
            left = None if left is None else left - 1
            if left == 0:
                break
    return 0


def stats(arguments: list[str]) -> int:
    """Each hook's runs, failures and times."""
    parser = common.parser(
        "stats", "How often each hook ran, how it ended and how long it took.", "hookline stats"
    )
    parser.add_argument("--since", metavar="WHEN", help="a span (`2h`, `7d`), a date or a time stamp")
    parser.add_argument("--json", action="store_true", help="a JSON list")
    options = parser.parse_args(arguments)
    from hookline.state.history import parse_since

    with opened_history() as kept:
        found = kept.stats(parse_since(options.since) if options.since else None)
    if options.json:
        from hookline.model.record import fields_of

        common.print_json([fields_of(each) for each in found])
        return 0
    rows = [
        (s.id, s.dialect, str(s.runs), str(s.failures), str(s.timeouts), str(s.denials),
         f"{s.p50_ms:.1f}", f"{s.p95_ms:.1f}", f"{s.total_ms / 1000:.2f}")
        for s in found
    ]  # fmt: skip
    head = ("hook", "dialect", "runs", "failed", "timed out", "denied", "p50 ms", "p95 ms", "total s")
    sys.stdout.write(table(head, rows))
    return 0


def opened_history() -> History:
    """The history of this user; it is made when something is first recorded."""
    from hookline.state.history import History
    from hookline.state.paths import Paths
    from hookline.system import files

    return History(Paths.from_environment(files.environment(), files.home()).history_file, warn=common.warn)


def run_text(found: Mapping[str, Any]) -> str:
    """One decision of the history as text."""
    colour = wants_colour(sys.stdout)
    head = f"{found['event']}: {found['verdict']}" + (f" — {found['reason']}" if found["reason"] else "")
    lines = [
        painted(visible(head), "1", colour),
        f"  run {found['run']} at {found['at']}, session {found['session_id']}",
    ]
    lines += [f"  context: {one_line(text, 160)}" for text in found["context"]]
    lines += [f"  message: {one_line(text, 160)}" for text in found["messages"]]
    lines += [f"  let through: {one_line(text, 160)}" for text in found["degraded"]]
    for hook in found["hooks"]:
        lines += _hook_lines(hook)
    return "\n".join([lines[0], *map(visible, lines[1:])]) + "\n"


def _hook_lines(hook: Mapping[str, Any]) -> list[str]:
    mark = _MARKS.get(hook["status"], "·")
    if hook["status"] == "ran" and (hook["exit_code"] or hook["verdict"] in ("deny", "halt")):
        mark = "✗"
    place = f"{hook['source']}:{hook['line']}" if hook["line"] else hook["source"]
    took = f" {hook['duration_ms']:.1f} ms" if "timings_ms" in hook else ""
    why = f" — {hook['why']}" if hook["why"] else ""
    lines = [f"  {mark} {hook['id']}  {place}  {hook['status'].replace('_', ' ')}{took}{why}"]
    if hook["exit_code"] or hook["signal"]:
        lines.append(f"      exit code {hook['exit_code']}, signal {hook['signal']}")
    if hook["verdict"] != "none":
        lines.append(f"      {hook['verdict']}: {hook['reason'] or ''}")
    for stream in ("stdout", "stderr"):
        lines += [f"      {stream}: {one_line(line, 200)}" for line in hook[stream].splitlines()[:40]]
    if usage := hook.get("usage"):
        tokens = f"{usage['input_tokens']} tokens in, {usage['output_tokens']} out"
        lines.append(f"      asked {usage['model'] or 'a model'}: {tokens}, requests: {usage['requests']}")
    if hook.get("output_path"):
        lines.append(f"      full output: {hook['output_path']}")
    return lines


def _add_filters(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="only that session")
    parser.add_argument("--event", metavar="EVENT", help="only that event")
    parser.add_argument("--hook", metavar="ID", help="only decisions that concerned that hook (id or name)")
    parser.add_argument("--failed", action="store_true", help="only decisions with a failed hook")
    parser.add_argument("--since", metavar="WHEN", help="a span (`2h`, `7d`), a date or a time stamp")


def _filters(options: Namespace) -> dict[str, Any]:
    from hookline.cli.fire import kind_named
    from hookline.state.history import parse_since

    everywhere = options.all or (options.workspace is None and options.session is not None)
    return {
        "session": options.session,
        "event": kind_named(options.event).value if options.event else None,
        "hook": options.hook,
        "failed": options.failed,
        "since": parse_since(options.since) if options.since else None,
        "workspace": None if everywhere else common.workspace_of(options.workspace),
    }


def _row(found: Mapping[str, Any]) -> tuple[str, ...]:
    concerned = [hook for hook in found["hooks"] if hook["status"] not in _SILENT]
    words = ", ".join(f"{hook['name']} {hook['status'].replace('_', ' ')}" for hook in concerned)
    return (found["run"], found["at"], found["event"], found["verdict"], one_line(words, 400))


def _print_tail(found: Mapping[str, Any], as_json: bool) -> None:
    import json

    text = json.dumps(found, ensure_ascii=False) if as_json else "  ".join(_row(found))
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
