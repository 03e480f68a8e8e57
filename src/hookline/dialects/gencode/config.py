"""GenCode's `settings.json`: where it lies, its hooks (nested or flat), its switches, its schema."""

from __future__ import annotations

import os.path

from hookline.dialects.base import Dialect, Loaded, Places, Source, SourceText
from hookline.dialects.gencode.rules import KNOWN_TOOLS, RULES
from hookline.dialects.keys import CLAUDE_KEYS, TIMEOUT, Key, Keys, read_keys, read_values
from hookline.dialects.reading.json_hooks import (
    Entry,
    Shape,
    hooks_of,
    make_spec,
    numbered,
    read_entries,
    read_handler,
    report_permissions,
)
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import nearest
from hookline.dialects.tools import TOOL_EVENTS
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec, Matcher, switched_off
from hookline.model.record import replace
from hookline.model.typing import Any, Mapping, Sequence

TYPES = ("command", "prompt", "http", "agent", "mcp_tool")
LIKE_CLAUDE = Keys(
    (
        *CLAUDE_KEYS,
        Key("blocking", "tristate", "blocking", "true: any failure blocks; false: runs in the background"),
        Key("name", "text", "name", "what people call it"),
    )
)
FOLDERS = (".claude", ".mycode", ".gen")
CLAUDE = "claude"
NATIVE = "native"
DEFAULT_TIMEOUT_S = 60.0
LONGEST_TIMEOUT_S = 600.0
SHORTEST_LIKELY_S = 0.05
GRACE_S = 1.0
KEYS = Keys(
    (
        *(
            replace(key, type="milliseconds", most=LONGEST_TIMEOUT_S) if key is TIMEOUT else key
            for key in LIKE_CLAUDE
        ),
        Key("description"),
    )
)
_OF_A_GROUP = (Key("matcher"), Key("hooks"))
_FLAT = {True: Keys((*LIKE_CLAUDE, *_OF_A_GROUP)), False: Keys((*KEYS, *_OF_A_GROUP))}
SETTINGS = Keys((Key("parallel", "tristate", "parallel"), Key("maxHooks", "count", "max_hooks")))
_BESIDE_CLAUDE = Keys([Key("claudeHooks", "merge|fallback|off", "claude_hooks", default="merge")])
FILE = Keys((*SETTINGS, *_BESIDE_CLAUDE))
MANAGED = (
    "/usr/share/gencode/managed-settings.json",
    "/Library/Application Support/GenCode/managed-settings.json",
)


def settings_sources(places: Places) -> tuple[Source, ...]:
    """User, `$GEN_CONFIG`, project, local, managed; in each `.claude`, `.mycode`, `.gen`."""
    found: list[Source] = []
    for folder in FOLDERS:
        path = os.path.join(places.home, folder, "settings.json")
        found.append(_source(path, "user", f"~/{folder}/settings.json", folder))
    for folder in filter(None, places.variables.get("GEN_CONFIG", "").split(":")):
        path = os.path.join(_expanded(folder, places), "settings.json")
        found.append(_source(path, "user", path, folder))
    for name, scope in (("settings.json", "project"), ("settings.local.json", "local")):
        for folder in FOLDERS:
            shown = f"{folder}/{name}"
            found.append(_source(os.path.join(places.workspace, shown), scope, shown, folder))
    found += [_source(path, "managed", path, NATIVE) for path in MANAGED]
    return tuple({os.path.normpath(source.path): source for source in reversed(found)}.values())[::-1]


def read_hooks(document: Reader, given: SourceText, speaker: Dialect) -> tuple[HookSpec, ...]:
    """The hooks of one file in order; broken ones stay, visibly unusable."""
    events = hooks_of(document, speaker)
    if events is None:
        return ()
    entries = numbered(read_entries(events, _shape(given)))
    return tuple(_read_entry(entry, given, number) for entry, number in entries)


