"""A placeholder's place in a shell line, the places where no value may go, and what is open at one of them."""

from __future__ import annotations

from hookline.handlers.shell.interpreters import BEFORE_COMMAND
from hookline.model.record import Record

BARE, DOUBLE, SINGLE = "bare", "double", "single"
BACKTICKS, HEREDOC, QUOTED_HEREDOC, HEREDOC_WORD = "backticks", "heredoc", "quoted heredoc", "heredoc word"
ANSI, COMMENT, PARAMETER, ARITHMETIC = "$'...'", "comment", "${...}", "arithmetic"
UNCERTAIN = "uncertain"
COMMAND, QUOTED = "command", "quoted"
_LONG_WORD = 200  # enough to know any command, option or assignment by


class Site(Record):
    """One placeholder: text[start:end] stands for `name` in `place`, written with `quote` around it.

    `place` equals `quote` where a value may go; otherwise it is the reason why none may. `glued`: part
    of an assignment or a redirection, so a list must stay one word. `backslash`: stands right after a
    backslash that is plain text inside double quotes.
    """

    start: int
    end: int
    name: str
    place: str
    quote: str
    glued: bool = False
    backslash: bool = False

    @property
    def safe(self) -> bool:
        return self.place == self.quote


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
