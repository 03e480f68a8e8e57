"""Details of matching and running on stderr, for `GEN_DEBUG` and `GEN_DEBUG_HOOKS` (GenCode)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hookline.cli import common
from hookline.cli.render import duration, one_line
from hookline.engine.services import InFront
from hookline.model.events import Event
from hookline.model.results import Decision, HookResult

if TYPE_CHECKING:
    from hookline.engine.services import Recorder


def debug_level(environment: Mapping[str, str]) -> int:
    """0 for none, 1 for which hooks matched and why not, 2 for what they were given and said as well."""
    values = [environment.get(name, "") for name in ("GEN_DEBUG", "GEN_DEBUG_HOOKS")]
    return max(min(int(value), 2) if value.isdigit() else int(bool(value)) for value in values)


class DebugLines(InFront):
    """A recorder that tells of every decision and hands it on to the history."""

    def __init__(self, level: int, history: Recorder | None) -> None:
        super().__init__(history)
        self._level = level

    def record(self, event: Event, decision: Decision, workspace: str) -> object:
        subject = event.get("tool_name") or ""
        common.say(f"[hooks] {event.kind.value} {subject}: {decision.verdict.word}".replace(" :", ":"))
        for result in decision.results:
            if result.spec.kind == event.kind:
                self._tell(result)
        return super().record(event, decision, workspace)

    def _tell(self, result: HookResult) -> None:
        raw = result.raw
        if raw is None:
            common.say(f"[hooks]   {result.spec.id}: {result.status.value}: {result.why}")
            return
        took = duration(raw.timings.total)
        common.say(f"[hooks]   {result.spec.id}: {result.status.value}, exit {raw.exit_code}, {took}")
        if self._level > 1:
            common.say(f"[hooks]     command: {one_line(raw.command or result.spec.command, 500)}")
            for name, text in (("stdout", raw.stdout), ("stderr", raw.stderr)):
                if text.strip():
                    common.say(f"[hooks]     {name}: {one_line(text, 500)}")
