"""Config in which an event is a plain list of handlers, as Cursor and GitHub Copilot have it."""

from __future__ import annotations

from hookline.dialects.base import SourceText
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.reading.json_hooks import (
    Entry,
    MakeSpec,
    T,
    apart_words,
    numbered,
    report_outside,
    told_as_group,
    unknown_event,
)
from hookline.dialects.reading.reader import Reader, is_comment
from hookline.dialects.spelling import nearest
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec
from hookline.model.short_json import write_json
from hookline.model.typing import Collection, Iterator


def flat_specs(
    dialect: T, given: SourceText, hooks: Reader | None, spec: MakeSpec[T],
    apart: Collection[str] = (), free: Collection[str] = (),
) -> tuple[HookSpec, ...]:  # fmt: skip
    """The hooks of a `hooks` object, each made by `spec` of its entry and its number.

    `apart` are events, and none of ours; `free` are keys beside the events.
    """
    entries = flat_entries(dialect, hooks, apart, free) if hooks is not None else ()
    return tuple(spec(dialect, given, entry, number) for entry, number in numbered(entries))


def flat_entries(
    dialect: AgentDialect, hooks: Reader, apart: Collection[str] = (), free: Collection[str] = ()
) -> Iterator[Entry]:
    """The handlers of a `hooks` object in file order; an unknown event is reported and kept visible."""
    for native, node in hooks.node.members.items():
        if native in free or (node.kind == "string" and is_comment(native)):
            continue
        kind = dialect.kind_of(native)
        row = dialect.row(native)
        hooks.guard = bool(row and row.guards)
        hooks.lose_copies(native)
        if native in apart:
            hooks.report_key(native, "agent-alone", apart_words(native, dialect.title), "", severity="notice")
        elif kind is None:
            _report_event(dialect, hooks, native)
        if node.kind != "array":
            if kind is not None and node.kind != "null":
                hooks.wrong(node, "a list of hooks")
                hooks.lose(native)
            continue
        for item in node.items:
            reader = hooks.reader(item)
            if not reader.valid:
                hooks.lose(native)
            elif (inner := told_as_group(reader, native, kind or EventKind.NoSuchEvent)) is not None:
                yield from inner
            else:
                matcher = reader.string("matcher")
                yield Entry(reader, native, kind or EventKind.NoSuchEvent, matcher, reader, True)


def listed_entries(
    dialect: AgentDialect, root: Reader, key: str, matcher_key: str, apart: Collection[str] = ()
) -> Iterator[Entry]:
    """The entries of a list `hooks` in which each names its event under `key`; `apart` are events, and none of ours."""
    report_outside(
        root, dialect, f"make it an entry of the list `hooks`, which names its event under `{key}`"
    )
    whole = root.whole()
    for name, node in root.node.members.items():
        if name != "hooks" and nearest(name, ("hooks",)) and any(key in item.members for item in node.items):
            words = f"`{name}` means nothing here, so none of the hooks in it runs"
            whole.report_key(name, "misspelt-key", words, "did you mean `hooks`?")
        elif name == key:
            words = f"`{name}` stands outside of `hooks`, where nothing reads it"
            whole.report_key(
                name, "events-at-top", words, f"put it into `hooks`, as `hookline docs {dialect.name}` shows"
            )
    for reader in whole.objects("hooks", wanted="a list of hooks"):
        native = reader.whole().string(key, required=True, blank=False) or ""  # it may be a guard at any
        kind, row = dialect.kind_of(native), dialect.row(native)
        reader.guard = bool(row and row.guards)
        if native in apart:
            words = apart_words(native, dialect.title)
            reader.report(reader.node.members[key], "agent-alone", words, severity="notice")
        elif kind is None and native:
            hint, message, severity = _unknown_event(dialect, native)
            reader.report(reader.node.members[key], "unknown-event", message, hint, severity=severity)
        yield Entry(reader, native, kind or EventKind.NoSuchEvent, reader.string(matcher_key), reader, True)


def check_version(root: Reader, wanted: int | str, does_without: str = "") -> None:
    """What a format that numbers itself wants; `does_without` names another agent for whose hooks the file is."""
    shown, found = write_json(wanted), root.get("version")
    if found is not None:
        if found.value != wanted or found.kind == "boolean":
            root.report(found, "bad-value", f"expected version {shown}", severity="warning")
    elif root.has("hooks"):
        words = f"`version` is missing{f'; {does_without} does without' if does_without else ''}"
        hint, severity = f'write `"version": {shown}`', "notice" if does_without else "warning"
        root.report(root.node, "missing-key", words, hint, severity=severity)


def _report_event(dialect: AgentDialect, hooks: Reader, native: str) -> None:
    other, theirs = dialect.shared
    if native in theirs:
        words = f"`{native}` is an event of {other}, which reads this file too; {dialect.title} runs no hook of it"
        meant = _meant(dialect, native)
        hint = f"{dialect.title} calls its own `{meant}`" if meant else ""
        hooks.report_key(native, "agent-alone", words, hint, severity="notice")
        return
    hint, message, severity = _unknown_event(dialect, native)
    row = dialect.row(meant) if (meant := _meant(dialect, native)) else None
    hooks.guard = bool(row and row.guards)
    hooks.report_key(native, "unknown-event", message, hint, severity=severity)


def _unknown_event(dialect: AgentDialect, native: str) -> tuple[str, str, str]:
    """Hint, message and severity."""
    meant = _meant(dialect, native)
    known = ", ".join(sorted(row.native for row in dialect.rows))
    hint = f"did you mean `{meant}`?" if meant else f"known events: {known}"
    return hint, *unknown_event(native, bool(meant))


def _meant(dialect: AgentDialect, native: str) -> str | None:
    return nearest(native, [row.native for row in dialect.rows])
