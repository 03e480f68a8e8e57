"""Hooks in an agent of the Claude Agent SDK, as functions of its own process: `Hooks().options(ClaudeAgentOptions(…))`.

Needs the extra `claude-agent-sdk`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace as with_fields
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher

from hookline.dialects import dialect
from hookline.dialects.bridged import AgentDialect
from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.integrations.gate import Gate
from hookline.model.events import Event
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision, Verdict

EVENTS = (
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "Stop", "SubagentStart", "SubagentStop",
    "PreCompact", "Notification", "PermissionRequest",
)  # fmt: skip
SETTINGS = frozenset({"user", "project", "local"})
WAIT_S = 660.0  # longer than any hook may take by default: ours have limits of their own
_KEYWORDS = {"continue": "continue_", "async": "async_"}


class Hooks:
    """`hooks` and `options` as of `hookline.integrations.gate.Gate`; names of tools are Claude Code's already.

    What Claude Code runs itself, from the settings it loads, is left to it. Without `ask`, a hook's `ask` goes to
    Claude Code's own permission question.
    """

    def __init__(self, hooks: Engine | str = ".", **options: Any) -> None:
        self._gate = Gate(hooks, **options)
        self._started: set[str] = set()

    def options(self, options: ClaudeAgentOptions | None = None) -> ClaudeAgentOptions:
        """The options with our hooks beside those that are in them."""
        given = options or ClaudeAgentOptions()
        engine = self._gate.engine
        theirs = _left_to_them(engine.hooks, given.setting_sources)
        kept = engine.hooks.with_specs(lambda spec: spec.id not in theirs)
        told = Told(Engine(kept, engine.services), self._gate, self._started)
        ours = {event: [HookMatcher(hooks=[told.call], timeout=WAIT_S)] for event in EVENTS}
        before: Mapping[Any, Any] = given.hooks or {}
        mixed = {event: [*before.get(event, ()), *ours.get(event, ())] for event in {**ours, **before}}
        return with_fields(given, hooks=mixed)

    async def end(self, reason: str = "other") -> None:
        """Fires SessionEnd for each session there was; the SDK tells nothing of it."""
        started, self._started = self._started, set()
        for session in sorted(started):
            await self._gate.session(session).end(reason)


class Told:
    """What the SDK calls: Claude Code's payload in, its answer out."""

    def __init__(self, engine: Engine, gate: Gate, started: set[str]) -> None:
        self._engine = engine
        self._gate = gate
        self._started = started
        self._claude: AgentDialect = dialect("claude")  # type: ignore[assignment]  # it is one

    async def call(self, payload: Mapping[str, Any], tool_use_id: str | None, context: Any) -> dict[str, Any]:
        """One hook call. A defect of ours is a denial where something can be denied."""
        event = self._claude.read_event("", payload)
        event = replace(event, workspace=self._engine.workspace, cwd=event.cwd or self._engine.workspace)
        try:
            decision = await self._decided(event)
        except Exception as error:
            words = f"hookline failed: {type(error).__name__}: {error}"
            self._gate.tell(words)
            decision = Decision(event.kind, Verdict.DENY, words)
        fitted, notes = self._claude.fit(event, decision)
        for words in (*decision.degraded, *notes):
            self._gate.tell(words)
        said = self._claude.respond(event, fitted).stdout
        try:
            answer = json.loads(said or "{}")
        except ValueError:  # instructions for a summary, which only a command can give
            self._gate.tell(f"what a hook said at {event.kind.value} has no effect here: {said}")
            answer = {}
        return {_KEYWORDS.get(key, key): value for key, value in answer.items()}

    async def _decided(self, event: Event) -> Decision:
        first = await self._first(event)
        decision = await self._engine.fire(event)
        if decision.needs_person and self._gate.can_ask:
            value = dict(decision.updated_input or event.tool_input)
            refusal = await self._gate.refused(event.tool_name, value, decision.reason)
            verdict = Verdict.DENY if refusal else Verdict.ALLOW
            decision = replace(decision, verdict=verdict, reason=refusal or decision.reason)
        return replace(decision, contexts=(*first, *decision.contexts)) if first else decision

    async def _first(self, event: Event) -> tuple[str, ...]:
        """Fires SessionStart before the first prompt, which takes its context: the SDK calls nobody for it."""
        if event.kind.value != "UserPromptSubmit" or event.session_id in self._started:
            return ()
        self._started.add(event.session_id)
        gate = self._gate.session(event.session_id, self._engine)
        return (await gate.fire("SessionStart", source="startup")).contexts


def _left_to_them(hooks: HookSet, sources: Collection[str] | None) -> frozenset[str]:
    """The ids of hooks that Claude Code runs itself; where it calls our bridge, that is all but those in code."""
    loaded = {"managed", *((*SETTINGS, "plugin") if sources is None else sources)}

    def runs(spec: HookSpec) -> bool:
        return spec.dialect == "claude" and spec.scope in loaded and not spec.origin.adopted

    if any(runs(spec) and spec.origin.bridge for spec in hooks.specs):
        return frozenset(spec.id for spec in hooks.specs if spec.scope != "session")
    return frozenset(spec.id for spec in hooks.specs if runs(spec))
