"""Config in Claude Code's shape: events, matcher groups, and handlers of several types inside them."""

from __future__ import annotations

from hookline.dialects import REGISTRY, names, readable
from hookline.dialects.actions import read_action
from hookline.dialects.base import Dialect, SourceText
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.rules import Sharing
from hookline.dialects.keys import Keys
from hookline.dialects.reading.nodes import Node
from hookline.dialects.reading.reader import Reader, is_comment
from hookline.dialects.spelling import by_words, nearest
from hookline.dialects.tools import BESIDE_RULES, RULE_LISTS
from hookline.model.errors import PERMISSIONS, WHOLE_FILE
from hookline.model.events import EventKind, find_kind
from hookline.model.hooks import Action, HookSpec, Matcher, Unusable, placed
from hookline.model.record import Record, of_fields
from hookline.model.typing import Any, Callable, Collection, Iterable, Iterator, Mapping, TypeVar
from hookline.system.modules import attribute

T = TypeVar("T", bound=AgentDialect)
MakeSpec = Callable[[T, SourceText, "Entry", int], HookSpec]

FLAT_ENTRY = "flat-entry"
_HANDLES = ("type", "command", "prompt", "url")  # what tells a handler from a group
_PARKED = (
    "disabled",
    "example",
    "backup",
    "unused",
)  # in the name of an object whose hooks are off on purpose


class Shape(Record):
    """What a dialect's config allows.

    `kind_of` finds the event of a native name, `names` are all native names (for hints), `guards` tells
    which of them can block. `flat`: a handler may stand in the event's list without a group around it; `ungrouped`: it
    always does, with a matcher of its own.
    `single`: the agent takes one group in place of an event's list. `free_keys` are further keys of the event
    object that are no events (`description`). `closed`: hookline alone fires these events, so there are no others.
    `flat_events`: handlers of these stand in the list, and never in a group. `apart`: events that the agent called
    `title` alone knows; `shared`: another agent that reads the file; `theirs`: which it is written for.
    `closed_groups`: the keys of a group where the agent bears no others, a comment neither.
    """

    kind_of: Callable[[str], EventKind | None]
    names: Collection[str]
    guards: Callable[[str], bool]
    flat: bool = False
    ungrouped: bool = False
    single: bool = False
    free_keys: frozenset[str] = frozenset()
    closed: bool = False
    flat_events: frozenset[str] = frozenset()
    apart: frozenset[str] = frozenset()
    title: str = ""
    shared: Sharing = Sharing()
    theirs: bool = False
    closed_groups: frozenset[str] = frozenset()


class Entry(Record):
    """One handler as configured: its reader, its event, its group and the matcher it stands under.

    `matcher` is None when absent. `group` is the handler itself for flat entries. `other`: another agent that runs
    hooks of the event, `theirs`: for which the file is; `apart`: why that one alone runs this hook.
    """

    reader: Reader
    native: str
    kind: EventKind
    matcher: str | None
    group: Reader
    is_flat: bool = False
    other: Sharing = Sharing()
    theirs: bool = False
    apart: str = ""


def hooks_of(root: Reader, speaker: Dialect, key: str = "hooks") -> Reader | None:
    """The object `hooks` of a file; events that stand where nobody looks for them are guards that are off."""
    if key == "hooks":
        report_outside(root, speaker)
    whole = root.whole()
    whole.lose_copies(key, WHOLE_FILE)
    return whole.object(key)


def report_permissions(root: Reader) -> None:
    """Tells of lists of permission rules that nobody reads: denials may be among them."""
    whole = root.whole()
    whole.lose_copies("permissions", PERMISSIONS)
    if _hides_rules(root.node):
        attribute("hookline.dialects.matching.lost_rules", "report_lost_lists")(root)


def _hides_rules(root: Node) -> bool:
    """Whether such a list may be there: to look costs more than most files are worth."""
    for name, node in root.members.items():
        if name != "permissions":
            if node.kind == "array" or (node.kind == "object" and name[:1] in "pP"):
                return True
        elif node.kind != "object":
            return True
        else:
            lists = [each for each in node.members if each not in BESIDE_RULES]
            if any(each not in RULE_LISTS or node.members[each].kind != "array" for each in lists):
                return True
    return False


