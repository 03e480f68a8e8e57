"""A user turn with its end: changed files are judged by file hooks, whose re-prompts become turns."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.engine.filehooks import FileHooks
from hookline.hosts.tool_loop.host import ToolLoop, TurnResult
from hookline.model.events import EventKind
from hookline.model.record import replace
from hookline.state.paths import Paths


class Rounds:
    """Turns of one loop, each until its files are clean or the attempts of the file hooks are used up.

    Without `file_hooks` their state is kept where the engine's environment says.
    """

    def __init__(self, loop: ToolLoop, file_hooks: FileHooks | None = None) -> None:
        self.loop = loop
        self.file_hooks = file_hooks or _file_hooks(loop)

    async def to_the_end(self, prompt: str, *, first: Sequence[str] = ()) -> TurnResult:
        """`submit`, and what background hooks wake the agent for afterwards.

        Waits for hooks that may still wake it; for hosts at whose turn's end nobody else could hear of it.
        """
        result = await self.submit(prompt, first=first)
        while result.ended and (text := await self.loop.inbox.woken()):
            result = await self.submit(text, origin="hook")
        return result

    async def submit(self, prompt: str, *, origin: str = "user", first: Sequence[str] = ()) -> TurnResult:
        """One turn and what its files ask for; `origin` and `first` as in `ToolLoop.submit`."""
        await self.file_hooks.begin(self.loop.session_id)
        result = await self.loop.submit(prompt, origin=origin, first=first)
        user_turn = origin == "user"
        while result.ended and self.loop.engine.hooks.of_kind(EventKind.FilesChanged):
            verdict = await self.file_hooks.evaluate(self.loop.session_id, user_turn=user_turn)
            for message in verdict.messages:
                self.loop.tell("message", role="hook", text=message)
            if verdict.reprompt is None:
                quiet = verdict.action in ("none", "inconclusive")
                given_up = verdict.action == "capped" or (not user_turn and quiet)
                return _unresolved(result, verdict.pending) if given_up and verdict.pending else result
            result = await self.loop.submit(verdict.reprompt, origin="hook")
            user_turn = False
        return result


def _unresolved(result: TurnResult, pending: Sequence[str]) -> TurnResult:
    words = f"file hooks still fail: {', '.join(pending)}"
    return replace(result, status="unresolved", reason=words)


def _file_hooks(loop: ToolLoop) -> FileHooks:
    variables = loop.engine.environment
    paths = Paths.from_environment(variables)
    return FileHooks(loop.engine, paths)