def read_settings(document: Reader, given: SourceText) -> dict[str, Any]:
    """The switches of one file: `parallel`, `maxHooks`, `claudeHooks`, and the events it switches off."""
    is_claude, hooks = given.source.label == CLAUDE, document.node.get("hooks")
    settings = read_values(document, _BESIDE_CLAUDE if is_claude else FILE)
    if not is_claude:
        report_permissions(document)
    if hooks is not None and hooks.kind == "object" and not is_claude:
        settings.update(read_values(document.reader(hooks), SETTINGS))
    if given.source.label == NATIVE and hooks is not None:
        emptied = [name for name, node in hooks.members.items() if node.kind == "array" and not node.items]
        settings.update({"emptied": tuple(emptied)} if emptied else {})
    return settings


def combined(loaded: Sequence[Loaded]) -> tuple[Loaded, ...]:
    """The files together: `[]` switches an event's lower files off, `claudeHooks` the `.claude` ones."""
    modes = [entry.settings["claude_hooks"] for entry in loaded if "claude_hooks" in entry.settings]
    mode = modes[-1] if modes else "merge"
    native = {spec.native_event for entry in loaded if entry.source.label == NATIVE for spec in entry.specs}
    result: list[Loaded] = []
    for entry in loaded:
        for event in entry.settings.get("emptied", ()):
            why = f"switched off by the empty list `{event}` in {entry.source.shown}"
            result = [_switched_off(below, why, event) for below in result]
        if entry.source.label == CLAUDE and mode == "off":
            entry = _switched_off(entry, "switched off by `claudeHooks`")
        if entry.source.label == CLAUDE and mode == "fallback":
            for event in sorted(native):
                entry = _switched_off(entry, "GenCode's own files have hooks for it", event)
        result.append(entry)
    return tuple(result)


def compiled_matcher(text: str | None) -> Matcher | None:
    """The matcher of a text: names, or a regular expression over the whole value, or the text itself."""
    if text is None or text in ("", "*"):
        return None
    if _lists_names(text):
        return Matcher("names" if "|" in text else "exact", text)
    from hookline.system.patterns import pattern_fault

    return Matcher("exact" if pattern_fault(text) else "fullregex", text)


def _lists_names(text: str) -> bool:
    """Whether these are names with `|` between them, of ASCII letters, digits, `_` and `-`."""
    return text.isascii() and all(map(str.isalnum, text.replace("_", "a").replace("-", "a").split("|")))


def settings_schema() -> Mapping[str, Any]:
    """The JSON Schema of a `settings.json`, as far as hooks go."""
    from hookline.dialects.schemas import file_schema, group_schema, handler_schema, key_schema, table_schema

    handler = handler_schema(KEYS)
    entry = {"anyOf": [{"$ref": "#/$defs/group"}, {"$ref": "#/$defs/handler"}]}
    events = {rule.native: {"type": "array", "items": entry} for rule in RULES.values()}
    switches = {key.name: key_schema(key) for key in SETTINGS}
    properties = {
        "hooks": table_schema({**events, **switches}),
        **{key.name: key_schema(key) for key in FILE},
    }
    parts = {"handler": handler, "group": group_schema({"$ref": "#/$defs/handler"})}
    return file_schema("GenCode settings.json", properties, **{"$defs": parts})


def _source(path: str, scope: str, shown: str, folder: str) -> Source:
    label = CLAUDE if os.path.basename(os.path.normpath(folder)) == ".claude" else NATIVE
    return Source(path, scope, "json", shown, label)


def _expanded(folder: str, places: Places) -> str:
    if folder == "~" or folder.startswith("~/"):
        folder = places.home + folder[1:]
    return os.path.normpath(os.path.join(places.workspace, folder))


def _shape(given: SourceText) -> Shape:
    names = tuple(rule.native for rule in RULES.values())
    free = {*(key.name for key in SETTINGS), "description"}
    if given.source.label == CLAUDE:
        # Claude Code has events that GenCode never fires; that is no fault of the file.
        free |= {kind.value for kind in EventKind if kind not in RULES}
    return Shape(kind_named, names, _guards, True, free_keys=frozenset(free), closed=True)


def kind_named(native: str) -> EventKind | None:
    """The event of a native name, which is always the canonical one."""
    kind = EventKind._value2member_map_.get(native)
    return kind if isinstance(kind, EventKind) and kind in RULES else None


