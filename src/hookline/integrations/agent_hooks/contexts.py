"""The eight interception points of AGENT-HOOKS-0.1 as rows, and the contexts made and checked by them (section 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any, NamedTuple

from hookline.model.errors import HooklineError

SPEC = "agent-hooks/0.1"
Context = dict[str, Any]
Shape = Mapping[str, Any]
_ANY: tuple[type, ...] = (object,)
_TEXT: tuple[type, ...] = (str,)
_LIST: tuple[type, ...] = (list,)
_OBJECT: tuple[type, ...] = (dict,)
_FRAMEWORK = re.compile(r"[a-z0-9_-]+")
_SPEC = re.compile(r"agent-hooks/\d+\.\d+")


class ContextInvalid(HooklineError):
    """No context of the standard; the emission is denied before any interceptor runs."""


class Point(NamedTuple):
    """`fields`: what the context must have, with the types; `target`: where the value judged stands."""

    fields: Shape
    target: tuple[str, ...]
    transform: bool = True


_MODEL = {"id": _TEXT}
_CALL = {"id": _TEXT, "name": _TEXT, "args": _OBJECT}
CORE: Shape = {
    "spec": _TEXT, "interception_point": _TEXT, "timestamp": _TEXT, "sequence": (int,),
    "agent": {"id": _TEXT, "framework": _TEXT}, "session": {"id": _TEXT}, "target": _ANY,
}  # fmt: skip
POINTS: Mapping[str, Point] = {
    "agent_startup": Point({"agent_init": {"tools_registered": _LIST}}, ("agent_init",), transform=False),
    "input": Point({"input": {"content": _ANY, "role": _TEXT}}, ("input",)),
    "pre_model_call": Point({"model": _MODEL, "messages": _LIST}, ("messages",)),
    "post_model_call": Point(
        {"model": _MODEL, "response": {"content": _ANY, "tool_calls": _LIST, "finish_reason": _TEXT}},
        ("response",),
    ),
    "pre_tool_call": Point({"tool_call": _CALL}, ("tool_call", "args")),
    "post_tool_call": Point(
        {"tool_call": _CALL, "tool_result": {"value": _ANY, "is_error": (bool,)}}, ("tool_result", "value")
    ),
    "output": Point({"output": {"content": _ANY}}, ("output",)),
    "agent_shutdown": Point({"summary": {"reason": _TEXT}}, ("summary",), transform=False),
}
_NOT_EMPTY = (("agent", "id"), ("session", "id"), ("tool_call", "id"), ("tool_call", "name"))
_CHOICES: Mapping[tuple[str, str], frozenset[str]] = {
    ("input", "role"): frozenset({"user", "system", "external"}),
    ("summary", "reason"): frozenset({"completed", "error", "cancelled"}),
}


class Session:
    """Who is judged: makes the contexts of one session, numbered from 0 without a gap."""

    def __init__(
        self, session_id: str, agent_id: str = "hookline", framework: str = "hookline", **extra: Any
    ) -> None:
        self.session_id = session_id
        self._common: Context = {
            "agent": {"id": agent_id, "framework": framework}, "session": {"id": session_id}, **extra
        }  # fmt: skip
        self._next = 0

    def context(self, point: str, fields: Mapping[str, Any]) -> Context:
        """The next context; `fields` are those of its point's row, and optional ones of the standard.

        What cannot be copied leaves a context that `check` refuses, so that the refusal has its record.
        """
        number, self._next = self._next, self._next + 1
        at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        made = {
            "spec": SPEC, "interception_point": point, "timestamp": at, "sequence": number, **self._common
        }  # fmt: skip
        try:
            return deepcopy({**made, **fields, "target": value_at(fields, POINTS[point].target)})
        except Exception:
            return made


def check(context: Context) -> None:
    """Raises ContextInvalid unless all that the point requires is there, of its type; values are not judged here."""
    point = POINTS.get(str(context.get("interception_point")))
    if point is None:
        raise ContextInvalid("interception_point: none of the eight")
    for field, wanted in (*CORE.items(), *point.fields.items()):
        _check(field, context, wanted)
    if not _SPEC.fullmatch(context["spec"]) or not _FRAMEWORK.fullmatch(context["agent"]["framework"]):
        raise ContextInvalid("spec or agent.framework: not spelled as the standard wants it")
    if context["sequence"] < 0:
        raise ContextInvalid("sequence: below 0")
    for outer, inner in _NOT_EMPTY:
        if outer in ("agent", "session", *point.fields) and not context[outer][inner]:
            raise ContextInvalid(f"{outer}.{inner}: empty")
    for (outer, inner), allowed in _CHOICES.items():
        if outer in point.fields and context[outer][inner] not in allowed:
            raise ContextInvalid(f"{outer}.{inner}: none of {', '.join(sorted(allowed))}")


def closed(context: Context) -> Context:
    """The required fields alone, which is what an identity is made of (section 10.2)."""
    shape = {**CORE, **POINTS[context["interception_point"]].fields}
    return {
        field: {inner: context[field][inner] for inner in wanted} if isinstance(wanted, Mapping) else context[field]
        for field, wanted in shape.items()
    }  # fmt: skip


def with_target(context: Context, value: Any) -> Context:
    """The context with another target, also where the target comes from (section 4.3)."""
    changed = deepcopy({**context, "target": value})
    *way, last = POINTS[context["interception_point"]].target
    place = changed
    for step in way:
        place = place[step]
    place[last] = deepcopy(value)
    return changed


def value_at(fields: Mapping[str, Any], way: tuple[str, ...]) -> Any:
    """What stands at the end of that way. Raises KeyError."""
    value: Any = fields
    for step in way:
        value = value[step]
    return value


def _check(field: str, holder: Mapping[str, Any], wanted: Any, path: str = "") -> None:
    if field not in holder:
        raise ContextInvalid(f"{path}{field}: missing")
    value = holder[field]
    if isinstance(wanted, Mapping):
        if not isinstance(value, dict):
            raise ContextInvalid(f"{path}{field}: expected an object")
        for inner, types in wanted.items():
            _check(inner, value, types, f"{path}{field}.")
    elif not isinstance(value, wanted) or (wanted == (int,) and isinstance(value, bool)):
        raise ContextInvalid(f"{path}{field}: of the wrong type")
