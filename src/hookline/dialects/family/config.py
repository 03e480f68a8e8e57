"""Where the hooks of the family's agents come from, and what their files may say."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Loaded, Places, Source, SourceText
from hookline.dialects.bridged.rules import AgentRule, Sharing
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, EntryShape, File
from hookline.dialects.keys import CLAUDE_KEYS, read_keys
from hookline.dialects.matching.matchers import (
    CLAUDE_EXACT,
    STRICT_EXACT,
    Compiled,
    exact,
    names_or_regex,
    regex,
    report_matcher,
)
from hookline.dialects.reading.json_hooks import (
    Entry,
    Shape,
    apart_words,
    event_of,
    hooks_of,
    is_for_other,
    make_spec,
    numbered,
    read_entries,
    read_handler,
    report_outside,
    specs_of_events,
    unknown_event,
)
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import nearest, suggestion
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import Action, Command, HookSpec, Matcher, PromptCheck, switched_off
from hookline.model.record import replace
from hookline.model.short_json import write_json
from hookline.model.typing import Any, Collection, Iterator, Sequence
from hookline.system.files import is_file, list_dir

_OF_A_SHELL = frozenset({"|", "||", "&&", ";", ">", ">>", "<", "2>&1", "&", "2>/dev/null", ">/dev/null"})
_SPECIAL = frozenset("|.*+?[]()^$\\")


def sources(dialect: FamilyDialect, places: Places) -> list[Source]:
    """The files in the agent's own order."""
    listed = [source for file in dialect.agent.files for source in _sources(dialect, file, places)]
    return list({source.path: source for source in reversed(listed)}.values())[::-1]


def parse(dialect: FamilyDialect, given: SourceText) -> Loaded:
    """The hooks of one file."""
    if dialect.agent.plugin:
        return _read_plugin(dialect, given)
    if dialect.agent.scripts:
        from hookline.dialects.family.scripts import read_script

        return read_script(dialect, given)
    from hookline.dialects.reading.documents import read_source

    def read(root: Reader) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        if dialect.agent.mark_voids and given.text.startswith("\ufeff"):
            words = f"{dialect.title} leaves out a file that begins with a byte order mark: none of its hooks runs"
            root.whole().report(root.node, "byte-order-mark", words, "save it as UTF-8 without one")
            return (), {}
        dialect.check_file(root, given.source)
        return _specs(dialect, given, root), _settings(dialect, root)

    return read_source(given, read)


def _read_plugin(dialect: FamilyDialect, given: SourceText) -> Loaded:
    """Our own program as the entries it stands for; any other is told of, and not read."""
    found = Loaded(given.source, given.state)
    if given.state != "text":
        return found
    from hookline.dialects.editing.programs import installed

    entries = installed(dialect, given.text)
    specs = tuple(
        HookSpec(
            f"{dialect.name}:{entry.native}:1", dialect.name, row.kind, entry.native, Command(entry.command),
            timeout_s=row.timeout_s, **given.at(2),
        )
        for entry in entries
        if (row := dialect.row(entry.native)) is not None
    )  # fmt: skip
    foreign = not entries and given.path.endswith((".js", ".ts", ".mjs", ".mts"))
    return replace(found, specs=specs, settings={"runs_itself": True} if foreign else {})


def combine(dialect: FamilyDialect, given: Sequence[Loaded]) -> list[Loaded]:
    """The agent's own switches turn its hooks off; nothing disappears. One group orders its whole event."""
    agent = dialect.agent
    if agent.levels:
        from hookline.dialects.family import levels

        if agent.levels == "names":
            given = levels.one_of_a_name(given, agent.title)
        else:
            given = (levels.first_file if agent.levels == "first" else levels.last_file_of_event)(given)
    merged = {key: value for entry in given for key, value in entry.settings.items()}
    off = [switch.words for switch in agent.switches if merged.get(switch.key) is switch.value]
    if any(e.settings.get(agent.managed_only) for e in given if e.source.scope == "managed"):
        off.append("the managed settings allow only managed hooks")
    names = {name for entry in given for name in entry.settings.get(agent.names_off, ())}
    known = {word for entry in given for spec in entry.specs for word in (spec.name, spec.command)}
    ordered = {
        spec.native_event for entry in given for spec in entry.specs if spec.options.get("asks_sequence")
    }

    def placed(spec: HookSpec) -> HookSpec:
        if spec.native_event in ordered:
            spec = replace(spec, options={**spec.options, "sequential": True})
        named = spec.name if spec.name in names else spec.command if spec.command in names else ""
        if agent.managed_only and spec.scope == "managed":
            return spec
        reason = off[0] if off else f"`{agent.names_off}` lists `{named}`" if named else ""
        return switched_off(spec, reason) if reason else spec

    return [entry.changed(placed, *_names_of_nobody(entry, agent.names_off, known)) for entry in given]


