"""iteratr: shell commands around the rounds of an iteration loop, from `.iteratr.hooks.yml`.

Source: iteratr's Hooks document, version 2; where it is silent, its implementation.
"""

from __future__ import annotations

from hookline.dialects.base import Dialect, EventRule, Loaded, Places, Source, SourceText, goes_on
from hookline.dialects.iteratr.config import config_schema, read_config
from hookline.dialects.plain_text import bounded, plain_text
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HandlerInput, HookSpec
from hookline.model.results import SILENT, Decision, Outcome, RawResult, Response
from hookline.model.short_json import cut_to
from hookline.model.typing import Any, Iterable, Mapping, Sequence

CONFIG_FILE = ".iteratr.hooks.yml"
DEFAULT_TIMEOUT_S = 30.0
# A value is cut here in the command and the environment; the file of the same name has all of it.
MAX_VALUE_BYTES = 96 * 1024
MAX_PROMPT_BYTES = 256 * 1024

_CONTEXT = frozenset({"context"})
_ROUND = frozenset({EventKind.PreIteration, EventKind.PostIteration, EventKind.IterationError})
_TASK = frozenset({EventKind.TaskCompleted})
# placeholder: (payload field, events that have it)
VARIABLES: Mapping[str, tuple[str, frozenset[EventKind] | None]] = {
    "session": ("session_id", None),
    "iteration": ("iteration", _ROUND),
    "task_id": ("task_id", _TASK),
    "task_content": ("task_content", _TASK),
    "error": ("error", frozenset({EventKind.IterationError})),
}
_LONG = ("task_content", "error")


def _rule(native: str, kind: EventKind, effects: frozenset[str] = _CONTEXT) -> EventRule:
    return EventRule(
        native, kind, "", effects, timeout_s=DEFAULT_TIMEOUT_S, cite="Hooks, Hook Lifecycle & Timing"
    )


class Iteratr(Dialect):
    """Hooks answer with text for the agent and never block; what failed says so in its text."""

    name = "iteratr"
    title = "iteratr"
    placeholder_style = "braces"
    rules: Mapping[EventKind, EventRule] = {
        EventKind.SessionStart: _rule("session_start", EventKind.SessionStart),
        EventKind.PreIteration: _rule("pre_iteration", EventKind.PreIteration),
        EventKind.PostIteration: _rule("post_iteration", EventKind.PostIteration),
        EventKind.SessionEnd: _rule("session_end", EventKind.SessionEnd, frozenset()),
        EventKind.TaskCompleted: _rule("on_task_complete", EventKind.TaskCompleted),
        EventKind.IterationError: _rule("on_error", EventKind.IterationError),
    }

    # -- config ---------------------------------------------------------------------------------

    def sources(self, places: Places) -> Sequence[Source]:
        """The one file, in the workspace itself: neither parents nor the home directory are asked."""
        return (places.source("project", f"{{ws}}/{CONFIG_FILE}", "yaml"),)

    def parse(self, given: SourceText) -> Loaded:
        return read_config(given, self.rules.values())

    def schema(self) -> Mapping[str, Any]:
        return config_schema(self.rules.values())

    # -- one hook ---------------------------------------------------------------------------------

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        """Nothing is matched; but a session that goes on after a `clear` or `compact` does not begin."""
        return goes_on(event) if spec.kind == EventKind.SessionStart else None

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """Values for the placeholders and, the safer way, the same ones as environment variables."""
        full = {name: _value(event, name) for name in VARIABLES}
        cut = {name: cut_to(value, MAX_VALUE_BYTES) for name, value in full.items()}
        env = {f"ITERATR_{name.upper()}": value for name, value in cut.items()}
        texts = {f"ITERATR_{name.upper()}_FILE": full[name] for name in _LONG if _has(event, name)}
        absent = tuple(f"ITERATR_{name.upper()}_FILE" for name in _LONG if not _has(event, name))
        return HandlerInput(
            env={**env, "ITERATR_HOOK_TYPE": spec.native_event},
            unset=absent,
            cwd=event.workspace or event.cwd,
            placeholders="braces",
            variables=cut,
            known=frozenset(VARIABLES),
            texts=texts,
        )

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        """The text for the agent when the hook pipes its output; a failure is part of that text."""
        if raw.cancelled or not pipes(spec):
            return SILENT
        text = output_text(spec, raw)
        return Outcome(contexts=(text,)) if text else SILENT

    # -- the host's side --------------------------------------------------------------------------

    def respond(self, event: Event, decision: Decision) -> Response:
        """The text for the agent on stdout; iteratr's hooks never block."""
        return Response(stdout=join_outputs(decision.contexts))


def pipes(spec: HookSpec) -> bool:
    """Whether the hook's output goes to the agent; after the session's end there is none to read it."""
    return bool(spec.options.get("pipe_output")) and spec.kind != EventKind.SessionEnd


def output_text(spec: HookSpec, raw: RawResult) -> str:
    """What one hook printed, in iteratr's words: raw when it succeeded, with a first line when it failed.

    The verdict of success is the exit status, never the text.
    """
    stdout, stderr = plain_text(raw.stdout), plain_text(raw.stderr)
    printed = stdout + (f"\n[stderr]\n{stderr}" if stderr else "")
    if raw.timed_out:
        return f"[Hook timed out after {spec.timeout_s:g}s]\nPartial output:\n{printed}"
    if raw.failed:
        return f"[Hook command failed: {_failure_words(raw)}]\n{printed}"
    return printed


def join_outputs(texts: Iterable[str]) -> str:
    """The outputs of several hooks as one text: one newline between them, empty ones left out.

    No prompt gets more than 256 KiB of them: head and tail, with the number of bytes between.
    """
    return bounded("\n".join(text for text in texts if text), MAX_PROMPT_BYTES)


def _failure_words(raw: RawResult) -> str:
    if raw.launch_error:
        return raw.launch_error
    if raw.signal:
        return f"signal {raw.signal}"
    return f"exit status {raw.exit_code}"


def _has(event: Event, name: str) -> bool:
    kinds = VARIABLES[name][1]
    return kinds is None or event.kind in kinds


def _value(event: Event, name: str) -> str:
    """The value of a placeholder for this event; empty when the event has none."""
    value = event.get(VARIABLES[name][0]) if _has(event, name) else None
    return "" if value is None else str(value).replace("\0", "")


DIALECT = Iteratr()
