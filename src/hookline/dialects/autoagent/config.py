"""AutoAgent's `.autoagent/config.json`: its hooks, its old switches, its schema."""

from __future__ import annotations

from hookline.dialects.keys import (
    COMMAND,
    LINE,
    Key,
    events_schema,
    handler_schema,
    read_keys,
    time_or_default,
)
from hookline.dialects.reading import Reader, nearest
from hookline.dialects.reading.json_hooks import Entry, make_spec
from hookline.model.events import EventKind
from hookline.model.hooks import Command, GitCommit, GitPush, HookSpec
from hookline.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from hookline.dialects.base import EventRule, SourceText
    from hookline.model.hooks import Action

DEFAULT_TIMEOUT_MS = 60_000
LONGEST_TIMEOUT_MS = 86_400_000
GRACE_S = 5.0
DEFAULT_MESSAGE = "Complete issue #{{issueNumber}}: {{issueTitle}}"
COMMIT, PUSH = frozenset({"git-commit"}), frozenset({"git-push"})
KEYS = (
    Key("type", "command|git-commit|git-push", words="what kind of hook it is", required=True),
    replace(COMMAND, words="run by /bin/sh -c; {{name}} takes a value of the event"),
    Key("message", "line", default=DEFAULT_MESSAGE, handlers=COMMIT),
    Key("stage", "all|staged", default="all", handlers=COMMIT),
    Key("remote", "line", default="origin", handlers=PUSH),
    Key("branch", "line", default="current", handlers=PUSH),
    Key("noVerify", "flag", words="the repository's own git hooks are left out", handlers=COMMIT | PUSH),
    Key("jsonFrom", "output|last-line", "options.json_from", default="output", handlers=LINE),
    Key("timeout", "milliseconds", default=DEFAULT_TIMEOUT_MS, most=LONGEST_TIMEOUT_MS / 1000),
    Key("blocking", "tristate", "blocking", "false: never blocks"),
    Key("name", "text", "name"),
)


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
    kind = entry.choice("type", KEYS[0].type.split("|"), required=True)
    values = read_keys(entry, KEYS, kind or "-")
    action = _read_action(entry, kind, rule)
    return make_spec(
        Entry(entry, native, rule.kind if rule else EventKind.NoSuchEvent, None, entry),
        given, "autoagent", number, action, {"options.json_from": "output", **values},
        timeout_s=time_or_default(
            entry, "timeout", "ms", DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS, "milliseconds"
        ), grace_s=GRACE_S,
    )  # fmt: skip


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
    merges = {"enum": ["replace", "append"], "default": "replace"}
    natives = (rule.native for rule in rules)
    return events_schema("AutoAgent config.json", natives, handler_schema(KEYS), hooksMerge=merges)
