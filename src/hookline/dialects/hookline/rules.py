"""Our own format's rows, and what a hook may ask of an event beyond a matcher.

Every event there is has a row. A guard that fails blocks, unless its `on_failure` says otherwise.
"""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterator, Mapping

from hookline.dialects.base import EventRule
from hookline.dialects.tools import SHELLS, SUBJECTS, call_names
from hookline.model.events import Event, EventKind, payload_of
from hookline.model.hooks import Answer, HookSpec, Matcher
from hookline.model.typing import Any

K = EventKind
_DENY = frozenset({"deny", "ask", "allow", "defer", "context", "message"})
_STOP = frozenset({"deny", "reprompt", "continue", "context", "message"})
_ONLY_DENY = frozenset({"deny", "message"})
_ONLY_DENIED = (
    K.TaskCreated, K.TaskCompleted, K.TeammateIdle, K.Elicitation, K.ElicitationResult, K.WorktreeCreate,
    K.PreModelRequest, K.PreCompact, K.ConfigChange, K.PreCommit, K.PreExecutionStart, K.PreExecutionEnd,
)  # fmt: skip
_EFFECTS: Mapping[EventKind, frozenset[str]] = {
    **dict.fromkeys(_ONLY_DENIED, _ONLY_DENY),
    K.PreToolUse: _DENY | {"rewrite", "continue"},
    K.PermissionRequest: _DENY | {"rewrite", "continue"},
    K.UserPromptSubmit: _DENY | {"rewrite", "continue"},
    K.UserPromptExpansion: _DENY | {"rewrite"},
    K.Stop: _STOP,
    K.SubagentStop: _STOP,
    K.RunStop: frozenset({"deny", "continue", "message"}),
    K.PreModelSwitch: _ONLY_DENY | {"ask"},
    K.FilesChanged: frozenset({"reprompt", "context", "message"}),
    K.StatusLine: frozenset({"product"}),
    K.FileSuggestion: frozenset({"product"}),
}
_SUBJECTS: Mapping[EventKind, str] = {**SUBJECTS, K.FilesChanged: "files", K.PreCommit: "files"}
RULES: Mapping[EventKind, EventRule] = {
    kind: EventRule(
        kind.value,
        kind,
        _SUBJECTS.get(kind, ""),
        _EFFECTS.get(kind, frozenset({"context", "message"})),
        order="pipeline" if "rewrite" in _EFFECTS.get(kind, ()) else "sequential",
        stop_at="deny",
    )
    for kind in EventKind
    if kind is not EventKind.NoSuchEvent
}
# Events whose plain text goes to the model, as in Claude Code.
TEXT_IS_CONTEXT = frozenset({K.SessionStart, K.UserPromptSubmit})


def allows(spec: HookSpec) -> bool:
    """Whether all that a hook does is to allow."""
    return isinstance(spec.action, Answer) and spec.action.verdict == "allow"


def unmet(spec: HookSpec, event: Event) -> str | None:
    """Why an event does not meet a hook's predicates about the event itself, in words; None if it does.

    One that cannot be decided counts as met, so that a guard rather runs once too often. Of a hook that allows
    every command and every file must fit, for certain, by a tool of which all is known.
    """
    tests, predicates = _TESTS, spec.rule.predicates
    if allows(spec):
        tests = _ALLOWING
        if not predicates.keys().isdisjoint(_OF_TOOLS):
            from hookline.dialects.hookline.allowing import other_tool

            if (why := other_tool(spec, event)) is not None:
                return why
    for name, wanted in predicates.items():
        test = tests.get(name)
        found = test(wanted, event) if test is not None else None
        if found is not None:
            return found
    return None


def _rule(wanted: tuple[str, ...], event: Event) -> str | None:
    from hookline.dialects.matching.permission_rules import parse_rule, rule_mismatch

    given = event.tool_input
    inputs = [given, *_with_links_resolved(given, event)]
    for text in wanted:
        rule = parse_rule(text)
        for name in call_names(event) if rule is not None else ():
            for each in inputs:
                if rule is not None and rule_mismatch(rule, name, each, event.cwd, event.workspace) is None:
                    return None
    return f"`rule = {_shown(wanted)}` does not fit this call"


def _rule_for_all(wanted: tuple[str, ...], event: Event) -> str | None:
    from hookline.dialects.matching import permission_rules as by_rule

    given = event.tool_input
    rules = [
        (name, rule) for rule in map(by_rule.parse_rule, wanted) for name in call_names(event)
        if rule is not None and by_rule.tool_fits(rule, name)
    ]  # fmt: skip
    contents = [rule.content for name, rule in rules if name in SHELLS]
    if None not in contents and contents:
        fits = by_rule.every_command_fits(list(filter(None, contents)), str(given.get("command", "")))
        return None if fits else f"`rule = {_shown(wanted)}` does not fit all of this line"
    paths = by_rule.input_paths(given)
    if any("\0" in path for path in paths):
        return "no file has such a name"
    alone = [{"file_path": path} for path in paths]
    meant = [each for one in alone for each in (one, *_with_links_resolved(one, event))] or [given]
    for each in meant:
        if all(by_rule.rule_mismatch(rule, name, each, event.cwd, event.workspace) for name, rule in rules):
            return f"`rule = {_shown(wanted)}` does not fit all of this call"
    return None


