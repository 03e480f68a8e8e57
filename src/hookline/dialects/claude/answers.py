"""A decision in the words Claude Code reads from its hooks: JSON with exit 0 by the rows `SAYS`, or silence."""

from __future__ import annotations

from hookline.dialects.answering import say
from hookline.dialects.bridged.answers import said_by_rows
from hookline.dialects.bridged.payloads import json_or_silence
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.claude.rules import ASKED, BY_EXIT, BY_PERMISSION, ELICITED, SAYS
from hookline.dialects.tools import Tools
from hookline.model.events import Event, EventKind
from hookline.model.record import replace
from hookline.model.results import Decision, Response, Verdict


def claude_response(tools: Tools, rule: AgentRule, event: Event, decision: Decision) -> Response:
    """The answer to a fitted decision; nothing at all when there is no opinion."""
    if rule.kind is EventKind.WorktreeCreate:
        return _worktree(decision)
    if rule.kind is EventKind.PreCompact and decision.contexts and not decision.blocked:
        return Response(
            stdout="\n".join(decision.contexts)
        )  # instructions for the summary, read as plain text
    if rule.kind in ELICITED and decision.blocked:
        decision = replace(decision, products={})
    if decision.verdict in (Verdict.ASK, Verdict.DEFER):
        decision = replace(decision, reason=decision.why)
    # `continue: false` alone lets the tool run (observed)
    answer = said_by_rows(SAYS, tools, rule, event, decision, rule.kind not in BY_PERMISSION | ASKED)
    if decision.verdict is Verdict.ALLOW and (permissions := decision.products.get("updated_permissions")):
        say(SAYS, rule, "updated_permissions", permissions, answer)
    said = json_or_silence(answer, rule.native, answer.pop("hookSpecificOutput", None))
    if rule.kind in BY_EXIT and decision.verdict is Verdict.DENY:
        return replace(said, stderr=decision.why + "\n", exit_code=2)
    return said


def _worktree(decision: Decision) -> Response:
    """The path on the last line; whoever answers this event must name one, so silence is a failure."""
    if decision.blocked:
        return Response(stderr=decision.why + "\n", exit_code=2)
    path = decision.products.get("worktree_path")
    if not path:
        return Response(stderr="no hook named the path of the new worktree\n", exit_code=1)
    return Response(stdout=f"{path}\n")
