"""The statements of a shell script, as `steps` goes through them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hookline.checking.steps.shell_nodes import text_of
from hookline.checking.steps.step import NOTHING, UNKNOWN, Body, Look, Step
from hookline.checking.steps.steps import Steps
from hookline.shell.grammar.branches import Case, For, Group, If, Subshell, While
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Assignment
from hookline.shell.grammar.syntax import ArithmeticFor, Calculation, Function, Node, Test
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.system.patterns.late import late

_NAME = late(r"\$\{?[#!]?(\w+|\?)")
_NUMBER_OF = late(r"[A-Za-z_]\w*")
_LETTERS = late(r"[\w./-]{3,}")
_NO_LETTERS = late(r"\$\{?\w+\}?|(?<=\s)-\w+\b|\b(?:grep|egrep|echo|printf|test)\b|>\s*/dev/null|2>&1")
_COUNTED = late(r"([A-Za-z_]\w*)[ \t]*(?:\+\+|--|[-+*/|&]?=(?!=))|(?:\+\+|--)([A-Za-z_]\w*)")
_FUNCTION = late(r"(?m)(?:^|[;&{(])[ \t]*(?:function[ \t]+([\w:-]+)|([\w:-]+)[ \t]*\(\))")
_STRICT = late(r"(?m)^[ \t]*set\s+(?:-\w*e|-o errexit)|^#!.*\s-\w*e\w*$")
_TRAP = late(r"(?m)^[ \t]*trap\s+(?:(['\"])(?P<what>[\s\S]*?)\1|(?P<name>[\w:-]+))\s")
# letters that bash has marks of its own by: what a script does with them is the same with those behind them
_MARK = late(r"\$'(?:[^'\\]|\\.){0,20}'", needs=("$'",))
_OF_MARKS = late(r"\\(x0?1|0{0,2}1|x7[fF]|177)(?![0-9a-fA-F])")
_SETS_ITS_WORDS = frozenset({"read", "mapfile", "readarray", "let", "touch", "tee", "unset"})
_QUOTES = "\"'\\"
_ENDS = late(r"\b(?:exit|return)\s+[\"']?[$1-9]")


def steps_of_shell(text: str) -> Steps | None:
    """The steps of a script; None where it is not clear what it says."""
    tree, unclear = parse(_MARK.sub(lambda each: _OF_MARKS.sub(_beside, each[0]), text))
    if unclear is not None:
        return None
    functions = {found[1] or found[2] for found in _FUNCTION.finditer(text)}
    reader = _Reader(text, functions)
    body = reader.sequence(tree)
    strict = bool(_STRICT.search(text))
    steps = Steps(body, reader.given, by_last=True, strict=strict)
    for found in _TRAP.finditer(text):
        told = found["what"] or found["name"] or ""  # a signal that is ignored
        of = (steps.functions[name] for name in re.findall(r"[\w:-]+", told) if name in steps.functions)
        steps.trapped = any(_ENDS.search(each) for each in (told, *(text[f.start : f.end] for f in of)))
        if steps.trapped:
            break
    return steps


def _beside(found: re.Match[str]) -> str:
    """Another letter, written in as many."""
    return found[0][:-1] + ("2" if found[0].endswith("1") else "6" if found[0].endswith("7") else "e")


class _Reader:
    def __init__(self, text: str, functions: set[str]) -> None:
        self.text, self.functions = text, functions
        self.given: dict[str, list[Look]] = {}

    def sequence(self, body: Sequence) -> Body:
        return _placed([step for node, _ in body.items for step in self.node(node)])

    def node(self, node: Node, around: str = "") -> Iterator[Step]:
        """The steps of a node; `around` are the redirections of what holds it."""
        match node:
            case Simple():
                yield self.simple(node)
            case Compound(body=inner, redirects=redirects):
                given = " ".join(text for each in redirects if (text := self.target(each.target)))
                sent = (
                    NOTHING if not any(each.operator.startswith(">") for each in redirects) else _names(given)
                )
                for step in self.node(inner, f"{around} {given}"):
                    yield Step(**{**vars(step), "sets": step.sets | sent}) if sent else step
            case Pipeline(parts=parts):
                yield from (step for part in parts for step in self.node(part, around))
            case Chain(links=links):
                yield from self.chain(links)
            case Group(body=body) | Subshell(body=body):
                yield from self.held("group", Look(), body, around)
            case If(branches=branches, otherwise=otherwise):
                yield from self.branches(branches, otherwise)
            case While(condition=condition, body=body):
                yield from self.held("loop", self.look_at(condition, around), body, around)
            case For(name=name, words=words, body=body):
                told = " ".join(self.target(each) for each in words or ())
                self.given.setdefault(name, []).append(_look(told))
                yield from self.held("loop", _look(told), body, around)
            case ArithmeticFor(body=body):
                yield from self.held("loop", Look(), body, around)
            case Case(subject=subject, clauses=clauses):
                names = _names(self.text[subject.start : subject.end])
                patterns = [" ".join(self.text[p.start : p.end] for p in each.patterns) for each in clauses]
                looks = [Look(each, names | _names(each), _letters(each)) for each in patterns]
                bodies = [self.sequence(each.body) for each in clauses]
                asked = _look(self.text[subject.start : subject.end])
                yield from _step("if", looks, bodies, subject.start, whole="*" in patterns, look=asked)
            case Function(name=name, body=inner):
                held = self.sequence(inner) if isinstance(inner, Sequence) else tuple(self.node(inner))
                yield Step(node.start, node.end, "function", name, bodies=(held,))
            case Test(words=words):
                start, end = words[0].start, words[-1].end
                yield Step(start, end, look=_look(self.text[start:end]))
            case Calculation(pieces=pieces):
                told = "".join(each.text for each in pieces)
                sets = {found[1] or found[2] for found in _COUNTED.finditer(told)}
                names = frozenset(_NUMBER_OF.findall(told))
                for name in sets:
                    self.given.setdefault(name, []).append(Look(told, names - {name}))
                yield Step(-1, -1, look=Look(told, names, _letters(told) - names), sets=frozenset(sets))

    def held(self, kind: str, look: Look, body: Sequence, around: str) -> Iterator[Step]:
        inner = self.sequence(body)
        if inner:
            yield Step(
                inner[0].start,
                inner[-1].end,
                kind,
                look=look,
                looks=(look,) if kind == "loop" else (),
                bodies=(inner,),
            )

    def branches(
        self, branches: Iterable[tuple[Sequence, Sequence]], otherwise: Sequence | None
    ) -> Iterator[Step]:
        looks, bodies, sets, calls, start = [], [], NOTHING, NOTHING, -1
        for condition, body in branches:
            asked = self.sequence(condition)
            start = (
                start
                if start >= 0 or not asked
                else min((s.start for s in asked if s.start >= 0), default=-1)
            )
            sets = sets.union(*(each.sets for each in asked))
            calls = calls.union(*(each.calls for each in asked))
            looks.append(self.look_at(condition))
            bodies.append(self.sequence(body))
        if otherwise is not None:
            asked_before = _joined(looks)
            looks.append(Look(f"! {asked_before.text}", asked_before.names, asked_before.letters))
            bodies.append(self.sequence(otherwise))
        yield from _step("if", looks, bodies, start, otherwise is not None, sets, calls)

    def chain(self, links: tuple[tuple[str, Node], ...]) -> Iterator[Step]:
        """`a && b || c`: what follows runs, or not, by what came of the first."""
        first, rest = [*self.node(links[0][1])], links[1:]
        if not rest:
            yield from first
            return
        body = tuple(self.chain(rest))
        looks = self.asked(links[0][1], first or [Step(-1, -1)], fails=rest[0][0] == "||")
        if len(first) == 1 and not first[0].bodies and first[0].kind == "":
            yield from _step("if", [looks], [body], first[0].start, False, first[0].sets, first[0].calls)
        else:
            yield from first
            yield from _step("if", [looks], [body], -1)

    def look_at(self, condition: Sequence, around: str = "") -> Look:
        leaves = [*_leaves(self.sequence(condition))]
        return (
            _joined([self.asked(condition.items[-1][0], leaves), _look(around)]) if leaves else _look(around)
        )

    def asked(self, node: Node, steps: list[Step], fails: bool = False) -> Look:
        """What a condition looks at, with `! ` before it where what follows runs if it does not hold."""
        look = _joined([each.look for each in steps])
        known = [each for each in steps if each.start >= 0]
        text = self.text[known[0].start : known[-1].end] if known else look.text
        otherwise = fails is not (isinstance(node, Pipeline) and node.negated)
        return Look(f"! {text}" if otherwise else text, look.names, look.letters)

    def simple(self, node: Simple) -> Step:
        text = self.text[node.start : node.end]
        words = [text_of(word) for word in node.words]
        name = words[0] if words else ""
        sets = set()
        for each in (*node.assignments, *(word for word in node.words if isinstance(word, Assignment))):
            sets.add(each.name)
            value = self.text[each.whole.start : each.whole.end].partition("=")[2]
            self.given.setdefault(each.name, []).append(_look(value))
        for to in node.redirects:
            if to.operator.startswith(">"):
                told = self.target(to.target)
                sets |= _names(told) or {told}
        if name in _SETS_ITS_WORDS:
            sets |= {word for word in words[1:] if word != UNKNOWN} | (
                _names(text) if name in ("touch", "tee") else set()
            )
        kind = {"exit": "exit", "return": "return", "break": "out", "continue": "out"}.get(name, "")
        look = _look(text)
        if kind in ("exit", "return"):
            told = text[len(name) :].split("#")[0].strip(" ;\"'")
            look = _look(told)
        calls = frozenset(each for each in words if each in self.functions) if name != "trap" else NOTHING
        end = node.end
        for to in node.redirects:
            if to.document is not None:
                closes = re.compile(rf"\n\t*{re.escape(self.target(to.target).strip(_QUOTES))}(?=\n|\Z)")
                end = found.end() if (found := closes.search(self.text, end)) else end
        program = "" if kind else name.rpartition("/")[2]
        return Step(node.start, end, kind, program=program, look=look, sets=frozenset(sets), calls=calls)

    def target(self, word: object) -> str:
        start, end = getattr(word, "start", -1), getattr(word, "end", -1)
        if start < 0:
            whole = getattr(word, "whole", None)
            return (
                self.text[whole.start : whole.end]
                if whole is not None
                else str(getattr(word, "literal", "") or "")
            )
        return self.text[start:end]


def _step(
    kind: str, looks: list[Look], bodies: list[Body], start: int, whole: bool = False,
    sets: frozenset[str] = NOTHING, calls: frozenset[str] = NOTHING, look: Look | None = None,
) -> Iterator[Step]:  # fmt: skip
    known = [each for body in bodies for each in body if each.start >= 0]
    starts = [start] * (start >= 0) + [each.start for each in known]
    if starts:
        end = max((each.end for each in known), default=start)
        yield Step(
            min(starts),
            end,
            kind,
            look=look or Look(),
            looks=tuple(looks),
            bodies=tuple(bodies),
            whole=whole,
            sets=sets,
            calls=calls,
        )


def _placed(steps: list[Step]) -> Body:
    """The steps, those of which no place is known beside their neighbours."""
    last = next((each.start for each in steps if each.start >= 0), -1)
    found = []
    for each in steps:
        found.append(each if each.start >= 0 else Step(**{**vars(each), "start": last, "end": last}))
        last = found[-1].end
    return tuple(found)


def _leaves(body: Body) -> Iterator[Step]:
    for step in body:
        yield step
        for inner in step.bodies:
            yield from _leaves(inner)


def _names(text: str) -> frozenset[str]:
    return frozenset(_NAME.findall(text))


def _letters(text: str) -> frozenset[str]:
    return frozenset(_LETTERS.findall(_NO_LETTERS.sub(" ", text)))


def _look(text: str) -> Look:
    return Look(text, _names(text), _letters(text))


def _joined(looks: list[Look]) -> Look:
    return Look(
        " ".join(each.text for each in looks),
        NOTHING.union(*(each.names for each in looks)),
        NOTHING.union(*(each.letters for each in looks)),
    )