def _names_of_nobody(entry: Loaded, key: str, known: Collection[str]) -> Iterator[Problem]:
    """Names in the list of hooks that are off, of which no hook is one: it runs on."""
    for name in entry.settings.get(key, ()):
        if name not in known:
            words = f"`{key}` names no hook: nothing is called `{name}`, and nothing is off by it"
            hint = suggestion(name, known, "write a hook's `name`, or its whole command")
            yield Problem(entry.source.shown, 1, 1, key, "dead-name", words, hint, "warning")


def _sources(dialect: FamilyDialect, file: File, places: Places) -> Iterator[Source]:
    if file.unless and is_file(_placed(dialect.agent, file.unless, places)):
        return
    path = _placed(dialect.agent, file.path, places)
    form = "toml" if path.endswith(".toml") else dialect.agent.format
    for each in _matching(path) if "*" in path else (path,):
        yield Source(each, file.scope, form, places.shown(each), file.top)


def _placed(agent: Agent, pattern: str, places: Places) -> str:
    variable, folder = agent.moved
    if variable and pattern.startswith(folder) and (there := places.variables.get(variable)):
        return there + pattern[len(folder) :]
    return places.path_of(pattern)


def _matching(pattern: str) -> list[str]:
    """The files a path with one `*` stands for, by name."""
    head, _, tail = pattern.partition("*")
    folder, start = os.path.split(head)
    listed = sorted(entry.name for entry in list_dir(folder).entries if entry.name.startswith(start))
    paths = (f"{folder}/{name}{tail}" if tail.startswith("/") else f"{folder}/{name}" for name in listed)
    return [path for path in paths if path.endswith(tail) and is_file(path)]


def _settings(dialect: FamilyDialect, root: Reader) -> dict[str, Any]:
    agent, found = dialect.agent, {}
    keys = (*(switch.key for switch in agent.switches), agent.names_off, agent.managed_only)
    for key in filter(None, keys):
        *above, last = key.split(".")
        holder = root.object(above[0]) if above else root
        if holder is not None:
            found[key] = holder.string_list(last) if key == agent.names_off else holder.boolean(last)
    return {key: value for key, value in found.items() if value is not None}


def _specs(dialect: FamilyDialect, given: SourceText, root: Reader) -> tuple[HookSpec, ...]:
    agent = dialect.agent
    if agent.sets:
        return tuple(_of_sets(dialect, given, root))
    if agent.event_key:
        listed = numbered(_listed_entries(dialect, root))
        return tuple(_spec(dialect, given, entry, number) for entry, number in listed)
    hooks = hooks_of(root, dialect, given.source.label) if given.source.label else root
    if not given.source.label and root.has("hooks") and agent.wrapped:  # some read a wrapped file as well
        hooks = root.whole().object("hooks")
    beside = frozenset() if agent.flat else {switch.key for switch in agent.switches}
    other = dialect.sharing(given.source)
    closed = {agent.matcher_key, "hooks"} if "unknown-key" in agent.drops else ()
    return specs_of_events(
        dialect, given, hooks, _spec, ungrouped=agent.flat, single=agent.single, free_keys=agent.free | beside,
        apart=agent.apart, title=agent.title, closed_groups=frozenset(closed),
        shared=other, theirs=is_for_other(root, other),
    )  # fmt: skip


def _listed_entries(dialect: FamilyDialect, root: Reader) -> Iterator[Entry]:
    """The entries of a list `hooks` in which each names its event under a key."""
    whole, key = root.whole(), dialect.agent.event_key
    hint = f"make it an entry of the list `hooks`, which names its event under `{key}`"
    report_outside(root, dialect, hint)
    names = tuple(dict.fromkeys(row.native for row in dialect.rows))
    for name, node in root.members.items():
        if name != "hooks" and nearest(name, ("hooks",)) and any(key in item.members for item in node.items):
            words = f"`{name}` means nothing here, so none of the hooks in it runs"
            whole.report_key(name, "misspelt-key", words, "did you mean `hooks`?")
        elif name == key:
            words = f"`{name}` stands outside of `hooks`, where nothing reads it"
            right = f"put it into `hooks`, as `hookline docs {dialect.name}` shows"
            whole.report_key(name, "events-at-top", words, right)
    for reader in whole.objects("hooks", wanted="a list of hooks"):
        native = reader.whole().string(key, required=True, blank=False) or ""  # it may be a guard at any
        kind = dialect.kind_of(native)
        reader.guard = dialect.guards(native)
        if native in dialect.agent.apart:
            words = apart_words(native, dialect.title)
            reader.report(reader.members[key], "agent-alone", words, severity="notice")
        elif kind is None and native:
            hint, message, severity = unknown_event(native, nearest(native, names) or "", names)
            reader.report(reader.members[key], "unknown-event", message, hint, severity=severity)
        matcher = reader.string(dialect.agent.matcher_key)
        yield Entry(reader, native, kind or EventKind.NoSuchEvent, matcher, reader, True)


