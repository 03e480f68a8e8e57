"""`hookline history`, `show`, `tail` and `stats`: what ran."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace

from hookline.cli import common, flags
from hookline.cli.history.opened import LAST, add_filters, filters_of, opened_history, run_named
from hookline.cli.history.text import HEAD, row, run_text
from hookline.cli.render import laid_out, visible
from hookline.dialects import is_agent
from hookline.model.record import fields_of
from hookline.model.typing import TYPE_CHECKING, Any, Mapping
from hookline.state.history import History
from hookline.system.loops.ending import end_in_order

if TYPE_CHECKING:
    from hookline.state.hook_stats import HookStats


def history(arguments: list[str]) -> int:
    """Decisions, newest first; `verify` and `export` are commands of their own."""
    if arguments[:1] == ["verify"]:
        from hookline.cli.history.evidence import verify

        return verify(arguments[1:])
    if arguments[:1] == ["export"]:
        from hookline.cli.history.export import export

        return export(arguments[1:])
    parser = common.parser(
        "history",
        "What ran, newest first.\n\n`history verify` looks whether it was changed; `history export` hands it on.",
        "hookline history --failed --since yesterday --event PreToolUse",
    )
    add_filters(parser)
    flags.add_count(parser, "--limit", "at most N (default 50; 0: all)", 50)
    parser.add_argument("--json", action="store_true", help="a JSON list of decisions")
    options = parser.parse_args(arguments)
    with opened_history() as kept:
        found = kept.runs(**filters_of(options, _everywhere(options)), limit=options.limit or None)
    now = time.time()
    common.print_rows(options.json, found, HEAD, (row(each, now) for each in found))
    return 1 if kept.problem else 0


def _everywhere(options: Namespace) -> bool:
    """A session is looked for in all workspaces."""
    return options.all or (options.workspace is None and options.session is not None)


def show(arguments: list[str]) -> int:
    """One decision in full."""
    parser = common.parser("show", "One decision with everything its hooks said.", "hookline show last")
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default=LAST,
        help="a run's id, enough of its beginning or end, `last`, or a hook: the last decision it had a part in",
    )  # fmt: skip
    parser.add_argument("--all", action="store_true", help="`last` and a hook's: of every workspace")
    parser.add_argument(
        "--unmet",
        action="store_true",
        help="list hooks of other events and unmet rules of packs too",
    )
    parser.add_argument("--json", action="store_true", help="the decision's object")
    options = parser.parse_args(arguments)
    with opened_history() as kept:
        found = run_named(options.run, kept, None if options.all else common.workspace_of(options.workspace))
    if options.json:
        common.print_json(found)
    else:
        sys.stdout.write(run_text(found, options.unmet))
    return 0


def tail(arguments: list[str]) -> int:
    """Decisions as they are made."""
    parser = common.parser("tail", "Decisions as they are made, by any process.", "hookline tail --json")
    add_filters(parser)
    parser.add_argument("-f", "--follow", action="store_true", help="go on until ^C, as it does anyway")
    parser.add_argument(
        "-n", "--last", type=flags.number_from(0), default=0, metavar="N", help="begin with the last N"
    )
    flags.add_count(parser, "--count", "end after N", least=1)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    options = parser.parse_args(arguments)
    left, filters = options.count, filters_of(options, options.all or options.workspace is None)
    end_in_order()
    with opened_history() as kept:
        common.say("waiting for decisions; ^C ends")
        for found in kept.tail(kept.before_the_last(options.last, **filters), **filters):
            _print_tail(found, options.json, kept)
            left = None if left is None else left - 1
            if left == 0:
                break
    return 0


def stats(arguments: list[str]) -> int:
    """Each hook's runs, failures and times."""
    parser = common.parser(
        "stats", "How often each hook ran here, how it ended and how long it took.", "hookline stats"
    )
    add_filters(parser)
    parser.add_argument("--json", action="store_true", help="a JSON list")
    options = parser.parse_args(arguments)
    with opened_history() as kept:
        found = kept.stats(**filters_of(options, _everywhere(options)))
    rows = [
        (s.id, "" if s.name == s.id else s.name, str(s.runs), str(s.denials), _failures(s),
         f"{s.p50_ms:.1f}", f"{s.p95_ms:.1f}", f"{s.total_ms / 1000:.2f}")
        for s in found
    ]  # fmt: skip
    head = ("hook", "name", "runs", "denied", "failed", "p50 ms", "p95 ms", "total s")
    common.print_rows(options.json, [fields_of(each) for each in found], head, rows)
    return 1 if kept.problem else 0


def _failures(hook: HookStats) -> str:
    """`3`, and how many of them were no plain failures."""
    ways = [
        f"{count} {word}" for count, word in ((hook.killed, "killed"), (hook.timeouts, "timed out")) if count
    ]
    return f"{hook.failures} ({', '.join(ways)})" if ways else str(hook.failures)


def _print_tail(found: Mapping[str, Any], as_json: bool, kept: History) -> None:
    """The decision, as text with who asked and where: it may be any agent of this machine."""
    if as_json:
        line = json.dumps(found, ensure_ascii=False)
    else:
        host = found.get("host") or ""
        where = visible(kept.workspace_of(found["run"]))
        line = laid_out("  ".join(row(found)) + f"  ({f'{host} in ' if is_agent(host) else ''}{where})")
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
