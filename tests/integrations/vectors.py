"""Runs vectors of AGENT-HOOKS-0.1 on our tool loop as it is used, and on another agent; models and tools are played."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NamedTuple

from hookline import Engine, Services, Tool, Toolbox, ToolContext, ToolOutput
from hookline.agents.base import ModelReply, ModelRequest, OnDelta, ToolSchema, ToolUse
from hookline.integrations.agent_hooks import Composition, Host, Identity, MediatedLoop
from hookline.integrations.agent_hooks.contexts import check
from hookline.integrations.agent_hooks.identity import JCS, context_identity
from hookline.integrations.agent_hooks.verdicts import HostError, applied

CAPABILITIES = frozenset({"model_calls", "tool_calls", "int64_json", "bigint_json"})
POSTURE = "continue"  # after a host's own deny at a tool, the model hears of it and the turn goes on
_MISSING = object()


class Player:
    """The played model: one answer of the script for each request."""

    name = "played"

    def __init__(self, script: Sequence[Mapping[str, Any]]) -> None:
        self._answers = iter([each["respond"] for each in script])

    async def request(self, request: ModelRequest, on_delta: OnDelta | None = None) -> ModelReply:
        answer = next(self._answers)
        calls = tuple(ToolUse(each["id"], each["name"], each["args"]) for each in answer["tool_calls"])
        return ModelReply(answer["content"] or "", calls, "tool_use" if calls else "end_turn")


class Scripted:
    """An interceptor (or resolver) that answers by the first rule that fits."""

    def __init__(self, rules: Sequence[Mapping[str, Any]]) -> None:
        self.rules = rules
        self.heard: list[dict[str, Any]] = []

    def intercept(self, context: dict[str, Any]) -> Any:
        self.heard.append(deepcopy(context))
        for rule in self.rules:
            if rule["at"] == context["interception_point"] and fits(context, rule.get("match", {})):
                return self._fault(rule["fault"], context) if "fault" in rule else rule["return"]
        return {"decision": "allow"}

    def _fault(self, fault: str, context: dict[str, Any]) -> Any:
        if fault == "raise":
            raise RuntimeError("scripted")
        if fault == "malformed_verdict":
            return {"decision": "transform"}
        context["target"] = "TAMPERED"
        context["tool_call"]["args"] = {"tampered": True}
        return {"decision": "allow", "reason": "ctk:mutated"}

    def resolve(self, request: dict[str, Any]) -> Any:
        rule = next(each for each in self.rules if fits(request["context"], each.get("match", {})))
        answer = dict(rule["resolve"])
        if answer.get("fault") == "raise":
            raise RuntimeError("scripted")
        echo = answer.pop("identity_override", request["context_identity"])
        if answer.pop("echo_recomputed", False):
            echo = context_identity(request["context"])
        return {**answer, "context_identity": echo}


class Played(NamedTuple):
    """A run: the contexts that the first interceptor heard, the records, and how it came out."""

    heard: list[dict[str, Any]]
    records: list[dict[str, Any]]
    outcome: str
    final: str | None
    invoked: list[dict[str, Any]]


Agent = Callable[[Host, Mapping[str, Any], Toolbox], Awaitable[tuple[str, str | None]]]


def run(vector: Mapping[str, Any], agent: Agent) -> list[str]:
    """What of a vector's expectations was not met; empty when it passes."""
    expect, played = vector["expect"], asyncio.run(play(vector, agent))
    return [
        *_points(expect, played.heard),
        *_outcome(expect, played.outcome, played.final, played.invoked),
        *_identities(expect, played.records),
        *_records(expect, played.records),
    ]


