"""What commands read that nobody else should see, and whether they talk to others."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.model.record import replace
from hookline.shell.effects.acts import Deeds
from hookline.shell.effects.places import is_secret
from hookline.shell.programs.one_word import is_variables
from hookline.shell.reading import below

LOADERS = frozenset((("export",), ("declare",), ("env",)))


def loaded(found: Sequence[Deeds]) -> list[Deeds]:
    """With a file read for its variables alone where `export $(grep -v '^#' .env | xargs)` sets these."""
    words = [word for each in found if each.given.path in LOADERS for word in each.command.words[1:]]
    spans = [(word.start, word.end) for word in words if is_variables(word)]
    return [_as_loads(each) if any(a < each.command.start < b for a, b in spans) else each for each in found]


def _as_loads(deeds: Deeds) -> Deeds:
    effects = tuple(replace(each, name="loads") if each.name == "read" else each for each in deeds.effects)
    return replace(deeds, effects=effects, marks=deeds.marks | {"loads"})


def reads_secret(deeds: Deeds) -> bool:
    """Whether a command reads what nobody else should see: a file with secrets, or all variables."""
    if "shows" in deeds.marks or ("dumps" in deeds.marks and not deeds.given.operands):
        return True
    return any(
        effect.name == "read" and effect.target is not None and is_secret(below(effect.cwd, effect.target))
        for effect in deeds.effects
    )


def connects(deeds: Deeds) -> bool:
    """Whether a command talks to another host."""
    return any(effect.name == "connect" for effect in deeds.effects)
