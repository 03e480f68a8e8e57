"""All hooks of a config, from one dialect to another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hookline.dialects import OWN, dialect
from hookline.dialects.converting.details import Loss
from hookline.dialects.converting.one_hook import OneHook
from hookline.dialects.converting.rules import lost_settings, side_by_side
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.typing import Any

NO_SETTINGS: Mapping[str, Any] = {}


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


def convert(
    specs: Iterable[HookSpec], source: str, target: str, settings: Mapping[str, Any] = NO_SETTINGS
) -> Converted:
    """All hooks of one dialect in another one, in their order. `settings` is what their files say beside."""
    losses: list[Loss] = []
    done: list[HookSpec] = []
    earlier: list[HookSpec] = []
    for spec in specs:
        one = OneHook(spec, source, target, losses)
        made = one.converted()
        one.tell_details(made, earlier)
        done += made
        earlier.append(spec)
    for what, message in lost_settings(settings, source):
        losses.append(Loss("", "", 0, "", what, message))
    if target == OWN and source != target and settings.get("parallel") is not False:
        done = side_by_side(done, source)
    return Converted(dialect(target).profile.write(done), tuple(done), tuple(losses))
