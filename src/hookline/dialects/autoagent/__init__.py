"""AutoAgent: `hooks` in `.autoagent/config.json`, run around the issues of a run and its git commits."""

from __future__ import annotations

import os.path

from hookline.dialects.answering import Answer, answer_of
from hookline.dialects.autoagent.config import FILE, config_schema, read_hooks, report_old_switches
from hookline.dialects.base import Dialect, EventRule, Loaded, Places, Source, SourceText
from hookline.dialects.keys import read_values
from hookline.dialects.reading.documents import read_source
from hookline.dialects.reading.json_hooks import hooks_of
from hookline.dialects.reading.reader import Reader
from hookline.model.errors import Problem
from hookline.model.events import Event, EventKind
from hookline.model.hooks import GitCommit, GitPush, HandlerInput, HookSpec, switched_off
from hookline.model.results import Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping, Sequence

DEFAULT_REASON = "Blocked by hook"

K = EventKind
_GUARD = frozenset({"deny"})
_WATCH: frozenset[str] = frozenset()
_ISSUE_START = ("issue_number", "issue_title", "issue_file", "plan_file", "provider", "dry_run")
_ISSUE_END = (*_ISSUE_START, "success", "duration_ms", "files_modified", "output", "error")
_RUN = (
    "reason",
    "issues_completed",
    "issues_total",
    "issues_failed",
    "completed_issues",
    "duration_ms",
    "stop_hook_active",
)
_COMMIT = ("message", "files", "issue_number", "issue_title", "commit_hash")
_FIELDS: Mapping[EventKind, tuple[str, ...]] = {
    K.PreExecutionStart: _ISSUE_START,
    K.PostExecutionStart: _ISSUE_START,
    K.PreExecutionEnd: _ISSUE_END,
    K.PostExecutionEnd: _ISSUE_END,
    K.RunStop: _RUN,
    K.PreCommit: _COMMIT,
    K.PostCommit: _COMMIT,
}
_OWN_NAMES = {"duration_ms": "duration", "files": "stagedFiles"}


def _rule(native: str, kind: EventKind, effects: frozenset[str], cite: str) -> EventRule:
    return EventRule(native, kind, effects=effects, stop_at="deny", timeout_s=60.0, cite=cite)


class AutoAgent(Dialect):
    """Hooks one after another; exit 2 or a JSON `block` keeps what `Pre*` and `Stop` guard from happening."""

    name = "autoagent"
    title = "AutoAgent"
    rules: Mapping[EventKind, EventRule] = {
        K.PreExecutionStart: _rule("PreExecutionStart", K.PreExecutionStart, _GUARD, "Execution Lifecycle"),
        K.PostExecutionStart: _rule(
            "PostExecutionStart", K.PostExecutionStart, _WATCH, "Execution Lifecycle"
        ),
        K.PreExecutionEnd: _rule("PreExecutionEnd", K.PreExecutionEnd, _GUARD, "Execution Lifecycle"),
        K.PostExecutionEnd: _rule("PostExecutionEnd", K.PostExecutionEnd, _WATCH, "Execution Lifecycle"),
        K.RunStop: _rule("Stop", K.RunStop, _GUARD | {"reprompt"}, "Session Lifecycle"),
        K.PreCommit: _rule("PreGitCommit", K.PreCommit, _GUARD, "Hook Registry"),
        K.PostCommit: _rule("PostGitCommit", K.PostCommit, _WATCH, "Hook Registry"),
    }
    placeholder_style = "braces"

    def sources(self, places: Places) -> Sequence[Source]:
        """The user's file, then the workspace's, whose `hooks` hide the user's."""
        local = places.source("project", "{ws}/.autoagent/config.json", "jsonc")
        if os.path.normpath(places.home) == os.path.normpath(places.workspace):
            return (local,)
        return (places.source("user", "{home}/.autoagent/config.json", "jsonc"), local)

    def parse(self, given: SourceText) -> Loaded:
        return read_source(given, lambda root: self._read(root, given))

    def _read(self, root: Reader, given: SourceText) -> tuple[tuple[HookSpec, ...], dict[str, Any]]:
        report_old_switches(root)
        events = hooks_of(root, self)
        specs = tuple(read_hooks(events, given, self.rules.values())) if events is not None else ()
        return specs, {"has_hooks": events is not None, **read_values(root, FILE)}

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        """Lets the workspace's `hooks` hide the user's as a whole, and says so."""
        local = loaded[-1] if loaded else None
        if local is None or not local.settings.get("has_hooks"):
            return loaded
        if local.settings.get("hooksMerge") == "append":
            return loaded
        return (*(_hidden(entry, local.source.shown) for entry in loaded[:-1]), local)

    def schema(self) -> Mapping[str, Any]:
        return config_schema(self.rules.values())

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        """Only the git built-ins look at an event before they run: a failed issue is not committed."""
        if not isinstance(spec.action, GitCommit | GitPush):
            return None
        if event.get("success") is False:
            return "the issue failed, so there is nothing to commit or push"
        return "a dry run changes nothing" if event.get("dry_run") else None

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """camelCase JSON on stdin; every key is a `{{name}}` too, unknown ones stay as written."""
        payload = native_payload(event, spec.native_event)
        return HandlerInput(
            payload,
            stdin=True,
            cwd=event.workspace or event.cwd,
            placeholders="braces",
            variables={name: template_value(value) for name, value in payload.items()},
        )

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        """Exit 2 or a JSON `block` denies; other failures and time-outs are shown and change nothing."""
        shown = raw.stdout.strip()
        if trouble := _trouble(spec, raw):
            return Outcome(messages=_texts(shown, trouble, raw.stderr.strip()))
        found = _answer(raw, last_line=spec.options.get("json_from") == "last-line")
        answer = found.json or {}
        asked = answer.get("decision") == "block"
        feedback = _text(answer.get("feedback"))
        if raw.exit_code != 2 and not asked:
            return Outcome(messages=_texts(shown, _failure(raw), feedback), problem=found.problem)
        said = raw.stderr.strip() if raw.exit_code == 2 else ""
        reason = said or _text(answer.get("reason")) or DEFAULT_REASON
        if why_not := self._unblockable(spec):
            words = f"{reason} (not blocked: {why_not})"
            return Outcome(messages=_texts(shown, words, feedback))
        other = "" if raw.exit_code == 2 else raw.stderr.strip()
        reprompt = reason if "reprompt" in self.rule(spec).effects else ""
        return Outcome(Verdict.DENY, reason, messages=_texts(shown, other, feedback), reprompt=reprompt)

    def _unblockable(self, spec: HookSpec) -> str:
        if not self.rule(spec).guards:
            return f"`{spec.native_event}` only reacts"
        return "`blocking` is false" if spec.blocking is False else ""


