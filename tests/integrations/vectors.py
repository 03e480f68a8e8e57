"""Runs vectors of AGENT-HOOKS-0.1 on our tool loop, the way in production: only the model and the tools are played."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
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


def run(vector: Mapping[str, Any]) -> list[str]:
    """What of a vector's expectations was not met; empty when it passes."""
    expect, played = vector["expect"], asyncio.run(play(vector))
    return [
        *_points(expect, played.heard),
        *_outcome(expect, played.outcome, played.final, played.invoked),
        *_identities(expect, played.records),
        *_records(expect, played.records),
    ]


async def play(vector: Mapping[str, Any]) -> Played:
    """One session of our tool loop with a vector's model, tools and interceptors."""
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
    model = Player(scenario.get("model_script", ()))
    engine = Engine(services=Services(environment={}))
    loop = MediatedLoop(engine, model, host, workspace="/", toolbox=tools, depth=9)
    await loop.start()
    result = await loop.submit(scenario["input"]["content"])
    await loop.end()
    heard = interceptors[0].heard if interceptors else []
    outcome = "blocked" if result.status == "blocked" else "completed" if result.ok else "error"
    return Played(heard, host.records, outcome, result.text if result.ok else None, invoked)


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
