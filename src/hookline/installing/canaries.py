"""Canary calls, and what they showed: which guards fired, and what would keep the others from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.payloads import NATIVE
from hookline.dialects.tools import CANONICAL, is_about
from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.services import Services
from hookline.hosts.probing.aims import aims_of, known_aims, plain_path, texts_of
from hookline.model.events import Event, EventKind, Prompt, ToolCall
from hookline.model.hooks import HookSpec
from hookline.model.record import Record, replace
from hookline.model.results import Status
from hookline.system.clock import new_run_id, now


class Lapse(Record):
    """One reason why a guard would not fire. `code` is for programs, `hint` says what to do."""

    agent: str
    code: str
    subject: str
    message: str
    hint: str = ""
    source: str = ""
    line: int = 0


class Proof(Record):
    """What was seen of one guard, and its `verdict` on the canary `call`.

    `state`: fired (it ran), ready (an earlier guard stopped the call, or its event is not asked about), failed, or
    unproven (no call is known that it is meant by).
    """

    agent: str
    id: str
    name: str
    event: str
    state: str
    verdict: str = ""
    call: str = ""
    run: str = ""


class Attested(Record):
    """Of one workspace: its agents, each guard, and what is wrong."""

    workspace: str
    agents: tuple[str, ...]
    proofs: tuple[Proof, ...]
    lapses: tuple[Lapse, ...]


def canary(agent: AgentDialect, spec: HookSpec, workspace: str) -> Event | None:
    """The first call that the guard is meant by, in a session of its own; None when none is known."""
    engine = Engine(HookSet((replace(spec, enabled=True),), workspace=workspace), Services(environment={}))
    session = f"attest-{new_run_id()}"
    for body in _bodies(agent, spec):
        event = _reported(agent, Event(spec.kind, session, workspace, body, workspace, agent.name, at=now()))
        if event is None:
            continue
        event = replace(event, agent_type=spec.origin.agent)
        (result,) = engine.explain(event).results
        if result.status is Status.would_run:
            return event
    return None


def _reported(agent: AgentDialect, event: Event) -> Event | None:
    """As the agent tells of it: one with an event for each kind of action has none for some tools."""
    natives = [row.native for row in agent.rows if row.kind is event.kind]
    if not event.tool_name or not all(map(agent.tools_about, natives)):
        return event
    told = next((each for each in natives if is_about(event.tool_name, agent.tools_about(each))), None)
    return replace(event, extra={NATIVE: {"event": told}}) if told else None


def _bodies(agent: AgentDialect, spec: HookSpec) -> Iterator[Record]:
    """Calls that the guard may be meant by, those it names itself first."""
    call_id = f"attest-{new_run_id()}"
    if spec.kind is EventKind.UserPromptSubmit:
        yield Prompt("hookline attest: is this prompt seen?")
        return
    names = dict.fromkeys(canonical for canonical, _ in agent.tools.names) or dict.fromkeys(CANONICAL)
    shell = [*aims_of(spec), "true", *known_aims()]
    predicates = spec.rule.predicates
    paths = [
        plain_path(path)
        for key in ("write", "read", "delete", "file")
        for path in texts_of(predicates.get(key))
    ]
    for line in shell:
        yield ToolCall("Bash", {"command": line}, call_id)
    for name in names:
        for path in (*paths, "attest.txt"):
            yield ToolCall(name, _input_of(name, path), call_id)
    for name in _spelled(spec):
        yield ToolCall(name, {}, call_id)


def _spelled(spec: HookSpec) -> Iterator[str]:
    """Tools of MCP servers that a matcher may mean."""
    for word in (spec.matcher.text if spec.matcher else "").split("|"):
        if word.strip("^( ").startswith("mcp__"):
            yield word.strip("^$() ").replace(".*", "x").replace("*", "x").replace("\\", "")


def _input_of(name: str, path: str) -> dict[str, Any]:
    match name:
        case "Write":
            return {"file_path": path, "content": "attest"}
        case "Edit":
            return {"file_path": path, "old_string": "a", "new_string": "b"}
        case "WebFetch":
            return {"url": "https://attest.example/", "prompt": "attest"}
        case "Glob" | "Grep":
            return {"pattern": "attest", "path": path}
    return {"file_path": path}
