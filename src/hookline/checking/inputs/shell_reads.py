"""What a shell script, and what other languages have to say in it, takes out of the JSON it is given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as Several

from hookline.checking.inputs.jq_reads import jq_reads
from hookline.checking.inputs.python_reads import python_reads
from hookline.checking.inputs.reads import CONSTANT, MOST, RAW, Read, Ways, either, parsed, reads
from hookline.checking.inputs.shell_words import (
    Names,
    is_format,
    named_by,
    plain_text,
    source_of,
    spread,
    variable_of,
)
from hookline.model.typing import Any
from hookline.shell.grammar.branches import Case, For, Group, If, Subshell, While
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Assignment, Parameter, Process, Substitution, Text
from hookline.shell.grammar.syntax import ArithmeticFor, Function, Test
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.shell.reading import Word

_SILENT = frozenset({
    "true", "false", ":", "exit", "return", "mkdir", "rm", "cd", "set", "trap", "shift", "touch", "[", "test", "chmod",
    "sleep", "shopt", "unset", "umask", "ulimit", "source", ".", "let", "wait", "kill", "break", "continue", "command",
})  # fmt: skip
_PASS_ON = frozenset(
    {"cat", "tee", "head", "tail", "sed", "tr", "xargs", "sort", "uniq", "tac", "fold", "iconv"}
)
_DECLARES = frozenset({"local", "export", "declare", "readonly", "typeset"})
_WITH_VALUE = frozenset({"--arg", "--argjson", "--slurpfile", "--rawfile", "--args", "--indent"})
_DEEPEST = 6

Code = Callable[[str, Ways, Mapping[str, Ways]], tuple[Read, ...]]


def shell_reads(text: str, code: Code, fed: Ways = RAW, *, each: bool = False) -> tuple[Read, ...]:
    """Each value taken from the input, which comes on standard input; `code` reads programs of JavaScript and Ruby.

    Of a variable that may also be something else nothing is told, but with `each` what it may be.
    """
    tree, unclear = parse(text)
    if unclear is not None:
        return ()
    script = _Script(code)
    try:
        script.take(script.sequence(tree, fed, Names({})))
    except (RecursionError, _TooManyError):
        return ()
    return tuple(dict.fromkeys(script.all(each)))


class _TooManyError(Exception):
    pass


class _Script:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.functions: dict[str, Any] = {}
        self.found: list[Read] = []
        self.kept: dict[tuple[int, str], list[Ways]] = {}  # what was taken for each variable
        self.files: dict[str, Ways] = {}  # what was written to the file that a variable names
        self.homes: list[Names] = []  # so that none of them is taken for another
        self.stdin: Ways = RAW
        self.left = MOST
        self.depth = 0

    def all(self, each: bool) -> Iterable[Read]:
        yield from self.found
        for taken in self.kept.values():
            for ways in taken if each else (either(taken),):
                yield from reads(ways)

    # -- statements: what each prints, where it is fed this ----------------------------------------------------

    def sequence(self, body: Sequence, fed: Ways, names: Names) -> Ways:
        return self.together([self.node(node, fed, names) for node, _ in body.items])

    def node(self, node: Any, fed: Ways, names: Names) -> Ways:
        self.left -= 1
        if self.left < 0:
            raise _TooManyError
        outer, self.stdin = self.stdin, fed
        printed = self.printed(node, fed, names)
        self.stdin = outer
        return printed

    def printed(self, node: Any, fed: Ways, names: Names) -> Ways:
        match node:
            case Simple():
                return self.simple(node, fed, names)
            case Compound(body=inner, redirects=redirects):
                return self.node(inner, self.fed_by(redirects, fed, names), names)
            case Pipeline(parts=parts):
                for part in parts:
                    fed = self.node(part, fed, names)
                return fed
            case Chain(links=links):
                return self.together([self.node(each, fed, names) for _, each in links])
            case Group(body=body) | Subshell(body=body):
                return self.sequence(body, fed, names)
            case If(branches=branches, otherwise=otherwise):
                printed = []
                for condition, body in branches:
                    self.take(self.sequence(condition, fed, names))
                    printed.append(self.sequence(body, fed, names))
                if otherwise is not None:
                    printed.append(self.sequence(otherwise, fed, names))
                if any(_asks_for_program(condition) for condition, _ in branches):
                    printed = [each for each in printed if each is not None] or printed
                return self.together(printed)
            case While(condition=condition, body=body):
                self.take(self.sequence(condition, fed, names))
                return self.sequence(body, None, names)
            case For(name=name, words=words, body=body):
                for word in words or ():
                    self.use(word, names)
                self.keep(name, None, names)
                return self.sequence(body, None, names)
            case ArithmeticFor(body=body):
                return self.sequence(body, fed, names)
            case Case(subject=subject, clauses=clauses):
                self.use(subject, names)
                return self.together([self.sequence(each.body, fed, names) for each in clauses])
            case Function(name=name, body=inner):
                self.functions[name] = inner
                return CONSTANT
            case Test(words=words):
                for word in words:
                    self.use(word, names)
        return CONSTANT

    def simple(self, node: Simple, fed: Ways, names: Names) -> Ways:
        own = {}
        for each in node.assignments:
            value = self.word(each.value, names) if each.elements is None else None
            if node.words:
                own[each.name] = value
            else:
                self.keep(each.name, value if not each.append else None, names, whole=each.value)
        if not node.words:
            return CONSTANT
        name = plain_text(node.words[0]) or named_by(node.words[0])
        if name in _DECLARES:
            for each in node.words[1:]:
                if isinstance(each, Assignment):
                    self.keep(each.name, self.word(each.value, names), names, name == "local", each.value)
            return CONSTANT
        inner = Names(own, names) if own else names
        fed = self.fed_by(node.redirects, fed, inner)
        return self.program(name.rpartition("/")[2], node, fed, inner)

    def fed_by(self, redirects: Several[Any], fed: Ways, names: Names) -> Ways:
        for each in redirects:
            if each.operator == "<<<":
                fed = self.word(each.target, names)
            elif each.document is not None:
                fed = self.pieces(each.document.pieces, names) if not each.document.quoted else CONSTANT
            elif each.operator.startswith("<") and each.fd in (None, 0):
                path = plain_text(each.target)
                fed = fed if path in ("/dev/stdin", "&0", "0") else self.content(each.target, names)
        return fed

    def program(self, name: str, node: Simple, fed: Ways, names: Names) -> Ways:
        words = (*spread(node.words[1:], names),)
        if name in self.functions and self.depth < _DEEPEST:
            given = {str(at): self.word(each, names) for at, each in enumerate(words, 1)}
            said = {**names.said, **{str(at): plain_text(each) or "" for at, each in enumerate(words, 1)}}
            return self.call(name, fed, Names(given, names, said, words))
        match name:
            case "jq":
                return self.jq(words, fed, names)
            case "python" | "python3" | "node" | "ruby" | "bun" | "deno" | "py":
                return self.other(name, node, fed, names)
            case "echo" | "printf":
                shown = [each for each in words if not is_format(each)]
                if len(shown) != 1:
                    for each in shown:
                        self.use(each, names)
                    return None if shown else CONSTANT
                printed = self.word(shown[0], names)
                for to in node.redirects:
                    if to.operator.startswith(">") and (into := variable_of(to.target)):
                        self.files[into] = printed
                return printed
            case "read":
                for word in words:
                    if (to := plain_text(word)) and not to.startswith("-") and to.isidentifier():
                        self.keep(to, fed, names)
                return CONSTANT
            case "cat" if any(not (plain_text(each) or "").startswith("-") for each in words):
                return self.content(words[0], names)
            case "cat":
                for to in node.redirects:
                    if to.operator.startswith(">") and (into := variable_of(to.target)):
                        self.files[into] = fed
            case "command" | "env" | "exec" | "timeout" | "time" | "nice":
                rest = next(
                    (
                        at
                        for at, each in enumerate(words)
                        if plain_text(each) in ("jq", "python3", "python", "node")
                    ),
                    None,
                )
                if rest is not None:
                    again = Simple(
                        (),
                        words[rest:],
                        tuple(each for each in node.redirects if each.document),
                        node.start,
                        node.end,
                    )
                    return self.program(plain_text(words[rest]) or "", again, fed, names)
        for word in words:
            self.use(word, names)
        if name in _PASS_ON:
            return self.content(words[-1], names) if words and plain_text(words[-1]) is None else fed
        self.take(fed)
        return CONSTANT if name in _SILENT else None

    def call(self, name: str, fed: Ways, names: Names) -> Ways:
        self.depth += 1
        body = self.functions[name]
        printed = (
            self.sequence(body, fed, names) if isinstance(body, Sequence) else self.node(body, fed, names)
        )
        self.depth -= 1
        return printed

    def jq(self, words: Several[Any], fed: Ways, names: Names) -> Ways:
        given: list[Any] = []
        by_name: dict[str, str] = {}
        waiting = list(words)
        while waiting:
            word = waiting.pop(0)
            text = plain_text(word) or ""
            if text in _WITH_VALUE:
                for each in waiting[: 2 if text != "--indent" else 1]:
                    self.use(each, names)
                if text == "--arg" and waiting[1:] and (value := self.text(waiting[1], names)):
                    by_name[plain_text(waiting[0]) or ""] = value
                del waiting[: 2 if text != "--indent" else 1]
            elif text in ("-f", "--from-file"):
                return None
            elif text.startswith("-") and len(text) > 1:
                fed = (
                    None if text.startswith("--null") or (not text.startswith("--") and "n" in text) else fed
                )
            else:
                given.append(word)
        if not given:
            return None
        if given[1:]:
            fed = self.content(given[1], names) if plain_text(given[1]) not in ("-", "/dev/stdin") else fed
        program = self.text(given[0], names)
        if program is None or fed is None:
            return None
        for name, value in by_name.items() if "[$" in program else ():
            program = (
                re.sub(rf"\.?\[\${re.escape(name)}\]", f".{value}", program)
                if value.isidentifier()
                else program
            )
        found, printed = jq_reads(program, parsed(fed))
        self.found += found
        return printed

    def other(self, name: str, node: Simple, fed: Ways, names: Names) -> Ways:
        """A program of another language, in a word of the line or in a document."""
        words, code, at = node.words[1:], None, 0
        for at, word in enumerate(words):
            if plain_text(word) in ("-c", "-e", "--eval", "-p", "eval") and words[at + 1 :]:
                code, at = self.source(words[at + 1], names), at + 2
                break
            if plain_text(word) == "-":
                at += 1
                break
        else:
            at = len(words)
        document = next((each.document for each in node.redirects if each.document is not None), None)
        if code is None and document is not None:
            code, fed = source_of(document.pieces), None
        held = names.every()
        held.update(
            {
                f"argv[{place}]": self.files.get(variable_of(each)) or self.word(each, names)
                for place, each in enumerate(words[at:], 1)
            }
        )
        if code is None:
            return None
        found, printed = (
            python_reads(code, fed, held) if name.startswith("py") else (self.code(code, fed, held), None)
        )
        self.found += found
        return printed

    # -- words -------------------------------------------------------------------------------------------

    def word(self, word: Any, names: Names) -> Ways:
        if isinstance(word, Assignment):
            return self.word(word.value, names)
        if isinstance(word, Word):
            return CONSTANT if word.literal is not None else None
        return self.pieces(getattr(word, "pieces", ()), names)

    def pieces(self, pieces: Several[Any], names: Names) -> Ways:
        kept = [each for each in pieces if not isinstance(each, Text) or each.text.strip()]
        found: list[Ways] = []
        for each in kept:
            match each:
                case Text():
                    found.append(CONSTANT)
                case Parameter(name=name, operator=operator, argument=argument):
                    value = names.get(name)
                    if operator in (":-", "-", ":=", "="):
                        instead = self.pieces(argument, names)
                        value = either((value, instead))
                        if instead is None:
                            self.kept.setdefault((id(names.home(name, False)), name), []).append(None)
                    elif operator not in ("", "%", "%%", "#", "##", "/", "//", ":", ",", ",,", "^", "^^"):
                        value = None
                    found.append(value)
                case Substitution(body=body):
                    found.append(self.sequence(body, self.stdin, names))
                case Process(body=body, direction="<"):
                    found.append(self.sequence(body, None, names))
                case _:
                    found.append(None)
        if len(found) == 1:
            return found[0]
        for each, ways in zip(kept, found, strict=True):
            if isinstance(each, Substitution):
                self.take(ways)
        return CONSTANT if all(each == CONSTANT for each in found) else None

    def use(self, word: Any, names: Names) -> None:
        """What commands in a word print is taken; what variables hold was so before."""
        ways = self.word(word, names)
        if any(isinstance(each, Substitution) for each in getattr(word, "pieces", ())):
            self.take(ways)

    def content(self, word: Any, names: Names) -> Ways:
        """What the file has that a word names, where the script wrote it."""
        return self.files.get(variable_of(word))

    def text(self, word: Any, names: Names) -> str | None:
        """What a word says, also one that is an argument of a function and nothing else."""
        known = plain_text(word)
        if known is not None:
            return known
        parts = []
        for each in getattr(word, "pieces", ()):
            if isinstance(each, Text):
                parts.append(each.text)
            elif isinstance(each, Parameter) and each.name in names.said:
                parts.append(names.said[each.name])
            else:
                return None
        return "".join(parts)

    def source(self, word: Any, names: Names) -> str | None:
        return self.text(word, names) or source_of(getattr(word, "pieces", ()))

    def keep(self, name: str, value: Ways, names: Names, local: bool = False, whole: Any = None) -> None:
        home = names.home(name, local)
        if value is None and re.search(rf"\$\{{?{name}\b", source_of(getattr(whole, "pieces", ()))):
            value = CONSTANT  # it is what it was, in other letters
        if whole is not None and (told := self.text(whole, names)) is not None:
            home.said.setdefault(name, told)
        self.kept.setdefault((id(home), name), []).append(value)
        self.homes.append(home)
        home.held[name] = either((home.held[name], value)) if name in home.held else value

    def together(self, printed: Several[Ways]) -> Ways:
        """What commands print one after another, if that is one value."""
        found = either(printed)
        if found is None:
            for each in printed:
                self.take(each)
        return found

    def take(self, ways: Ways) -> None:
        self.found += reads(ways)


def _asks_for_program(condition: Sequence) -> bool:
    """Whether it is about what is installed: what stands in the branches then are two ways to the same."""
    nodes = [node.body if isinstance(node, Compound) else node for node, _ in condition.items]
    words = [plain_text(word) for node in nodes if isinstance(node, Simple) for word in node.words[:2]]
    return words[:2] == ["command", "-v"] or words[:1] in (["which"], ["hash"], ["type"])
