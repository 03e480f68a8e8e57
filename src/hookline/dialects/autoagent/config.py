"""AutoAgent's `.autoagent/config.json`: its hooks, its old switches, its schema."""

from __future__ import annotations

from hookline.dialects.reading import Reader, nearest, shown
from hookline.model.events import EventKind
from hookline.model.hooks import Command, GitCommit, GitPush, HookSpec, Unusable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hookline.dialects.base import EventRule, SourceText
    from hookline.dialects.reading import Node
    from hookline.model.hooks import Action

DEFAULT_TIMEOUT_MS = 60_000
LONGEST_TIMEOUT_MS = 86_400_000
GRACE_S = 5.0
ENTRY_KEYS: Mapping[str, tuple[str, ...]] = {
    "command": ("type", "command", "timeout", "blocking", "name", "jsonFrom"),
    "git-commit": ("type", "message", "noVerify", "stage", "timeout", "blocking", "name"),
    "git-push": ("type", "remote", "branch", "noVerify", "timeout", "blocking", "name"),
}
DEFAULT_MESSAGE = "Complete issue #{{issueNumber}}: {{issueTitle}}"


def read_hooks(events: Reader, given: SourceText, rules: Iterable[EventRule]) -> Iterator[HookSpec]:
    """The hooks of a `hooks` object in file order; broken ones stay, visibly unusable."""
    natives = {rule.native: rule for rule in rules}
    for native, node in events.node.members.items():
        meant = natives.get(native) or natives.get(nearest(native, natives) or "")
        events.guard = meant is not None and meant.guards
        rule = natives.get(native)
        if rule is None:
            hint = f"did you mean `{meant.native}`?" if meant else "known events: " + ", ".join(natives)
            events.report_key(
                native, "unknown-event", f"there is no event `{native}`; its hooks never run", hint
            )
        elif node.kind not in ("array", "null"):
            events.wrong(node, "a list of hooks")
            events.lose(native)
        for number, item in enumerate(node.items, 1):
            entry = events.reader(item)
            if entry.valid:
                yield _read_entry(entry, native, rule, number, given)
            else:
                events.lose(native)


def _read_entry(
    entry: Reader, native: str, rule: EventRule | None, number: int, given: SourceText
) -> HookSpec:
    kind = entry.choice("type", ENTRY_KEYS, required=True)
    entry.unknown_keys(ENTRY_KEYS.get(kind or "", tuple(entry.keys)))
    action = _read_action(entry, kind, rule)
    blocking = entry.boolean("blocking")
    name = entry.string("name") or ""
    json_from = entry.choice("jsonFrom", ("output", "last-line")) or "output"
    timeout_ms = _read_timeout(entry)
    if rule is None:
        action = Unusable(f"there is no event `{native}`")
    elif action is None:
        action = Unusable(_last_fault(entry))
    return HookSpec(
        f"autoagent:{native}:{number}",
        "autoagent",
        rule.kind if rule else EventKind.NoSuchEvent,
        native,
        action,
        name=name,
        source=given.shown,
        path=given.path,
        line=entry.node.line,
        scope=given.source.scope,
        timeout_s=timeout_ms / 1000,
        grace_s=GRACE_S,
        blocking=blocking,
        options={"json_from": json_from},
    )


def _read_action(entry: Reader, kind: str | None, rule: EventRule | None) -> Action | None:
    if kind == "command":
        line = entry.string("command", required=True, blank=False, wanted="a command")
        return Command(line, shell=("/bin/sh", "-c")) if line else None
    if kind is None or (rule is not None and not _git_is_fit(entry, kind, rule)):
        return None
    no_verify = bool(entry.boolean("noVerify"))
    if kind == "git-push":
        remote, branch = entry.string("remote", blank=False), entry.string("branch", blank=False)
        return GitPush(remote or "origin", branch or "current", no_verify)
    stage = entry.choice("stage", ("all", "staged")) or "all"
    return GitCommit(entry.string("message", blank=False) or DEFAULT_MESSAGE, no_verify, stage)


def _git_is_fit(entry: Reader, kind: str, rule: EventRule) -> bool:
    loops = kind == "git-commit" and rule.kind is EventKind.PostCommit
    if rule.native.startswith("Post") and not loops:
        return True
    why = "would commit for ever there" if loops else "is for what has happened, not for what may be blocked"
    message = f"`{kind}` cannot be used at `{rule.native}`: it {why}"
    entry.report(entry.node, "wrong-event", message, "move it to `PostExecutionEnd`")
    return False


def _read_timeout(entry: Reader) -> float:
    """Milliseconds; a value that is none keeps the default and is reported, so that the hook still runs."""
    node = entry.get("timeout")
    if node is None:
        return DEFAULT_TIMEOUT_MS
    if not _is_timeout(node):
        message = f"expected milliseconds from 1 to {LONGEST_TIMEOUT_MS}, found {shown(node)}"
        hint = f"the default of {DEFAULT_TIMEOUT_MS} holds"
        entry.report(node, "bad-value", message, hint, severity="warning")
        return DEFAULT_TIMEOUT_MS
    entry.duration("timeout", "ms")
    return float(node.value)


def _is_timeout(node: Node) -> bool:
    return node.kind in ("integer", "number") and 0 < node.value <= LONGEST_TIMEOUT_MS


def _last_fault(entry: Reader) -> str:
    found = [p for p in entry.problems if p.severity == "error" and p.path.startswith(entry.node.path)]
    return f"{found[-1].path}: {found[-1].message}" if found else f"{entry.node.path} cannot be used"


def report_old_switches(document: Reader) -> None:
    """`gitAutoCommit: true` of older versions would otherwise be lost without a word."""
    for key, command in (("gitAutoCommit", "set-auto-commit"), ("gitAutoPush", "set-auto-push")):
        node = document.get(key)
        if node is not None and node.value is True:
            message = f"`{key}` has no effect any more: hooks do this now"
            hint = f"run `hookline config {command} true` and remove `{key}`"
            document.report_key(key, "old-key", message, hint, severity="warning")


def config_schema(rules: Iterable[EventRule]) -> Mapping[str, Any]:
    """The JSON Schema of the file, as far as hooks go."""
    text, flag = {"type": "string", "minLength": 1}, {"type": "boolean"}
    fields: dict[str, Any] = {
        "type": {"enum": list(ENTRY_KEYS)},
        "command": {**text, "description": "run by /bin/sh -c; {{name}} takes a value of the event"},
        "timeout": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": LONGEST_TIMEOUT_MS,
            "default": DEFAULT_TIMEOUT_MS,
            "description": "milliseconds",
        },
        "blocking": {**flag, "description": "false: never blocks"},
        "name": text,
        "jsonFrom": {"enum": ["output", "last-line"], "default": "output"},
        "message": {**text, "default": DEFAULT_MESSAGE},
        "noVerify": {**flag, "default": False},
        "stage": {"enum": ["all", "staged"], "default": "all"},
        "remote": {**text, "default": "origin"},
        "branch": {**text, "default": "current"},
    }
    entry = {
        "type": "object",
        "required": ["type"],
        "properties": fields,
        "if": {"properties": {"type": {"const": "command"}}},
        "then": {"required": ["command"]},
    }
    events = {rule.native: {"type": "array", "items": entry} for rule in rules}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "AutoAgent config.json",
        "type": "object",
        "properties": {
            "hooks": {"type": "object", "properties": events, "additionalProperties": False},
            "hooksMerge": {"enum": ["replace", "append"], "default": "replace"},
        },
    }