def report_outside(root: Reader, speaker: Dialect, hint: str = 'put it into `"hooks": {…}`') -> None:
    """Tells of events, of whatever agent, that stand at the top of a file, or in an object that is not `hooks`."""
    whole = root.whole()
    for name, node in root.members.items():
        if name == "hooks":
            continue
        if (guard := _event_there(name, node, speaker)) is not None:
            event = root.reader(root.node)
            event.guard = guard
            words = f"the event `{name}` stands outside of `hooks`, where nothing reads it"
            event.report_key(name, "events-at-top", words, hint)
            event.lose(name, name)
        elif node.kind == "object" and not any(word in name.lower() for word in _PARKED):
            known = _guards_in(node, speaker)
            if held := "hooks" in node.members and _guards_in(node.members["hooks"], speaker):
                within = root.reader(node).whole()
                within.guard = any(held)
                words = f"`hooks` stands inside of `{name}`, where nothing reads it"
                within.report_key("hooks", "events-at-top", words, f"move it out of `{name}`, to the top")
            near = nearest(name, ("hooks",))
            lists = near and any(each.kind == "array" for each in node.members.values())
            if lists or (known and (near or not is_comment(name))):
                whole.guard = not known or any(known)
                words = f"`{name}` means nothing here, so none of the hooks in it runs"
                told = ("misspelt-key", "did you mean `hooks`?") if near else ("events-at-top", hint)
                whole.report_key(name, told[0], words, told[1])


def _guards_in(node: Node, speaker: Dialect) -> list[bool]:
    """For each event with hooks in an object whether it can block."""
    inside = (_event_there(each, inner, speaker) for each, inner in node.members.items())
    return [guard for guard in inside if guard is not None]


def _event_there(name: str, node: Node, speaker: Dialect) -> bool | None:
    """Whether an event that stands there can block; None where it is no event with hooks."""
    line = node.kind == "string"  # which is meant for a hook, if an event of this very agent stands before it
    if not line and (node.kind != "array" or not any(item.kind == "object" for item in node.items)):
        return None
    kind = speaker.kind_of(name) or (None if line else find_kind(name))
    if kind is None:
        entries = any(key in item.members for item in node.items for key in ("hooks", *_HANDLES))
        if not entries or not _has_event(name):
            return None
        kind = speaker.kind_of(nearest(name, [rule.native for rule in speaker.rules.values()]) or "")
    return kind is not None and kind in speaker.rules and speaker.rules[kind].guards


def read_entries(events: Reader, shape: Shape) -> Iterator[Entry]:
    """The handlers of a `hooks` object in file order; whatever is wrong is reported and left out alone.

    Handlers of an event that does not exist come with the kind `NoSuchEvent`, so that they stay visible.
    """
    for native, node in events.members.items():
        if native in shape.free_keys or node.kind == "null" or (node.kind == "string" and is_comment(native)):
            continue
        kind = shape.kind_of(native)
        meant = "" if kind is not None else nearest(native, shape.names) or ""
        events.guard = shape.guards(native if kind is not None else meant)
        events.lose_copies(native)
        if kind is None:
            _report_event(events, native, node, meant, shape)
        if node.kind == "object" and shape.single:
            words = "expected a list of hooks, found one alone, which the agent happens to take"
            events.report(node, "not-a-list", words, "put it in a list: `[…]`", severity="warning")
        if node.kind == "array" or (node.kind == "object" and shape.single):
            for item in node.items if node.kind == "array" else (node,):
                yield from _read_item(events, item, native, kind or EventKind.NoSuchEvent, shape)
        else:
            if kind is not None:
                events.wrong(node, "a list of hooks")
            events.lose(native)


def specs_of_events(
    dialect: T, given: SourceText, hooks: Reader | None, spec: MakeSpec[T], **shape: Any
) -> tuple[HookSpec, ...]:
    """The hooks of a `hooks` object, each made by `spec` of its entry and its number; `shape`: further columns."""
    names = tuple(dict.fromkeys(row.native for row in dialect.rows))
    known = Shape(dialect.kind_of, names, dialect.guards, **shape)
    entries = read_entries(hooks, known) if hooks is not None else ()
    return tuple(spec(dialect, given, entry, number) for entry, number in numbered(entries))


