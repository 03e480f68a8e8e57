"""What comes of a conversion: the hooks as they are written there, and each difference.

A loss `weakens` when something the source would have stopped might get through in the target. It `floods` when what
is written there says no to every call, which nobody can have meant.
"""

from __future__ import annotations

from hookline.model.hooks import HookSpec
from hookline.model.record import Record


class Loss(Record):
    """One difference. `what` is stable: event, handler, matcher, condition, failure, protocol, timeout, …"""

    hook: str
    source: str
    line: int
    event: str
    what: str
    message: str
    weakens: bool = False
    floods: bool = False


class Converted(Record):
    """The target's config as text, the hooks it holds, and what was lost on the way."""

    text: str
    specs: tuple[HookSpec, ...]
    losses: tuple[Loss, ...]

    @property
    def weakens(self) -> bool:
        return any(loss.weakens for loss in self.losses)

    @property
    def floods(self) -> bool:
        return any(loss.floods for loss in self.losses)