def _guards(native: str) -> bool:
    kind = kind_named(native)
    return kind is not None and RULES[kind].guards


def _read_entry(entry: Entry, given: SourceText, number: int) -> HookSpec:
    is_claude = given.source.label == CLAUDE
    reader = entry.reader
    kind = reader.node.get("type")
    keys = LIKE_CLAUDE if is_claude else KEYS
    action = read_handler(reader, keys, TYPES, shell=("bash", "-c"))
    of_type = str(kind.value) if kind is not None and not is_claude else "-"
    values = read_keys(reader, _FLAT[is_claude] if entry.is_flat else keys, of_type)
    values = {"means.shell_fallback": ("sh", "-c"), "conduct.rewake": False, **values}
    if "condition" in values:
        from hookline.dialects.matching.permission_rules import report_condition

        report_condition(reader, entry.kind, entry.native, values["condition"])
    if entry.is_flat and is_claude:
        values["origin.flat"] = True
    blocking = values.get("blocking")
    if not is_claude:
        _report_short(reader, values.get("timeout_s"))
    matcher = _read_matcher(entry, is_claude)
    if blocking is False and not entry.native.startswith("Pre"):
        values["background"] = True
    return make_spec(
        entry,
        given,
        "gencode",
        number,
        action,
        values,
        timeout_s=DEFAULT_TIMEOUT_S,
        matcher=matcher,
        grace_s=GRACE_S,
    )


def _report_short(reader: Reader, timeout_s: float | None) -> None:
    if timeout_s is None or timeout_s >= SHORTEST_LIKELY_S:
        return
    node = reader.members["timeout"]
    message = f"{timeout_s * 1000:g} milliseconds is very short"
    if not any(p.path == node.path and p.code == "implausible-time" for p in reader.problems):
        reader.report(node, "implausible-time", message, "the unit here is milliseconds", severity="warning")


def _read_matcher(entry: Entry, is_claude: bool) -> Matcher | None:
    text, rule = entry.matcher, RULES.get(entry.kind)
    if rule is None or text is None:
        return compiled_matcher(text)
    if rule.subject:
        matcher = compiled_matcher(text)
        _report_matcher(entry, matcher)
        return matcher
    if is_claude or text in ("", "*"):
        return None
    message = f"`{entry.native}` has nothing that a matcher could fit, so this hook never runs"
    _warn_matcher(entry, message, "leave the matcher out")
    return Matcher("never", text)


def _report_matcher(entry: Entry, matcher: Matcher | None) -> None:
    if matcher is None:
        return
    if matcher.kind == "exact" and not _lists_names(matcher.text):
        from hookline.system.patterns import pattern_fault

        if fault := pattern_fault(matcher.text):
            message = f"`{matcher.text}` is no regular expression, so it fits only this very text: {fault}"
            meant = nearest(matcher.text, KNOWN_TOOLS) if entry.kind in TOOL_EVENTS else None
            _warn_matcher(entry, message, f"write `{meant}`" if meant else "")
            return
    if matcher.kind not in ("exact", "names") or entry.kind not in TOOL_EVENTS:
        return
    for name in matcher.text.split("|"):
        meant = None if name in KNOWN_TOOLS or name.startswith("mcp") else nearest(name, KNOWN_TOOLS)
        if meant:
            words = "matchers mind letter case: " if meant.lower() == name.lower() else ""
            _warn_matcher(entry, f"{words}there is no tool `{name}`", f"write `{meant}`")


def _warn_matcher(entry: Entry, message: str, hint: str) -> None:
    entry.group.report(entry.group.members["matcher"], "dead-matcher", message, hint, severity="warning")


def _switched_off(entry: Loaded, why: str, event: str = "") -> Loaded:
    def meant(spec: HookSpec) -> bool:
        return not event or spec.native_event == event

    if not any(map(meant, entry.specs)):
        return entry
    path = f"hooks.{event}" if event else "hooks"
    notice = Problem(entry.source.shown, 0, 0, path, "hidden-hooks", why, "", "notice")
    return entry.changed(lambda spec: switched_off(spec, why) if meant(spec) else spec, notice)
