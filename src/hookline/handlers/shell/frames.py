"""What is open at one point of a shell line: a command, a quote, `${…}` or `$((…))`."""

from __future__ import annotations

from hookline.handlers.shell.interpreters import BEFORE_COMMAND

COMMAND, QUOTED = "command", "quoted"
_LONG_WORD = 200  # enough to know any command, option or assignment by


class Frame:
    """One open construct of the shell line, with what is known of its current command."""

    __slots__ = ("depth", "heredocs", "kind", "nest", "numeric", "redirect", "word", "words")

    def __init__(self, kind: str, depth: int = 0) -> None:
        self.kind = kind
        self.depth = depth
        self.nest: list[str] = []
        self.words: list[str] = []
        self.word: str | None = None
        self.redirect = False
        self.numeric = False
        self.heredocs: list[tuple[str, bool, bool]] = []

    def add(self, text: str) -> None:
        if len(self.word or "") < _LONG_WORD:
            self.word = (self.word or "") + text[:_LONG_WORD]

    def at_command(self) -> bool:
        return all(word in BEFORE_COMMAND for word in self.words)


class Lost(Exception):
    """The shells disagree about the rest of this line, or it is not valid."""

    def __init__(self, position: int) -> None:
        self.position = position
