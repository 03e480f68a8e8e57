"""Bash's grammar by recursive descent: a line becomes the tree of `syntax`.

It takes in what bash takes in and a little more, for what bash refuses does not run. Where it loses its
way it raises Unclear, and `parse` keeps what was whole before.
"""

from __future__ import annotations

import re

from hookline.shell.reading import Word
from hookline.shell.syntax import (
    ArithmeticFor,
    Assignment,
    Calculation,
    Case,
    Chain,
    Clause,
    Compound,
    For,
    Function,
    Group,
    If,
    Pipeline,
    Raw,
    Redirect,
    Sequence,
    Simple,
    Subshell,
    Test,
    While,
)
from hookline.shell.words import Unclear, Words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.shell.syntax import Node, Piece

_PLAIN = re.compile(
    r"[ \t]*(?:([A-Za-z0-9_./:@%+,^]+|-[A-Za-z0-9_./:@%+,^=-]*)(?=[ \t\n;|&)]|\Z))?"
)  # a word that means itself; not `>`, for digits before it are no word
_WORD = r"(?:[A-Za-z0-9_./:@%+,^]+|-[A-Za-z0-9_./:@%+,^=-]*)"
_WORDS = re.compile(rf"{_WORD}(?:[ \t]+{_WORD})*(?=[;\n]|\Z)")  # a whole command of them
# Patterns that few lines need are kept as text, for making one costs as much as reading a line.
_REDIRECT = r"([0-9]+|\{[A-Za-z_][A-Za-z0-9_]*\})?(<<<|<<-|<<|<&|<>|>>|>&|>\||[<>](?!\())|(&>>|&>)"
_FUNCTION = r"([^ \t\n|&;()<>$`'\"\\=]+)[ \t]*\([ \t]*\)"
_NAMED = r"[ \t]*([^ \t\n|&;()<>$`'\"\\]+)(?:[ \t]*\([ \t]*\))?"
_FOR_NAME = r"[ \t]+([A-Za-z_][A-Za-z0-9_]*)(?=[ \t\n;]|\Z)"
_TIMED = r"[ \t]+-p(?=[ \t\n])"
_RESERVED = {
    "i": ("if",), "t": ("then", "time"), "e": ("elif", "else", "esac"), "f": ("fi", "for", "function"),
    "w": ("while",), "u": ("until",), "d": ("do", "done"), "c": ("case", "coproc"), "s": ("select",),
    "[": ("[[",), "{": ("{",), "}": ("}",), "!": ("!",),
}  # fmt: skip
_ENDS = frozenset(" \t\n|&;()<>")
_MAY_REDIRECT = frozenset("<>&{0123456789")
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
        parser.sequence(items, frozenset(), "")
        if parser.at < len(text):
            raise Unclear(parser.at, f"`{text[parser.at]}` stands where a command should")
        parser.bodies()
    except Unclear as unclear:
        return Sequence(tuple(items)), unclear
    except RecursionError:
        return Sequence(tuple(items)), Unclear(parser.at, "it is nested too deep")
    return Sequence(tuple(items)), None