def numbered(entries: Iterable[Entry]) -> Iterator[tuple[Entry, int]]:
    """Each entry with its number, from 1, among those of its native event."""
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry.native] = counts.get(entry.native, 0) + 1
        yield entry, counts[entry.native]


def read_handler(
    reader: Reader,
    keys: Keys,
    types: Collection[str],
    *,
    shell: tuple[str, ...] = ("sh", "-c"),
    default_type: str = "",
) -> Action | None:
    """What a handler runs, by its `type` and the rows of its keys; None once the reason has been reported.

    `shell` runs command lines that name none; `default_type` stands in for a missing `type`.
    """
    kind = reader.choice("type", types, required=not default_type)
    if not kind and (not default_type or reader.has("type")):
        return None
    return read_action(reader, keys, kind or default_type, shell)


def make_spec(
    entry: Entry,
    given: SourceText,
    dialect: str,
    number: int,
    action: Action | None,
    values: Mapping[str, Any],
    *,
    timeout_s: float,
    matcher: Matcher | None = None,
    **more: Any,
) -> HookSpec:
    """The hook of an entry; one whose reader found a fault is kept, visibly unusable.

    `values` are those of its keys by their field (see `read_keys`); `timeout_s` holds where the entry gives none;
    `number` counts the hooks of its native event from 1; `more` are further fields of `HookSpec`.
    """
    if entry.kind is EventKind.NoSuchEvent:
        action = Unusable(f"there is no event `{entry.native}`")
    elif action is None or entry.reader.broken:
        action = Unusable(entry.reader.fault)
    fields = {
        "id": f"{dialect}:{entry.native}:{number}", "dialect": dialect, "kind": entry.kind,
        "native_event": entry.native, "action": action, "matcher": matcher,
        **given.at(entry.reader.node.line), **more, **placed(values),
    }  # fmt: skip
    fields["timeout_s"] = fields.get("timeout_s") or timeout_s
    fields["condition"] = fields.get("condition") or None
    return of_fields(HookSpec, fields)


def _report_event(events: Reader, native: str, node: Node, meant: str, shape: Shape) -> None:
    if native in shape.apart:
        events.report_key(native, "agent-alone", apart_words(native, shape.title), "", severity="notice")
        return
    if native in shape.shared.events:
        words = f"{event_of(shape.shared, native)}; {shape.title} runs no hook of it"
        own = f"{shape.title} calls its own `{meant}`" if meant else ""
        events.report_key(native, "agent-alone", words, own, severity="notice")
        return
    hint, message, severity = unknown_event(native, meant, shape.names, shape.closed)
    wrapped = [name for each in (node, *node.items) for name in each.members if _has_event(name)]
    if wrapped:
        severity = "error"
        message = f"there is no event `{native}`, so nothing reads the hooks in it ({', '.join(wrapped)})"
        hint = f"events stand here without `{native}` around them: move them out of it"
    # it may be a guard at any
    told = events.whole() if wrapped or (shape.closed and not meant) else events
    told.report_key(native, "unknown-event", message, hint, severity=severity)


def apart_words(native: str, title: str) -> str:
    """Why a hook of an event that is no event of ours is listed, and not run."""
    return f"`{native}` is an event of {title} alone, which runs this hook; hookline does not"


def event_of(other: Sharing, native: str) -> str:
    """What an event is that another agent knows which reads the file."""
    return f"`{native}` is an event of {other.title}, which reads this file too"


def is_for_other(root: Reader, other: Sharing) -> bool:
    """Whether a file that two agents read is written for the other one: by its events, and without a version."""
    hooks = root.get("hooks")
    return (
        not root.has("version")
        and hooks is not None
        and bool(hooks.members)
        and hooks.members.keys() <= other.events
    )


def tell_apart(entry: Entry, node: Node, words: str, hint: str) -> None:
    """Tells once in a file of what one of the agents that read it runs, and the other does not."""
    severity = "notice" if entry.theirs else "warning"
    if all(each.message != words for each in entry.reader.problems):
        entry.reader.report(node, "agent-alone", words, hint, severity=severity)


