"""`hookline why HOOK`: what one hook is, whether it runs, and what it did last."""

from __future__ import annotations

import sys
import time

from hookline.cli import common
from hookline.cli.history.opened import opened_history
from hookline.cli.history.text import row
from hookline.cli.hooks.described import described
from hookline.cli.hooks.fire import Options, event_of, kind_named
from hookline.cli.hooks.listing import hook_as_json, hook_named, opened_for, runner_words
from hookline.cli.render import COLOURS, duration, laid_out, mark_of, one_line, painted, visible, wants_colour
from hookline.engine.opening import Opened
from hookline.engine.when_words import when_words
from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.rendering import result_as_json
from hookline.model.results import HookResult
from hookline.model.typing import Any


def why(arguments: list[str]) -> int:
    """Says of one hook where it stands; with the words of a call, whether it would run at that call."""
    parser = common.parser(
        "why",
        "What one hook is, whether it runs, and what it did last.\n\n"
        "With a call in words (`Bash 'git push'`), whether it would run at that call, and why.",
        "hookline why gencode:PreToolUse: Bash 'git push'",
    )
    parser.add_argument("hook", metavar="HOOK", help="its id, enough of its id, or its name")
    parser.add_argument("words", metavar="WORDS", nargs="*", help="an event, or a tool and what it is asked")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_intermixed_args(arguments)
    opened = opened_for(options)
    spec = hook_named(options.hook, opened.hooks)
    result = _result(spec, opened, options.words)
    last = _last(spec, opened)
    if options.json:
        asked = None if result is None else result_as_json(result)
        common.print_json(
            {**hook_as_json(spec, opened), "runs_it": runner_words(spec), "asked": asked, "last": last}
        )
    else:
        sys.stdout.write(laid_out("\n".join(_lines(spec, opened, result, last, bool(options.words))) + "\n"))
    return 0


def _result(spec: HookSpec, opened: Opened, words: list[str]) -> HookResult | None:
    """What would become of the hook: at the call in words, else at the plainest event it listens to."""
    if words:
        found = described(words)
        kind = kind_named(found.event)
        options = Options(event=found.event, payload=found.payload or {})
        event = event_of(options, kind, opened)
    else:
        event = Event(spec.kind, cwd=opened.workspace, workspace=opened.workspace)
    results = opened.engine.explain(event).results
    return next((result for result in results if result.spec.id == spec.id), None)


def _last(spec: HookSpec, opened: Opened) -> dict[str, Any] | None:
    with opened_history() as kept:
        return next(iter(kept.runs(hook=spec.id, workspace=opened.workspace, limit=1)), None)


def _lines(
    spec: HookSpec, opened: Opened, result: HookResult | None, last: dict[str, Any] | None, asked: bool
) -> list[str]:
    colour = wants_colour(sys.stdout)
    name = "" if spec.name in ("", spec.id, spec.command) else f"  {spec.name}"
    when = when_words(spec)
    marks: dict[str, str] = {}
    told = [
        ("from", f"{spec.where} ({spec.dialect}, {spec.scope})"),
        ("at", spec.kind.value + (f", when {when}" if when else ", always")),
        ("runs", f"{one_line(spec.command, 400)} ({spec.handler}, at most {duration(spec.timeout_s)})"),
        ("trust", opened.trust.why(spec) or opened.trust.shown_state(spec)),
    ]
    if words := runner_words(spec):
        told.append(("note", words))
    if result is not None and result.status == "not_matched" and not asked:
        told.append(("now", "waits for a call that fits; name one: `hookline why HOOK Bash 'git push'`"))
    elif result is not None:
        marks["now"] = painted(mark_of(result), COLOURS.get(mark_of(result), "2"), colour) + " "
        words = result.status.value.replace("_", " ")
        told.append(("now", words + (f" — {result.why}" if result.why else "")))
    told.append(("last", "never ran here" if last is None else "  ".join(row(last, time.time()))))
    return [
        painted(visible(spec.id + name), "1", colour),
        *(f"  {head:<6}{marks.get(head, '')}{visible(text)}" for head, text in told),
    ]