def check_version(root: Reader, wanted: int | str, other: Sharing) -> None:
    """What a format that numbers itself wants; the `other` agent that reads the file does without."""
    shown, found = write_json(wanted), root.get("version")
    if found is not None:
        if found.value != wanted or found.kind == "boolean":
            root.report(found, "bad-value", f"expected version {shown}", severity="warning")
    elif root.has("hooks"):
        does_without = other.title if is_for_other(root, other) else ""
        words = f"`version` is missing{f'; {does_without} does without' if does_without else ''}"
        hint, severity = f'write `"version": {shown}`', "notice" if does_without else "warning"
        root.report(root.node, "missing-key", words, hint, severity=severity)


def _of_sets(dialect: FamilyDialect, given: SourceText, root: Reader) -> Iterator[HookSpec]:
    """The hooks of objects with names of their own, of which each can be switched off."""
    agent = dialect.agent
    names = tuple(dict.fromkeys(row.native for row in dialect.rows))
    sets = [(name, inner) for name in root.members if (inner := root.object(name)) is not None]
    spelled = {native for _, inner in sets for native in inner.members}
    bare = {native for native in spelled if (row := dialect.row(native)) and row.native in agent.flat_events}
    shape = Shape(
        dialect.kind_of, names, dialect.guards, free_keys=frozenset({"enabled"}),
        flat_events=frozenset(bare), apart=agent.apart, title=agent.title,
    )  # fmt: skip
    off = {name: inner.boolean("enabled") is False for name, inner in sets}
    found = [(name, entry) for name, inner in sets for entry in read_entries(inner, shape)]
    for (name, _), (entry, number) in zip(found, numbered(entry for _, entry in found), strict=True):
        spec = replace(_spec(dialect, given, entry, number), name=name)
        yield switched_off(spec, f"`enabled` is false in `{name}`") if off[name] else spec


def _spec(dialect: FamilyDialect, given: SourceText, entry: Entry, number: int) -> HookSpec:
    agent, reader = dialect.agent, entry.reader
    action, theirs = dialect.action_of(entry)
    if agent.words and isinstance(action, Command) and action.line:
        action = _started_without_shell(reader, action)
    shape = dialect.entries
    kind = "command" if agent.event_key else reader.string("type") or _type_meant(shape, reader)
    found = read_keys(reader, shape.keys, kind)
    for key in shape.keys:
        if key.required and key.field and not key.handlers and not reader.has(key.name):
            words = f"`{key.name}` is missing, which {agent.title} wants of every hook"
            reader.report(reader.node, "missing-key", words, f"add `{key.name}`", severity="warning")
    if kind in agent.skipped_types:
        theirs = f"{agent.title} skips `{kind}` hooks"
    matcher = entry.matcher if agent.matcher_key == "matcher" else reader.string(agent.matcher_key)
    row = dialect.row(entry.native)
    compiled = dialect.compiled(row, matcher)
    if row is not None:
        report_matcher(entry.group, row, compiled, dialect.known_tools(entry.native), agent.matcher_key)
    if "condition" in found:
        from hookline.dialects.matching.permission_rules import report_condition

        report_condition(reader, entry.kind, entry.native, found["condition"])
    if agent.group_filter and (pattern := entry.group.string(agent.group_filter)):
        found["options.filter"] = pattern
    if agent.sequence_key and entry.group.boolean(agent.sequence_key):
        found["options.asks_sequence"] = True
    limit = agent.type_limits.get(kind, row.timeout_s if row is not None else agent.timeout_s)
    if entry.kind in agent.limits:
        found["timeout_s"] = min(found.get("timeout_s") or limit, agent.limits[entry.kind][1])
    if entry.kind in agent.waited:
        found.pop("background", None)
    spec = make_spec(
        entry, given, dialect.name, number, action, found, timeout_s=limit, matcher=compiled.matcher
    )
    if entry.kind is EventKind.NoSuchEvent and (words := _event_of_others(dialect, given, entry.native)):
        known = isinstance(action, Command) and "hookline" in action.line  # our own entry stays known as one
        return switched_off(replace(spec, action=action) if known else spec, words)
    return switched_off(replace(spec, action=action), theirs) if theirs and action is not None else spec