async def play(vector: Mapping[str, Any], agent: Agent) -> Played:
    """One session of an agent with a vector's model, tools and interceptors."""
    scenario = vector["scenario"]
    scripts = vector.get("interceptor_scripts", [vector.get("interceptor_script")])
    interceptors = [Scripted(rules) for rules in scripts]
    approvals = vector.get("approval_script")
    host = Host(
        interceptors,
        composition=Composition(**vector.get("composition", {})),
        mode=vector.get("mode", "enforce"),
        resolver=Scripted(approvals) if approvals else None,
        redact=redactor(vector.get("redact_for_approval", ())),
        identity=provider(vector.get("identity_provider", JCS)),
    )
    invoked: list[dict[str, Any]] = []
    tools = Toolbox(played_tool(each, invoked) for each in scenario.get("tools", ()))
    outcome, final = await agent(host, scenario, tools)
    heard = interceptors[0].heard if interceptors else []
    return Played(heard, host.records, outcome, final, invoked)


async def tool_loop(host: Host, scenario: Mapping[str, Any], tools: Toolbox) -> tuple[str, str | None]:
    """Our own agent; how its run came out, and its answer."""
    engine, model = Engine(services=Services(environment={})), Player(scenario.get("model_script", ()))
    loop = MediatedLoop(engine, model, host, workspace="/", toolbox=tools, depth=9)
    await loop.start()
    result = await loop.submit(scenario["input"]["content"])
    await loop.end()
    outcome = "blocked" if result.status == "blocked" else "completed" if result.ok else "error"
    return outcome, result.text if result.ok else None


class Refused(Exception):
    """What the agent below wanted to do was denied."""


async def any_agent(host: Host, scenario: Mapping[str, Any], tools: Toolbox) -> tuple[str, str | None]:
    """An agent of somebody else's, as small as can be, that emits each of its moments to the host."""

    async def permitted(point: str, **fields: Any) -> dict[str, Any]:
        emission = await host.emit(point, **fields)
        if not emission.proceeds:
            raise Refused(emission.why)
        return emission.context

    async def called(call: dict[str, Any]) -> Any:
        try:
            call = (await permitted("pre_tool_call", tool_call=call))["tool_call"]
            output = await tools.call(
                call["name"], call["args"], ToolContext("/", "/", tool_use_id=call["id"])
            )
            result = {"value": output.shown, "is_error": output.is_error}
            return (await permitted("post_tool_call", tool_call=call, tool_result=result))["tool_result"][
                "value"
            ]
        except Refused as refusal:
            return f"blocked: {refusal}"

    async def answer() -> str:
        await permitted("agent_startup", agent_init={"tools_registered": sorted(tools.names)})
        messages = [(await permitted("input", input=scenario["input"]))["input"]]
        for step in scenario.get("model_script", ()):
            asked = await permitted("pre_model_call", model={"id": "m"}, messages=messages)
            heard = await permitted("post_model_call", model={"id": "m"}, response=step["respond"])
            if not heard["response"]["tool_calls"]:
                said = {"content": heard["response"]["content"]}
                return str((await permitted("output", output=said))["output"]["content"])
            results = [
                {"role": "tool", "content": await called(each)} for each in heard["response"]["tool_calls"]
            ]
            messages = [*asked["messages"], *results]
        raise AssertionError("the script is too short")

    try:
        outcome, final = "completed", await answer()
    except Refused:
        outcome, final = "blocked", None
    await host.emit("agent_shutdown", summary={"reason": "completed" if final is not None else "error"})
    return outcome, final


def _points(expect: Mapping[str, Any], heard: list[dict[str, Any]]) -> list[str]:
    wrong: list[str] = []
    names = [each["interception_point"] for each in heard]
    for context in heard:
        check(context)
    numbers = [each["sequence"] for each in heard]
    if numbers != sorted(set(numbers)):
        wrong.append(f"sequence {numbers}")
    wanted = [each["interception_point"] for each in expect["interceptions"]]
    if expect.get("sequence_strict", True) and names != wanted:
        wrong.append(f"points {names}, expected {wanted}")
    wrong += [f"{point} was emitted" for point in expect.get("interceptions_absent", ()) if point in names]
    rest = iter(heard)
    for each in expect["interceptions"]:
        if not any(_is_meant(each, context) for context in rest):
            wrong.append(f"no {each} in what was heard")
    return wrong


