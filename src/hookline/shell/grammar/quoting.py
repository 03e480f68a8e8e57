"""What stands in a word: quotes, `$…`, backticks, what is calculated; one pass, nothing expanded."""

from __future__ import annotations

import re

from hookline.shell.grammar.lists import Lists
from hookline.shell.grammar.pieces import Arithmetic, Parameter, Piece, Process, Substitution, Text
from hookline.shell.grammar.position import OF_BASH, Unclear
from hookline.shell.grammar.tree import Sequence
from hookline.system.patterns.late import late

_RUN = late(r"[^ \t\n|&;()<>\\'\"$`]+")
_IN_QUOTES = late(r'(?s)(?:[^"\\$`]++|\\.)++')
_ESCAPED = r'\\(?:\n|([$`"\\]))'
_ANY_ESCAPED = r"(?s)\\(?:\n|(.))"
_IN_ARGUMENT = r"[^}\\'\"$`<>]+"
_IN_QUOTED_ARGUMENT = r"[^}\\'\"$`]+"
# A quote that ends the quotes around a backtick for whoever looks for braces, and one of those behind it.
_BRACES_BETWEEN_QUOTES = r"(?s)\A(?:[^\\\"]|\\.)*\".*\{[^{}]*(?:,|\.\.)"
_ODD_IN_LETTERS = r"\"|\\[$`\"\\}']"  # of quotes that are letters
_IN_ARITHMETIC = r"[^()\\'\"$`\]]+"
_NAME = r"[A-Za-z_](?:(?:\\\n)*[A-Za-z0-9_])*|[0-9@*#?$!-]"
_BRACED = r"([!#]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])(?=[^A-Za-z0-9_])"
_NOT_COUNTED = r"\bcase\b|#|\$['\"]"  # what may hold a bracket that closes nothing, or is read twice
_OPERATOR = r":?[-=+?]|##?|%%?|//?|\^\^?|,,?|~~?|@[A-Za-z]|:"
_OPERATOR_OR_NAMES = rf"[@*](?=}})|{_OPERATOR}"  # `${!x*}` is a list of names


