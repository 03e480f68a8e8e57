"""Cursor: flat config, one event per kind of action, answers with `permission`.

From its documentation and a third-party study of its CLI; not observed. What is a guess is said in
`cursor_rules`.
"""

from __future__ import annotations

from hookline.dialects.bridged.payloads import native_of, read_agent_event, require_object
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.cursor.payloads import STATUS_KINDS, cursor_payload, read_fields
from hookline.dialects.cursor.rules import (
    LITERALS,
    PROMPT_EVENT,
    ROWS,
    SAYS,
    SOURCE,
    TAB_ONLY,
    TOOLS,
    TOOLS_OF,
)
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File
from hookline.dialects.keys import COMMAND, MODEL, PROMPT, PROMPTS, TIMEOUT, Key
from hookline.dialects.matching.matchers import Compiled
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping
from hookline.system.modules import attribute


class CursorDialect(FamilyDialect):
    """Cursor as a config reader, as the way its hooks talk, and as a host."""

    has_profile = True

    def compiled(self, row: AgentRule | None, text: str | None) -> Compiled:
        """Blanks around a pattern belong to it."""
        found: Compiled = attribute("hookline.dialects.matching.matchers", "regex")(text)
        return found

    # -- one hook -----------------------------------------------------------------------------------

    def subject_values(self, rule: AgentRule, event: Event) -> object:
        if rule.subject == "literal":
            return LITERALS[rule.native]
        if rule.subject == "command":
            return event.tool_input.get("command", "")
        return super().subject_values(rule, event)

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        """Why `spec` sits this event out: its kind of action, its loop limit, its matcher."""
        return _others_own(spec, event) or _loop_limit(spec, event) or super().skip_reason(spec, event)

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        return cursor_payload(event, rule)

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        from hookline.dialects.cursor.output import read_cursor_output

        return read_cursor_output(self.agent, rule, raw)

    # -- as a host ----------------------------------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Cursor reports; a stop that was no success is a failure or an interruption."""
        given = dict(require_object(payload, self.title))
        row = self.reported_row(native, given)
        kind = (
            STATUS_KINDS.get(str(given.get("status")), row.kind) if row.kind is EventKind.Stop else row.kind
        )
        event = read_agent_event(kind, self.name, given, read_fields(row.native, given))
        roots = given.get("workspace_roots")
        return replace(event, workspace=str(roots[0])) if isinstance(roots, list) and roots else event

    def sayable(self, event: Event, fitted: Decision) -> Decision:
        """The user is told every reason; a denial after the fact is a text for the model."""
        row, why = self.host_row(event), fitted.why
        if row.feedback:
            told = (*fitted.contexts, *((why,) if fitted.blocked else ()))
            return replace(fitted, verdict=Verdict.NONE, reprompt=None, contexts=told)
        if row.native == PROMPT_EVENT and fitted.messages and not fitted.blocked:
            return replace(fitted, verdict=Verdict.ALLOW)
        if "message" in row.effects and fitted.verdict in (Verdict.ASK, Verdict.DENY):
            return replace(fitted, reason=why, reprompt=None, messages=(why, *fitted.messages))
        return fitted


def _others_own(spec: HookSpec, event: Event) -> str | None:
    """Why an event of Cursor's own completion is none of anybody else's."""
    native = spec.native_event
    if native in TAB_ONLY and native_of(event, "cursor").get("event") != native:
        return f"`{native}` is about Cursor's own completion"
    return None


def _loop_limit(spec: HookSpec, event: Event) -> str | None:
    limit = spec.options.get("loop_limit")
    attempt = event.get("attempt")
    if (
        event.kind not in (EventKind.Stop, EventKind.SubagentStop)
        or limit is None
        or not isinstance(attempt, int)
    ):
        return None
    return f"its `loop_limit` of {limit} is reached" if attempt > limit else None


DIALECT = CursorDialect(
    Agent(
        name="cursor",
        title="Cursor",
        program="cursor-agent",
        sources=SOURCE,
        files=(
            File("user", "{home}/.cursor/hooks.json", ours=True),
            File("project", "{ws}/.cursor/hooks.json", ours=True),
            File("managed", "/etc/cursor/hooks.json"),
        ),
        version=1,
        rows=ROWS,
        tools=TOOLS,
        flat=True,
        keys=(
            Key("type", "command|prompt", words="what kind of hook it is"), COMMAND,
            replace(PROMPT, handlers=PROMPTS), MODEL, TIMEOUT,
            Key("loop_limit", "limit", "options.loop_limit", "how often it may send the agent on; null: ever", 5),
            Key("failClosed", "flag", "on_failure", "its own failure denies", means="block"),
        ),
        infers_type=True,
        reports_each=True,
        about=TOOLS_OF,
        never=frozenset({*TOOLS_OF, *TAB_ONLY, "afterAgentThought"}),
        matching="regex",
        says=SAYS,
        no_reason="Denied by hook",
        denies_by_exit=False,
        environment={
            "CURSOR_PROJECT_DIR": "{project}", "CLAUDE_PROJECT_DIR": "{project}",
            "CURSOR_TRANSCRIPT_PATH": "{transcript}",
        },
        own_environment={"CURSOR_VERSION": "cursor_version", "CURSOR_USER_EMAIL": "user_email"},
        runs_in="owner",
        project_variable="CURSOR_PROJECT_DIR",
        needs=(
            "Cursor runs project hooks in trusted workspaces only; its settings have a Hooks page that lists them",
            "Cursor reads `.claude/settings.json` as well: install for one of the two, or calls arrive twice",
        ),
    )
)  # fmt: skip
