"""Verdicts of AGENT-HOOKS-0.1: checked (section 5), applied to a target (5.2), put into a record (10.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

from hookline.integrations.agent_hooks.contexts import POINTS, Context, ContextInvalid, with_target
from hookline.integrations.agent_hooks.identity import canonical_json
from hookline.model.errors import HooklineError

Verdict = dict[str, Any]
ALLOW: Verdict = {"decision": "allow"}
EVIDENCE_BYTES = 10_240
MESSAGE_BYTES = 256
HOST = "host_error:"
_MEMBERS = frozenset(
    ("decision", "reason", "message", "warnings", "approval", "transform", "evidence", "result_labels")
)
_ROOT = re.compile(r"\$(?:target|policy_target)(?![\w-])")
_SEGMENT = re.compile(r'\.([A-Za-z0-9_-]+)|\[(\d+)\]|\["([A-Za-z0-9_-]+)"\]')


class HostError(HooklineError):
    """Why the host denies by itself; `code` is one of the reserved reasons, without `host_error:`."""

    def __init__(self, code: str, message: str = "") -> None:
        super().__init__(message or code)
        self.code = code

    @property
    def verdict(self) -> Verdict:
        return {"decision": "deny", "reason": HOST + self.code, "message": self.message}


def severity(verdict: Verdict) -> int:
    """deny > liftable deny > transform > allow."""
    if verdict["decision"] == "deny":
        return 2 if "approval" in verdict else 3
    return int(verdict["decision"] == "transform")


def permits(verdict: Verdict) -> bool:
    return bool(verdict["decision"] != "deny")


def checked(given: Any) -> Verdict:
    """A verdict as an interceptor gave it, without its empty members. Raises HostError."""
    wire = given.to_wire() if hasattr(given, "to_wire") else given
    try:
        canonical_json(wire, any_integer=True)
    except ContextInvalid as error:
        raise HostError("interceptor_failed", "the answer is no JSON") from error
    if not isinstance(wire, dict):
        raise HostError("verdict_invalid", "the answer is no object")
    verdict = deepcopy({key: value for key, value in wire.items() if value is not None})
    for problem in _problems(verdict):
        raise HostError("verdict_invalid", problem)
    return verdict


def applied(context: Context, verdict: Verdict) -> Context:
    """The context with the target a transform gave it. Raises HostError where it cannot be done."""
    transform = verdict["transform"]
    if not POINTS[context["interception_point"]].transform:
        raise HostError("transform_target_forbidden", "nothing can be rewritten at this point")
    root = _ROOT.match(transform["path"])
    if root is None:
        raise HostError("transform_target_forbidden", "the path does not begin at $target")
    steps = _steps(transform["path"][root.end() :])
    value = deepcopy(transform.get("value"))
    if not steps:
        return with_target(context, value)
    target = deepcopy(context["target"])
    holder = target
    for step in steps[:-1]:
        holder = _step(holder, step)
    _step(holder, steps[-1])
    holder[steps[-1]] = value
    return with_target(context, target)


def united(winner: Verdict, verdicts: Iterable[Verdict]) -> Verdict:
    """The winner with the warnings of all verdicts, and, if it permits, the labels of all that do (section 7.3)."""
    every = [*verdicts]
    warnings = _first_seen(warning for each in every for warning in each.get("warnings", ()))
    labels = _first_seen(label for each in every if permits(each) for label in each.get("result_labels", ()))
    kept = {key: value for key, value in winner.items() if key not in ("warnings", "result_labels")}
    with_warnings = {**kept, "warnings": warnings} if warnings else kept
    return {**with_warnings, "result_labels": labels} if labels and permits(winner) else with_warnings


def for_record(verdict: Verdict) -> Verdict:
    """The verdict without anything of the target: no values, short messages, an approval's presence only."""
    kept = dict(verdict)
    if "message" in kept:
        kept["message"] = _short(kept["message"])
    if "warnings" in kept:
        kept["warnings"] = [
            {
                key: _short(text) if key == "message" else text
                for key, text in each.items()
                if text is not None
            }
            for each in kept["warnings"]
        ]
    if "approval" in kept:
        kept["approval"] = {}
    if "transform" in kept:
        kept["transform"] = {"path": kept["transform"]["path"]}
    return kept


def _problems(verdict: Verdict) -> Iterable[str]:
    decision = verdict.get("decision")
    if decision not in ("allow", "deny", "transform"):
        yield "no decision"
    if unknown := verdict.keys() - _MEMBERS:
        yield f"unknown members: {len(unknown)}"
    if not _is_reason(verdict.get("reason")) or not _is_text(verdict.get("message")):
        yield "reason or message"
    if not _are_warnings(verdict.get("warnings", [])):
        yield "warnings"
    if "approval" in verdict and (decision != "deny" or not isinstance(verdict["approval"], dict)):
        yield "approval"
    if ("transform" in verdict) != (decision == "transform") or not _is_transform(verdict.get("transform")):
        yield "transform"
    if not _is_evidence(verdict.get("evidence", {})):
        yield "evidence"
    labels = verdict.get("result_labels", [])
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        yield "result_labels"


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_reason(value: Any) -> bool:
    return _is_text(value) and not (value or "").startswith(HOST)


def _are_warnings(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(each, dict) and each.keys() <= {"reason", "message"}
        and _is_reason(each.get("reason")) and _is_text(each.get("message"))
        for each in value
    )  # fmt: skip


def _is_transform(value: Any) -> bool:
    return value is None or (
        isinstance(value, dict) and value.keys() <= {"path", "value"} and isinstance(value.get("path"), str)
    )


def _is_evidence(value: Any) -> bool:
    if not isinstance(value, dict) or not value.keys() <= {"artefact", "verification_pointers"}:
        return False
    pointers = value.get("verification_pointers", {})
    known = _is_text(value.get("artefact")) and isinstance(pointers, dict)
    try:
        return (
            known
            and all(isinstance(each, str) for each in pointers.values())
            and len(canonical_json(value).encode()) <= EVIDENCE_BYTES
        )
    except ContextInvalid:
        return False


def _steps(text: str) -> list[str | int]:
    steps: list[str | int] = []
    place = 0
    while place < len(text):
        found = _SEGMENT.match(text, place)
        if found is None:
            raise HostError("transform_invalid", "the path cannot be read")
        steps.append(int(found[2]) if found[2] else found[1] or found[3])
        place = found.end()
    return steps


def _step(holder: Any, step: str | int) -> Any:
    fits = isinstance(holder, list) if isinstance(step, int) else isinstance(holder, dict)
    try:
        return holder[step] if fits else _missing()
    except (LookupError, TypeError):
        return _missing()


def _missing() -> Any:
    raise HostError("transform_invalid", "the path leads nowhere")


def _first_seen(items: Iterable[Any]) -> list[Any]:
    seen: list[Any] = []
    for item in items:
        if item not in seen:
            seen.append(item)
    return seen


def _short(text: str) -> str:
    if len(text.encode()) <= MESSAGE_BYTES:
        return text
    return text.encode()[: MESSAGE_BYTES - 3].decode("utf-8", "ignore") + "…"


def summary(index: int, name: str, verdict: Mapping[str, Any]) -> dict[str, Any]:
    """One interceptor's line in a record."""
    reason = {"reason": verdict["reason"]} if verdict.get("reason") else {}
    return {"index": index, "decision": verdict["decision"], **reason, "name": name}
