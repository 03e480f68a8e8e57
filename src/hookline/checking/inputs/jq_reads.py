"""What a program of `jq` takes out of what it is given."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.inputs.reads import CONSTANT, EACH, Read, Ways, asked_for, either, reads, stepped
from hookline.system.patterns.late import late

_TOKEN = late(
    r"\s++|(?P<text>@?\w*+\")|(?P<path>\.\.|\.(?:[A-Za-z_]\w*+)?)|(?P<name>@?\$?[A-Za-z_]\w*+(?:::\w++)*+)"
    r"|(?P<number>\d[\d.]*+)|(?P<sign>\?//=?|//=?|[=!<>|+*/%-]=|[][(){}|,:;?+*/%<>=-])|#[^\n]*+"
)
_IN_TEXT = late(r"(?:[^\"\\]|\\[^(])*+(?:\"|(?P<opens>\\\())")
_TO_BRACKET = late(r"[^()\"]*+(?P<sign>[()\"])")
# what leaves a value what it was, but for its letters or its kind
_SAME = frozenset({
    "tostring", "tonumber", "tojson", "fromjson", "ascii_downcase", "ascii_upcase", "ltrimstr", "rtrimstr", "trim",
    "strings", "sub", "gsub", "select", "first", "last", "values", "scalars", "limit", "splits", "split", "join",
    "length", "test", "startswith", "endswith", "contains", "objects", "arrays", "not", "type", "ascii", "add", "sort",
    "unique",
})  # fmt: skip
_NOTHING = frozenset(
    {"empty", "null", "true", "false", "halt", "error", "halt_error", "now", "input_line_number"}
)
_DEEPEST = 60


def jq_reads(program: str, fed: Ways) -> tuple[tuple[Read, ...], Ways]:
    """Each value that a program takes out of what it is fed, and what it prints; neither where it is not clear."""
    try:
        reader = _Reader(program, fed)
        printed = reader.pipe(fed)
        if reader.token is not None:
            return (), None
    except (_UnclearError, RecursionError):
        return (), None
    return tuple(
        each for each in dict.fromkeys(reader.found) if not asked_for(each.ways, reader.asked)
    ), printed


class _UnclearError(Exception):
    pass


class _Reader:
    def __init__(self, program: str, fed: Ways) -> None:
        self.filled: dict[str, list[str]] = {}  # the programs in each text
        self.tokens = self._tokens(program)
        self.token: tuple[str, str] | None = None
        self.found: list[Read] = []
        self.asked: set[tuple[str, ...]] = set()
        self.names: dict[str, Ways] = {}
        self.depth = 0
        self.fed = fed
        self.next()

    def _tokens(self, program: str) -> Iterator[tuple[str, str]]:
        at = 0
        while at < len(program):
            found = _TOKEN.match(program, at)
            if found is None or found.end() == at:
                raise _UnclearError
            start, at = at, found.end()
            if found.lastgroup == "text":
                filled: list[str] = []
                at = self._behind_text(program, at, filled)
                self.filled[program[start:at]] = filled
                yield "text", program[start:at]
            elif found.lastgroup:
                yield found.lastgroup, found[0]

    def _behind_text(self, program: str, at: int, filled: list[str]) -> int:
        """Where a text ends, which may be filled in by programs that have texts of their own."""
        self.depth += 1
        while True:
            found = _IN_TEXT.match(program, at)
            if found is None or self.depth > _DEEPEST:
                raise _UnclearError
            at = found.end()
            if not found["opens"]:
                self.depth -= 1
                return at
            start, brackets = at, 1
            while brackets:
                sign = _TO_BRACKET.match(program, at)
                if sign is None:
                    raise _UnclearError
                at = sign.end()
                if sign["sign"] == '"':
                    at = self._behind_text(program, at, [])
                else:
                    brackets += 1 if sign["sign"] == "(" else -1
            filled.append(program[start : at - 1])

    def next(self) -> str:
        before = self.token[1] if self.token else ""
        self.token = next(self.tokens, None)
        return before

    def at(self, *signs: str) -> bool:
        return self.token is not None and self.token[1] in signs

    def take(self, sign: str) -> None:
        if not self.at(sign):
            raise _UnclearError
        self.next()

    # -- by how strongly they bind -------------------------------------------------------------------------

    def pipe(self, given: Ways) -> Ways:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _UnclearError
        found = self.comma(given)
        if self.at("as"):
            self.next()
            name = self.next()
            self.names[name] = found if name.startswith("$") else None
            if not name.startswith("$"):
                raise _UnclearError
            self.note(found)
            found = given
        if self.at("|"):
            self.next()
            found = self.pipe(found)
        self.depth -= 1
        return found

    def comma(self, given: Ways) -> Ways:
        found = self.otherwise(given)
        while self.at(","):
            self.next()
            self.note(found)
            self.note(self.otherwise(given))
            found = None
        return found

    def otherwise(self, given: Ways) -> Ways:
        found = [self.compared(given)]
        while self.at("//"):
            self.next()
            found.append(self.compared(given))
        return either(found)

    def compared(self, given: Ways) -> Ways:
        found, several = self.postfix(given), False
        while self.at(
            "=", "!=", "==", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "and", "or", "|=", "+="
        ):
            several = True
            if self.at("="):
                self.asked.update(found or ())  # what is added may be read as well
            self.note(found)
            self.next()
            self.note(self.postfix(given))
        return None if several else found

    def postfix(self, given: Ways) -> Ways:
        found = self.term(given)
        while self.token is not None:
            kind, sign = self.token
            if sign == "?":
                self.next()
            elif sign == "[":
                self.next()
                found = self.indexed(found, given)
            elif kind == "path" and sign != "..":
                self.next()
                found = self.step(found, sign)
            else:
                break
        return found

    def step(self, found: Ways, sign: str) -> Ways:
        if sign != ".":
            return stepped(found, sign[1:])
        if self.token and self.token[0] == "text":
            return stepped(found, self.next().strip('"'))
        if self.at("["):
            self.next()
            return self.indexed(found, found)
        return found

    def indexed(self, found: Ways, given: Ways) -> Ways:
        if self.at("]"):
            self.next()
            return stepped(found, EACH)
        if self.token and self.token[0] == "text":
            name = self.next().strip('"')
            self.take("]")
            return stepped(found, name)
        one = True
        while not self.at("]"):
            if self.at(":"):
                one = False
                self.next()
            else:
                which = self.pipe(given)
                self.note(which)
                found = found if which == CONSTANT else None  # by a name that is not known
        self.next()
        return stepped(found, EACH) if one else found

    def term(self, given: Ways) -> Ways:
        if self.token is None:
            raise _UnclearError
        kind, word = self.token
        self.next()
        if kind == "text":
            inner = self.filled.get(word, [])
            for each in inner:
                taken, printed = jq_reads(each, given)
                self.found += [*taken, *reads(printed)]
            return None if inner else CONSTANT
        if kind == "number":
            return CONSTANT
        if kind == "path":
            return None if word == ".." else self.step(given, word) if word != "." else self.step(given, ".")
        if word == "-":
            return self.postfix(given)
        if word == "(":
            found = self.pipe(given)
            self.take(")")
            return found
        if word == "[":
            empty = self.at("]")
            if not empty:
                self.note(self.pipe(given))
            self.take("]")
            return CONSTANT if empty else None
        if word == "{":
            return self.made(given)
        if kind == "name":
            return self.named(word, given)
        raise _UnclearError

    def made(self, given: Ways) -> Ways:
        """An object that is made: `{tool: .tool_name, cwd}`."""
        empty = self.at("}")
        while not self.at("}"):
            if self.token is None:
                raise _UnclearError
            kind, word = self.token
            self.next()
            if word == "(":
                self.note(self.pipe(given))
                self.take(")")
            if self.at(":"):
                self.next()
                self.note(self.otherwise(given))
            elif kind == "name" and not word.startswith(("$", "@")):
                self.note(stepped(given, word))
            if not self.at("}"):
                self.take(",")
        self.next()
        return CONSTANT if empty else None

    def named(self, word: str, given: Ways) -> Ways:
        if word == "if":
            return self.condition(given)
        if word in (
            "def",
            "reduce",
            "foreach",
            "label",
            "import",
            "include",
            "limit",
            "input",
            "inputs",
            "recurse",
        ):
            raise _UnclearError
        if word == "try":
            found = self.postfix(given)
            if self.at("catch"):
                self.next()
                self.postfix(None)
            return found
        if word.startswith("$"):
            return self.names.get(word)
        if word in _NOTHING:
            return CONSTANT
        inner: list[Ways] = []
        if self.at("("):
            sign = "("
            while sign != ")":
                self.next()
                if word == "has" and self.token and self.token[0] == "text":
                    self.asked.update(stepped(given, self.token[1].strip('"')) or ())
                inner.append(self.pipe(given))
                if not self.at(")", ";"):
                    raise _UnclearError
                sign = self.token[1] if self.token else ""
            self.next()
        for each in inner:
            self.note(each)
        if word.startswith("@") or word in _SAME:
            return given
        self.note(given)
        return None

    def condition(self, given: Ways) -> Ways:
        found = []
        while True:
            test, before = self.pipe(given), len(self.found)
            self.note(test)
            self.take("then")
            found.append(self.pipe(given))
            taken = {way for each in (*self.found[before:], *reads(found[-1])) for way in each.ways}
            # `if .x then .x … end`: what only another sends
            self.asked.update(each for each in test or () if asked_for(taken, (each,)))
            if self.at("elif"):
                self.next()
                continue
            if self.at("else"):
                self.next()
                found.append(self.pipe(given))
            self.take("end")
            return either(found)

    def note(self, ways: Ways) -> None:
        self.found += reads(ways)
