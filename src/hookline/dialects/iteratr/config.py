"""Reads `.iteratr.hooks.yml`; a wrong entry is left out alone, with its line, and all others load."""

from __future__ import annotations

from hookline.dialects.base import EventRule, Loaded, SourceText
from hookline.dialects.keys import LINE, Key, Keys, read_value, read_values
from hookline.dialects.reading.documents import read_document
from hookline.dialects.reading.nodes import Node
from hookline.dialects.reading.reader import Reader
from hookline.model.errors import Problem
from hookline.model.hooks import Command, HookSpec, placed
from hookline.model.typing import Any, Iterable, Mapping

VERSIONS = (1, 2)
HOOK = Keys(
    (
        Key("command", "scalar", "action.line", "a line for `sh -c`; required", handlers=LINE),
        Key("timeout", "whole_seconds", "timeout_s", "0 and less mean 30", default=30, zero=True),
        Key(
            "pipe_output", "yes_no", "options.pipe_output", "send what it prints to the agent", default=False
        ),
    )
)
FILE = Keys((
    Key("version", "number", words="of the format; changes nothing", default=1),
    Key("hooks", "object", words="a list of hooks for each type"),
    Key("on_error", "continue|stop", "on_error", "what a failed iteration does to the session"),
    Key(
        "post_iteration_delivery", "next|now", "post_iteration_delivery",
        "when piped `post_iteration` output reaches the agent", default="next",
    ),
))  # fmt: skip


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
    top.unknown_keys([key.name for key in FILE])
    settings = _settings(top)
    specs = tuple(_all_hooks(top, given, rules))
    return Loaded(given.source, given.state, specs=specs, problems=tuple(problems), settings=settings)


def config_schema(rules: Iterable[EventRule]) -> Mapping[str, Any]:
    """The JSON Schema of the file."""
    from hookline.dialects.schemas import file_schema, handler_schema, key_schema

    hook = {**handler_schema(HOOK), "type": ["object", "null"], "additionalProperties": False}
    lists = {rule.native: {"type": ["array", "null"], "items": hook} for rule in rules}
    properties = {key.name: key_schema(key) for key in FILE}
    properties["version"] = {**properties["version"], "enum": list(VERSIONS)}
    properties["hooks"].update(type=["object", "null"], properties=lists, additionalProperties=False)
    more = {"type": ["object", "null"], "additionalProperties": False}
    return file_schema(".iteratr.hooks.yml", properties, **more)


def _settings(top: Reader) -> dict[str, Any]:
    found = read_values(top, FILE)
    version = top.integer("version")
    if version is not None:
        found["version"] = version
        if version not in VERSIONS:
            node = top.members["version"]
            message = f"version {version} is not known; the file is read as version 1"
            top.report(node, "unknown-version", message, "write `version: 1`", severity="warning")
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
    entry.unknown_keys(HOOK.names())
    command = read_value(entry, HOOK[0]) if entry.has("command") else ""
    said = read_values(entry, HOOK)
    if entry.broken:
        entry.lose(rule.native)
        return None
    if not command:
        entry.report(item, "missing-command", "a hook without `command` runs nothing", severity="warning")
        entry.lose(rule.native)
        return None
    _warn_of_old_habit(entry, rule, said.get("options.pipe_output"))
    return HookSpec(
        f"iteratr:{rule.native}:{number}", "iteratr", rule.kind, rule.native, Command(command), command,
        **given.at(item.line), **placed({"timeout_s": rule.timeout_s, "options.pipe_output": False, **said}),
    )  # fmt: skip


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