class Quoting(Lists):
    """Reads what stands in a word."""

    def _special(self, pieces: list[Piece]) -> bool:
        """Takes what is no ordinary letter of a word; False at the end of the word."""
        text, at = self.text, self.at
        self.count(1)
        letter = text[at]
        if letter == "\\":
            self._escaped(pieces)
        elif letter == "'":
            end = self._find("'", at + 1)
            pieces.append(Text(text[at + 1 : end], True))
            self.at = end + 1
        elif letter == '"':
            self._double(pieces)
        elif letter == "$":
            self._dollar(pieces, False)
        elif letter == "`":
            self._backticks(pieces, False)
        elif letter in "<>" and text.startswith("(", at + 1):
            self._process(pieces)
        elif letter == "(" and self._extended(pieces):
            pass
        else:
            return False
        return True

    def _escaped(self, pieces: list[Piece]) -> None:
        following = self.text[self.at + 1 : self.at + 2]
        if not following and any(isinstance(each, Text) and "\n" in each.text for each in pieces[-1:]):
            raise Unclear(self.at, "bash may leave out a backslash that ends all behind a newline in quotes")
        if following != "\n":
            pieces.append(Text(following or "\\", True))
        self.at += 2 if following else 1

    def _double(self, pieces: list[Piece], again: bool = False) -> None:
        """`again`: within quotes around it, where each backslash goes."""
        opened = self.at
        self.at += 1
        pieces.append(Text("", True))  # "" is a word
        while True:
            if run := _IN_QUOTES.match(self.text, self.at):
                pieces.append(self._unescaped(run[0], _ANY_ESCAPED if again else _ESCAPED))
                self.at = run.end()
            letter = self.text[self.at : self.at + 1]
            if not letter:
                raise Unclear(opened, 'the quote `"` stays open')
            if letter == '"':
                self.at += 1
                return
            start = self.at
            self._inside_quotes(pieces, letter, '$`"\\')
            if again and letter == "`" and "\\" in self.text[start : self.at]:
                raise Unclear(start, "bash takes backslashes between backticks away before it reads on")

    def _unescaped(self, text: str, escaped: str) -> Text:
        if "\\" in text:
            self.count(1 + (len(text) >> 7))
            text = "".join(filter(None, re.split(escaped, text)))
        return Text(text, True)

    def _inside_quotes(self, pieces: list[Piece], letter: str, escapable: str) -> None:
        """Takes a backslash, `$` or a backtick where blanks and operators mean nothing."""
        self.count(1)
        if letter == "$":
            self._dollar(pieces, True)
        elif letter == "`":
            self._backticks(pieces, True, '"' in escapable)
        else:
            following = self.text[self.at + 1 : self.at + 2]
            taken = following in ("\n", *escapable)
            if following != "\n":
                pieces.append(Text(following if taken else "\\", True))
            self.at += 2 if taken else 1

    def _extended(self, pieces: list[Piece]) -> bool:
        """`@(a|b)` and its kin, behind `?`, `*`, `+`, `@` or `!`."""
        last = pieces[-1] if pieces else None
        if not isinstance(last, Text) or last.quoted or last.text[-1:] not in tuple("?*+@!"):
            return False
        start, depth = self.at, 0
        while self.at < len(self.text):
            self.count(1)
            letter = self.text[self.at]
            if letter in "()":
                depth += 1 if letter == "(" else -1
                pieces.append(Text(letter))
                self.at += 1
                if depth == 0:
                    return True
            elif run := _RUN.match(self.text, self.at):
                pieces.append(Text(run[0]))
                self.at = run.end()
            elif not self._special(pieces):
                pieces.append(Text(letter))
                self.at += 1
        raise Unclear(start, "the bracket `(` stays open")

    def _dollar(self, pieces: list[Piece], quoted: bool) -> None:
        text, at = self.text, self.at
        following = text[at + 1 : at + 2]
        self.parts[OF_BASH] += following == "[" or (following in ("'", '"') and not quoted)
        if following == "(":
            self._parenthesis(pieces, quoted)
        elif following == "{":
            self._braced(pieces, quoted)
        elif following == "'" and not quoted:
            self._ansi(pieces)
        elif following == '"' and not quoted:
            self.at += 1
            self._double(pieces)
        elif following == "[":
            self.at += 2
            inner = self._calculation("]")
            if inner is None:
                raise Unclear(at, "`$[` stays open")
            pieces.append(Arithmetic(inner, text[at : self.at], quoted))
        elif name := re.compile(_NAME).match(text, at + 1):
            self.at = name.end()
            if quoted and name[0] == "$" and text.startswith(("(", "{"), self.at):
                # bash finds the end of the quotes as if `$(` stood there, and then expands `$$`
                raise Unclear(at, f"`$${text[self.at]}` stands within quotes")
            pieces.append(Parameter(name[0].replace("\\\n", ""), text[at : self.at], quoted))
        elif text.startswith("\\\n", at + 1):
            raise Unclear(at, "a `$` goes on behind the end of its line")
        else:
            self.at += 1
            pieces.append(Text("$", quoted))

    def _parenthesis(self, pieces: list[Piece], quoted: bool) -> None:
        text, at = self.text, self.at
        if text.startswith("((", at + 1) and (inner := self.arithmetic(at + 3)) is not None:
            if re.compile(r"\bcase\b|(?<=[\s;(])#").search(text, at, self.at):
                raise Unclear(at, "bash ends `$((` by counting brackets")
            pieces.append(Arithmetic(inner, text[at : self.at], quoted))
            return
        self.at = at + 2
        body = self.nested(")")
        if text.startswith("((", at + 1) and re.compile(_NOT_COUNTED).search(text, at, self.at):
            raise Unclear(at, "bash ends `$((` by counting brackets")
        start, end = self.low + self.scale * at, self.high + self.scale * self.at
        shown = text[at : self.at]
        if shown.startswith("$(("):
            shown = f"$( {shown[2:]}"  # as one that calculates is not written
        pieces.append(Substitution(body, shown, quoted, start, end))

    def _process(self, pieces: list[Piece]) -> None:
        at = self.at
        self.at += 2
        body = self.nested(")")
        if not body.items:
            raise Unclear(at, "the name of a pipe without commands is no word to bash")
        start, end = self.low + self.scale * at, self.high + self.scale * self.at
        pieces.append(Process(body, self.text[at], self.text[at : self.at], start, end))

    def _backticks(self, pieces: list[Piece], quoted: bool, in_double: bool = False) -> None:
        self.count(5)
        start = self.at
        at = start + 1
        while (letter := self.text[at : at + 1]) != "`":
            if not letter:
                raise Unclear(start, "the backtick stays open")
            at += 2 if letter == "\\" else 1
        inner = self.text[start + 1 : at]
        if in_double and "{" in inner and '"' in inner and re.search(_BRACES_BETWEEN_QUOTES, inner):
            raise Unclear(start, "bash expands braces here before it looks for the backtick")
        self.at = at + 1
        low, high = self.low + self.scale * start, self.high + self.scale * self.at
        if "\\" in inner or not self.scale:
            from hookline.shell.grammar.quotes import backtick_text

            body = self.apart(backtick_text(inner, in_double), low, high, 0)
        else:
            body = self.apart(inner, low + 1, low + 1, 1)
        pieces.append(Substitution(body, self.text[start : self.at], quoted, low, high))

    def apart(self, text: str, low: int, high: int, scale: int) -> Sequence:
        """The commands of another text that stands at these columns."""
        raise NotImplementedError

    def _ansi(self, pieces: list[Piece]) -> None:
        start = self.at
        at = start + 2
        while (letter := self.text[at : at + 1]) != "'":
            if not letter:
                raise Unclear(start, "the quote `$'` stays open")
            at += 2 if letter == "\\" else 1
        from hookline.shell.grammar.quotes import ansi_text

        found = ansi_text(self.text[start + 2 : at])
        if "\1" in found or "\x7f" in found:
            raise Unclear(start, "bash has marks of its own by these letters, and doubles them now and then")
        pieces.append(Text(found, True))
        self.at = at + 1

    def _braced(self, pieces: list[Piece], quoted: bool) -> None:
        text, start = self.text, self.at
        self.at += 2
        if text[self.at : self.at + 1] in tuple(" \t\n|"):
            self.at += 1
            body = self.nested("}")
            low, high = self.low + self.scale * start, self.high + self.scale * self.at
            pieces.append(Substitution(body, text[start : self.at], quoted, low, high))
            return
        prefix, name = self._braced_name()
        index = self._index() if name and text.startswith("[", self.at) else None
        if index is not None and not name.isidentifier():
            raise Unclear(start, "only variables have an index")
        operator = ""
        operators = _OPERATOR_OR_NAMES if prefix == "!" and index is None else _OPERATOR
        if name and (found := re.compile(operators).match(text, self.at)):
            operator = found[0]
            self.at = found.end()
        argument = self._argument(start, quoted, operator)
        whole = text[start : self.at]
        if name and (argument if not operator else operator == ":" and not argument):
            if not name.isidentifier() or index is not None:
                raise Unclear(start, "an expansion has no operator that bash knows")
            name = prefix = ""
        if not name and ("\\\n" in whole or (quoted and re.search(r"[<>]\(", whole))):
            raise Unclear(start, "bash may read on behind the end of what it refuses")
        pieces.append(Parameter(name, whole, quoted, prefix, index, operator, tuple(argument)))

    def _braced_name(self) -> tuple[str, str]:
        found = re.compile(_BRACED).match(self.text, self.at)
        if found is None:
            return "", ""
        prefix, name = found[1], found[2]
        if prefix and name in "@*#?$!-" and self.text[found.end()] != "}":
            found = re.compile(r"()([#!])").match(self.text, self.at)  # `${#-x}` is `$#` with a default
            assert found is not None
            prefix, name = "", found[2]
        self.at = found.end()
        return prefix, name

    def _index(self) -> tuple[Piece, ...]:
        opened = self.at
        self.at += 1
        inner = self._calculation("]")
        if inner is None:
            raise Unclear(opened, "the bracket `[` stays open")
        return inner

    def _argument(self, start: int, quoted: bool, operator: str) -> list[Piece]:
        """What stands behind the operator, up to the closing brace, which is taken too."""
        text = self.text
        pieces: list[Piece] = []
        pattern = operator[:1] in tuple("#%/^,~")
        run_of = _IN_QUOTED_ARGUMENT if quoted and not pattern else _IN_ARGUMENT
        closing = -1  # of a `'` within quotes, which is a letter
        while True:
            if run := re.compile(run_of).match(text, self.at):
                pieces.append(Text(run[0], quoted and not pattern))
                self.at = run.end()
            letter = text[self.at : self.at + 1]
            if not letter:
                raise Unclear(start, "`${` stays open")
            if letter == "}" and closing < 0:
                self.at += 1
                return pieces
            if 0 <= closing < self.at or (closing >= 0 and re.compile(_ODD_IN_LETTERS).match(text, self.at)):
                raise Unclear(start, "quotes stand within the braces of quotes")
            if (
                letter in "\\'}"
                and (found := re.compile(r"\\?'|}").match(text, self.at))
                and quoted
                and not pattern
            ):
                # no quote, but bash finds no brace before the next one
                if letter == "'":
                    closing = -1 if closing == self.at else self._find("'", self.at + 1)
                self.parts[OF_BASH] += found[0] == "}"
                pieces.append(Text(found[0], True))
                self.at = found.end()
                continue
            if pattern and self._is_read_once_more(quoted):
                raise Unclear(start, "bash may read what the pattern expands once more")
            if self._dollar_quotes(pieces, quoted, pattern):
                continue
            if quoted and letter == '"' and not pattern:
                self._double(pieces, again=True)
            elif quoted and pattern and letter == "`":
                self._backticks(pieces, False, True)
            elif quoted and not pattern and letter not in "'<>":
                self._inside_quotes(pieces, letter, '$`"\\}')
            elif not self._special(pieces):
                pieces.append(Text(letter))
                self.at += 1

    def _is_read_once_more(self, quoted: bool) -> bool:
        """Whether a `$` of a pattern means something else where the pattern stands within quotes or in a document."""
        calculates = self.in_document and self.text.startswith("$((", self.at)
        return calculates or (quoted and self.text.startswith(("$$(", "$${"), self.at))

    def _dollar_quotes(self, pieces: list[Piece], quoted: bool, pattern: bool) -> bool:
        """Takes `$'…'` of an argument, the text of which bash may read once more, and the `$` of `$"…"`."""
        body = self.in_document and self.reprinted is None and not pattern  # there they are none
        if body and self.text.startswith('$"', self.at):
            raise Unclear(self.at, "bash takes the quotes off before it reads the `$`")
        if body or not self.text.startswith(("$'", '$"'), self.at):
            return False
        if self.text[self.at + 1] == '"':
            self.at += 1
            return True
        at, found = self.at, pieces[:]
        self._ansi(found)
        again = not pattern and (quoted or self.reprinted is not None)
        meaning = r"[\"\\$`'}]" if quoted else r"[^\w./:@%+,-]"
        if again and re.search(meaning, self.text[at + 2 : self.at - 1]):
            raise Unclear(at, "bash may read the text of `$'…'` once more")
        pieces.append(found[-1])
        return True

    def arithmetic(self, start: int) -> tuple[Piece, ...] | None:
        if start in self.no_arithmetic:
            return None
        self.at = start
        waiting = len(self.documents)
        inner = self._calculation(")")
        if inner is not None and self.text.startswith(")", self.at):
            self.at += 1
            return inner
        self.count((self.at - start) >> 4)
        del self.documents[waiting:]
        self.no_arithmetic.add(start)
        return None

    def _calculation(self, closer: str) -> tuple[Piece, ...] | None:
        """Pieces up to the `closer` that nothing opened, which is taken; None where there is none."""
        text = self.text
        pieces: list[Piece] = []
        depth = 0
        opener = "(" if closer == ")" else "["
        self.deeper()
        while self.at < len(text):
            if run := re.compile(_IN_ARITHMETIC).match(text, self.at):
                depth += run[0].count("[") if opener == "[" else 0
                pieces.append(Text(run[0], True))
                self.at = run.end()
                continue
            self.count(1)
            letter = text[self.at]
            if letter == closer and depth == 0:
                self.at += 1
                self.depth -= 1
                return tuple(pieces)
            if closer == ")" and (letter == "'" or text.startswith(("\\(", "\\)"), self.at)):
                end = self._find("'", self.at + 1) + 1 if letter == "'" else self.at + 2
                pieces.append(Text(text[self.at : end], True))
                self.at = end
            elif letter in "\"'" or (closer == "]" and text.startswith(("\\", "$'", '$"'), self.at)):
                self._special(pieces)
            elif letter in "$`\\":
                self._inside_quotes(pieces, letter, '$`"\\')
            else:
                depth += (letter == opener) - (letter == closer)
                pieces.append(Text(letter, True))
                self.at += 1
        self.depth -= 1
        return None
