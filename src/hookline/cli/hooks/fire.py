"""`hookline fire` and `hookline explain`: one event at the workspace's hooks."""

from __future__ import annotations

import sys

from hookline.cli import common
from hookline.cli.commands import read_words
from hookline.dialects import dialect, is_known
from hookline.dialects.spelling import nearest, suggestion
from hookline.engine.failures import guards
from hookline.engine.opening import Opened, open_engine
from hookline.model.errors import UsageError
from hookline.model.events import Event, EventKind, event_from_payload, find_kind
from hookline.model.record import Record, fields_of, replace
from hookline.model.results import Decision, HookFinished, HookStarted, Status, Verdict
from hookline.model.short_json import write_lines
from hookline.model.typing import Any, Callable, Mapping, Sequence
from hookline.system.clock import now

MOST_NAMED = 20  # guards that are off; `--json` has all of them
Listener = Callable[[HookStarted | HookFinished], None]

_SUMMARIES = {
    "fire": "Fires one event at the workspace's hooks: they run, what is asked about does not.",
    "explain": "Like `fire`, but runs nothing: every known hook, and why it would or would not run.",
}
_WORDS = """

WORDS name an event: a canonical name (`PreToolUse`) or `dialect:native` (`iteratr:on_error`); its payload is one
JSON object on stdin or in a file, an empty one counts as {}. Or they say it without JSON: a tool and what it is
asked (`Bash 'git push'`, `Edit src/a.ts`, `PostToolUse Edit src/a.ts`), a prompt (`UserPromptSubmit 'mend it'`).
FilesChanged without files takes what differs from the last commit."""


class Options(Record):
    """The command line of `fire` and `explain`."""

    event: str = ""
    words: tuple[str, ...] = ()
    payload: Mapping[str, Any] | None = None
    input: str | None = None
    dialects: tuple[str, ...] = ()
    session: str | None = None
    json: bool = False
    all: bool = False
    workspace: str | None = None
    help: bool = False


def fire(arguments: list[str]) -> int:
    """Runs the hooks of one event; exits 2 when they deny."""
    options = read_options("fire", arguments)
    if options.help:
        return _help("fire")
    options, event, opened = _asked(options, _live(options))
    decision = opened.engine.fire_now(event)
    try:
        _show(event, decision, options, opened)
        sys.stdout.flush()
    except OSError as error:  # the exit code is the verdict, whoever still reads
        if not isinstance(error, BrokenPipeError):
            common.warn(f"the decision could not be written: {error.strerror}")
    _warn(opened, decision)
    silenced = _silences_guard(opened)
    return 2 if decision.verdict >= Verdict.DENY else int(silenced)


def explain(arguments: list[str]) -> int:
    """Says what `fire` would do, and why each hook would or would not run."""
    options = read_options("explain", arguments)
    if options.help:
        return _help("explain")
    options, event, opened = _asked(options)
    decision = opened.engine.foresee(event)
    _show(event, decision, options, opened)
    common.warn_of_dropped_files(opened)
    common.warn_of_store(opened)
    return int(_silences_guard(opened))  # it denied nothing


def read_options(command: str, arguments: Sequence[str]) -> Options:
    """The options of one command line. Raises UsageError."""
    words, said = read_words(
        command, arguments, ("--json", "--all", "-h", "--help"), ("--input", "--dialect", "--session", "--workspace")
    )  # fmt: skip
    wants_help = "-h" in said or "--help" in said
    if not words and not wants_help:
        hint = f"for example `hookline {command} Bash 'git push'`; see `hookline {command} --help`"
        raise UsageError(f"{command}: expected an event or a tool, found neither", hint)
    dialects = tuple(said.get("--dialect", ()))
    for name in dialects:
        if not is_known(name):
            common.known_dialect(name)
    given: dict[str, Any] = {
        name[2:]: values[-1] for name, values in said.items() if values and name != "--dialect"
    }
    return Options(
        event=words[0] if words else "",
        words=tuple(words),
        dialects=dialects,
        json="--json" in said,
        all="--all" in said,
        help=wants_help,
        **given,
    )


def kind_named(name: str) -> EventKind:
    """The event kind a user named. Raises UsageError with the nearest spelling."""
    speaker, colon, native = name.partition(":")
    if colon:
        if not is_known(speaker):
            common.known_dialect(speaker)
        found = dialect(speaker).kind_of(native)
        known = [rule.native for rule in dialect(speaker).rules.values()]
    else:
        found = find_kind(name)
        known = [kind.value for kind in EventKind if kind is not EventKind.NoSuchEvent]
    if found is not None and found is not EventKind.NoSuchEvent:
        return found
    before = f"{speaker}:" if colon else ""
    raise UsageError(
        f"no event `{name}`", suggestion(native or name, known, f"known: {', '.join(known)}", before)
    )


def understood(options: Options) -> Options:
    """The options with an event and, where words say it, a payload. Raises UsageError."""
    known = find_kind(options.event)
    plain = known is not None and known is not EventKind.NoSuchEvent
    if len(options.words) < 2 and (plain or ":" in options.event):
        return options
    from hookline.cli.hooks.described import described

    found = described(options.words)
    if found.payload is not None and options.input is not None:
        raise UsageError("what is asked is said twice, in words and by `--input`")
    if found.note:
        common.say(found.note)
    return replace(options, event=found.event, payload=found.payload)


