"""Bash's grammar by recursive descent: a line becomes the tree of `syntax`.

It takes in what bash takes in and a little more, for what bash refuses does not run. Where it loses its
way it raises Unclear, and `parse` keeps what was whole before.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.shell.grammar.branches import WAYS, Subshell, subshell
from hookline.shell.grammar.commands import Commands
from hookline.shell.grammar.compounds import function, function_name, function_word, loop, test
from hookline.shell.grammar.pieces import Piece
from hookline.shell.grammar.position import OF_BASH, Unclear
from hookline.shell.grammar.syntax import Calculation, Node
from hookline.shell.grammar.tree import Pipeline, Sequence, Simple
from hookline.shell.plain import is_plain

_NEVER_FIRST = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})


def parse(
    text: str, low: int = 0, high: int = 0, scale: int = 1, parts: list[int] | None = None
) -> tuple[Sequence, Unclear | None]:
    """The commands of `text`, and where and why it could not be read to its end.

    Its letters stand in the line from column `low` on; with `scale` 0 all of it stands at `low` to `high`.
    `parts` counts how much of one line was read already.
    """
    parser = Parser(text, low, high, scale, 0, parts)
    items: list[tuple[Node, bool]] = []
    try:
        if is_plain(text):
            items.append((parser.plain(text), False))
        else:
            parser.sequence(items, frozenset(), "")
        if parser.at < len(text):
            raise Unclear(parser.at, f"`{text[parser.at]}` stands where a command should")
        parser.bodies()
    except Unclear as unclear:
        return Sequence(tuple(items)), unclear
    except RecursionError:
        return Sequence(tuple(items)), Unclear(parser.at, "it is nested too deep")
    return Sequence(tuple(items)), None


class Parser(Commands):
    # Lists

    def apart(self, text: str, low: int, high: int, scale: int) -> Sequence:
        inner = Parser(text, low, high, scale, self.depth, self.parts)
        inner.deeper()
        body = inner.block(frozenset(), "")
        if inner.at < len(text):
            raise Unclear(self.at, "the backticks hold no whole commands")
        inner.bodies()
        return body

    def document(self, text: str, low: int, high: int, scale: int) -> tuple[Piece, ...]:
        return Parser(text, low, high, scale, self.depth, self.parts).document_pieces()

    # Commands

    def command(self) -> Node:
        text = self.text
        letter = text[self.at : self.at + 1]
        if letter == "(":
            return self.redirected(self._parentheses())
        word = self.reserved()
        if word in ("", "time"):
            head = function_name(self) if "(" in text else None
            return self._simple() if head is None else function(self, *head)
        if word == "!":
            negated, timed = self._negation()
            return Pipeline((self.command(),), negated, timed=timed)
        if word in _NEVER_FIRST:
            raise Unclear(self.at, f"`{word}` stands where a command should")
        self.at += len(word)
        if word == "function":
            self.parts[OF_BASH] += 1
            return function(self, *function_word(self))
        self.deeper()
        node = _COMPOUNDS[word](self)
        self.depth -= 1
        return node if word == "coproc" else self.redirected(node)

    def _parentheses(self) -> Node:
        first = self.at
        twice = self.text.startswith("((", first)
        if twice:
            inner = self.arithmetic(first + 2)
            if inner is not None:
                return Calculation(inner)
        self.at = first
        found = subshell(self)
        if twice and "<<" in self.text[first + 1 : self.at]:
            raise Unclear(first, "bash reads here-documents twice that stand behind `((`")
        return found

    def _coproc(self) -> Node:
        self.blanks()
        named = re.compile(_COPROC_NAME).match(self.text, self.at)
        if named:
            self.at = named.end()
        body = self.command()
        if self.reprinted is not None and isinstance(body, Simple):
            raise Unclear(self.at, "bash takes the name of a `coproc` in `$(…)` for a command")
        return Subshell(Sequence(((body, True),)), coproc=True)


# A name only where a compound command follows.
_COPROC_NAME = r"[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=\(|(?:\{|\[\[|if|while|until|for|select|case)[ \t\n])"
_COMPOUNDS: dict[str, Callable[[Parser], Node]] = {
    **WAYS, "for": loop, "[[": test, "coproc": Parser._coproc,
}  # fmt: skip