class Parser(Words):
    def __init__(
        self,
        text: str,
        low: int = 0,
        high: int = 0,
        scale: int = 1,
        depth: int = 0,
        parts: list[int] | None = None,
    ) -> None:
        super().__init__(text, low, high, scale, depth, parts)
        self.plain: dict[str, tuple[tuple[str, ...], list[tuple[str, int, int]]]] = {}  # taken apart before

    outside = 0  # here-documents that wait around the brackets we are in

    # Lists

    def nested(self, closer: str) -> Sequence:
        start, waiting, self.documents = self.at, self.documents, []
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
        return body

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

    def block(self, ends: frozenset[str], closer: str) -> Sequence:
        items: list[tuple[Node, bool]] = []
        self.sequence(items, ends, closer)
        return Sequence(tuple(items))

    def sequence(self, items: list[tuple[Node, bool]], ends: frozenset[str], closer: str) -> None:
        """Adds chains up to a reserved word of `ends`, a `)` or `;;`; none of these is taken."""
        text = self.text
        while True:
            self.blank_lines()
            if self.at >= len(text):
                return
            letter = text[self.at]
            if letter == ")" or text.startswith((";;", ";&"), self.at):
                return
            if ends and self._reserved() in ends:
                return
            chain = self._chain()
            self._blanks()
            letter = text[self.at : self.at + 1]
            if letter == "&":
                self.at += 1
                items.append((chain, True))
                continue
            items.append((chain, False))
            if letter == ";" and not text.startswith((";;", ";&"), self.at):
                self.at += 1
            elif letter and letter not in "\n);#":
                raise Unclear(self.at, f"`{letter}` stands where a command should end")

    def blank_lines(self, comments: bool = True) -> None:
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
            elif letter == "#" and comments:
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            elif letter == "\\" and text.startswith("\\\n", self.at):
                self.at += 2
            else:
                return

    def _chain(self) -> Node:
        """Pipelines joined by `&&` and `||`; what stands alone is no chain and no pipeline."""
        links: list[tuple[str, Node]] = []
        operator, text = "", self.text
        while True:
            negated = self._negation()
            parts: list[Node] = []
            errors_too = False
            while True:
                parts.append(self._command())
                self._blanks()
                if not text.startswith("|", self.at) or text.startswith("||", self.at):
                    break
                errors_too = errors_too or text.startswith("|&", self.at)
                self.at += 2 if text.startswith("|&", self.at) else 1
                self.blank_lines()
            part = (
                parts[0] if len(parts) == 1 and not negated else Pipeline(tuple(parts), negated, errors_too)
            )
            operator_before, operator = operator, text[self.at : self.at + 2]
            if operator not in ("&&", "||"):
                return Chain((*links, (operator_before, part))) if links else part
            links.append((operator_before, part))
            self.at += 2
            self.blank_lines()

    def _negation(self) -> bool:
        """Takes `!` and `time` before a pipeline."""
        negated = False
        while True:
            self._blanks()
            word = self._reserved()
            if word not in ("!", "time"):
                return negated
            self.count(1)
            self.at += len(word)
            if word == "!":
                negated = not negated
            elif option := re.compile(_TIMED).match(self.text, self.at):
                self.at = option.end()

    # Commands

    def _command(self) -> Node:
        text = self.text
        letter = text[self.at : self.at + 1]
        if letter == "(":
            return self._redirected(self._parentheses())
        word = self._reserved()
        if word in ("", "time"):
            function = re.compile(_FUNCTION).match(text, self.at) if "(" in text else None
            return self._simple() if function is None else self._function(function[1], function.end())
        if word == "!":
            negated = self._negation()
            return Pipeline((self._command(),), negated)
        if word in _NEVER_FIRST:
            raise Unclear(self.at, f"`{word}` stands where a command should")
        self.at += len(word)
        if word == "function":
            named = re.compile(_NAMED).match(text, self.at)
            if named is None:
                raise Unclear(self.at, "a function has no name")
            return self._function(named[1], named.end())
        self.deeper()
        node = _COMPOUNDS[word](self)
        self.depth -= 1
        return node if word == "coproc" else self._redirected(node)

    def _reserved(self) -> str:
        """The reserved word that stands here; empty if none does."""
        text, at = self.text, self.at
        for word in _RESERVED.get(text[at : at + 1], ()):
            end = at + len(word)
            while text.startswith("\\\n", end):  # joins it to what the next line begins with
                end += 2
            if text.startswith(word, at) and (end >= len(text) or text[end] in _ENDS):
                return word
        return ""

    def _parentheses(self) -> Node:
        if self.text.startswith("((", self.at):
            start = self.at
            inner = self.arithmetic(self.at + 2)
            if inner is not None:
                return Calculation(inner)
            self.at = start
        self.at += 1
        start, waiting, self.documents = self.at, self.documents, []
        self.deeper()
        body = self.block(frozenset(), ")")
        self._expect(")", start)
        self.depth -= 1
        self.documents = waiting + self.documents
        return Subshell(body)

    def _expect(self, letter: str, start: int) -> None:
        if not self.text.startswith(letter, self.at):
            raise Unclear(start - 1, f"`{self.text[start - 1 : start]}` stays open")
        self.at += len(letter)

    def _redirected(self, node: Node) -> Node:
        redirects: list[Redirect] = []
        while True:
            self._blanks()
            redirect = self._redirect()
            if redirect is None:
                return Compound(node, tuple(redirects)) if redirects else node
            redirects.append(redirect)

    def _redirect(self) -> Redirect | None:
        following = self.text[self.at : self.at + 2]
        if following[:1] not in _MAY_REDIRECT or (following[:1] == "&" and following != "&>"):
            return None
        found = re.compile(_REDIRECT).match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        fd, operator = found[1], found[2] or found[3]
        variable = fd[1:-1] if fd and fd[0] == "{" else ""
        number = int(fd[:9]) if fd and not variable else None
        if operator in ("<<", "<<-"):
            document = self.announce(operator == "<<-")
            return Redirect(number, operator, document.word, document, variable)
        self._blanks()
        target = self.word()
        if not target.pieces:
            raise Unclear(self.at, f"`{operator}` has no target")
        return Redirect(number, operator, target, None, variable)

    def _simple(self) -> Simple:
        if whole := _WORDS.match(self.text, self.at):
            return self._plain(whole[0])
        text, start = self.text, self.at
        low, high, scale = self.low, self.high, self.scale
        assignments: list[Assignment] = []
        words: list[Word | Raw | Assignment] = []
        redirects: list[Redirect] = []
        first_end = 0
        while True:
            found = _PLAIN.match(text, self.at)
            assert found is not None  # it matches nothing, too
            if plain := found[1]:
                begin, self.at = found.span(1)
                words.append(Word((plain,), low + scale * begin, high + scale * self.at))
            else:
                self.at = found.end()
                letter = text[self.at : self.at + 1]
                if letter == "\\" and text.startswith("\\\n", self.at):
                    self.at += 2
                    continue
                if not letter or letter in ";\n|)" or letter == "#":
                    break
                if redirect := self._redirect():
                    redirects.append(redirect)
                    continue
                if letter in "&(":
                    break
                if assignment := self.assignment():
                    if words:
                        words.append(assignment)
                    else:
                        assignments.append(assignment)
                    continue
                words.append(self.word())
            if len(words) == 1:
                first_end = self.at
        if letter == "(" and words:
            raise Unclear(self.at, "`(` stands where a word should")
        if not (assignments or words or redirects):
            raise Unclear(self.at, f"`{letter or 'the end'}` stands where a command should")
        self.count(2 + (len(words) >> 3))
        end = self.at
        if letter == "#":
            self.blank_comment()
        source = text[first_end:end] if words else ""
        return Simple(
            tuple(assignments), tuple(words), tuple(redirects), low + scale * start,
            high + scale * (start + len(text[start:end].rstrip(" \t"))), source,
        )  # fmt: skip

    def _plain(self, source: str) -> Simple:
        """A command of nothing but words that mean themselves; equal ones are taken apart once."""
        low, high, scale = self.low + self.scale * self.at, self.high + self.scale * self.at, self.scale
        known = self.plain.get(source)
        if known is None:
            places = [(found[0], found.start(), found.end()) for found in re.finditer(r"[^ \t]+", source)]
            argv = tuple(text for text, _, _ in places)
            known = self.plain[source] = (argv, places)
        argv, places = known
        self.count(2 + (len(places) >> 3))
        self.at += len(source)
        words = tuple([Word((text,), low + scale * begin, high + scale * end) for text, begin, end in places])
        behind = source[places[0][2] :]
        return Simple((), words, (), low, high + scale * len(source), behind, argv)

    def blank_comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

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

    def _until(self) -> Node:
        return self._while(True)

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

    def _select(self) -> Node:
        return self._for(True)

    def _in_words(self) -> tuple[Raw | Assignment, ...] | None:
        if re.compile(r"in(?=[ \t\n;]|\Z)").match(self.text, self.at) is None:
            return None
        self.at += 2
        words: list[Raw | Assignment] = []
        while True:
            self._blanks()
            word = self.assignment() or self.word()  # in `a=~` the home folder stands for `~` here, too
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
            self._expect(")", self.at)
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
            self.blank_lines(comments=False)
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
        named = re.compile(r"[A-Za-z_][A-Za-z0-9_]*[ \t]+(?=[{(])").match(self.text, self.at)
        if named:
            self.at = named.end()
        body = self._command()
        return Subshell(Sequence(((body, True),)), coproc=True)

    def _function(self, name: str, behind: int) -> Node:
        start = self.at
        self.at = behind
        self.blank_lines()
        self.deeper()
        body = self._command()
        self.depth -= 1
        low, high = self.low + self.scale * start, self.high + self.scale * self.at
        return Function(name, body, low, high)


_COMPOUNDS = {
    "{": Parser._group, "if": Parser._if, "while": Parser._while, "until": Parser._until, "for": Parser._for,
    "select": Parser._select, "case": Parser._case, "[[": Parser._test, "coproc": Parser._coproc,
}  # fmt: skip
