"""`hookline list` and `hookline check`: what is configured here, and what is wrong with it."""

from __future__ import annotations

import sys

from hookline.cli import common
from hookline.cli.render import counted, painted, table, visible, wants_colour
from hookline.engine.hookset import dialect_of
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import PromptCheck, Unusable
from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from hookline.dialects.base import Loaded
    from hookline.engine.opening import Opened
    from hookline.model.hooks import HookSpec

NOT_PARSED = ("bad-json", "bad-toml", "bad-yaml")
_TRUST_COLOURS = {"trusted": "32", "managed": "32", "untrusted": "33", "modified": "31"}


class FileState(Record):
    """One config file that was looked at. `state`: read, missing, empty, unreadable, unparseable."""

    source: str
    dialect: str
    scope: str
    state: str
    hooks: int
    problems: int


def list_hooks(arguments: list[str]) -> int:
    """Prints the hooks; with `--files` the config files that were looked at."""
    parser = common.parser(
        "list", "All hooks found, of every agent.", "hookline list --event PreToolUse --json"
    )
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only that dialect (repeatable)")
    parser.add_argument("--event", metavar="EVENT", help="only that event (canonical or dialect:native)")
    parser.add_argument("--files", action="store_true", help="the config files instead, with their state")
    parser.add_argument("--json", action="store_true", help="a JSON list")
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    if options.files:
        _print_files(opened, options.json)
        return 0
    specs = _chosen(opened, options.event)
    if options.json:
        common.print_json([hook_as_json(spec, opened) for spec in specs])
    else:
        sys.stdout.write(_table(specs, opened))
        _say_what_is_missing(opened)
    return 0


def check(arguments: list[str]) -> int:
    """Prints every problem; 1 when one of them is an error."""
    parser = common.parser(
        "check", "Every problem of every hook config, with its place and what to do.", "hookline check --json"
    )
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only that dialect (repeatable)")
    parser.add_argument("--json", action="store_true", help="a JSON list")
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    problems = (*opened.hooks.problems, *unasked_models(opened))
    if options.json:
        common.print_json([problem_as_json(problem) for problem in problems])
    else:
        for problem in problems:
            sys.stdout.write(f"{visible(str(problem))}\n")
        common.say(_summary(opened, problems))
    return 1 if any(problem.severity == "error" for problem in problems) else 0


def unasked_models(opened: Opened) -> Iterator[Problem]:
    """A warning for each prompt and agent hook that nobody could answer outside a session (`run`, `serve`)."""
    asking = [spec for spec in opened.hooks.specs if isinstance(spec.action, PromptCheck) and spec.enabled]
    if not asking:
        return
    from hookline.hosts.user_judge import judge_fault

    fault, _, hint = judge_fault(opened).partition("; ")
    for spec in asking if fault else ():
        words = f"a model must answer this hook, and outside a session it cannot: {fault}"
        guard = dialect_of(spec).rule(spec).guards
        yield Problem(spec.source, spec.line, 0, spec.id, "no-judge", words, hint, "warning", guard)


def opened_for(options: Namespace, history: bool = False) -> Opened:
    """The workspace a command line means, opened without a history unless one is asked for."""
    from hookline.engine.opening import open_engine

    names = getattr(options, "dialect", None)
    for name in names or ():
        common.known_dialect(name)
    return open_engine(
        common.workspace_of(options.workspace), dialects=names, history=history, warn=common.warn
    )


def usable(specs: Iterable[HookSpec]) -> tuple[HookSpec, ...]:
    """The hooks that could run; entries too broken for that are `check`'s and `explain`'s affair."""
    return tuple(
        spec
        for spec in specs
        if not isinstance(spec.action, Unusable) and spec.kind is not EventKind.NoSuchEvent
    )


def hook_as_json(spec: HookSpec, opened: Opened) -> dict[str, Any]:
    """One object of `list --json`."""
    return {
        "id": spec.id,
        "name": spec.name or spec.id,
        "dialect": spec.dialect,
        "event": spec.kind.value,
        "native_event": spec.native_event,
        "matcher": spec.matcher.text if spec.matcher else None,
        "handler": spec.handler,
        "command": spec.command,
        "timeout_s": spec.timeout_s,
        "source": spec.source,
        "line": spec.line,
        "trust": opened.trust.shown_state(spec),
        "enabled": is_enabled(spec, opened),
    }


