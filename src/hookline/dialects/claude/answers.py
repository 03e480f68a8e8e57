"""A decision in the words Claude Code reads from its hooks: always JSON with exit 0, or silence."""

from __future__ import annotations

from hookline.dialects.bridged.payloads import json_or_silence, specific_products
from hookline.dialects.bridged.rules import AgentRule
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.model.results import Decision, Response, Verdict
from hookline.model.typing import Any

PERMISSIONS = {
    Verdict.ALLOW: "allow", Verdict.ASK: "ask", Verdict.DEFER: "defer", Verdict.DENY: "deny",
    Verdict.HALT: "deny",  # `continue: false` alone lets the tool run (observed)
}  # fmt: skip
# Their denial is exit 2 with its reason on stderr; of the JSON only `continue: false` is documented there.
BY_EXIT = frozenset({EventKind.TaskCompleted, EventKind.TeammateIdle})
BY_PERMISSION = frozenset({EventKind.PreToolUse, EventKind.PreModelSwitch})


def claude_response(rule: AgentRule, decision: Decision) -> Response:
    """The answer to a fitted decision; nothing at all when there is no opinion."""
    if rule.kind is EventKind.WorktreeCreate:
        return _worktree(decision)
    if rule.kind is EventKind.PreCompact and decision.contexts and not decision.blocked:
        return Response(
            stdout="\n".join(decision.contexts)
        )  # instructions for the summary, read as plain text
    said = json_or_silence(_top(rule, decision), rule.native, _specific(rule, decision))
    if rule.kind in BY_EXIT and decision.verdict is Verdict.DENY:
        return replace(said, stderr=decision.why + "\n", exit_code=2)
    return said


def _top(rule: AgentRule, decision: Decision) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    if decision.verdict is Verdict.HALT and rule.kind is not EventKind.PermissionRequest:
        answer.update({"continue": False, "stopReason": decision.why})
    if decision.messages:
        answer["systemMessage"] = "\n".join(decision.messages)
    if rule.kind in BY_PERMISSION or rule.kind is EventKind.PermissionRequest:
        return answer
    if rule.products[:1] == ("action",) or rule.kind in BY_EXIT:
        return answer
    if decision.verdict is Verdict.DENY or (decision.reprompt and decision.verdict is not Verdict.HALT):
        answer.update({"decision": "block", "reason": decision.reprompt or decision.why})
    return answer


def _specific(rule: AgentRule, decision: Decision) -> dict[str, Any]:
    specific: dict[str, Any] = {}
    if rule.kind in BY_PERMISSION and decision.verdict is not Verdict.NONE:
        specific["permissionDecision"] = PERMISSIONS[decision.verdict]
        reason = decision.why if decision.verdict is not Verdict.ALLOW else decision.reason
        specific.update({"permissionDecisionReason": reason} if reason else {})
    if rule.kind is EventKind.PreToolUse and decision.updated_input is not None and not decision.blocked:
        specific["updatedInput"] = dict(decision.updated_input)
    if rule.kind is EventKind.PermissionRequest and (said := _permission_request(decision)):
        specific["decision"] = said
    if rule.products[:1] == ("action",) and decision.blocked:
        return {"action": "decline"}
    if decision.contexts:
        specific["additionalContext"] = "\n".join(decision.contexts)
    specific.update(specific_products(rule, decision))
    return specific


def _permission_request(decision: Decision) -> dict[str, Any]:
    if decision.blocked:
        interrupt = decision.verdict is Verdict.HALT or decision.products.get("interrupt")
        return {
            "behavior": "deny", "message": decision.why, **({"interrupt": True} if interrupt else {}),
        }  # fmt: skip
    if decision.verdict is not Verdict.ALLOW:
        return {}  # the agent asks the user, which is what it was about to do
    said: dict[str, Any] = {"behavior": "allow"}
    if decision.updated_input is not None:
        said["updatedInput"] = dict(decision.updated_input)
    if permissions := decision.products.get("updated_permissions"):
        said["updatedPermissions"] = permissions
    return said


def _worktree(decision: Decision) -> Response:
    """The path on the last line; whoever answers this event must name one, so silence is a failure."""
    if decision.blocked:
        return Response(stderr=decision.why + "\n", exit_code=2)
    path = decision.products.get("worktree_path")
    if not path:
        return Response(stderr="no hook named the path of the new worktree\n", exit_code=1)
    return Response(stdout=f"{path}\n")
