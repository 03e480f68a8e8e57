"""Lists and pipelines of a shell line, by recursive descent; of commands, those of plain words."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.position import LONGEST_NAME, OF_BASH, Position, Unclear
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Redirect, Sequence, Simple
from hookline.shell.plain import LETTERS, RESERVED, letters_end, plain_end, plain_words
from hookline.shell.reading import Word

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Assignment, Piece, Raw
    from hookline.shell.grammar.syntax import Node

_TIMED = r"(?:[ \t]+-p(?=[ \t\n;&|()<>]|\Z))?(?:[ \t]+--(?=[ \t\n;&|()<>]|\Z))?"
_ENDS = frozenset(" \t\n|&;()<>")
_BLANKS = (" ", "\t", "\\\n")
_OPERATORS = ("&>>", "&>", ">>", ">&", ">", "<")
_BRANCHES = frozenset(("{", "if", "while", "until", "for", "select", "case", "[["))
_BEHIND = frozenset(("", *";\n|)&"))
_BEHIND_TARGET = frozenset(("", *" \t\n;|&)"))
_MORE = frozenset("<>{")


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
        word = self.reserved()
        if word in _BRANCHES or self.text.startswith("(", self.at):
            return self.redirected(self._branch(word))
        found = None
        if word == "function" or (not word and self._may_name_function()):
            from hookline.shell.grammar.compounds import function, function_name, function_word

            self.at += len(word)
            self.parts[OF_BASH] += bool(word)
            if head := function_word(self) if word else function_name(self):
                return function(self, *head)
        if not word:
            end = plain_end(self.text, self.at)
            found = self.plain(self.text[self.at : end]) if end >= 0 else self._redirected_plain()
            if found is None:
                from hookline.shell.grammar.worded import worded

                only = worded(self)
                found = self._sent(only) if only is not None else None
        if found is None:
            raise Unclear(self.at, "a command is no plain one")
        return found

    def _may_name_function(self) -> bool:
        bracket = self.text.find("(", self.at, self.at + LONGEST_NAME)
        return bracket > 0 and self.text[bracket + 1 : bracket + 9].lstrip(" \t")[:1] == ")"

    def _branch(self, word: str) -> Node:
        from hookline.shell.grammar.branches import WAYS, subshell

        self.at += len(word)
        self.deeper()
        found: Node
        if word == "[[" or (word == "for" and self.text[self.at : self.at + 9].lstrip(" \t")[:2] == "(("):
            from hookline.shell.grammar.compounds import loop, test

            found = loop(self) if word == "for" else test(self)
        elif self.text.startswith("((", self.at) and not word:
            from hookline.shell.grammar.syntax import Calculation

            found = Calculation(self.arithmetic(self.at + 2) or ())
        else:
            found = WAYS[word](self) if word else subshell(self)
        self.depth -= 1
        return found

    def arithmetic(self, start: int) -> tuple[Piece, ...] | None:
        from hookline.shell.grammar.worded import calculation

        return calculation(self, start)

    def word(self) -> Raw:
        """The word that begins here; of no pieces where none does."""
        from hookline.shell.grammar.worded import raw_word

        return raw_word(self)

    def element(self) -> Raw | Assignment:
        """A word of a loop's list."""
        found = self.word()
        if "=" in self.text[found.start : found.end]:
            raise Unclear(self.at, "it may be an assignment")
        return found

    def redirected(self, node: Node) -> Node:
        """What is compound, with what sends its output elsewhere."""
        redirects = self._sends()
        behind = self.text[self.at :].lstrip(" \t")[:2]
        if behind[:1].isdigit() or behind[:1] in _MORE or behind == "&>":
            raise Unclear(self.at, "a redirection is no plain one")
        return Compound(node, tuple(redirects)) if redirects else node

    def _redirected_plain(self) -> Simple | None:
        """A plain command behind whose words its output is sent elsewhere."""
        text, start = self.text, self.at
        ends = [place for mark in "<>" if (place := text.find(mark, start)) > 0]
        end = min(ends, default=0)
        end -= text[end - 1 : end].isdigit() or text[end - 1 : end] == "&"
        source = text[start:end] if text[end - 1 : end] in (" ", "\t") else ""
        if not source or plain_end(source, 0) < 0:
            return None
        found = self._sent(self.plain(source.rstrip(" \t")))
        self.at = self.at if found is not None else start
        return found

    def _sent(self, only: Simple) -> Simple | None:
        """The same with what sends its output elsewhere, if no more stands there: to plain names, to `1` or `2`."""
        redirects = self._sends()
        behind = self.text[self.at :].lstrip(" \t")[:2]
        if behind[:1] not in _BEHIND or behind == "&>":
            if self.documents:
                raise Unclear(self.at, "more stands behind the head of a here-document")
            return None
        if not redirects:
            return only
        return replace(only, redirects=tuple(redirects), end=self.high + self.scale * self.at)

    def _sends(self) -> list[Redirect]:
        """The redirections that stand here, each behind a blank."""
        found: list[Redirect] = []
        if "<" not in self.text and ">" not in self.text:
            return found
        while True:
            each = self._announced(self.at) if "<<" in self.text else None
            each = each or self._opened()
            if each is None:
                self.count(len(found))
                return found
            found.append(each)

    def _opened(self) -> Redirect | None:
        """`> file`, `2>&1`, `< file`."""
        text, at = self.text, self.at
        while text.startswith(_BLANKS[:2], at):
            at += 1
        fd = text[at : at + 1] if text[at : at + 1] in ("0", "1", "2") else ""
        begins = at + len(fd)
        operator = next((each for each in _OPERATORS if text.startswith(each, begins)), "")
        if at == self.at or not operator or (fd and (operator[0] == "&" or (fd == "0") != (operator == "<"))):
            return None
        at = begins + len(operator)
        if text[at : at + 1] in ("<", ">", "(", "&", "|"):
            return None
        while text.startswith(_BLANKS[:2], at):
            at += 1
        plain = text[at : letters_end(text, at, LETTERS)]
        place, self.at = self.at, at + len(plain)
        target: Word | Raw
        if plain and text[self.at : self.at + 1] in _BEHIND_TARGET:
            target = Word((plain,), self.low + self.scale * at, self.high + self.scale * self.at)
        else:
            self.at = at
            target = self.word()
            if target.plain is not None:
                target = Word((target.plain,) if target.plain else (), target.start, target.end)
            elif not target.pieces:
                raise Unclear(self.at, f"`{operator}` has no target")
        if operator == ">&" and plain not in ("1", "2"):
            self.at = place
            return None
        return Redirect(int(fd) if fd else None, operator, target)

    def _announced(self, at: int) -> Redirect | None:
        from hookline.shell.grammar.documents import announced

        return announced(self, at)

    def bodies(self) -> None:
        """Behind a newline: the bodies of the here-documents announced before it."""
        from hookline.shell.grammar.documents import read_bodies

        read_bodies(self)

    def document(self, text: str, low: int, high: int, scale: int) -> tuple[Piece, ...]:
        from hookline.shell.grammar.worded import document_pieces

        return document_pieces(Lists(text, low, high, scale, self.depth, self.parts))

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
            if ends and self.reserved() in ends:
                return
            if self.reprinted and items:
                self._connected(separator)
            chain = self._chain()
            self.blanks()
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
            elif letter and letter not in "\n);#" and not (_ends_itself(chain) and self.reserved() in ends):
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

    def blanks(self) -> None:
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
                self.blanks()
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
            self.blanks()
            word = self.reserved()
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
        return first and (self.text.startswith("(", self.at) or self.reserved() not in ("", "time"))

    def reserved(self) -> str:
        """The reserved word that stands here; empty if none does."""
        text, at = self.text, self.at
        for word in RESERVED.get(text[at : at + 1], ()):
            end = at + len(word)
            while text.startswith("\\\n", end):  # joins it to what the next line begins with
                end += 2
            if text.startswith(word, at) and (end >= len(text) or text[end] in _ENDS):
                return "" if text.startswith(("<(", ">("), end) else word  # `if<(x)` is one word
        return ""

    def closed(self, start: int) -> None:
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
