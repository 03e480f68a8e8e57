"""Lists and pipelines of a shell line, by recursive descent; of commands, those of plain words."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.position import Position, Unclear
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Redirect, Sequence, Simple
from hookline.shell.plain import RESERVED, plain_end, plain_words
from hookline.shell.reading import Word
from hookline.system.patterns.late import late

if TYPE_CHECKING:
    from hookline.shell.grammar.syntax import Node

_TIMED = r"(?:[ \t]+-p(?=[ \t\n;&|()<>]|\Z))?(?:[ \t]+--(?=[ \t\n;&|()<>]|\Z))?"
_ENDS = frozenset(" \t\n|&;()<>")
_BLANKS = (" ", "\t", "\\\n")
_OPENS = late(r"[ \t](?:[0-9]?>|&>)", 0, (">",))
_OPENED = late(r"[ \t]+(?:([12])?(>>|>&|>)|(&>>|&>))[ \t]*([A-Za-z0-9_./:@%+,^-]+)(?=[ \t\n;|&)]|\Z)")
_BEHIND = frozenset(("", *";\n|)&"))


def _ends_itself(node: Node) -> bool:
    """Whether a reserved word may follow at once: `if (a) then`, `{ [[ a ]] }`; not behind words or redirections."""
    if isinstance(node, Chain):
        return _ends_itself(node.links[-1][1])
    if isinstance(node, Pipeline):
        return _ends_itself(node.parts[-1])
    return not isinstance(node, (Simple, Compound))


class Lists(Position):
    """Reads one after the other; any command but a plain one is read by who goes on from here."""

    outside = 0  # here-documents that wait around the brackets we are in

    def command(self) -> Node:
        """One command of a pipeline."""
        found = None
        if not self._reserved():
            end = plain_end(self.text, self.at)
            found = self.plain(self.text[self.at : end]) if end >= 0 else self._redirected_plain()
            if found is None:
                from hookline.shell.grammar.worded import worded

                only = worded(self)
                found = self._sent(only) if only is not None else None
        if found is None:
            raise Unclear(self.at, "a command is no plain one")
        return found

    def _redirected_plain(self) -> Simple | None:
        """A plain command behind whose words its output is sent elsewhere."""
        text, start = self.text, self.at
        begins = _OPENS.search(text, start)
        source = text[start : begins.start()] if begins is not None else ""
        if not source or plain_end(source, 0) < 0:
            return None
        found = self._sent(self.plain(source.rstrip(" \t")))
        self.at = self.at if found is not None else start
        return found

    def _sent(self, only: Simple) -> Simple | None:
        """The same with what sends its output elsewhere, if no more stands there: to plain names, to `1` or `2`."""
        text, end = self.text, self.at
        redirects: list[Redirect] = []
        while True:
            if "<<" in text and (announced := self._announced(end)) is not None:
                redirects.append(announced)
                end = self.at
                continue
            found = _OPENED.match(text, end) if ">" in text else None
            if found is None:
                break
            fd, operator, target = found[1], found[2] or found[3], found[4]
            if operator == ">&" and target not in ("1", "2"):
                return None
            first, last = found.span(4)
            word = Word((target,), self.low + self.scale * first, self.high + self.scale * last)
            redirects.append(Redirect(int(fd) if fd else None, operator, word))
            end = last
        behind = text[end:].lstrip(" \t")[:2]
        if behind[:1] not in _BEHIND or behind == "&>":
            if self.documents:
                raise Unclear(end, "more stands behind the head of a here-document")
            return None
        if not redirects:
            return only
        self.count(len(redirects))
        self.at = end
        return replace(only, redirects=tuple(redirects), end=self.high + self.scale * end)

    def _announced(self, at: int) -> Redirect | None:
        from hookline.shell.grammar.documents import announced

        return announced(self, at)

    def bodies(self) -> None:
        """Behind a newline: the bodies of the here-documents announced before it."""
        from hookline.shell.grammar.documents import read_bodies

        read_bodies(self)

    def nested(self, closer: str) -> Sequence:
        start, waiting, self.documents = self.at, self.documents, []
        reprinted, self.reprinted = self.reprinted, 0
        self.outside += len(waiting)
        self.deeper()
        body = self.block(frozenset({"}"}) if closer == "}" else frozenset(), closer)
        if not self.text.startswith(closer, self.at):
            raise Unclear(start, f"`{self.text[start - 2 : start]}` stays open")
        if self.documents:
            raise Unclear(start, "a here-document has no body")
        self.at += 1
        self.depth -= 1
        self.outside -= len(waiting)
        self.documents = waiting
        self.reprinted = reprinted
        return body

    def block(self, ends: frozenset[str], closer: str) -> Sequence:
        items: list[tuple[Node, bool]] = []
        self.sequence(items, ends, closer)
        return Sequence(tuple(items))

    def sequence(self, items: list[tuple[Node, bool]], ends: frozenset[str], closer: str) -> None:
        """Adds chains up to a reserved word of `ends`, a `)` or `;;`; none of these is taken."""
        text, separator = self.text, ""
        while True:
            self.blank_lines()
            if self.at >= len(text):
                return
            letter = text[self.at]
            if letter == ")" or text.startswith((";;", ";&"), self.at):
                return
            if ends and self._reserved() in ends:
                return
            if self.reprinted and items:
                self._connected(separator)
            chain = self._chain()
            self._blanks()
            letter = separator = text[self.at : self.at + 1]
            if letter == "&":
                self.at += 1
                if re.compile(r"(?:\\\n)+[&>]").match(text, self.at):
                    raise Unclear(self.at, "an operator goes on behind the end of its line")
                items.append((chain, True))
                continue
            items.append((chain, False))
            if letter == ";" and not text.startswith((";;", ";&"), self.at):
                self.at += 1
            elif letter and letter not in "\n);#" and not (_ends_itself(chain) and self._reserved() in ends):
                raise Unclear(self.at, f"`{letter}` stands where a command should end")

    def _connected(self, operator: str) -> None:
        """bash 5.2 reads `$(…)` from its own print of it, where a `;` behind a here-document's body is missing."""
        if self.reprinted == 1:
            self.reprinted = 2
        elif operator in "\n#":
            self.reprinted = 0
        elif operator == ";":
            raise Unclear(self.at, "bash may lose the `;` before it, for it stands behind a here-document")

    def blank_lines(self) -> None:
        text = self.text
        while self.at < len(text):
            letter = text[self.at]
            if letter in " \t":
                self.at += 1
            elif letter == "\n":
                self.at += 1
                if self.outside:
                    raise Unclear(self.at, "a here-document waits outside of the brackets")
                if self.documents:
                    self.bodies()
            elif letter == "#":
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif letter == "\\" and text.startswith("\\\n", self.at):
                self.at += 2
            else:
                return

    def _blanks(self) -> None:
        text = self.text
        while text.startswith(_BLANKS, self.at):
            self.at += 1 if text[self.at] != "\\" else 2

    def _chain(self) -> Node:
        """Pipelines joined by `&&` and `||`; what stands alone is no chain and no pipeline."""
        links: list[tuple[str, Node]] = []
        operator, text = "", self.text
        while True:
            began = self.at
            negated, timed = self._negation()
            if timed and self._is_lost(began):
                raise Unclear(
                    began, "bash 5.2 knows no loop or brackets behind a `time` that begins a `$(…)`"
                )
            parts: list[Node] = []
            errors_too = False
            while True:
                parts.append(self.command())
                self._blanks()
                if not text.startswith("|", self.at) or text.startswith("||", self.at):
                    break
                errors_too = errors_too or text.startswith("|&", self.at)
                self.at += 2 if text.startswith("|&", self.at) else 1
                if self.reprinted == 1:
                    self._connected("|")
                self.blank_lines()
            part = (
                Pipeline(tuple(parts), negated, errors_too, timed)
                if len(parts) > 1 or negated or timed
                else parts[0]
            )
            operator_before, operator = operator, text[self.at : self.at + 2]
            if operator not in ("&&", "||"):
                return Chain((*links, (operator_before, part))) if links else part
            links.append((operator_before, part))
            self.at += 2
            if self.reprinted == 1:
                self._connected(operator)
            self.blank_lines()

    def _negation(self) -> tuple[bool, bool]:
        """Takes `!` and `time` before a pipeline: whether it is negated, and whether its time is told."""
        negated = timed = False
        while True:
            self._blanks()
            word = self._reserved()
            if word not in ("!", "time"):
                return negated, timed
            self.count(1)
            self.at += len(word)
            if word == "!":
                negated = not negated
                continue
            timed = True
            if option := re.compile(_TIMED).match(self.text, self.at):
                self.at = option.end()

    def _is_lost(self, began: int) -> bool:
        """Whether a `time` that began there begins a substitution, and what follows it here is no simple command."""
        first = self.text[:began].rstrip(" \t\n").endswith(("$(", "<(", ">("))
        return first and (self.text.startswith("(", self.at) or self._reserved() not in ("", "time"))

    def _reserved(self) -> str:
        """The reserved word that stands here; empty if none does."""
        text, at = self.text, self.at
        for word in RESERVED.get(text[at : at + 1], ()):
            end = at + len(word)
            while text.startswith("\\\n", end):  # joins it to what the next line begins with
                end += 2
            if text.startswith(word, at) and (end >= len(text) or text[end] in _ENDS):
                return "" if text.startswith(("<(", ">("), end) else word  # `if<(x)` is one word
        return ""

    def _closed(self, start: int) -> None:
        if not self.text.startswith(")", self.at):
            raise Unclear(start - 1, f"`{self.text[start - 1 : start]}` stays open")
        self.at += 1

    def plain(self, source: str) -> Simple:
        """A command of nothing but words that mean themselves, with quotes around parts of them or without."""
        low, high = self.low + self.scale * self.at, self.high + self.scale * self.at
        words = plain_words(source, low, high, self.scale, self.parts[0] << 3)
        self.count(2 + (len(words) >> 3) if words else self.parts[0] + 1)
        self.at += len(source)
        argv = tuple([word.prefix for word in words])
        return Simple((), words, (), low, words[-1].end, source[len(argv[0]) :], argv)