def is_enabled(spec: HookSpec, opened: Opened) -> bool:
    return spec.enabled and opened.trust.disabled_by(spec) is None


def problem_as_json(problem: Problem) -> dict[str, Any]:
    """One object of `check --json`."""
    return {
        "source": problem.source,
        "line": problem.line,
        "column": problem.column,
        "path": problem.path,
        "code": problem.code,
        "message": problem.message,
        "hint": problem.hint,
        "severity": problem.severity,
    }


def file_states(loaded: Iterable[Loaded]) -> tuple[FileState, ...]:
    """Every file that was looked at; one that does not parse is not one that is empty."""
    return tuple(
        FileState(
            _shown(entry),
            entry.dialect,
            entry.source.scope,
            _state(entry),
            len(usable(entry.specs)),
            len(entry.problems),
        )
        for entry in loaded
    )


def _state(entry: Loaded) -> str:
    if entry.state == "undecodable" or any(problem.code in NOT_PARSED for problem in entry.problems):
        return "unparseable"
    return "read" if entry.state in ("text", "listed") else entry.state


def _shown(entry: Loaded) -> str:
    return next((spec.source for spec in entry.specs), "") or next(
        (problem.source for problem in entry.problems), entry.source.shown
    )


def _chosen(opened: Opened, event: str | None) -> tuple[HookSpec, ...]:
    specs = usable(opened.hooks.specs)
    if event is None:
        return specs
    from hookline.cli.fire import kind_named

    kind = kind_named(event)
    return tuple(spec for spec in specs if spec.kind == kind)


def _table(specs: Iterable[HookSpec], opened: Opened) -> str:
    colour = wants_colour(sys.stdout)
    rows = [_row(spec, opened) for spec in specs]
    if not rows:
        return f"no hooks in {opened.workspace}\n"
    text = table(("id", "event", "matcher", "timeout", "trust", "source", "command"), rows)
    for word, code in _TRUST_COLOURS.items() if colour else ():
        text = text.replace(f"  {word}  ", f"  {painted(word, code, colour)}  ")
    return text


def _row(spec: HookSpec, opened: Opened) -> tuple[str, ...]:
    state = opened.trust.shown_state(spec)
    place = f"{spec.source}:{spec.line}" if spec.line else spec.source
    command = spec.command if spec.handler == "command" else f"{spec.handler}: {spec.command}"
    return (
        spec.id,
        spec.kind.value,
        spec.matcher.text if spec.matcher else "",
        f"{spec.timeout_s:g} s",
        state if is_enabled(spec, opened) else f"{state}, off",
        place,
        " ".join(command.split()),
    )


def _say_what_is_missing(opened: Opened) -> None:
    broken = len(opened.hooks.specs) - len(usable(opened.hooks.specs))
    if broken:
        common.warn(f"{counted(broken, 'entry', 'entries')} cannot run; `hookline check` says why")
    unread = [
        state for state in file_states(opened.hooks.loaded) if state.state in ("unreadable", "unparseable")
    ]
    for state in unread:
        common.warn(f"{state.source} is {state.state}; `hookline check` says why")
    waiting = [
        s for s in usable(opened.hooks.specs) if opened.trust.shown_state(s) in ("untrusted", "modified")
    ]
    if waiting:
        common.warn(f"{counted(len(waiting), 'hook is', 'hooks are')} not trusted; run `hookline trust`")
    common.warn_of_store(opened)


def _summary(opened: Opened, problems: Sequence[Problem]) -> str:
    states = file_states(opened.hooks.loaded)
    files = [f"{state.source} is {state.state}" for state in states if state.state not in ("read", "missing")]
    errors = sum(problem.severity == "error" for problem in problems)
    words = [
        counted(len(usable(opened.hooks.specs)), "hook"),
        counted(errors, "error"),
        counted(len(problems) - errors, "warning"),
    ]
    return "; ".join([", ".join(words), *files])


def _print_files(opened: Opened, as_json: bool) -> None:
    states = file_states(opened.hooks.loaded)
    if as_json:
        from hookline.model.record import fields_of

        common.print_json([fields_of(state) for state in states])
        return
    rows = [(s.source, s.dialect, s.scope, s.state, str(s.hooks), str(s.problems)) for s in states]
    sys.stdout.write(table(("file", "dialect", "scope", "state", "hooks", "problems"), rows))
