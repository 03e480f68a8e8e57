"""Breaks text at words where a terminal would break inside them; what stands in a code fence stays as it is."""

from __future__ import annotations

import re

from hookline.cli.render import cells

_PIECES = re.compile(r"\n|[^\S\n]+|\S+")
NARROWEST = 20


class Wrapping:
    """Text as it streams in. What `add` keeps back, a word that may go on, comes with the next piece or `end`."""

    def __init__(self, width: int) -> None:
        self._width = max(width, NARROWEST)
        self._column = 0
        self._line = ""
        self._held = ""
        self._fenced = False

    def add(self, text: str) -> str:
        """What can be shown by now."""
        pieces = _PIECES.findall(self._held + text)
        self._held = pieces.pop() if pieces and pieces[-1] != "\n" else ""
        return "".join(map(self._placed, pieces))

    def end(self) -> str:
        """What was kept back; the next text begins a line."""
        text = self._placed(self._held) if self._held.strip() else ""
        self._column, self._line, self._held, self._fenced = 0, "", "", False
        return text

    def _placed(self, piece: str) -> str:
        if piece == "\n":
            if self._line.lstrip().startswith("```"):
                self._fenced = not self._fenced
            self._column, self._line = 0, ""
            return piece
        self._line += piece
        size = cells(piece)
        is_over = self._column and self._column + size > self._width and not self._fenced
        if is_over and not piece.strip():
            self._column = self._width  # blanks at a line's end would begin the next one
            return ""
        self._column = size if is_over else self._column + size
        return "\n" + piece if is_over else piece


def wrapped(text: str, width: int) -> str:
    """The whole of a text, broken at words."""
    wrapping = Wrapping(width)
    return wrapping.add(text) + wrapping.end()
