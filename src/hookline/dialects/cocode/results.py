"""What a cocode callback is given, and what a hook can answer: continue, reject, or another input."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.model.record import Record
from hookline.model.typing import Any

SHAPES = '`"Continue"`, `{"Reject": {"reason": "…"}}` or `{"ModifyInput": {"new_input": …}}`'


class HookContext(Record):
    """What an inline callback is given; fields that the event has not are None.

    `extra` holds what only some events carry (`message`, `trigger`, …).
    """

    event: str
    tool_name: str | None = None
    tool_input: Any = None
    tool_output: Mapping[str, Any] | None = None
    error: str | None = None
    user_prompt: str | None = None
    session_id: str = ""
    agent_id: str | None = None
    cwd: str = ""
    env: Mapping[str, str] = {}
    extra: Mapping[str, Any] = {}

    @classmethod
    def of(cls, context: Mapping[str, Any]) -> HookContext:
        """From the JSON form of a context."""
        known = {field: context[field] for field in cls._fields if field in context and field != "extra"}
        extra = {field: value for field, value in context.items() if field not in cls._fields}
        return cls(**known, extra=extra)


class HookResult(Record):
    """One of `Continue`, `Reject` and `ModifyInput`."""

    @property
    def is_reject(self) -> bool:
        return isinstance(self, Reject)

    @property
    def is_modify(self) -> bool:
        return isinstance(self, ModifyInput)


class Continue(HookResult):
    """No objection."""


class Reject(HookResult):
    """The operation must not happen; `reason` is told to whoever asked for it."""

    reason: str


class ModifyInput(HookResult):
    """The operation goes on with `new_input` in place of the whole input."""

    new_input: Any


def read_result(text: str) -> HookResult | str:
    """The result that a hook printed as JSON, or what is wrong with it.

    Variants are tagged by their exact name from outside; blanks around and further keys inside are fine.
    """
    import json

    if not text.strip():
        return f"nothing was printed, expected {SHAPES}"
    try:
        found = json.loads(text.strip().removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return f"the output is not JSON, expected {SHAPES}"
    return result_from(found)


def result_from(value: object) -> HookResult | str:
    """The result that a JSON value stands for, or what is wrong with it."""
    if value == "Continue":
        return Continue()
    if not isinstance(value, dict) or len(value) != 1:
        return f"the result is none of {SHAPES}"
    ((variant, fields),) = value.items()
    if variant == "Reject" and isinstance(fields, dict):
        reason = fields.get("reason")
        return Reject(reason) if isinstance(reason, str) else "`Reject` needs a text `reason`"
    if variant == "ModifyInput" and isinstance(fields, dict):
        return (
            ModifyInput(fields["new_input"]) if "new_input" in fields else "`ModifyInput` needs a `new_input`"
        )
    return f"the result is none of {SHAPES}"
