"""`hookline list`: what is configured here; and the hook that a person names on a command line."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from hookline.cli import common
from hookline.cli.hooks.fire import kind_named
from hookline.cli.render import coloured, counted, one_line, pack_words, table, visible
from hookline.dialects import dialect, is_agent
from hookline.dialects.base import Loaded
from hookline.dialects.spelling import suggestion
from hookline.engine.failures import never_fits
from hookline.engine.hookset import HookSet
from hookline.engine.merge import lost_with_the_file
from hookline.engine.opening import Opened, open_engine
from hookline.engine.when_words import when_words
from hookline.model.errors import UsageError
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec, Unusable
from hookline.model.record import Record, fields_of
from hookline.model.rendering import in_config_order
from hookline.model.typing import Any

NOT_PARSED = ("bad-json", "bad-toml", "bad-yaml")
_MOST_BROKEN = 10
_TRUST_COLOURS = {"trusted": "32", "managed": "32", "untrusted": "33", "modified": "31"}
SHOWN = 8


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
    parser.add_argument(
        "--all",
        action="store_true",
        help="a row for each rule of packs and entry of ours too",
    )
    parser.add_argument("--json", action="store_true", help="a JSON list of all")
    options = parser.parse_args(arguments)
    opened = opened_for(options)
    if options.files:
        _print_files(opened, options.json)
        return 0
    specs = _chosen(opened, options.event)
    if options.json:
        common.print_json([hook_as_json(spec, opened) for spec in specs])
    else:
        ours = [spec for spec in specs if spec.origin.bridge and not options.all]
        rules = [spec for spec in specs if _stands(spec, opened) and not options.all]
        shown = [spec for spec in specs if spec not in ours and spec not in rules]
        chosen = bool(options.dialect or options.event)
        rows = _table(shown, opened, chosen) if shown or not rules else ""
        sys.stdout.write(rows + _pack_rules(rules) + _own_entries(ours))
    _say_who_runs(specs)
    _say_what_is_hidden(opened, specs)
    _say_what_is_missing(opened)
    return 0


def opened_for(options: Any) -> Opened:
    """The workspace a command line means, opened without a history."""
    names = getattr(options, "dialect", None)
    for name in names or ():
        common.known_dialect(name)
    return open_engine(
        common.workspace_of(options.workspace), dialects=names, history=False, warn=common.warn
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


def _stands(spec: HookSpec, opened: Opened) -> bool:
    """A rule of a pack that nobody switched off and that waits for nobody."""
    state = opened.trust.shown_state(spec)
    return spec.source.startswith("pack ") and is_enabled(spec, opened) and state in ("trusted", "managed")


def is_enabled(spec: HookSpec, opened: Opened) -> bool:
    return spec.enabled and opened.trust.disabled_by(spec) is None


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
    specs = tuple(in_config_order(usable(opened.hooks.specs), lambda spec: spec))
    if event is None:
        return specs

    kind = kind_named(event)
    return tuple(spec for spec in specs if spec.kind == kind)


def _table(specs: Iterable[HookSpec], opened: Opened, chosen: bool) -> str:
    rows = [_row(spec, opened) for spec in specs]
    if not rows:
        return f"no {'such ' if chosen else ''}hooks in {visible(opened.workspace)}\n"
    return coloured(
        table(("id", "name", "event", "when", "trust", "source", "command"), rows), _TRUST_COLOURS
    )


def _pack_rules(rules: Sequence[HookSpec]) -> str:
    """One line for the rules of packs that stand as they should: there are many, and nobody wrote them here."""
    if not rules:
        return ""
    return f"{pack_words([spec.source for spec in rules], 'rule', 'rules')} (`--all` shows a row for each)\n"


def _own_entries(ours: Iterable[HookSpec]) -> str:
    """One line for each file by which an agent calls us: those entries are no hooks of the user's."""
    counts = Counter((spec.origin.bridge, spec.source) for spec in ours)
    return "".join(
        f"{counted(count, 'entry', 'entries')} of {visible(source)} {'calls' if count == 1 else 'call'} "
        f"hookline for {dialect(agent).title} (`--all` shows a row for each)\n"
        for (agent, source), count in counts.items()
    )


def _row(spec: HookSpec, opened: Opened) -> tuple[str, ...]:
    state = opened.trust.shown_state(spec)
    command = spec.command if spec.handler == "command" else f"{spec.handler}: {spec.command}"
    return (
        spec.id,
        "" if spec.name in (spec.id, spec.command) else spec.name,
        spec.kind.value,
        when_words(spec),
        state if is_enabled(spec, opened) else f"{state}, off",
        spec.where,
        " ".join(command.split()),
    )


