"""Reads `.iteratr.hooks.yml`; a wrong entry is left out alone, with its line, and all others load."""

from __future__ import annotations

from hookline.dialects.base import Loaded
from hookline.dialects.reading import Reader, read_document
from hookline.dialects.reading.nodes import to_plain
from hookline.model.errors import Problem
from hookline.model.hooks import Command, HookSpec
from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.dialects.base import EventRule, SourceText
    from hookline.dialects.reading.nodes import Node

VERSIONS = (1, 2)
_WORDS = {
    **dict.fromkeys(("y", "Y", "yes", "on"), True),
    **dict.fromkeys(("n", "N", "no", "off"), False),
}


class Option(Record):
    """One key of the file: its JSON Schema, what leaving it out means, and what it is for."""

    schema: Mapping[str, Any]
    default: str
    words: str


HOOK_OPTIONS: Mapping[str, Option] = {
    "command": Option({"type": "string"}, "", "a line for `sh -c`; required"),
    "timeout": Option({"type": "integer"}, "30", "whole seconds; 0 and less mean 30"),
    "pipe_output": Option({"type": "boolean"}, "false", "send what it prints to the agent"),
}
FILE_OPTIONS: Mapping[str, Option] = {
    "version": Option({"enum": list(VERSIONS)}, "1", "of the format; changes nothing"),
    "hooks": Option({"type": ["object", "null"]}, "none", "a list of hooks for each type"),
    "on_error": Option(
        {"enum": ["continue", "stop"]},
        "`continue` when there is an `on_error` hook, else `stop`",
        "what a failed iteration does to the session",
    ),
    "post_iteration_delivery": Option(
        {"enum": ["next", "now"]}, "next", "when piped `post_iteration` output reaches the agent"
    ),
}


def read_config(given: SourceText, rules: Iterable[EventRule]) -> Loaded:
    """Hooks, problems and settings of the file. Text that is no YAML yields one problem and no hook."""
    if given.state in ("unreadable", "undecodable"):
        message = f"cannot be read: {given.reason or given.state}; no hook of this file runs"
        return Loaded(
            given.source, given.state, problems=(Problem(given.shown, 0, 0, "", "unreadable", message),)
        )
    if given.state != "text":
        return Loaded(given.source, given.state)
    problems: list[Problem] = []
    top = read_document("yaml", given.text, given.shown, problems)
    if top is None:
        return Loaded(given.source, given.state, problems=tuple(problems))
    top.unknown_keys(FILE_OPTIONS)
    settings = _settings(top)
    specs = tuple(_all_hooks(top, given, rules))
    return Loaded(given.source, given.state, specs=specs, problems=tuple(problems), settings=settings)


def config_schema(rules: Iterable[EventRule]) -> Mapping[str, Any]:
    """The JSON Schema of the file."""
    hook = {
        "type": ["object", "null"],
        "properties": _properties(HOOK_OPTIONS),
        "additionalProperties": False,
    }
    lists = {rule.native: {"type": ["array", "null"], "items": hook} for rule in rules}
    properties = _properties(FILE_OPTIONS)
    properties["hooks"] = {**properties["hooks"], "properties": lists, "additionalProperties": False}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": ".iteratr.hooks.yml",
        "type": ["object", "null"],
        "properties": properties,
        "additionalProperties": False,
    }


def _properties(options: Mapping[str, Option]) -> dict[str, Any]:
    return {name: {**option.schema, "description": option.words} for name, option in options.items()}


def _settings(top: Reader) -> dict[str, Any]:
    found: dict[str, Any] = {}
    version = top.integer("version")
    if version is not None:
        found["version"] = version
        if version not in VERSIONS:
            node = top.node.members["version"]
            message = f"version {version} is not known; the file is read as version 1"
            top.report(node, "unknown-version", message, "write `version: 1`", severity="warning")
    for key in ("on_error", "post_iteration_delivery"):
        chosen = top.choice(key, FILE_OPTIONS[key].schema["enum"])
        if chosen is not None:
            found[key] = chosen
    return found


def _all_hooks(top: Reader, given: SourceText, rules: Iterable[EventRule]) -> Iterable[HookSpec]:
    hooks = top.object("hooks")
    if hooks is None:
        return
    by_name = {rule.native: rule for rule in rules}
    for native in hooks.unknown_keys(by_name, severity="error"):
        hooks.lose(native, native)
    for native in hooks.keys:
        node = hooks.get(native)
        if native not in by_name or node is None:
            continue
        if node.kind != "array":
            hooks.wrong(node, "a list of hooks", "start each hook with `- command:`")
            hooks.lose(native)
            continue
        count = 0
        for item in node.items:
            spec = _hook(hooks, item, given, by_name[native], count + 1)
            if spec is not None:
                count += 1
                yield spec


def _hook(hooks: Reader, item: Node, given: SourceText, rule: EventRule, number: int) -> HookSpec | None:
    if item.kind == "null":
        hooks.report(item, "missing-command", "an empty entry runs nothing", "remove it", severity="warning")
        return None
    entry = hooks.reader(item)
    if not entry.valid:
        entry.lose(rule.native)
        return None
    entry.unknown_keys(HOOK_OPTIONS)
    command = _command(entry)
    timeout = entry.integer("timeout", wanted="whole seconds")
    pipe_output = _pipe_output(entry)
    if entry.broken:
        entry.lose(rule.native)
        return None
    if not command:
        entry.report(item, "missing-command", "a hook without `command` runs nothing", severity="warning")
        entry.lose(rule.native)
        return None
    _warn_of_old_habit(entry, rule, pipe_output)
    return HookSpec(
        id=f"iteratr:{rule.native}:{number}",
        dialect="iteratr",
        kind=rule.kind,
        native_event=rule.native,
        action=Command(line=command),
        name=command,
        source=given.shown,
        path=given.path or given.source.path,
        line=item.line,
        scope=given.source.scope,
        timeout_s=float(timeout) if timeout is not None and timeout > 0 else rule.timeout_s,
        options={"pipe_output": bool(pipe_output)},
    )


def _command(entry: Reader) -> str:
    """The command line; a lone word such as `true` or `5` is a command too, whatever YAML makes of it."""
    node = entry.get("command")
    if node is None:
        return ""
    if node.kind in ("integer", "number", "boolean"):
        value = to_plain(node)
        return str(value).lower() if isinstance(value, bool) else str(value)
    return entry.string("command") or ""


def _pipe_output(entry: Reader) -> bool | None:
    """True, false, or not given; YAML 1.1's words count too, as they do for iteratr's own reader."""
    node = entry.get("pipe_output")
    word = node.value if node is not None and node.kind == "string" else None
    return _WORDS[word] if word in _WORDS else entry.boolean("pipe_output")


def _warn_of_old_habit(entry: Reader, rule: EventRule, pipe_output: bool | None) -> None:
    """Before version 2 every `pre_iteration` hook was piped; a file from then on is silent."""
    if rule.native != "pre_iteration" or pipe_output is not None:
        return
    entry.report(
        entry.node,
        "v1-habit",
        "the agent does not see this hook's output, which it did before version 2",
        "add `pipe_output: true`, or `pipe_output: false` to keep it so",
        severity="warning",
    )
