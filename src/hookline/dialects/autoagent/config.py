"""AutoAgent's `.autoagent/config.json`: its hooks, its old switches, its schema."""

from __future__ import annotations

from hookline.dialects.actions import read_action
from hookline.dialects.base import EventRule, SourceText
from hookline.dialects.keys import COMMAND, LINE, Key, Keys, read_keys
from hookline.dialects.reading.json_hooks import Entry, Shape, make_spec, numbered, read_entries
from hookline.dialects.reading.reader import Reader
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.typing import Any, Iterable, Iterator, Mapping

GRACE_S = 5.0
SHELL = ("/bin/sh", "-c")
DEFAULT_MESSAGE = "Complete issue #{{issueNumber}}: {{issueTitle}}"
COMMIT, PUSH = frozenset({"git-commit"}), frozenset({"git-push"})
KEYS = Keys(
    (
        Key("type", "command|git-commit|git-push", words="what kind of hook it is", required=True),
        replace(COMMAND, words="run by /bin/sh -c; {{name}} takes a value of the event"),
        Key("message", "line", "action.message", default=DEFAULT_MESSAGE, handlers=COMMIT),
        Key("stage", "all|staged", "action.stage", default="all", handlers=COMMIT),
        Key("remote", "line", "action.remote", default="origin", handlers=PUSH),
        Key("branch", "line", "action.branch", default="current", handlers=PUSH),
        Key(
            "noVerify",
            "flag",
            "action.no_verify",
            "the repository's own git hooks are left out",
            handlers=COMMIT | PUSH,
        ),
        Key("jsonFrom", "output|last-line", "options.json_from", default="output", handlers=LINE),
        Key("timeout", "milliseconds", "timeout_s", default=60_000, most=86400.0, lenient=True),
        Key("blocking", "tristate", "blocking", "false: never blocks"),
        Key("name", "text", "name"),
    )
)
TYPES = KEYS[0].choices
MERGE = Key("hooksMerge", "replace|append", "hooksMerge", default="replace")
FILE = Keys([MERGE])


def read_hooks(events: Reader, given: SourceText, rules: Iterable[EventRule]) -> Iterator[HookSpec]:
    """The hooks of a `hooks` object in file order; broken ones stay, visibly unusable."""
    natives = {rule.native: rule for rule in rules}
    kinds = {native: rule.kind for native, rule in natives.items()}
    guards = {native for native, rule in natives.items() if rule.guards}
    _check_order(events)
    shape = Shape(kinds.get, natives, guards.__contains__, ungrouped=True, closed=True)
    for entry, number in numbered(read_entries(events, shape)):
        yield _read_entry(entry, natives.get(entry.native), number, given)


def _read_entry(entry: Entry, rule: EventRule | None, number: int, given: SourceText) -> HookSpec:
    reader = entry.reader
    kind = reader.choice("type", TYPES, required=True)
    values = {"options.json_from": "output", **read_keys(reader, KEYS, kind or "-")}
    fits = kind in (None, "command") or rule is None or _git_is_fit(reader, kind or "", rule)
    action = read_action(reader, KEYS, kind, SHELL) if kind and fits else None
    return make_spec(entry, given, "autoagent", number, action, values, timeout_s=60.0, grace_s=GRACE_S)


def _check_order(events: Reader) -> None:
    """A push before the only commit pushes what was there already."""
    for native, node in events.members.items():
        kinds = [kind for item in node.items if (kind := item.get("type")) is not None]
        push = next((kind for kind in kinds if kind.value == "git-push"), None)
        commit = next((kind for kind in kinds if kind.value == "git-commit"), None)
        if push is not None and commit is not None and kinds.index(push) < kinds.index(commit):
            words = f"the push of `{native}` comes before the commit, which stays here"
            events.report(
                push, "wrong-order", words, "put `git-push` behind `git-commit`", severity="warning"
            )


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
    from hookline.dialects.schemas import events_schema, handler_schema, key_schema

    natives = (rule.native for rule in rules)
    return events_schema("AutoAgent config.json", natives, handler_schema(KEYS), hooksMerge=key_schema(MERGE))
