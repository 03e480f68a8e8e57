"""GenCode (mycode): hooks in `settings.json` of `.gen`, `.mycode` and `.claude`, run side by side."""

from __future__ import annotations

from hookline.dialects.base import Dialect, EventRule, Loaded, Places, Source, SourceText
from hookline.dialects.gencode.config import (
    combined,
    read_hooks,
    read_settings,
    settings_schema,
    settings_sources,
)
from hookline.dialects.gencode.rules import RULES
from hookline.dialects.json_output import block, exit_words, read_hook_output
from hookline.dialects.reading.documents import read_source
from hookline.dialects.tools import TOOL_EVENTS
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HandlerInput, HookSpec
from hookline.model.record import fields_of
from hookline.model.results import Outcome, RawResult
from hookline.model.typing import Any, Mapping, Sequence

OUTPUT_LIMIT = 30 * 1024
_OWN_FIELDS = ("attempt", "max_attempts", "tool_input_original", "tool_input_changed_by")
_PATH_KEYS = ("file_path", "notebook_path", "path")
_EXIT_KEYS = ("exit_code", "exitCode", "code")


class GenCode(Dialect):
    """Exit 2 blocks where the event can; other failures are warnings unless the hook is `blocking`."""

    name = "gencode"
    ends_batches = True
    title = "GenCode"
    rules: Mapping[EventKind, EventRule] = RULES
    placeholder_style = "dollar"

    def sources(self, places: Places) -> Sequence[Source]:
        return settings_sources(places)

    def parse(self, given: SourceText) -> Loaded:
        return read_source(given, lambda root: (read_hooks(root, given, self), read_settings(root, given)))

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        return combined(loaded)

    def schema(self) -> Mapping[str, Any]:
        return settings_schema()

    def mismatch(self, spec: HookSpec, event: Event) -> str | None:
        if spec.matcher is not None and spec.matcher.kind == "never":
            return f"matcher `{spec.matcher.text}` can never match this event"
        return super().mismatch(spec, event)

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """JSON on stdin, and the same in variables, present and empty where the event has no such value."""
        own = hook_variables(event, spec.native_event)
        placeholders = ("TOOL_NAME", "FILE_PATH", "COMMAND", "SESSION_ID", "CWD")
        return HandlerInput(
            native_payload(event, spec.native_event),
            stdin=True,
            env={**own, **_twins(event, spec.native_event)},
            cwd=event.cwd,
            placeholders="dollar",
            variables={name: own[name] for name in placeholders if own[name]},
            output_limit=OUTPUT_LIMIT,
        )

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        rule = self.rule(spec)
        outcome = read_hook_output(raw, rule, exit_2_reason=_exit_2_reason(rule, raw))
        if not spec.blocking or outcome.verdict or outcome.reprompt or not _failed_itself(raw):
            return outcome
        said = raw.stderr.strip() or raw.stdout.strip() or exit_words(raw)
        return block(rule.effects, said)


def native_payload(event: Event, native: str) -> dict[str, Any]:
    """What a hook reads on stdin: GenCode's five keys always, and the fields Claude Code's scripts expect."""
    payload: dict[str, Any] = {
        "session_id": event.session_id,
        "cwd": event.cwd,
        "hook_event_name": native,
        "tool_name": event.tool_name,
        "tool_input": event.get("tool_input") or {},
        "transcript_path": event.transcript_path,
        "permission_mode": event.permission_mode or "default",
    }
    for field in ("agent_id", "agent_type"):
        if getattr(event, field):
            payload[field] = getattr(event, field)
    for field, value in fields_of(event.body).items():
        if value is not None and field not in _OWN_FIELDS:
            payload.setdefault(field, list(value) if isinstance(value, tuple) else value)
    for field, value in event.extra.items():
        payload.setdefault(field, value)
    return payload


def hook_variables(event: Event, native: str) -> dict[str, str]:
    """`TOOL_NAME`, `FILE_PATH`, `SESSION_ID`, `CWD`, `HOOK_EVENT_NAME`, `COMMAND` and `EXIT_CODE`."""
    given = event.tool_input
    path = next((given[key] for key in _PATH_KEYS if isinstance(given.get(key), str) and given[key]), "")
    command = given.get("command")
    return {
        "TOOL_NAME": event.tool_name,
        "FILE_PATH": path,
        "SESSION_ID": event.session_id,
        "CWD": event.cwd,
        "HOOK_EVENT_NAME": native,
        "COMMAND": command if isinstance(command, str) else "",
        "EXIT_CODE": _exit_code(event),
    }


def _twins(event: Event, native: str) -> dict[str, str]:
    values = {
        "PROJECT_DIR": event.workspace or event.cwd,
        "SESSION_ID": event.session_id,
        "EVENT_TYPE": native,
        "TOOL_NAME": event.tool_name,
    }
    return {f"{prefix}_{name}": value for prefix in ("GEN", "CLAUDE") for name, value in values.items()}


def _exit_code(event: Event) -> str:
    """The tool's exit code once it ran: its own if the tool has one, else 0 or 1."""
    if event.kind not in (EventKind.PostToolUse, EventKind.PostToolUseFailure):
        return ""
    for given in (event.get("tool_response"), event.extra):
        if isinstance(given, dict):
            for key in _EXIT_KEYS:
                if isinstance(given.get(key), int):
                    return str(int(given[key]))
    return "0" if event.kind is EventKind.PostToolUse else "1"


def _exit_2_reason(rule: EventRule, raw: RawResult) -> str:
    said = raw.stdout.strip() if rule.kind in TOOL_EVENTS and rule.kind is not EventKind.PreToolUse else ""
    return said or f"Blocked by {rule.native} hook"


def _failed_itself(raw: RawResult) -> bool:
    """It ran to an end of its own making, and that was a failure."""
    return raw.failed and not (raw.timed_out or raw.launch_error or raw.cancelled)


DIALECT = GenCode()
