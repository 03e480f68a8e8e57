"""Settings of editors by which an agent in them asks nobody: who writes those takes the person out of its way."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.model.record import replace
from hookline.shell.effects.acts import Deeds, Effect
from hookline.system.patterns.late import late

ASKS_NOBODY = "utoApprove"  # `chat.tools.global.autoApprove`
_SETTINGS = late(r"(?:^|/)(?:\.vscode|User)/settings\.json$|\.code-workspace$")


def is_of_editor(path: str) -> bool:
    """Whether it is a file with an editor's settings."""
    return bool(_SETTINGS.search(path))


def loosened(found: Sequence[Deeds]) -> list[Deeds]:
    """What a line does that speaks of such a setting, and writes a file of them."""
    return [
        replace(each, effects=(*each.effects, Effect("tamper")))
        if any(
            effect.name == "write" and effect.target is not None and is_of_editor(effect.target.literal or "")
            for effect in each.effects
        )
        else each
        for each in found
    ]
