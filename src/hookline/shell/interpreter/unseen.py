"""Files that a plain line wrote, of which nobody knows what they hold: who asks for that needs the reader."""

from __future__ import annotations

from hookline.model.typing import Any
from hookline.shell.interpreter.walk import Beyond
from hookline.shell.programs.arguments import arguments_of
from hookline.shell.programs.table import programs
from hookline.shell.reading import WRITERS, Command, Parts

_UNKNOWN: list[Parts] = [(), ()]  # what each of them holds, which is one of several


class Unseen(dict[str, list[Parts]]):
    """By their names; raises Beyond for whoever asks what one holds."""

    def get(self, name: object, default: Any = None) -> Any:
        if name in self:
            raise Beyond
        return default


def noted(files: dict[str, list[Parts]], name: str) -> dict[str, list[Parts]]:
    """The same with one more."""
    found = files if isinstance(files, Unseen) else Unseen()
    found[name] = _UNKNOWN
    return found


def puts(command: Command) -> bool:
    """Whether it is one that puts files into a place, which nobody has noted."""
    row = arguments_of(command.words, programs()).row if command.words else None
    known = row is None or command.words[0].literal in WRITERS
    return not known and row is not None and any("into" in deed.targets for deed in row.deeds)
