"""PreCommit and PostCommit around a commit that a hook makes."""

from __future__ import annotations

from hookline.model.events import Commit, Event, EventKind
from hookline.model.hooks import GitCommit, HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision
from hookline.model.typing import TYPE_CHECKING, Awaitable, Callable, Mapping, Sequence

if TYPE_CHECKING:
    from typing import Any, Protocol

    class Fire(Protocol):
        """`Engine.fire`, with the hooks it may run by id and where their output goes (empty: nowhere)."""

        async def __call__(self, event: Event, *, only: Mapping[str, str]) -> Decision: ...

    Gate = Callable[[Mapping[str, Any]], Awaitable[str]]


def commit_gate(event: Event, spec: HookSpec, specs: Sequence[HookSpec], fire: Fire) -> Gate | None:
    """Asks the commit hooks of the committing hook's own dialect before it commits, and tells them after.

    Hooks of other dialects have git's own hooks for it, which run as well. The gate answers why not, or
    nothing. None for hooks that make no commit, and for commits made by a commit hook, which fire nothing.
    """
    if not isinstance(spec.action, GitCommit) or event.kind in (EventKind.PreCommit, EventKind.PostCommit):
        return None

    async def gate(facts: Mapping[str, Any]) -> str:
        kind = EventKind.PostCommit if "commit_hash" in facts else EventKind.PreCommit
        own = [other.id for other in specs if other.dialect == spec.dialect and other.kind == kind]
        if not own:
            return ""
        issue = {"issue_number": event.get("issue_number"), "issue_title": event.get("issue_title") or ""}
        commit = replace(event, kind=kind, body=Commit(**facts, **issue), extra={})
        decision = await fire(commit, only=dict.fromkeys(own, ""))
        return (decision.reason or "a hook denied it") if decision.blocked else ""

    return gate
