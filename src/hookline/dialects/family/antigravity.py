"""Antigravity (`agy`): named sets of hooks, a call in an object, answers by `decision`. From others' probes of it."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.payloads import decoded, json_or_silence, with_extra
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import COMMAND, DENY, TIMEOUT, Agent, File, event
from hookline.dialects.keys import MODEL, PROMPT, PROMPTS, Key
from hookline.dialects.spelling import folded
from hookline.dialects.tools import Tools
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Response
from hookline.model.typing import Any, Mapping

OF_SERVERS = "call_mcp_tool"
PRE, STOP = frozenset({K.PreToolUse}), frozenset({K.Stop})
FILE = {"file_path": "TargetFile"}
WORDS = ("ephemeralMessage", "userMessage", "content")  # where a step that is put in has its text


class AntigravityDialect(FamilyDialect):
    """A call stands in `toolCall`, the folders in `workspacePaths`; what goes to the model is a step put in."""

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        found = super().payload(event, rule)
        if "tool_name" in found:
            call = {"name": found.pop("tool_name"), "args": found.pop("tool_input")}
            sent = event.extra.get("toolCall")
            sent = sent if isinstance(sent, dict) else {}
            found["toolCall"] = sent if sent.get("name") == OF_SERVERS else {**sent, **call}
        found.setdefault("workspacePaths", [event.workspace or event.cwd])
        return with_extra(found, event)

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Antigravity reports; its payload never names it, so `native` must."""
        given = dict(payload) if isinstance(payload, dict) else payload
        if isinstance(given, dict):
            call, paths = given.get("toolCall"), given.get("workspacePaths")
            if isinstance(call, dict):
                given.update(_called(call.get("name"), call.get("args") or {}))
            if isinstance(paths, list) and paths:
                given["cwd"] = str(paths[0])
        return super().read_event(native, given)

    def reported_kind(self, row: AgentRule, given: dict[str, Any]) -> K:
        """A call that ended with an error has failed."""
        return K.PostToolUseFailure if row.kind is K.PostToolUse and given.get("error") else row.kind

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        outcome = super().meaning(rule, raw)
        steps = outcome.products.get("inject_steps")
        told = tuple(text for step in steps if (text := _text(step))) if isinstance(steps, list) else ()
        return replace(outcome, contexts=(*outcome.contexts, *told), products={}) if told else outcome

    def respond(self, event: Event, decision: Decision) -> Response:
        """JSON always: an empty object is no opinion, and no answer at all may count as a denial."""
        fitted, _ = self.fit(event, decision)
        given = fitted.products.get("inject_steps")
        steps = given if isinstance(given, list) else []
        steps = [*steps, *({"ephemeralMessage": text} for text in fitted.contexts)]
        said = json_or_silence({"injectSteps": steps}) if steps else super().respond(event, fitted)
        return said if said.stdout else Response(stdout="{}")


def _called(name: object, given: Any) -> dict[str, Any]:
    """A call in fields of ours; that of a server's tool stands in the arguments of another one."""
    said = decoded(given)
    if name == OF_SERVERS and isinstance(said, dict):
        fields = {folded(key): value for key, value in said.items()}
        server, tool = fields.get("servername") or "unknown", fields.get("toolname") or "unknown"
        return {"tool_name": f"mcp__{server}__{tool}", "tool_input": fields.get("arguments") or {}}
    return {"tool_name": name, "tool_input": given}


def _text(step: object) -> str:
    found = [step[key] for key in WORDS if isinstance(step.get(key), str)] if isinstance(step, dict) else []
    return found[0] if found else ""


DIALECT = AntigravityDialect(
    Agent(
        name="antigravity",
        title="Antigravity",
        program="agy",
        knows="medium",
        sources="antigravity.google's hooks page, and what others found in agy 1.1.2 to 1.1.26; versions differ",
        files=(
            File("user", "{home}/.gemini/config/hooks.json", ours=True, top="hookline"),
            File("project", "{ws}/.agents/hooks.json", ours=True, top="hookline"),
        ),
        rows=(
            event("PreToolUse", "deny ask allow", fields="tool_name tool_input"),
            event("PostToolUse", fields="tool_name tool_input", feedback=False),
            event("PostToolUse", "", K.PostToolUseFailure, fields="tool_name tool_input error", feedback=False),
            event("PreInvocation", "context product", K.PreModelRequest, fields="", products=("injectSteps",)),
            event("PostInvocation", "", K.PostModelResponse, fields=""),
            event("Stop", "deny reprompt", fields=""),
            event("SessionStart", fields="", subject=""),
        ),
        tools=Tools(
            names=(
                ("Bash", "run_command"), ("Read", "view_file"), ("Write", "write_to_file"),
                ("Edit", "replace_file_content"), ("Edit", "multi_replace_file_content"), ("Edit", "edit_file"),
                ("LS", "list_dir"), ("Glob", "find_by_name"), ("Grep", "grep_search"), ("Grep", "codebase_search"),
                ("WebFetch", "read_url_content"), ("WebSearch", "search_web"), ("Agent", "invoke_subagent"),
            ),
            fields={
                "Bash": {"command": "CommandLine"}, "Read": {"file_path": "AbsolutePath"},
                "Write": {**FILE, "content": "CodeContent"},
                "Edit": {**FILE, "old_string": "TargetContent", "new_string": "ReplacementContent"},
                "LS": {"path": "DirectoryPath"}, "Grep": {"path": "SearchPath", "glob": "Includes"},
                "WebFetch": {"url": "Url"},
            },
        ),
        sets=True,
        runs_beside=True,
        any_case=True,
        flat_events=frozenset({"PreInvocation", "PostInvocation", "Stop", "SessionStart"}),
        drops=frozenset({"wrong-type", "bad-value"}),
        apart_types=frozenset({"prompt"}),
        keys=(
            Key("type", "command|prompt", words="what kind of hook it is"),
            COMMAND,
            TIMEOUT,
            replace(PROMPT, words="a text of Antigravity's own", handlers=PROMPTS),
            replace(MODEL, words="the model of that", handlers=PROMPTS),
        ),
        matching="regex",
        timeout_s=30.0,
        payload={
            "session_id": "conversationId", "transcript_path": "transcriptPath", "cwd": "", "hook_event_name": "",
            "permission_mode": "", "agent_id": "", "agent_type": "",
        },
        says=(
            Says("deny", "decision", "continue", "reason", STOP),
            replace(DENY, at=PRE),
            Says("ask", "decision", "force_ask", "reason", PRE), Says("ask", "decision", "ask", "reason", PRE),
            Says("allow", "decision", "allow", "reason", PRE),
        ),
        exits={},
        denies_by_exit=False,
        json_counts="any",
        needs=(
            "Antigravity reads `hooks.json` when it starts; some versions run only the hooks of installed plugins: "
            "see in its log how many it has loaded",
        ),
    )
)  # fmt: skip
