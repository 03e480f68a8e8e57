"""A placeholder's place in a shell line, and the places where no value may go."""

from __future__ import annotations

from hookline.model.record import Record

BARE, DOUBLE, SINGLE = "bare", "double", "single"
BACKTICKS, HEREDOC, QUOTED_HEREDOC, HEREDOC_WORD = "backticks", "heredoc", "quoted heredoc", "heredoc word"
ANSI, COMMENT, PARAMETER, ARITHMETIC = "$'...'", "comment", "${...}", "arithmetic"
UNCERTAIN = "uncertain"


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
