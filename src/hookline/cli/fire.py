"""`hookline fire` and `hookline explain`: one event at the workspace's hooks."""

from __future__ import annotations

import sys

from hookline.cli import common
from hookline.dialects import DIALECT_NAMES, dialect
from hookline.model.errors import UsageError
from hookline.model.events import EventKind, event_from_payload, find_kind
from hookline.model.record import Record, fields_of, replace
from hookline.model.results import Status, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from hookline.engine.opening import Opened
    from hookline.model.events import Event
    from hookline.model.results import Decision, HookFinished, HookStarted

    Listener = Callable[[HookStarted | HookFinished], None]

_HELP = """usage: hookline {command} EVENT [options]

{summary}

EVENT is a canonical name (`PreToolUse`) or `dialect:native` (`iteratr:on_error`).
The payload is one JSON object on stdin or in a file; an empty one counts as {{}}.
FilesChanged without `files` takes what differs from the last commit.

options:
  --input FILE       the payload (`-`: stdin)
  --dialect NAME     only hooks of that dialect (repeatable)
  --session ID       the session id (default: the payload's, else `default`)
  --json             the whole decision as JSON
  --workspace DIR    the project root (default: found from here)

example:
  echo '{{"tool_name": "Bash", "tool_input": {{"command": "rm -rf /"}}}}' | hookline {command} PreToolUse
"""


class Options(Record):
    """The command line of `fire` and `explain`, read by hand: argparse costs as much as the whole engine."""

    event: str = ""
    input: str | None = None
    dialects: tuple[str, ...] = ()
    session: str | None = None
    json: bool = False
    workspace: str | None = None
    help: bool = False


def fire(arguments: list[str]) -> int:
    """Runs the hooks of one event; exits 2 when they deny."""
    options = read_options("fire", arguments)
    if options.help:
        sys.stdout.write(_HELP.format(command="fire", summary="Fires one event at the workspace's hooks."))
        return 0
    kind = kind_named(options.event)
    opened = _open(options, _live(options))
    event = event_of(options, kind, opened.workspace)
    decision = opened.engine.fire_now(event)
    _show(event, decision, options, opened)
    _warn(opened, decision)
    silenced = _silences_guard(opened)
    if decision.verdict >= Verdict.DENY:
        return 2
    return 1 if silenced else 0


def explain(arguments: list[str]) -> int:
    """Says what `fire` would do, and why each hook would or would not run."""
    options = read_options("explain", arguments)
    if options.help:
        summary = "Like `fire`, but runs nothing: every known hook, and why it would or would not run."
        sys.stdout.write(_HELP.format(command="explain", summary=summary))
        return 0
    kind = kind_named(options.event)
    opened = _open(options)
    event = event_of(options, kind, opened.workspace)
    decision = opened.engine.explain(event)
    _show(event, decision, options, opened)
    common.warn_of_store(opened)
    return 1 if _silences_guard(opened) else 0


def read_options(command: str, arguments: Sequence[str]) -> Options:
    """The options of one command line. Raises UsageError."""
    values: dict[str, str] = {}
    dialects: list[str] = []
    positional: list[str] = []
    flags: set[str] = set()
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, joined, value = word.partition("=")
        if name in ("--json", "-h", "--help"):
            flags.add(name)
        elif name in ("--input", "--dialect", "--session", "--workspace"):
            if not joined:
                if not rest:
                    raise UsageError(f"{command}: `{name}` needs a value", f"see `hookline {command} --help`")
                value = rest.pop(0)
            if name == "--dialect":
                dialects.append(value)
            else:
                values[name[2:]] = value
        elif word.startswith("-") and word != "-":
            raise UsageError(f"{command}: unknown option `{word}`", f"see `hookline {command} --help`")
        else:
            positional.append(word)
    return _checked(command, positional, values, dialects, flags)


def kind_named(name: str) -> EventKind:
    """The event kind a user named. Raises UsageError with the nearest spelling."""
    speaker, colon, native = name.partition(":")
    if colon:
        if speaker not in DIALECT_NAMES:
            raise UsageError(f"no dialect `{speaker}`", f"dialects: {', '.join(DIALECT_NAMES)}")
        found = dialect(speaker).kind_of(native)
        names = [rule.native for rule in dialect(speaker).rules.values()]
    else:
        found = find_kind(name)
        names = [kind.value for kind in EventKind]
    if found is not None and found is not EventKind.NoSuchEvent:
        return found
    from hookline.dialects.spelling import nearest

    guess = nearest(native or name, names)
    hint = (
        f"did you mean `{speaker + ':' if colon else ''}{guess}`?" if guess else f"known: {', '.join(names)}"
    )
    raise UsageError(f"no event `{name}`", hint)


