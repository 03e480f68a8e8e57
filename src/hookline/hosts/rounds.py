"""A user turn with its end: changed files are judged by file hooks, whose re-prompts become turns."""

from __future__ import annotations

from hookline.model.events import EventKind, FilesChanged
from hookline.model.record import replace
from hookline.system.changes import changed_since, scan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.hosts.tool_loop import ToolLoop, TurnResult
    from hookline.model.results import Decision
    from hookline.system.changes import Changes, Snapshot

MAX_ATTEMPTS = 3


class Rounds:
    """Turns of one loop. File hooks see every file changed since the user's prompt; a failed one is put to
    the model at most three times, then only named (Discobot).
    """

    def __init__(self, loop: ToolLoop) -> None:
        self.loop = loop

    async def submit(self, prompt: str, *, origin: str = "user", first: Sequence[str] = ()) -> TurnResult:
        """One turn until its files are clean; `origin` and `first` as in `ToolLoop.submit`."""
        if not self._has_file_hooks():
            return await self.loop.submit(prompt, origin=origin, first=first)
        before = await scan(self.loop.workspace)
        result = await self.loop.submit(prompt, origin=origin, first=first)
        attempt = 1
        while result.ok:
            decision = await self._judge(before, attempt)
            if decision is None or not decision.reprompt:
                return result
            if attempt > MAX_ATTEMPTS:
                words = f"the file hooks still fail after {MAX_ATTEMPTS} re-prompts: {_failures(decision)}"
                self.loop.tell("message", role="notice", text=words)
                return replace(result, status="unresolved", reason=words)
            result = await self.loop.submit(decision.reprompt, origin="hook")
            attempt += 1
        return result

    async def _judge(self, before: Snapshot, attempt: int) -> Decision | None:
        changes: Changes = changed_since(before, await scan(self.loop.workspace, before))
        if not changes:
            return None
        body = FilesChanged(changes.changed, changes.deleted)
        extra = {"attempt": min(attempt, MAX_ATTEMPTS), "max_attempts": MAX_ATTEMPTS}
        return await self.loop.fire(EventKind.FilesChanged, body, extra)

    def _has_file_hooks(self) -> bool:
        return any(spec.kind == EventKind.FilesChanged for spec in self.loop.engine.hooks.specs)


def _failures(decision: Decision) -> str:
    return ", ".join(result.spec.name or result.spec.id for result in decision.ran if result.failed)
