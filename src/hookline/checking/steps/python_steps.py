"""The statements of a script of Python, as `steps` goes through them. Their places are those of lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hookline.checking.steps.languages import python_tree
from hookline.checking.steps.step import NOTHING, Body, Look, Step
from hookline.checking.steps.steps import Steps

_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit", "SystemExit"})
_CHANGES = frozenset({"append", "extend", "add", "update", "insert", "setdefault", "put"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def steps_of_python(text: str) -> Steps | None:
    """The steps of a script; None where it is no Python."""
    tree = python_tree(text)
    if tree is None:
        return None
    starts = [0]
    for row in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    functions = frozenset(each.name for each in ast.walk(tree) if isinstance(each, _FUNCTIONS))
    reader = _Reader(starts, functions)
    return Steps(reader.body(tree.body), reader.given)


class _Reader:
    def __init__(self, starts: list[int], functions: frozenset[str]) -> None:
        self.starts, self.functions = starts, functions
        self.given: dict[str, list[Look]] = {}

    def body(self, body: Sequence[ast.stmt]) -> Body:
        return tuple(step for node in body for step in self.step(node))

    def step(self, node: ast.stmt) -> Iterator[Step]:
        start, end = self.starts[node.lineno - 1], self.starts[node.end_lineno or node.lineno] - 1
        match node:
            case ast.FunctionDef(name=name, body=body) | ast.AsyncFunctionDef(name=name, body=body):
                yield Step(start, end, "function", name, bodies=(self.body(body),))
            case ast.ClassDef(body=body) | ast.With(body=body) | ast.AsyncWith(body=body):
                yield Step(start, end, "group", bodies=(self.body(body),))
            case ast.If(test=test, body=body, orelse=otherwise):
                bodies = tuple(self.body(each) for each in (body, otherwise) if each)
                looks = (self.look(test),) * len(bodies)
                calls = self.called(test)
                yield Step(start, end, "if", looks=looks, bodies=bodies, whole=bool(otherwise), calls=calls)
            case (
                ast.For(target=target, iter=over, body=body)
                | ast.AsyncFor(target=target, iter=over, body=body)
            ):
                self.give(target, over)
                look = self.look(over)
                yield Step(
                    start,
                    end,
                    "loop",
                    look=look,
                    looks=(look,),
                    bodies=(self.body(body),),
                    calls=self.called(over),
                )
                yield from self.body(node.orelse)
            case ast.While(test=test, body=body):
                look = self.look(test)
                yield Step(start, end, "loop", look=look, looks=(look,), bodies=(self.body(body),))
            case ast.Try(body=body, handlers=handlers, orelse=otherwise, finalbody=final):
                inner = self.body([*body, *otherwise])
                last = inner[-1].end if inner else start
                yield Step(start, last, "group", bodies=(inner,))
                for each in handlers:
                    held = self.body(each.body)
                    taken = ast.unparse(each.type) if each.type else "BaseException"
                    used = {each.name or ""} & {name for inner in each.body for name in _names(inner)}
                    start = self.starts[each.lineno - 1]
                    yield Step(
                        start, held[-1].end, "handler", look=Look(taken, frozenset(used)), bodies=(held,)
                    )
                yield from self.body(final)
            case ast.Match(subject=subject, cases=cases):
                look = self.look(subject)
                looks = tuple(
                    Look(look.text, look.names, _letters(each.pattern) | look.letters) for each in cases
                )
                bodies = tuple(self.body(each.body) for each in cases)
                yield Step(start, end, "if", looks=looks, bodies=bodies)
            case ast.Return(value=value):
                yield Step(start, end, "return", look=self.look(value), calls=self.called(value))
            case ast.Raise(exc=ast.Call(func=ast.Name(id="SystemExit"), args=args)):
                yield self.exit(start, end, args[0] if args else None)
            case ast.Raise():
                yield Step(start, end, "exit", look=Look("raise"))
            case ast.Break() | ast.Continue():
                yield Step(start, end, "out")
            case ast.Expr(value=ast.Call(func=func, args=args)) if ast.unparse(func) in _EXITS:
                yield self.exit(start, end, args[0] if args else None)
            case _:
                yield self.plain(node, start, end)

    def exit(self, start: int, end: int, code: ast.expr | None) -> Step:
        look = self.look(code)
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            look = Look("1")
        return Step(start, end, "exit", look=look, calls=self.called(code))

    def plain(self, node: ast.stmt, start: int, end: int) -> Step:
        sets: set[str] = set()
        for each in ast.walk(node):
            match each:
                case ast.Assign(targets=targets, value=value):
                    for target in targets:
                        sets |= self.give(target, value)
                case (
                    ast.AugAssign(target=target, value=value)
                    | ast.AnnAssign(target=target, value=ast.expr() as value)
                ):
                    sets |= self.give(target, value)
                case ast.NamedExpr(target=target, value=value):
                    sets |= self.give(target, value)
                case ast.Call(func=ast.Attribute(value=value, attr=how)) if how in _CHANGES:
                    sets |= _names(value)
                case ast.Call(func=ast.Name(id=name), args=args) if name in self.functions:
                    sets |= {part.id for part in args if isinstance(part, ast.Name)}
        bare = isinstance(node, ast.Expr)
        return Step(start, end, sets=frozenset(sets), calls=self.called(node), bare=bare)

    def give(self, target: ast.expr, value: ast.expr) -> frozenset[str]:
        names = _names(target)
        look = self.look(value)
        for name in names if isinstance(target, ast.Name | ast.Tuple) else ():
            self.given.setdefault(name, []).append(look)
        return names

    def look(self, node: ast.expr | None) -> Look:
        return Look(ast.unparse(node), _names(node), _letters(node)) if node is not None else Look()

    def called(self, node: ast.AST | None) -> frozenset[str]:
        if node is None:
            return NOTHING
        return _names(node) & self.functions | (
            frozenset(each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute))
            & self.functions
        )


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _letters(node: ast.AST) -> frozenset[str]:
    return frozenset(
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value
    )
