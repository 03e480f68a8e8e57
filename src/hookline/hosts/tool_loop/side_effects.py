"""What hooks ask for beside a verdict, in our own loop: how it is done, and what nobody does here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.agents.base import ToolUse
from hookline.dialects import dialect
from hookline.hosts.tool_loop.permissions import MODES, Permissions, Rule
from hookline.hosts.tool_loop.tools import ToolOutput
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import Decision

K = EventKind
# What the loop carries out, by event. `failed` and `suppress_original_prompt` ask for nothing more here: a
# refused prompt is never shown again.
APPLIED: Mapping[EventKind, frozenset[str]] = {
    K.SessionStart: frozenset({"initial_user_message", "env"}),
    K.UserPromptSubmit: frozenset({"suppress_original_prompt"}),
    K.PermissionRequest: frozenset({"updated_permissions", "interrupt"}),
    K.PermissionDenied: frozenset({"retry"}),
    K.PostToolUse: frozenset({
        "updated_tool_output", "updated_mcp_tool_output", "modified_result", "tail_tool_call_request",
    }),
    K.PostToolUseFailure: frozenset({"tail_tool_call_request"}),
    K.Stop: frozenset({"clear_context"}),
    K.SubagentStop: frozenset({"clear_context", "modified_response"}),
    K.StatusLine: frozenset({"status_line"}),
    K.FileSuggestion: frozenset({"suggestions"}),
    K.FilesChanged: frozenset({"failed"}),
}  # fmt: skip


def unapplied(decision: Decision) -> Iterator[str]:
    """One line for each thing a hook asked for that has no effect here, with the hook's name."""
    known = APPLIED.get(decision.kind, frozenset())
    for name in decision.products:
        if name in known:
            continue
        asking = next((r.spec for r in decision.results if name in r.outcome.products), None)
        who = f"hook `{asking.name or asking.id}`" if asking is not None else "a hook"
        yield f"{who} asked for `{name}` at {decision.kind.value}, which has no effect here"


def opening_of(decision: Decision) -> tuple[str, ...]:
    """What a session's start puts before the user's first prompt (Claude Code's `initialUserMessage`)."""
    text = decision.products.get("initial_user_message")
    return (text,) if isinstance(text, str) and text else ()


def variables_of(decision: Decision) -> dict[str, str]:
    """Variables that a session's start gives to what runs later (Cursor's `env`)."""
    given = decision.products.get("env")
    return {str(key): str(value) for key, value in given.items()} if isinstance(given, dict) else {}


def replaced(name: str, output: ToolOutput, products: Mapping[str, Any]) -> tuple[ToolOutput, str]:
    """A tool's output as hooks changed it (Claude Code's `updatedToolOutput`, for MCP tools also
    `updatedMCPToolOutput`; Copilot's `modifiedResult`), and why a change was not made.
    """
    if "updated_tool_output" in products:
        return replace(output, content=as_text(products["updated_tool_output"])), ""
    if "updated_mcp_tool_output" in products:
        if not name.startswith("mcp__"):
            return output, f"`updatedMCPToolOutput` is for tools of MCP servers, and {name} is none"
        return replace(output, content=as_text(products["updated_mcp_tool_output"])), ""
    changed = products.get("modified_result")
    if changed is None:
        return output, ""
    if not isinstance(changed, dict) or not isinstance(changed.get("textResultForLlm"), str):
        return output, "`modifiedResult` has no `textResultForLlm`"
    failed = changed.get("resultType", "success") not in ("success", None)
    return replace(output, content=changed["textResultForLlm"], is_error=failed), ""


def as_text(value: Any) -> str:
    """A tool's output in whatever form a hook gave it, as the text a model reads."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, dict) and "text" in item for item in value):
        return "\n".join(str(item["text"]) for item in value)
    if isinstance(value, dict):
        if isinstance(value.get("stdout"), str):
            return "\n".join(text for text in (value["stdout"], value.get("stderr")) if text)
        if isinstance(value.get("content"), str | list):
            return as_text(value["content"])
    return json.dumps(value, ensure_ascii=False)


def further_call(call: ToolUse, decision: Decision) -> ToolUse | None:
    """The call that shall follow at once and answer in place of `call` (Gemini's `tailToolCallRequest`)."""
    wanted = decision.products.get("tail_tool_call_request")
    if not isinstance(wanted, dict) or not isinstance(wanted.get("name"), str):
        return None
    by = next(each.spec for each in decision.results if wanted in each.outcome.products.values())
    speaker = dialect(by.origin.speaks.partition(":")[0] or by.dialect)
    given = wanted.get("args")
    arguments = dict(given) if isinstance(given, dict) else {}
    return ToolUse(call.id, speaker.tools.canonical(wanted["name"]), arguments)


def with_updates(permissions: Permissions, updates: object) -> tuple[Permissions, list[str]]:
    """The session's permissions after a hook's `updatedPermissions`, and what of these was not done.

    They hold for this session only, wherever they were to be kept; nothing takes a deny rule away.
    """
    left: list[str] = []
    for update in updates if isinstance(updates, list) else ():
        kind = update.get("type") if isinstance(update, dict) else None
        if kind == "setMode" and update.get("mode") in MODES:
            permissions = replace(permissions, mode=update["mode"])
        elif kind in ("addRules", "replaceRules", "removeRules") and update.get("behavior") in _BEHAVIORS:
            permissions = _with_rules(permissions, kind, update["behavior"], update.get("rules"), left)
        else:
            left.append(f"`updatedPermissions` of type `{kind}` has no effect here")
            continue
        if update.get("destination") not in (None, "session"):
            left.append(f"permissions for `{update['destination']}` hold for this session only")
    return permissions, left


_BEHAVIORS = ("allow", "ask", "deny")


def _with_rules(
    permissions: Permissions, kind: str, behavior: str, given: object, left: list[str]
) -> Permissions:
    rules = tuple(
        Rule(str(rule["toolName"]), str(rule.get("ruleContent") or ""))
        for rule in (given if isinstance(given, list) else ())
        if isinstance(rule, dict) and rule.get("toolName")
    )
    before: tuple[Rule, ...] = getattr(permissions, behavior)
    if kind == "addRules":
        return replace(permissions, **{behavior: (*before, *rules)})
    if behavior != "allow":
        left.append(f"a hook cannot take {behavior} rules away")
        return (
            replace(permissions, **{behavior: (*before, *rules)}) if kind == "replaceRules" else permissions
        )
    kept = rules if kind == "replaceRules" else tuple(rule for rule in before if rule not in rules)
    return replace(permissions, allow=kept)