def _say_who_runs(specs: Iterable[HookSpec]) -> None:
    """Names the agents that run some of these hooks themselves, to whom trust and `disable` mean nothing."""
    counts = Counter(filter(None, (agent_of(spec) for spec in specs if spec.enabled)))
    for agent, count in counts.items():
        common.say(
            f"{agent} runs {counted(count, 'of these hooks', 'of these hooks')} itself, trusted here or not"
        )


def _say_what_is_hidden(opened: Opened, specs: Iterable[HookSpec]) -> None:
    """Names the hooks of these that an agent itself leaves out for another file's."""
    places = {(spec.source, spec.line) for spec in specs}
    for problem in (each for entry in opened.hooks.loaded for each in entry.problems):
        if problem.code == "hidden-hooks" and (problem.source, problem.line) in places:
            common.say(f"note: {problem.source}:{problem.line}: {visible(problem.message)}")


def _what_it_hides(entry: Loaded) -> Iterator[str]:
    """Words on a file of which guards are off that no entry stands for."""
    for problem in (lost := list(lost_with_the_file(entry))):
        yield f"{problem.where}: {visible(problem.said)}; `hookline check` says more"
    if not lost and (state := _state(entry)) in ("unreadable", "unparseable"):
        yield f"{_shown(entry)} is {state}; `hookline check` says why"


def _say_what_is_missing(opened: Opened) -> None:
    sound = set(map(id, usable(opened.hooks.specs)))
    unsound = [spec for spec in opened.hooks.specs if id(spec) not in sound]
    theirs = [spec for spec in unsound if spec.kind is EventKind.NoSuchEvent and not spec.enabled]
    off = [spec for spec in opened.hooks.specs if not spec.enabled and not spec.origin.bridge]
    for place, why in dict.fromkeys((s.source, s.origin.disabled_why) for s in off if s.origin.disabled_why):
        common.say(f"note: {place}: {visible(why)}")
    broken = [spec for spec in unsound if spec not in theirs]
    for spec in broken[:_MOST_BROKEN]:
        why = spec.action.why if isinstance(spec.action, Unusable) else f"no event `{spec.native_event}`"
        common.warn(f"{spec.where} cannot run: {visible(why)}")
    if broken:
        common.warn(f"{counted(len(broken), 'entry', 'entries')} cannot run; `hookline check` says why")
    for spec in opened.hooks.specs:
        if why := never_fits(spec):
            common.warn(f"{spec.where} never runs: {visible(why)}")
    for words in dict.fromkeys(w for entry in opened.hooks.loaded for w in _what_it_hides(entry)):
        common.warn(words)
    for name in dict.fromkeys(spec.dialect for spec in opened.hooks.specs):
        if doubt := dialect(name).doubt:
            common.say(f"note: of {dialect(name).title}, {doubt}; what stands here may not be what it does")
    for entry in opened.hooks.loaded:
        if entry.settings.get("runs_itself"):
            common.say(
                f"{_shown(entry)} is a program that {dialect(entry.dialect).title} runs itself; it is not read"
            )
    common.warn_of_dropped_files(opened)
    waiting = [
        s for s in usable(opened.hooks.specs) if opened.trust.shown_state(s) in ("untrusted", "modified")
    ]
    if waiting:
        common.warn(f"{counted(len(waiting), 'hook is', 'hooks are')} not trusted; run `hookline trust`")
    common.warn_of_store(opened)


def _print_files(opened: Opened, as_json: bool) -> None:
    states = file_states(opened.hooks.loaded)
    rows = [(s.source, s.dialect, s.scope, s.state, str(s.hooks), str(s.problems)) for s in states]
    head = ("file", "dialect", "scope", "state", "hooks", "problems")
    common.print_rows(as_json, [fields_of(state) for state in states], head, rows)


def agent_of(spec: HookSpec) -> str:
    """The agent that runs this hook by itself from its own settings, in people's words; empty when none does."""
    if not is_agent(spec.dialect) or spec.scope == "session" or spec.origin.bridge or spec.origin.adopted:
        return ""
    return dialect(spec.dialect).title


def runner_words(spec: HookSpec) -> str:
    """What to tell of a hook that its agent runs too; empty for all others."""
    agent = agent_of(spec)
    return f"{agent} runs it itself, whatever hookline says of it" if agent else ""


def hook_named(text: str, hooks: HookSet) -> HookSpec:
    """The one hook meant by `text`. Raises UsageError for none, and for several, which are listed."""
    found = hooks.named(text)
    if len(found) == 1:
        return found[0]
    if found:
        shown = [f"`{spec.id}`" + (f" ({one_line(spec.name, 40)})" if spec.name else "") for spec in found]
        more = ", …" if len(shown) > SHOWN else ""
        raise UsageError(
            f"`{text}` fits {len(found)} hooks", f"write one of {', '.join(shown[:SHOWN])}{more}"
        )
    known = [word for spec in usable(hooks.specs) for word in (spec.id, spec.name) if word]
    raise UsageError(f"no hook `{text}`", suggestion(text, known, "`hookline list` shows the ids"))
