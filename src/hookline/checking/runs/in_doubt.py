"""A script without what may be for another event, agent or argument than the ones of a hook: nobody can tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from hookline.checking.runs.expression_values import split
from hookline.checking.runs.known import Known
from hookline.checking.runs.of_run import (
    DEEPEST,
    MEANT,
    NONE,
    Doubt,
    joined,
    of_agents,
    of_events,
    of_field,
    says_run,
)
from hookline.checking.runs.python_values import FUNCTIONS, Scope
from hookline.checking.runs.reached_python import Dead as DeadInPython
from hookline.checking.runs.reached_words import Dead as DeadInWords
from hookline.checking.runs.reached_words import Span, spans_of
from hookline.checking.steps.step import Step
from hookline.checking.steps.steps import Steps
from hookline.system.patterns.late import late

_SIGNS = {"sh": ("||", "&&"), "js": ("||", "&&"), "ps1": (" -or ", " -and ")}
_QUOTED = late(r"[\"']([\w-]{2,40})[\"']")
_WORD = late(r"[\w-]{2,40}")
_ASKS = late(r"\[|\(\(|test\s|.*\bgrep\s+-\w*q", re.DOTALL)  # a command that does nothing but ask
_OF_SCRIPT = late(r"\$\{?[1-9#]")
_NAME = late(r"[A-Za-z_]\w*")
_ENDING = ("exit", "return", "out")


def doubted_in_words(text: str, kind: str, steps: Steps, known: Known) -> Iterator[Span]:
    return _InWords(text, kind, steps, known).all_doubted()


def doubted_in_python(tree: ast.Module, known: Known) -> Iterator[tuple[ast.AST, ast.AST]]:
    return _InPython(tree, known).all_doubted()


class _InWords(DeadInWords):
    def __init__(self, text: str, kind: str, steps: Steps, known: Known) -> None:
        super().__init__(text, kind, steps, known)
        self.of_run: dict[tuple[str, int], bool] = {}

    def all_doubted(self) -> Iterator[Span]:
        left = [(self.steps.body, False)]
        while left:
            body, behind = left.pop()
            for step in body:
                choices, otherwise = self.choices(step) if step.kind == "if" else ([], NONE)
                for number, inner in enumerate(step.bodies):
                    doubt = choices[number] if choices else NONE
                    if doubt.held:
                        yield from spans_of(inner, self.kind)
                    else:
                        sure = step.kind == "function" or doubt == MEANT
                        left.append((inner, not sure and (behind or doubt.otherwise)))
                if behind and not step.bodies:
                    yield from spans_of([step], self.kind)
                behind = behind or (otherwise.otherwise and _goes_off(step))

    def choices(self, step: Step) -> tuple[list[Doubt], Doubt]:
        """The doubt about each body of a choice, and the one about what follows it."""
        passed, _ = self.choice(step)
        if subject := step.look.text:
            asked = self.of_arms(step, subject)
        else:
            last = len(step.bodies) - 1 if step.whole else len(step.bodies)
            looks = enumerate(step.looks[:last])
            asked = [NONE if n in passed else self.doubt(look.text, step.start) for n, look in looks]
        before, found = NONE, list[Doubt]()
        for each in asked:
            found.append(MEANT if each == MEANT else Doubt(each.held, before.otherwise))
            before = Doubt(False, before.otherwise or each.otherwise)
        return [*found, *[before] * (len(step.bodies) - len(found))], before

    def of_arms(self, step: Step, subject: str) -> list[Doubt]:
        none = [NONE for _ in step.bodies]
        if self.value(subject, step.start) is not None:
            return none
        words = [_WORD.findall(look.text) for look in step.looks]
        of_agent = [of_agents(each, self.known) for each in words]
        if any(each != NONE for each in of_agent):
            return of_agent
        if not self.is_of_run(subject, step.start):
            return none
        return [of_events(each, self.known) for each in words]

    def doubt(self, text: str, at: int) -> Doubt:
        text = text.strip()
        either, both = _SIGNS[self.kind]
        for sign in (either, both):
            parts = list(split(text, sign))
            if len(parts) > 1:
                return joined((self.doubt(each, at) for each in parts), sign == either)
        if re.match(r"!\s*\S|-not\b", text) and not text.startswith("!="):
            return self.doubt(re.sub(r"^(?:!|-not\b)\s*", "", text), at).turned()
        if self.kind != "sh" and re.fullmatch(r"\(.*\)", text, re.DOTALL) and "(" not in text[1:]:
            return self.doubt(text[1:-1], at)
        before = self.told
        held = self.holds(text, at)
        if (held is not None and self.told > before) or (self.kind == "sh" and not _ASKS.match(text)):
            return NONE
        if (found := of_field(text, self.known)) != NONE:
            return found
        words = _QUOTED.findall(text) if self.kind != "sh" else _WORD.findall(text)
        turned = bool(re.search(r"!=|-ne\b", text))
        found = of_agents(words, self.known, turned) if re.search(r"=|-(?:eq|ne)\b", text) else NONE
        if found == NONE and self.is_of_run(text, at):
            found = of_events(words, self.known, turned)
        return found

    def is_of_run(self, text: str, at: int, depth: int = 0) -> bool:
        function = self.function_at(at)
        place = function.start if function is not None else -1
        if (key := (text, place)) not in self.of_run:
            self.of_run[key] = False  # of what is made of itself
            self.of_run[key] = depth < DEEPEST and self._is_of_run(text, at, function, depth)
        return self.of_run[key]

    def _is_of_run(self, text: str, at: int, function: Step | None, depth: int) -> bool:
        self.spend()
        if says_run(text, self.known):
            return True
        if self.kind == "sh" and _OF_SCRIPT.search(text):
            if function is None:
                return self.known.words != ()
            return any(
                self.is_of_run(given.partition("\n")[0].partition(";")[0], start, depth + 1)
                for start, given in self.given_to(function)
            )
        for name in set(_NAME.findall(text)):
            looks = self.steps.given.get(name, ())
            place = function.start if function is not None else at
            if any(name not in each.names and self.is_of_run(each.text, place, depth + 1) for each in looks):
                return True
            if not looks and self.kind != "sh" and function is not None:
                numbers = [n for n, (called, _) in enumerate(self.parameters(function)) if called == name]
                for start, given in self.given_to(function) if numbers else ():
                    told = list(split(given.partition(")")[0], ","))
                    if numbers[0] < len(told) and self.is_of_run(told[numbers[0]], start, depth + 1):
                        return True
        return False


class _InPython(DeadInPython):
    def __init__(self, tree: ast.Module, known: Known) -> None:
        super().__init__(tree, known)
        self.of_run: dict[tuple[ast.expr, Scope], bool] = {}

    def all_doubted(self) -> Iterator[tuple[ast.AST, ast.AST]]:
        left: list[tuple[Sequence[ast.stmt], Scope, bool]] = [(self.tree.body, None, False)]
        while left:
            body, scope, behind = left.pop()
            for node in body:
                defines = isinstance(node, (*FUNCTIONS, ast.ClassDef))
                inner = node if isinstance(node, FUNCTIONS) else scope
                parts = self.taken(node, scope)
                choices = dict(self.choices(node, scope))
                for part in parts:
                    doubt = choices.get(id(part), NONE)
                    if doubt.held:
                        yield part[0], part[-1]
                    else:
                        sure = defines or doubt == MEANT
                        left.append((part, inner, not sure and (behind or doubt.otherwise)))
                if behind and not parts and not defines:
                    yield node, node
                behind = behind or self.goes_off(node, choices, scope)

    def choices(self, node: ast.stmt, scope: Scope) -> Iterator[tuple[int, Doubt]]:
        """The bodies of a choice with the doubt about each."""
        match node:
            case ast.If(test=test, body=body, orelse=otherwise) if self.decided(node, scope) is None:
                doubt = self.doubt(test, scope)
                yield id(body), doubt if doubt == MEANT else Doubt(doubt.held)
                yield id(otherwise), Doubt(False, doubt.otherwise)
            case ast.Match(subject=subject, cases=cases):
                if self.value(subject, scope) is None and self.is_of_run(subject, scope):
                    for each in cases:
                        yield id(each.body), of_events(_texts(each.pattern), self.known)

    def goes_off(self, node: ast.stmt, choices: Mapping[int, Doubt], scope: Scope) -> bool:
        """Whether what follows a choice is in doubt, as one of its bodies does something and then ends the function."""
        if not isinstance(node, ast.If) or node.orelse or id(node.body) not in choices:
            return False
        doubt = self.doubt(node.test, scope)
        return doubt.otherwise and self.ends(node.body[-1], scope) and _does_more(node.body)

    def doubt(self, test: ast.expr, scope: Scope) -> Doubt:
        match test:
            case ast.BoolOp(op=op, values=values):
                return joined((self.doubt(each, scope) for each in values), isinstance(op, ast.Or))
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                return self.doubt(inner, scope).turned()
        before = self.told
        if self.holds(test, scope) is not None and self.told > before:
            return NONE
        compared = isinstance(test, ast.Compare)
        turned = isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq | ast.NotIn | ast.IsNot)
        if (found := of_field(ast.unparse(test), self.known)) != NONE:
            return found.turned() if turned and "not in" in ast.unparse(test) else found
        found = of_agents(_texts(test), self.known, turned) if compared else NONE
        if found == NONE and self.is_of_run(test, scope):
            found = of_events(_texts(test), self.known, turned)
        return found

    def is_of_run(self, node: ast.expr, scope: Scope, depth: int = 0) -> bool:
        if (key := (node, scope)) not in self.of_run:
            self.of_run[key] = False  # of what is made of itself
            self.of_run[key] = depth < DEEPEST and self._is_of_run(node, scope, depth)
        return self.of_run[key]

    def _is_of_run(self, node: ast.expr, scope: Scope, depth: int) -> bool:
        self.spend()
        if says_run(ast.unparse(node), self.known):
            return True
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        return any(
            self.is_of_run(each, place, depth + 1)
            for name in names
            for each, place in self.sources(name, scope)
        )

    def sources(self, name: str, scope: Scope) -> Iterator[tuple[ast.expr, Scope]]:
        """What a name may stand for, each with where that is said."""
        while scope is not None and (scope, name) not in self.given:
            parameters = [
                each.arg for each in (*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs)
            ]
            if name in parameters:
                at = parameters.index(name)
                for call, place in self.calls.get(scope.name, ()):
                    told = next((each.value for each in call.keywords if each.arg == name), None)
                    if at < len(call.args) or told is not None:
                        yield told or call.args[at], place
                return
            scope = self.above[scope]
        yield from ((each, scope) for each in self.given.get((scope, name), ()) if each is not None)


def _goes_off(step: Step) -> bool:
    """Whether a choice has a body that does something and then ends the script, or the function."""
    return any(
        body[-1].kind in _ENDING and (len(body) > 1 or "(" in body[-1].look.text or bool(body[-1].calls))
        for body in step.bodies
        if body
    )


def _texts(node: ast.AST) -> list[str]:
    found = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return [each for each in found if isinstance(each, str)]


def _does_more(body: list[ast.stmt]) -> bool:
    last = body[-1]
    given = last.value if isinstance(last, ast.Return) else None
    return len(body) > 1 or (given is not None and not isinstance(given, ast.Constant | ast.Name))