def event_of(options: Options, kind: EventKind, opened: Opened) -> Event:
    """The event of a command line and its payload; the fields of an event named by its native name may be
    spelt as that dialect spells them."""
    payload = common.payload_from(options.input) if options.payload is None else options.payload
    if options.session is not None:
        payload = {**payload, "session_id": options.session}
    speaker, colon, native = options.event.partition(":")
    own_text = colon and isinstance(payload.get("tool_input"), str)  # which the dialect reads, or refuses
    plain = {**payload, "tool_input": None} if own_text else payload
    event = event_from_payload(kind, plain, workspace=opened.workspace, cwd=opened.place, at=now())
    if colon:
        event = _in_own_words(event, speaker, native, payload)
    else:
        _say_misspelt(event)
    if kind == EventKind.FilesChanged and "files" not in payload and "deleted_files" not in payload:
        event = _with_changes(event, opened.workspace)
    return event


def _say_misspelt(event: Event) -> None:
    """Fields that say nothing, where one like them is missing: no rule sees `toolInput`."""
    missing = [field for field in fields_of(event.body) if not event.get(field)]
    for field in event.extra:
        ending = (each for each in missing if each.endswith(f"_{field}"))
        if meant := nearest(field, missing) or next(ending, ""):
            common.warn(
                f"`{field}` is no field of {event.kind.value} and no hook sees it; did you mean `{meant}`?"
            )


def _in_own_words(event: Event, speaker: str, native: str, payload: Mapping[str, Any]) -> Event:
    """Adds what the dialect itself reads in the payload; what it leaves empty stays canonical."""
    told = dialect(speaker).read_event(native, payload)
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
    from hookline.system.loops import loop
    from hookline.system.workspace.changes import changed_since, scan

    found = changed_since(None, loop.run(scan(workspace)))
    return replace(event, body=replace(event.body, files=found.changed, deleted_files=found.deleted))


def _help(command: str) -> int:
    example = f"hookline {command} Bash 'rm -rf build'"
    parser = common.parser(command, _SUMMARIES[command] + _WORDS, example)
    parser.add_argument("words", nargs="+", metavar="WORDS", help="an event, or a tool and what it is asked")
    parser.add_argument("--input", metavar="FILE", help="the payload (`-`: stdin)")
    parser.add_argument("--dialect", metavar="NAME", help="only hooks of that dialect (repeatable)")
    parser.add_argument(
        "--session", metavar="ID", help="the session id (default: the payload's, else `default`)"
    )
    parser.add_argument("--all", action="store_true", help="list the hooks of other events too")
    parser.add_argument("--json", action="store_true", help="the whole decision as JSON")
    parser.print_help()
    return 0


def _asked(options: Options, listener: Listener | None = None) -> tuple[Options, Event, Opened]:
    """The options as they are meant, and what they ask of the hooks of which workspace."""
    from hookline.hosts.failed_starts import explain_failed_starts

    options = understood(options)
    kind = kind_named(options.event)
    workspace = common.workspace_of(options.workspace)
    opened = open_engine(
        workspace, dialects=options.dialects or None, warn=common.warn, listener=listener,
        place=common.place_of(options.workspace),
    )  # fmt: skip
    explain_failed_starts(opened)
    if opened.hooks.asks_a_model:
        from hookline.hosts.user_judge import give_judge

        give_judge(opened)
    return options, event_of(options, kind, opened), opened


def _live(options: Options) -> Listener | None:
    """The hook under way, on a terminal; what became of it is in the decision."""
    if not sys.stderr.isatty():
        return None
    from hookline.cli.live import LiveLines

    return LiveLines(sys.stderr, passing=not options.json)


def _show(event: Event, decision: Decision, options: Options, opened: Opened) -> None:
    if options.json:
        from hookline.model.rendering import decision_as_json

        sys.stdout.write(write_lines(decision_as_json(event, decision), "  ", default=str) + "\n")
        return
    from hookline.cli.render import decision_text

    where = f"{opened.workspace} for {', '.join(options.dialects)}" if options.dialects else opened.workspace
    sys.stdout.write(decision_text(event, decision, where, options.all))
    if not options.words[1:] and not event.get("tool_name") and type(event.body).__name__ == "ToolCall":
        common.say(f"no tool was named; ask for example `{event.kind.value} Bash 'git push'`")


def _warn(opened: Opened, decision: Decision) -> None:
    """Untrusted hooks and failed guards are named on stderr, whatever else is printed."""
    for result in decision.results:
        if result.status == Status.untrusted and (decision.blocked or not guards(result.spec)):
            common.say(f"warning: hook `{result.spec.id}` did not run: {result.why}")
    for note in decision.degraded[:MOST_NAMED]:
        common.say(f"warning: {note}")
    _say_rest(len(decision.degraded))
    common.warn_of_store(opened)


def _silences_guard(opened: Opened) -> bool:
    """Whether the config has a problem that keeps a guard from running; each is named."""
    for problem in opened.hooks.silenced_guards[:MOST_NAMED]:
        common.say_problem(problem)
    _say_rest(len(opened.hooks.silenced_guards))
    return bool(opened.hooks.silenced_guards)


def _say_rest(number: int) -> None:
    if number > MOST_NAMED:
        common.say(f"and {number - MOST_NAMED} more such guards; `hookline check` names each")
