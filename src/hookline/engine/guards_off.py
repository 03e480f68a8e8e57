"""The guards of a workspace that are off, whatever event comes: not accepted, changed, broken, not to be read."""

from __future__ import annotations

from hookline.engine.failures import guards, never_fits
from hookline.engine.hookset import HookSet
from hookline.engine.merge import lost_with_the_file
from hookline.model.hooks import Unusable
from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Iterator

if TYPE_CHECKING:
    from hookline.engine.admission import Trust

_UNREVIEWED = {"untrusted": "is not trusted", "modified": "changed since it was trusted"}


class GuardOff(Record):
    """`name`: the hook, or the file; `why`: in words, without what to do."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


def guards_off(hooks: HookSet, trust: Trust) -> tuple[GuardOff, ...]:
    """In config order; what somebody switched off is not among them."""
    return (*_unread(hooks), *_hooks_off(hooks, trust))


def _hooks_off(hooks: HookSet, trust: Trust) -> Iterator[GuardOff]:
    for spec in hooks.specs:
        if not spec.enabled or spec.background or not guards(spec) or trust.disabled_by(spec):
            continue
        name = f"`{spec.name or spec.id}` ({spec.where}, {spec.native_event})"
        if isinstance(spec.action, Unusable):
            yield GuardOff(name, spec.action.why)
        elif why := never_fits(spec):
            yield GuardOff(name, why)
        elif state := _UNREVIEWED.get(trust.state(spec)):
            yield GuardOff(name, state)


def _unread(hooks: HookSet) -> Iterator[GuardOff]:
    for entry in hooks.loaded:
        for problem in lost_with_the_file(entry):
            yield GuardOff(f"`{problem.where}`", problem.said)
