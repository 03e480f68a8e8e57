"""Bash's grammar by recursive descent: a line becomes the tree of `syntax`.

It takes in what bash takes in and a little more, for what bash refuses does not run. Where it loses its
way it raises Unclear, and `parse` keeps what was whole before.
"""

from __future__ import annotations

import re

from hookline.shell.grammar.commands import Commands
from hookline.shell.grammar.pieces import Assignment, Piece, Raw
from hookline.shell.grammar.position import OF_BASH, Unclear
from hookline.shell.grammar.syntax import (
    ArithmeticFor,
    Calculation,
    Case,
    Clause,
    For,
    Function,
    Group,
    If,
    Node,
    Subshell,
    Test,
    While,
)
from hookline.shell.grammar.tree import Pipeline, Sequence, Simple
from hookline.shell.plain import is_plain

_FUNCTION = r"([^ \t\n|&;()<>$`'\"\\=]+)[ \t]*\([ \t]*\)"
_NAMED = r"[ \t]*([^ \t\n|&;()<>$`'\"\\]+)(?:[ \t]*\([ \t]*\))?"
_FOR_NAME = r"[ \t]+([A-Za-z_][A-Za-z0-9_]*)(?=[ \t\n;]|\Z)"
_NEVER_FIRST = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_LOOP_END = frozenset({"done"})


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
            return self._redirected(self._parentheses())
        word = self._reserved()
        if word in ("", "time"):
            function = re.compile(_FUNCTION).match(text, self.at) if "(" in text else None
            return self._simple() if function is None else self._function(function[1], function.end())
        if word == "!":
            negated, timed = self._negation()
            return Pipeline((self.command(),), negated, timed=timed)
        if word in _NEVER_FIRST:
            raise Unclear(self.at, f"`{word}` stands where a command should")
        self.at += len(word)
        if word == "function":
            self.parts[OF_BASH] += 1
            named = re.compile(_NAMED).match(text, self.at)
            if named is None:
                raise Unclear(self.at, "a function has no name")
            return self._function(named[1], named.end())
        self.deeper()
        node = _COMPOUNDS[word](self)
        self.depth -= 1
        return node if word == "coproc" else self._redirected(node)

    def _parentheses(self) -> Node:
        first = self.at
        twice = self.text.startswith("((", first)
        if twice:
            inner = self.arithmetic(first + 2)
            if inner is not None:
                return Calculation(inner)
        self.at = first + 1
        start, waiting, self.documents = self.at, self.documents, []
        self.deeper()
        body = self.block(frozenset(), ")")
        self._closed(start)
        if twice and "<<" in self.text[start : self.at]:
            raise Unclear(first, "bash reads here-documents twice that stand behind `((`")
        self.depth -= 1
        self.documents = waiting + self.documents
        return Subshell(body)

    # Compound commands: each is called behind its reserved word

    def _keyword(self, *wanted: str) -> str:
        """Takes one of the reserved words."""
        self.blank_lines()
        word = self._reserved()
        if word not in wanted:
            raise Unclear(self.at, f"`{wanted[-1]}` is missing")
        self.at += len(word)
        return word

    def _group(self) -> Node:
        body = self.block(frozenset({"}"}), "")
        self._keyword("}")
        return Group(body)

    def _if(self) -> Node:
        branches = []
        otherwise = None
        while True:
            condition = self.block(frozenset({"then"}), "")
            self._keyword("then")
            body = self.block(frozenset({"elif", "else", "fi"}), "")
            branches.append((condition, body))
            word = self._keyword("elif", "else", "fi")
            if word == "else":
                otherwise = self.block(frozenset({"fi"}), "")
                self._keyword("fi")
            if word != "elif":
                return If(tuple(branches), otherwise)

    def _while(self, until: bool = False) -> Node:
        condition = self.block(frozenset({"do"}), "")
        return While(condition, self._loop_body(), until)

    def _loop_body(self) -> Sequence:
        """`do … done`, or `{ … }`, which bash takes as well."""
        word = self._keyword("{", "do")
        body = self.block(frozenset({"}"}) if word == "{" else _LOOP_END, "")
        self._keyword("}" if word == "{" else "done")
        return body

    def _for(self, select: bool = False) -> Node:
        self._blanks()
        if self.text.startswith("((", self.at) and not select:
            heads = self.arithmetic(self.at + 2)
            if heads is None:
                raise Unclear(self.at, "`((` stays open")
            self._end_of_head()
            return ArithmeticFor(heads, self._loop_body())
        self.at -= 1
        found = re.compile(_FOR_NAME).match(self.text, self.at)
        if found is None:
            raise Unclear(self.at, "the loop has no name")
        self.at = found.end()
        self.blank_lines()
        words = self._in_words()
        self._end_of_head()
        return For(found[1], words, self._loop_body(), select)

    def _in_words(self) -> tuple[Raw | Assignment, ...] | None:
        if re.compile(r"in(?=[ \t\n;]|\Z)").match(self.text, self.at) is None:
            return None
        self.at += 2
        words: list[Raw | Assignment] = []
        while True:
            self._blanks()
            if self.text.startswith("#", self.at):
                return tuple(words)  # a comment
            word = self.assignment(True) or self.word()  # in `a=~` the home folder stands for `~` here, too
            if isinstance(word, Raw) and not word.pieces:
                return tuple(words)
            words.append(word)

    def _end_of_head(self) -> None:
        self._blanks()
        if self.text.startswith(";", self.at):
            self.at += 1
        self.blank_lines()

    def _case(self) -> Node:
        self._blanks()
        subject = self.word()
        self.blank_lines()
        if re.compile(r"in(?=[ \t\n(]|\Z)").match(self.text, self.at) is None:
            raise Unclear(self.at, "`in` is missing")
        self.at += 2
        clauses: list[Clause] = []
        while True:
            self.blank_lines()
            if self._reserved() == "esac":
                self.at += len("esac")
                return Case(subject, tuple(clauses))
            clauses.append(self._clause())

    def _clause(self) -> Clause:
        patterns = []
        if self.text.startswith("(", self.at):
            self.at += 1
        while True:
            self._blanks()
            pattern = self.word()
            if not pattern.pieces:
                raise Unclear(self.at, "a case has no pattern")
            patterns.append(pattern)
            self._blanks()
            if self.text.startswith("|", self.at):
                self.at += 1
                continue
            self._closed(self.at)
            break
        body = self.block(frozenset({"esac"}), "")
        for terminator in (";;&", ";;", ";&"):
            if self.text.startswith(terminator, self.at):
                self.at += len(terminator)
                return Clause(tuple(patterns), body, terminator)
        return Clause(tuple(patterns), body, ";;")

    def _test(self) -> Node:
        start = self.at
        words: list[Raw] = []
        while True:
            self.blank_lines()
            if found := re.compile(r"\]\](?=[ \t\n|&;()<>]|\Z)").match(self.text, self.at):
                self.at = found.end()
                return Test(tuple(words))
            word = self.word()
            if not word.pieces:
                if self.at >= len(self.text):
                    raise Unclear(start, "`[[` stays open")
                self.at += 1  # an operator
                continue
            words.append(word)

    def _coproc(self) -> Node:
        self._blanks()
        named = re.compile(_COPROC_NAME).match(self.text, self.at)
        if named:
            self.at = named.end()
        body = self.command()
        if self.reprinted is not None and isinstance(body, Simple):
            raise Unclear(self.at, "bash takes the name of a `coproc` in `$(…)` for a command")
        return Subshell(Sequence(((body, True),)), coproc=True)

    def _function(self, name: str, behind: int) -> Node:
        start = self.at
        self.at = behind
        self.blank_lines()
        self.deeper()
        body = self.command()
        if isinstance(body, (Simple, Function, Pipeline)):
            raise Unclear(start, "bash wants brackets or a loop as the body of a function")
        self.depth -= 1
        low, high = self.low + self.scale * start, self.high + self.scale * self.at
        return Function(name, body, low, high)


# A name only where a compound command follows.
_COPROC_NAME = r"[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=\(|(?:\{|\[\[|if|while|until|for|select|case)[ \t\n])"
_COMPOUNDS = {
    "{": Parser._group, "if": Parser._if, "while": Parser._while, "until": lambda parser: parser._while(True),
    "for": Parser._for, "select": lambda parser: parser._for(True), "case": Parser._case,
    "[[": Parser._test, "coproc": Parser._coproc,
}  # fmt: skip