def _with_links_resolved(given: Mapping[str, Any], event: Event) -> Iterator[Mapping[str, Any]]:
    """A call by the file that it really means, seen from the workspace as it is written."""
    path = given.get("file_path") or given.get("notebook_path")
    if not isinstance(path, str) or not path:
        return
    try:
        real = os.path.realpath(os.path.join(event.cwd or event.workspace, path))
        root = os.path.realpath(event.workspace)
    except (OSError, ValueError):
        return
    if real.startswith(root + os.sep):
        real = event.workspace + real[len(root) :]
    if real != path:
        yield {**given, "file_path": real}


def _files(wanted: tuple[str, ...], event: Event) -> str | None:
    paths = event_files(event)
    if any(fits_file(text, path) for text in wanted for path in paths):
        return None
    return f"`files = {_shown(wanted)}` fits none of the files of this event"


def _files_all(wanted: tuple[str, ...], event: Event) -> str | None:
    paths = event_files(event)
    root = os.path.realpath(event.workspace or event.cwd)
    start = root.rstrip("/") + "/"
    try:
        real = [os.path.realpath(os.path.join(root, path)).removeprefix(start) for path in paths]
    except (OSError, ValueError):  # a NUL, or half a pair of surrogates
        return "no file has such a name"
    if paths and all(any(fits_file(text, path) for text in wanted) for path in (*paths, *real)):
        return None
    return f"`files = {_shown(wanted)}` does not fit every file of this event"


def event_files(event: Event) -> tuple[str, ...]:
    """The files an event is about, relative to the workspace where they are below it."""
    listed = event.get("files")
    if isinstance(listed, tuple | list):
        return tuple(str(path) for path in listed)
    from hookline.dialects.matching.permission_rules import input_paths

    base = event.cwd or event.workspace
    absolute = [os.path.normpath(os.path.join(base, path)) for path in input_paths(event.tool_input)]
    start = (event.workspace or base).rstrip("/") + "/"
    return tuple(path.removeprefix(start) for path in absolute)


def concerned_files(spec: HookSpec, event: Event) -> tuple[str, ...]:
    """Those files of an event that a hook asks for: all of them without `files` and without a glob."""
    wanted = spec.rule.predicates.get("files", ())
    if not wanted and spec.matcher is not None and spec.matcher.kind == "glob":
        wanted = (spec.matcher.text,) if RULES[spec.kind].subject == "files" else ()
    found = event_files(event)
    return tuple(path for path in found if any(fits_file(text, path) for text in wanted)) if wanted else found


def fits_file(text: str, path: str) -> bool:
    """Whether a glob fits a path; one without a slash fits the name in any folder."""
    from hookline.dialects.matching import mismatch

    value = path if "/" in text else os.path.basename(path)
    return mismatch(Matcher("glob", text), value, "file") is None


def _agent_type(wanted: tuple[str, ...], event: Event) -> str | None:
    return None if event.agent_type in wanted else f"runs only inside the agent {_shown(wanted)}"


def _where(wanted: Mapping[str, str], event: Event) -> str | None:
    from hookline.dialects.matching.permission_rules import wildcard_fits
    from hookline.model.short_json import value_at

    payload = payload_of(event)
    for path, text in wanted.items():
        value = value_at(payload, path)
        if value is None or not wildcard_fits(text, value if isinstance(value, str) else _json(value)):
            return f'`where."{path}" = "{text}"` does not fit this event'
    return None


def _json(value: Any) -> str:
    import json

    return json.dumps(value, ensure_ascii=False)


def _shown(wanted: tuple[str, ...]) -> str:
    return ", ".join(f'"{text}"' for text in wanted)


_TESTS: Mapping[str, Callable[[Any, Event], str | None]] = {
    "rule": _rule,
    "files": _files,
    "agent_type": _agent_type,
    "where": _where,
}
_ALLOWING: Mapping[str, Callable[[Any, Event], str | None]] = {
    **_TESTS,
    "rule": _rule_for_all,
    "files": _files_all,
}
# About what a call does, whatever tool does it; `fitting` decides them, in three values.
COMMAND_PREDICATES = frozenset({
    "shell", "shell_exact", "write", "read", "delete", "connect", "does", "outside", "touches",
})  # fmt: skip
_OF_TOOLS = COMMAND_PREDICATES | {"files"}
PREDICATES = (
    "shell", "shell_exact", "write", "read", "delete", "connect", "does", "outside", "except", "unsure", "unknown",
    "opaque", "examples", *_TESTS, "touches",
)  # fmt: skip
# They say how a rule decides, not when it is met.
SETTINGS_OF_RULES = ("unsure", "unknown", "opaque", "examples")
TOOL_PREDICATES = COMMAND_PREDICATES | {"rule", "except", "unsure", "unknown", "opaque"}
