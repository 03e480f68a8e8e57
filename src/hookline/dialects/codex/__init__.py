"""Codex CLI: Claude Code's config shape, closed answers, patches instead of edits.

As read from its hooks page and generated schemas, and third-party wire models; `observed` marks what 0.169 did when it
was run, which wins where they differ. Codex runs a hook only after its user reviewed it there; that trust is its own,
and not read here.
"""

from __future__ import annotations

from hookline.dialects.bridged.payloads import native_call, result_text, with_extra, write_fields
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File, event
from hookline.dialects.keys import CLAUDE_KEYS, STATUS, TIMEOUT, Key, Switch
from hookline.dialects.tools import Tools
from hookline.model.errors import Problem
from hookline.model.events import Event, EventKind
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping

SOURCE = "Codex CLI hooks page and schemas, 0.145 to 0.169; observed"
WHO = "turn_id agent_id? agent_type? model permission_mode"
CALL = f"{WHO} tool_name tool_input"
COMPACT = "turn_id model trigger"
STOPPED = "stop_hook_active last_assistant_message"
AGENT = "permission_mode agent_id agent_type"

# Hooks start together; identical ones each run (observed).
ROWS: tuple[AgentRule, ...] = (
    # `fork` as a source was seen by third parties only
    event(
        "SessionStart", "context continue message", fields="model permission_mode source", plain_context=True,
        exit_two="fails",
    ),
    event("SubagentStart", "context message", fields=f"turn_id model {AGENT}", plain_context=True, exit_two="fails"),
    event("UserPromptSubmit", "deny context continue message", fields=f"{WHO} prompt", plain_context=True),
    # an approval can only be sent with a changed input; `continue: false` lets the tool run (observed)
    event("PreToolUse", "deny rewrite context message", fields=f"{CALL} tool_use_id"),
    event("PermissionRequest", "deny allow message", fields=CALL, exit_two="block"),
    # a block replaces the tool's output; after `continue: false` the loop goes on all the same (observed)
    event("PostToolUse", "deny context message", fields=f"{CALL} tool_response tool_use_id"),
    event("PreCompact", "continue message", fields=COMPACT, exit_two="fails"),
    event("PostCompact", "continue message", fields=COMPACT, exit_two="fails"),
    event(
        "SubagentStop", "deny reprompt continue message",
        fields=f"turn_id agent_transcript_path model {AGENT} {STOPPED}",
    ),
    event("Stop", "deny reprompt continue message", fields=f"turn_id model permission_mode {STOPPED}"),
    event("Interrupt", fields="turn_id model permission_mode", exit_two="fails"),
    event("SessionEnd", fields="reason", exit_two="fails"),
)  # fmt: skip
TOOLS = Tools(
    names=(
        ("Bash", "Bash"), ("Edit", "apply_patch"), ("Write", "apply_patch"), ("Agent", "spawn_agent"),
        ("TodoWrite", "update_plan"),
    ),
    aliases={"apply_patch": ("Edit", "Write"), "spawn_agent": ("Agent",)},
    patches=True,
)  # fmt: skip
# What a required field holds when the event does not come from Codex.
MISSING: Mapping[str, Any] = {
    "turn_id": "", "model": "", "permission_mode": "default", "agent_transcript_path": None,
    "last_assistant_message": None,
}  # fmt: skip
DROPPING = frozenset({"missing-key", "wrong-type", "bad-value"})
IGNORED = ("if", "once", "onFailure", "args", "shell", "asyncRewake")
SHORT = (1.0, 3.0)


class CodexDialect(FamilyDialect):
    """Codex CLI as a config reader, as the way its hooks talk, and as a host."""

    has_profile = True

    def drops_for(self, problem: Problem) -> bool:
        """An invalid handler or matcher drops its `hooks.json`; a group without handlers does not (observed)."""
        group = problem.code == "missing-key" and problem.path.endswith("]")
        return problem.severity == "error" and problem.code in DROPPING and not group

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What Codex CLI itself would send for this event; a missing transcript is null."""
        payload: dict[str, Any] = {
            "session_id": event.session_id,
            "transcript_path": event.transcript_path or None,
            "cwd": event.cwd,
            "hook_event_name": rule.native,
            **write_fields(rule, event),
        }
        for field, value in MISSING.items():
            if field in payload and payload[field] in (None, ""):
                payload[field] = value
        if "tool_name" in payload:
            payload.update(native_call(self.tools, event))
        if "tool_response" in payload and event.host != self.name and event.get("tool_name")[:5] != "mcp__":
            payload["tool_response"] = result_text(payload["tool_response"])
        return with_extra(payload, event)

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        from hookline.dialects.codex.output import read_codex_output

        return read_codex_output(rule, raw)

    def sayable(self, event: Event, fitted: Decision) -> Decision:
        """Only the keys Codex accepts at this event; never a bare approval, never an empty reason."""
        if event.kind is EventKind.PreToolUse and fitted.updated_input is not None and not fitted.blocked:
            return replace(fitted, verdict=Verdict.ALLOW, reason="")
        return fitted


DIALECT = CodexDialect(
    Agent(
        name="codex",
        title="Codex CLI",
        program="codex",
        sources=SOURCE,
        files=(
            File("managed", "/etc/codex/requirements.toml"),
            File("managed", "/etc/codex/hooks.json"),
            File("managed", "/etc/codex/config.toml"),
            File("user", "{home}/.codex/hooks.json", ours=True),
            File("user", "{home}/.codex/config.toml"),
            File("project", "{ws}/.codex/hooks.json", ours=True),
            File("project", "{ws}/.codex/config.toml"),
        ),
        moved=("CODEX_HOME", "{home}/.codex"),
        rows=ROWS,
        tools=TOOLS,
        keys=(
            Key("type", "command|mcp_tool", words="what kind of hook it is", required=True),
            *(key for key in CLAUDE_KEYS if key.name in ("command", "server", "tool", "input", "async")),
            Key("commandWindows", words="the line on Windows"), Key("command_windows"),
            Key("prompt", "ignored"), Key("model", "ignored"),
            replace(TIMEOUT, zero=True),  # 0 did not cut a hook (observed)
            STATUS,
            Key("additionalContextLimit", "whole", "options.contextLimit", "tokens; 0: no limit; 2500 without it"),
            *(Key(name, "ignored", words=f"Codex CLI ignores `{name}`") for name in IGNORED),
        ),
        skipped_types=frozenset({"prompt", "agent"}),
        free=frozenset({"state"}),  # where Codex keeps what its user reviewed
        switches=(
            Switch("features.hooks", False, "`[features] hooks` is false", "set it to true in `config.toml`"),
            Switch("features.codex_hooks", False, "`[features] codex_hooks` is false", "remove it"),
        ),
        managed_only="allow_managed_hooks_only",
        matching="strict_list",
        timeout_s=600.0,
        limits={EventKind.SessionEnd: SHORT, EventKind.Interrupt: SHORT},
        waited=frozenset({EventKind.SessionEnd}),
        shell=("bash", "-c"),
        denies_by_exit=False,
        ends_alone=True,
        stop_limit=False,  # observed
        needs=(
            "Codex skips every hook without a word until it is reviewed: run `/hooks` in Codex and approve them",
            "a changed entry has to be approved again; hooks of a project need the project to be trusted",
        ),
    )
)  # fmt: skip