def _event_of_others(dialect: FamilyDialect, given: SourceText, native: str) -> str:
    """Why a hook of an event that is none of ours is right where it stands; empty for a mistake."""
    if native in dialect.agent.apart:
        return apart_words(native, dialect.title)
    other = dialect.sharing(given.source)
    return event_of(other, native) if native in other.events else ""


def _started_without_shell(reader: Reader, action: Command) -> Command | None:
    from shlex import split

    from hookline.dialects.family.words import read_words

    try:
        found = read_words(action.line)
        if word := next((each for each in split(action.line) if each in _OF_A_SHELL), ""):
            told = f"no shell runs this line, so `{word}` is a plain word for its program"
            hint = "write `sh -c '…'` around the line, or put it into a script"
            reader.report(reader.members["command"], "shell-in-args", told, hint, severity="warning")
        return found
    except ValueError as error:
        words = f"it is split into words as a shell would, and cannot be: {str(error).lower()}"
        reader.report(reader.members["command"], "bad-value", words)
        return None


def _type_meant(shape: EntryShape, reader: Reader) -> str:
    """The type of an entry that names none: the first of which it has what must be said."""
    given = [kind for key in shape.telling if reader.has(key.name) for kind in key.handlers]
    return min(given, default="command")


def action_by_columns(dialect: FamilyDialect, entry: Entry) -> tuple[Action | None, str]:
    """What an entry runs, and why only the agent itself can run it."""
    agent, reader = dialect.agent, entry.reader
    if agent.event_key:
        return _listed_action(agent, entry)
    shape = dialect.entries
    untyped = "" if shape.says_type or reader.has("type") else _type_meant(shape, reader)
    skipped = reader.string("type") in agent.skipped_types
    keys = CLAUDE_KEYS if skipped else shape.keys
    action = read_handler(reader, keys, shape.types, shell=agent.shell, default_type=untyped)
    if isinstance(action, PromptCheck) and reader.string("type") in agent.apart_types:
        return action, f"a hook of type `{reader.string('type')}` is for {agent.title} alone"
    return action, ""


def _listed_action(agent: Agent, entry: Entry) -> tuple[Action | None, str]:
    """What an entry of a list runs, whose own `type` may be the event; and why only the agent itself can run it."""
    inner: Reader | None = entry.reader
    if agent.action_key:
        inner = entry.reader.object(agent.action_key, required=True)
    if inner is None:
        return None, ""
    types = ("command", *sorted(agent.apart_types))
    if agent.action_key and inner.choice("type", types, required=True) in agent.apart_types:
        prompt = PromptCheck(inner.string("prompt", required=True) or "", agent=True)
        return prompt, f"an action of type `{inner.string('type')}` is for {agent.title} alone"
    line = inner.string("command", required=True)
    return Command(line, shell=agent.shell) if line else None, ""


def compiled_by_columns(agent: Agent, row: AgentRule | None, text: str | None) -> Compiled:
    """A matcher in the agent's own form."""
    if text == "*" and not agent.star:
        return Compiled(
            Matcher("never", text), f"{agent.title} takes `*` for a broken pattern and drops the rule",
            "leave the matcher out",
        )  # fmt: skip
    match agent.matching:
        case "none":
            return Compiled()
        case "glob":
            pattern = text is not None and text.startswith("re:")
            plain = Compiled() if text in (None, "", "*") else Compiled(Matcher("glob", text or ""))
            return regex((text or "")[3:], javascript=False) if pattern else plain
        case "tool_regex" if row is None or row.subject != "tool_name":
            return exact(text.strip() if text else text)
        case "regex" | "names" | "tool_regex":
            return regex(text.strip() if text else text)
        case "strict_list":
            return names_or_regex(text, STRICT_EXACT, javascript=False)
        case "fullregex":
            return regex(text, anchored=True)
        case "full_or_exact":
            whole = regex(text.strip() if text else text, anchored=True, javascript=False)
            return exact(text) if whole.problem else whole
        case "exact_or_full":
            inner = text[1:-1] if text and len(text) > 1 and text[0] == text[-1] == "/" else text
            special = inner is not None and (inner != text or not _SPECIAL.isdisjoint(inner))
            return regex(inner, anchored=True, javascript=False) if special else exact(text)
    return names_or_regex(text, CLAUDE_EXACT)