def native_payload(event: Event, native: str) -> dict[str, Any]:
    """An event as AutoAgent's hooks read it: camelCase, the common fields first and never overridden."""
    payload: dict[str, Any] = {
        "eventName": native,
        "sessionId": event.session_id,
        "workspace": event.workspace or event.cwd,
        "timestamp": int(event.at * 1000),
    }
    for field in _FIELDS.get(event.kind, ()):
        value = event.get(field)
        if value is not None and not (field == "commit_hash" and value == ""):
            payload[_camel(field)] = list(value) if isinstance(value, tuple) else value
    for field, value in event.extra.items():
        payload.setdefault(_camel(field), value)
    return payload


def template_value(value: object) -> str | tuple[str, ...]:
    """A JSON value as a template holds it: 0 and false are values, null is empty, a list stays a list."""
    import json

    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list | tuple):
        return tuple(_joined(template_value(item)) for item in value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _camel(field: str) -> str:
    if field in _OWN_NAMES:
        return _OWN_NAMES[field]
    first, *rest = field.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest)


def _joined(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else " ".join(value)


def _hidden(entry: Loaded, by: str) -> Loaded:
    if not entry.specs:
        return entry
    why = f"hidden by `hooks` in {by}"
    words = f"the hooks of this file do not run here: {why}"
    hint, line = f'add `"hooksMerge": "append"` to {by} to run both', entry.specs[0].line
    notice = Problem(entry.source.shown, line, 0, "hooks", "hidden-hooks", words, hint, "notice")
    return entry.changed(lambda spec: switched_off(spec, why), notice)


def _trouble(spec: HookSpec, raw: RawResult) -> str:
    if raw.timed_out:
        return f"hook timed out after {spec.timeout_s * 1000:.0f} ms: {spec.command}"
    if raw.launch_error:
        return f"hook could not start: {raw.launch_error}"
    return "hook was cancelled" if raw.cancelled else ""


def _failure(raw: RawResult) -> str:
    said = raw.stderr.strip()
    if not raw.failed:
        return said
    how = f"was killed by signal {raw.signal}" if raw.signal else f"failed with exit {raw.exit_code}"
    return f"hook {how}" + (f": {said}" if said else "")


def _answer(raw: RawResult, last_line: bool) -> Answer:
    """What a hook printed, as its whole output or (on request) as its last line."""
    text = raw.stdout.strip()
    if last_line and "\n" in text and not text.startswith("{"):
        text = text.rsplit("\n", 1)[1]
    return answer_of(raw, text)


def _text(value: object) -> str:
    return _joined(template_value(value)).strip()


def _texts(*texts: str) -> tuple[str, ...]:
    return tuple(text for text in texts if text)


DIALECT = AutoAgent()