def _is_meant(expected: Mapping[str, Any], context: dict[str, Any]) -> bool:
    text = json.dumps(context, ensure_ascii=False)
    return (
        context["interception_point"] == expected["interception_point"]
        and fits(context, expected.get("context", {}))
        and all(each in text for each in expected.get("context_must_contain", ()))
        and not any(each in text for each in expected.get("context_must_not_contain", ()))
    )


def _outcome(expect: Mapping[str, Any], outcome: str, final: Any, invoked: list[dict[str, Any]]) -> list[str]:
    by_posture = expect.get("run_outcome_by_posture")
    wanted = by_posture["outcomes"][POSTURE] if by_posture else expect["run_outcome"]
    wrong = [] if outcome == wanted else [f"the run {outcome}, expected {wanted}"]
    if "final_output" in expect and final != expect["final_output"]:
        wrong.append(f"output {final!r}")
    if "tool_invocations" in expect and invoked != expect["tool_invocations"]:
        wrong.append(f"invoked {invoked}")
    names = {each["name"] for each in invoked}
    return wrong + [f"{name} was invoked" for name in expect.get("tool_not_invoked", ()) if name in names]


def _identities(expect: Mapping[str, Any], records: list[dict[str, Any]]) -> list[str]:
    if "identities_equal" not in expect:
        return []
    equal = all(each["input_identity"] == each["enforced_identity"] for each in records)
    return [] if equal == expect["identities_equal"] else [f"identities equal: {equal}"]


def _records(expect: Mapping[str, Any], records: list[dict[str, Any]]) -> list[str]:
    rest = iter(records)
    missed = [each for each in expect.get("records", ()) if not any(_recorded(each, found) for found in rest)]
    return [f"no record {each} in {records}" for each in missed]


def _recorded(expected: Mapping[str, Any], record: dict[str, Any]) -> bool:
    return (
        record["interception_point"] == expected["interception_point"]
        and fits(record, expected.get("assert", {}))
        and all(lookup(record, path) is not _MISSING for path in expected.get("present", ()))
        and all(lookup(record, path) is _MISSING for path in expected.get("absent", ()))
    )


def fits(holder: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether each dotted path leads to its value; None is also what is not there."""
    return all(
        (found := lookup(holder, path)) == value or (value is None and found is _MISSING)
        for path, value in wanted.items()
    )


def lookup(value: Any, path: str) -> Any:
    for step in re.findall(r"[^.\[\]]+", path):
        try:
            value = value[int(step) if isinstance(value, list) else step]
        except (LookupError, TypeError, ValueError):
            return _MISSING
    return value


def played_tool(wanted: Mapping[str, Any], invoked: list[dict[str, Any]]) -> Tool:
    """A tool that answers by the first clause its input fits."""

    async def answer(given: Mapping[str, Any], context: ToolContext) -> ToolOutput:
        invoked.append({"name": wanted["name"], "args": dict(given)})
        clause = next(each for each in wanted["behavior"] if each.get("when_args", given) == given)
        value = clause["return"]
        text = value if isinstance(value, str) else json.dumps(value)
        return ToolOutput(text, clause.get("is_error", False), None if isinstance(value, str) else value)

    return Tool(ToolSchema(wanted["name"], "", {"type": "object"}), answer)


def provider(name: str | None) -> Identity:
    def fails(context: dict[str, Any]) -> str:
        raise RuntimeError("scripted")

    return Identity(name, fails) if name == "ctk-fault" else Identity(name)


def redactor(paths: Sequence[str]) -> Any:
    def redact(context: dict[str, Any]) -> dict[str, Any]:
        for path in paths:
            try:
                context = applied(context, {"transform": {"path": path, "value": "[redacted]"}})
            except HostError:
                continue
        return context

    return redact if paths else None
