"""Settings of editors that ask nobody: an agent's commands run without a question, or tasks as a folder is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hookline.model.record import replace
from hookline.shell.effects.acts import Deeds, Effect
from hookline.system.patterns.late import late

# What a setting is called, in which files it counts, and what it is to write it there.
_SETTINGS: tuple[tuple[str, re.Pattern[str], str], ...] = (
    # `chat.tools.global.autoApprove`
    ("utoApprove", late(r"(?:^|/)(?:\.vscode|User)/settings\.json$|\.code-workspace$"), "tamper"),
    # `"runOn": "folderOpen"`
    ("folderOpen", late(r"(?:^|/)(?:\.vscode|User)/tasks\.json$|\.code-workspace$"), "persist"),
)


def speaks_of_settings(text: str) -> bool:
    """Whether a text has the name of such a setting in it."""
    return any(name in text for name, _, _ in _SETTINGS)


def loosens(text: str, path: str) -> Iterator[Effect]:
    """What it is to write a text to a file."""
    for name, files, effect in _SETTINGS:
        if name in text and files.search(path):
            yield Effect(effect)


def loosened(found: Sequence[Deeds], line: str) -> list[Deeds]:
    """What a line does that speaks of such a setting, and writes a file of them."""
    return [replace(each, effects=(*each.effects, *_more(each, line))) for each in found]


def _more(deeds: Deeds, line: str) -> Iterator[Effect]:
    for effect in deeds.effects:
        if effect.name == "write" and effect.target is not None:
            yield from loosens(line, effect.target.literal or "")
