"""Files that do not parse, read as they were probably meant: for hints about the rest of them alone."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from hookline.dialects import dialect, lender_of
from hookline.dialects.base import Loaded, SourceText
from hookline.dialects.reading.documents import parsed
from hookline.dialects.reading.nodes import UnreadableConfig, strip_mark
from hookline.engine.hookset import HookSet
from hookline.model.errors import Problem
from hookline.model.hooks import Unusable
from hookline.model.record import replace
from hookline.system import files
from hookline.system.modules import attribute
from hookline.system.patterns.late import late

_BROKEN = frozenset({"bad-json", "bad-toml", "bad-yaml"})
# findings about how a file is put together, which say nothing where that was guessed
_BY_SHAPE = frozenset({
    "wrong-type", "missing-key", "unknown-key", "events-at-top", "flat-entry", "bad-value", "duplicate-key",
    "misspelt-key", "unknown-event", "handler-count",
})  # fmt: skip
# of a hook: what runs, and when
_RUNS = frozenset({"command", "bash", "powershell", "run"})
_EVENTS = ("events", "event", "on", "trigger", "hook", "hookEventName")
_AROUND = ('{"version": 1, "hooks": {EVENT: [HOOK]}}', '{"hooks": {EVENT: [{"hooks": [HOOK]}]}}')
_MARKS = late(r"(?m)^(?:<{7}|={7}|>{7}|\|{7})(?:[ \t][^\n]*)?$")
_NEW_DOCUMENT = late(r"(?m)^---[ \t]*$", needs=("---",))


class Meant(Loaded):
    """A file that did not parse, and the text that was read in its place."""

    text: str = ""


def read_further(hooks: HookSet) -> HookSet:
    """The hooks, and with them those of files that do not parse, as far as they can be read."""
    again: dict[str, tuple[Meant, ...]] = {}
    for each in hooks.loaded:
        if each.source.path in again or lender_of(each.dialect):
            continue
        if any(told.code in _BROKEN for told in each.problems):
            again[each.source.path] = tuple(_meant(each))
        elif not each.specs and each.state == "text" and each.source.format in ("json", "jsonc"):
            again[each.source.path] = tuple(_meant_alone(each))
    further = tuple(each for found in again.values() for each in found)
    if not further:
        return hooks
    return replace(
        hooks,
        loaded=(*(each for each in hooks.loaded if not again.get(each.source.path)), *further),
        specs=(*hooks.specs, *(spec for each in further for spec in each.specs)),
        problems=tuple(
            dict.fromkeys((*hooks.problems, *(told for each in further for told in each.problems)))
        ),
    )


def _meant(loaded: Loaded) -> Iterator[Meant]:
    source = loaded.source
    for text, faults, guessed in _readings(
        source.format, strip_mark(files.read_text(source.path).text), source.shown
    ):
        try:
            given = SourceText(source, "text", text, path=source.path, shown=source.shown)
            read = dialect(loaded.dialect).parse(given)
        except Exception:  # a defect of a dialect in another package takes nothing from the rest
            continue
        told = (
            each
            for each in read.problems
            if each.line not in guessed
            or each.code not in _BY_SHAPE
            or (each.code == "unknown-event" and each.hint.startswith("did you mean"))
        )
        yield Meant(source, read.state, loaded.dialect, read.specs, (*faults, *told), read.settings, text)


def _meant_alone(loaded: Loaded) -> Iterator[Meant]:
    """A file of a folder of hooks that is one hook without `hooks` around it, read as if that were there."""
    source = loaded.source
    text = (
        strip_mark(files.read_text(source.path).text)
        if os.path.basename(os.path.dirname(source.path)) == "hooks"
        else ""
    )
    try:
        root = parsed(source.format, text, source.shown) if text.lstrip().startswith("{") else None
    except UnreadableConfig:
        return
    if root is None or "hooks" in root.members or _RUNS.isdisjoint(root.members):
        return
    named = next((root.members[key] for key in _EVENTS if key in root.members), None)
    events = named.items if named is not None and named.kind == "array" else (named,)
    event = json.dumps(str(events[0].value)) if len(events) == 1 and events[0] is not None else ""
    for around in _AROUND if event else ():
        whole = around.replace("EVENT", event).replace("HOOK", text.strip("\n"))
        read = dialect(loaded.dialect).parse(
            SourceText(source, "text", whole, path=source.path, shown=source.shown)
        )
        if any(not isinstance(each.action, Unusable) for each in read.specs):
            file = attribute("hookline.checking.entries", "ConfigFile")(loaded, dialect(loaded.dialect), ())
            told = tuple(attribute("hookline.checking.files.config_rules", "without_hooks")(file))
            yield Meant(source, read.state, loaded.dialect, read.specs, told, read.settings, whole)
            return


def _readings(
    language: str, text: str, source: str
) -> Iterator[tuple[str, tuple[Problem, ...], frozenset[int]]]:
    """The texts that parse, of both sides of a conflict and of each document; the faults told on the way, and the
    lines where the shape was guessed."""
    sound_json = attribute("hookline.checking.files.broken_json", "sound_json")
    meant_json = attribute("hookline.checking.files.tolerant_json", "meant_json")
    meant_lines = attribute("hookline.checking.files.tolerant_lines", "meant_lines")
    marks = _MARKS.finditer(text) if "<<<<<<<" in text else ()
    marked = [text.count("\n", 0, found.start()) + 1 for found in marks]
    sides = [_side(text, "<"), _side(text, ">")] if marked else [text]
    if language == "yaml":
        sides = [part for side in sides for part in _documents(side)]
    for side in sides:
        sound, faults = sound_json(side, source) if language == "json" else ("", ())
        if sound or _parses(language, side, source):
            yield sound or side, faults[1:] if not marked else faults, frozenset(marked)
            continue
        if language in ("json", "jsonc"):
            documents, lines = meant_json(side)
        else:
            meant, lines = meant_lines(language, side, source)
            documents = (meant,)
        for each in documents:
            if each and _parses(language, each, source):
                yield each, (), lines.union(marked)


def _parses(language: str, text: str, source: str) -> bool:
    try:
        parsed(language, text, source)
    except UnreadableConfig:
        return False
    return True


def _side(text: str, wanted: str) -> str:
    """One side of each conflict; the lines of the other are empty."""
    kept, here = [], ""
    for row in text.split("\n"):
        if _MARKS.fullmatch(row):
            here = {"<": "<", "|": "|", "=": ">", ">": ""}[row[0]] if here or row[0] == "<" else here
            kept.append("")
        else:
            kept.append(row if here in ("", wanted) else "")
    return "\n".join(kept)


def _documents(text: str) -> Iterator[str]:
    """Each document of a YAML text, the lines of the others empty."""
    starts = [found.end() for found in _NEW_DOCUMENT.finditer(text) if text[: found.start()].strip()]
    for start, end in zip((0, *starts), (*starts, len(text)), strict=True):
        part = _NEW_DOCUMENT.sub("", text[start:end])
        yield "\n" * text.count("\n", 0, start) + part + "\n" * text.count("\n", end)