def unknown_event(
    native: str, meant: str, known: Collection[str], closed: bool = False
) -> tuple[str, str, str]:
    """Hint, message and severity; `meant` is the nearest of the `known` names, if any is near.

    A name that is neither misspelt nor another agent's may be a newer version's, unless there are no others.
    """
    hint = f"did you mean `{meant}`?" if meant else "known events: " + ", ".join(sorted(known))
    if meant or closed or _has_event(native):
        return hint, f"there is no event `{native}`; its hooks never run", "error"
    if alike := by_words(native, known):
        hint = f"perhaps `{alike}`; {hint}"
    words = f"no known event is called `{native}`; its hooks run only where a newer version has it"
    return hint, words, "warning"


def _has_event(native: str) -> bool:
    """Whether any agent has it: of ours by a table, as loading them all takes longer than the rest of reading."""
    from hookline.dialects.all_names import ALL_EVENTS

    others = (name for name in names() if name not in REGISTRY)
    return native in ALL_EVENTS or any(speaker.kind_of(native) for speaker in readable(others))


def _told_as_group(reader: Reader, native: str, kind: EventKind, shape: Shape) -> Iterable[Entry] | None:
    """The hooks of a group, as other agents have them, where each stands by itself: told once, and none runs."""
    if any(map(reader.has, _HANDLES)):
        return None
    if shape.shared.groups and shape.shared.called(native) and reader.members["hooks"].kind == "array":
        return _of_group(reader, native, kind, shape)
    words = "a group with `hooks`, where each hook stands by itself: none of them runs"
    reader.report_key("hooks", "missing-key", words, "move its hooks up into the list of the event")
    inner = [reader.reader(node) for node in reader.members["hooks"].items if node.kind == "object"]
    if not inner:
        reader.lose(native)
    for each in inner:
        each.broken = True
    return [Entry(each, native, kind, reader.string("matcher"), reader, True) for each in inner]


def _of_group(reader: Reader, native: str, kind: EventKind, shape: Shape) -> Iterator[Entry]:
    """The hooks of a group that another agent alone runs."""
    other, matcher = shape.shared, reader.string("matcher")
    ignored = ", without a look at the `matcher`" if matcher not in (None, "", "*") else ""
    words = f"{shape.title} runs no hook that stands in a group; {other.title} does{ignored}"
    hint = "for both, move its hooks up into the list of the event"
    for node in reader.members["hooks"].items:
        inner = reader.reader(node)
        if not inner.valid:
            continue
        entry = Entry(inner, native, kind, None, inner, True, other, shape.theirs, words)
        tell_apart(entry, reader.members["hooks"], words, hint)
        yield entry


def _read_item(events: Reader, item: Node, native: str, kind: EventKind, shape: Shape) -> Iterator[Entry]:
    group = events.reader(item)
    if shape.ungrouped or native in shape.flat_events:
        if not group.valid:
            events.lose(native)
        elif group.has("hooks") and (inner := _told_as_group(group, native, kind, shape)) is not None:
            yield from inner
        else:
            matcher = group.string("matcher") if shape.ungrouped else None
            other = shape.shared if shape.shared.called(native) else Sharing()
            yield Entry(group, native, kind, matcher, group, True, other, shape.theirs)
        return
    matcher = group.string("matcher") if group.valid else None
    if not group.valid or (group.has("matcher") and matcher is None):
        events.lose(native)
        return
    if shape.flat and any(map(group.has, _HANDLES)):
        yield Entry(group, native, kind, matcher, group, True)
        if not group.has("hooks"):
            return
    if not group.has("hooks"):
        hint = 'write `{"matcher": "…", "hooks": [{"type": "command", "command": "…"}]}`'
        if any(map(group.has, _HANDLES)):
            group.report(item, FLAT_ENTRY, "a group needs a list `hooks`; this is a hook without one", hint)
        else:
            group.report(item, "missing-key", "a group needs a list `hooks`", hint)
        group.lose(native)
        return
    group.lose_copies("hooks", native)
    for key in item.members if shape.closed_groups else ():
        if key not in shape.closed_groups:
            group.report_key(key, "unknown-key", f"`{key}` means nothing here", severity="warning")
    handlers = group.get("hooks")
    if handlers is None or handlers.kind != "array":
        group.objects("hooks")
        group.lose(native)
        return
    for node in handlers.items:
        handler = group.reader(node)
        if handler.valid:
            yield Entry(handler, native, kind, matcher, group)
        else:
            group.lose(native)
