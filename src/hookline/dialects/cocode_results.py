"""What a cocode hook can answer: continue, reject with a reason, or put another input in place."""

from __future__ import annotations

from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHAPES = '`"Continue"`, `{"Reject": {"reason": "…"}}` or `{"ModifyInput": {"new_input": …}}`'


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