def event_of(options: Options, kind: EventKind, workspace: str) -> Event:
    """The event of a command line and its payload; the fields of an event named by its native name may be
    spelt as that dialect spells them."""
    from hookline.system.clock import now

    payload = common.payload_from(options.input)
    if options.session is not None:
        payload = {**payload, "session_id": options.session}
    event = event_from_payload(kind, payload, workspace=workspace, cwd=workspace, at=now())
    speaker, colon, native = options.event.partition(":")
    if colon:
        event = _in_own_words(event, speaker, native, payload)
    if kind == EventKind.FilesChanged and "files" not in payload and "deleted_files" not in payload:
        event = _with_changes(event, workspace)
    return event


def _in_own_words(event: Event, speaker: str, native: str, payload: Mapping[str, Any]) -> Event:
    """Adds what the dialect itself reads in the payload; what it leaves empty stays canonical."""
    try:
        told = dialect(speaker).read_event(native, payload)
    except NotImplementedError:
        return event
    if type(told.body) is not type(event.body):
        return event
    plain = type(event.body)()
    body = {
        field: value if value != getattr(plain, field) else getattr(event.body, field)
        for field, value in fields_of(told.body).items()
    }
    return replace(
        event,
        body=type(event.body)(**body),
        extra={**event.extra, **told.extra},
        session_id=event.session_id if told.session_id in ("", "default") else told.session_id,
        cwd=told.cwd or event.cwd,
        agent_id=told.agent_id or event.agent_id,
        agent_type=told.agent_type or event.agent_type,
    )


def _with_changes(event: Event, workspace: str) -> Event:
    """What change detection finds: all that differs from the last commit."""
    from hookline.system import loop
    from hookline.system.changes import detect

    found, _ = loop.run(detect(workspace))
    return replace(event, body=replace(event.body, files=found.changed, deleted_files=found.deleted))


def _checked(
    command: str, positional: list[str], values: dict[str, str], dialects: list[str], flags: set[str]
) -> Options:
    wants_help = bool(flags & {"-h", "--help"})
    if len(positional) != 1 and not wants_help:
        found = "no event" if not positional else f"{len(positional)} events: {' '.join(positional)}"
        raise UsageError(f"{command}: expected one event, found {found}", f"see `hookline {command} --help`")
    for name in dialects:
        if name not in DIALECT_NAMES:
            raise UsageError(f"{command}: no dialect `{name}`", f"dialects: {', '.join(DIALECT_NAMES)}")
    return Options(
        event=positional[0] if positional else "",
        input=values.get("input"),
        dialects=tuple(dialects),
        session=values.get("session"),
        json="--json" in flags,
        workspace=values.get("workspace"),
        help=wants_help,
    )


def _open(options: Options, listener: Listener | None = None) -> Opened:
    from hookline.engine.opening import open_engine

    workspace = common.workspace_of(options.workspace)
    opened = open_engine(workspace, dialects=options.dialects or None, warn=common.warn, listener=listener)
    if opened.hooks.asks_a_model:
        from hookline.hosts.user_judge import give_judge

        give_judge(opened)
    return opened


def _live(options: Options) -> Listener | None:
    """Lines while hooks run: for a person, not for a program that reads the JSON."""
    if options.json and not sys.stderr.isatty():
        return None
    from hookline.cli.live import LiveLines

    return LiveLines(sys.stderr)


def _show(event: Event, decision: Decision, options: Options, opened: Opened) -> None:
    if options.json:
        import json

        from hookline.model.rendering import decision_as_json

        shown = decision_as_json(event, decision)
        sys.stdout.write(json.dumps(shown, ensure_ascii=False, indent=2, default=str) + "\n")
        return
    from hookline.cli.render import decision_text

    sys.stdout.write(decision_text(event, decision, opened.workspace))


def _warn(opened: Opened, decision: Decision) -> None:
    """Untrusted hooks and failed guards are named on stderr, whatever else is printed."""
    for result in decision.results:
        if result.status == Status.untrusted:
            common.say(f"warning: hook `{result.spec.id}` did not run: {result.why}")
    for note in decision.degraded:
        common.say(f"warning: {note}")
    common.warn_of_store(opened)


def _silences_guard(opened: Opened) -> bool:
    """Exit 1 when the config has a problem that keeps a guard from running; each is named."""
    for problem in opened.hooks.silenced_guards:
        common.say(str(problem))
    return bool(opened.hooks.silenced_guards)
