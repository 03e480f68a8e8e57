"""What of a script of Python does not run for one hook: its arguments and its event decide between branches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hookline.checking.runs.known import Known
from hookline.checking.runs.of_run import lacks
from hookline.checking.runs.python_values import FUNCTIONS, Reading, Scope, Values, own_nodes
from hookline.model.typing import Any

_EXITS = frozenset({"sys.exit", "exit", "quit", "os._exit"})
_Body = Sequence[ast.stmt]


def dead_in_python(tree: ast.Module, known: Known) -> Iterator[tuple[ast.AST, ast.AST]]:
    """From and to which node a script has what does not run."""
    return Dead(tree, known).all_dead()


class Dead(Reading):
    def holds(self, test: ast.expr, scope: Scope, depth: int = 0) -> bool | None:
        if isinstance(test, ast.Compare) and lacks(ast.unparse(test), self.known):
            self.told += 1
            return False
        return super().holds(test, scope, depth)

    def all_dead(self) -> Iterator[tuple[ast.AST, ast.AST]]:
        left: list[tuple[_Body, Scope]] = [(self.tree.body, None)]
        while left:
            body, scope = left.pop()
            yield from self.dead_in(body, scope, left)
        yield from self.dead_rows()

    def dead_in(
        self, body: _Body, scope: Scope, left: list[tuple[_Body, Scope]]
    ) -> Iterator[tuple[ast.AST, ast.AST]]:
        for at, node in enumerate(body):
            inner = node if isinstance(node, FUNCTIONS) else scope
            for part in self.taken(node, scope):
                left.append((part, inner))
            for part in self.passed(node, scope):
                yield part[0], part[-1]
            if at + 1 < len(body) and self.ends(node, scope):
                rest = [each for each in body[at + 1 :] if not isinstance(each, (*FUNCTIONS, ast.ClassDef))]
                yield from ((each, each) for each in rest)
                return

    def taken(self, node: ast.stmt, scope: Scope) -> list[_Body]:
        passed = self.passed(node, scope)
        parts = [getattr(node, name, None) for name in ("body", "orelse", "finalbody")]
        parts += [each.body for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ()))]
        return [each for each in parts if each and not any(each is one for one in passed)]

    def passed(self, node: ast.stmt, scope: Scope) -> list[_Body]:
        """The branches of a statement that are not taken for what is known of the run."""
        match node:
            case ast.If(body=body, orelse=otherwise):
                held = self.decided(node, scope)
                return [each for each in [otherwise if held else body] if each and held is not None]
            case ast.Match(subject=subject, cases=cases):
                before = self.told
                values = self.value(subject, scope)
                values = values if self.told > before else None
                found, met = list[_Body](), False
                for case in cases:
                    fits = None if values is None else _fits(case, values)
                    found += [case.body] if met or fits is False else []
                    met = met or (fits is True and case.guard is None)
                return found
        return []

    def decided(self, node: ast.If, scope: Scope) -> bool | None:
        """Whether the condition holds, by what is known of the run."""
        before = self.told
        held = self.holds(node.test, scope)
        return held if self.told > before else None

    def ends(self, node: ast.stmt, scope: Scope) -> bool:
        """Whether nothing behind a statement runs, by what is known."""
        match node:
            case ast.Return() | ast.Raise() | ast.Continue() | ast.Break():
                return True
            case ast.Expr(value=ast.Call(func=func)):
                return ast.unparse(func) in _EXITS or self.always_exits(func)
            case ast.If(body=body, orelse=otherwise):
                held = self.decided(node, scope)
                kept = [each for each, taken in ((body, True), (otherwise, False)) if held in (None, taken)]
                return all(any(self.ends(step, scope) for step in each) for each in kept)
            case ast.With(body=body):
                return any(self.ends(each, scope) for each in body)
        return False

    def always_exits(self, called: ast.expr) -> bool:
        """Whether it is a function that ends the script in any case."""
        functions = self.functions.get(called.id, []) if isinstance(called, ast.Name) else []
        last = functions[0].body[-1] if len(functions) == 1 else None
        return (
            isinstance(last, ast.Expr)
            and isinstance(last.value, ast.Call)
            and ast.unparse(last.value.func) in _EXITS
        )

    def dead_rows(self) -> Iterator[tuple[ast.AST, ast.AST]]:
        """What a table has under other words than the one that is looked up in it."""
        looked, before = dict[str, list[Values]](), self.told
        for scope, body in [
            (None, self.tree),
            *((each, each) for one in self.functions.values() for each in one),
        ]:
            for node in own_nodes(body):
                match node:
                    case (
                        ast.Subscript(value=ast.Name(id=name), slice=key, ctx=ast.Load())
                        | ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[key, *_])
                    ):
                        looked.setdefault(name, []).append(self.value(key, scope))
        for (_, name), values in self.given.items() if self.told > before else ():
            table = values[0] if len(values) == 1 else None
            keys = looked.get(name, [])
            if (
                not isinstance(table, ast.Dict)
                or not keys
                or None in keys
                or len(keys) != self.named.get(name)
            ):
                continue
            wanted = frozenset().union(*(each for each in keys if each))
            for word, row in zip(table.keys, table.values, strict=True):
                known = isinstance(word, ast.Constant) and word.value not in wanted
                if known and isinstance(row, ast.Name | ast.Lambda):
                    yield row, row


def _fits(case: ast.match_case, values: frozenset[Any]) -> bool | None:
    """Whether a `case` is taken for all of the values, or for none."""
    words = _words(case.pattern)
    if words is None:
        return None
    if not words:
        return True
    return True if values <= words else None if values & words else False


def _words(pattern: ast.pattern) -> frozenset[Any] | None:
    """The words that a pattern waits for; none for one that takes everything."""
    match pattern:
        case ast.MatchAs(pattern=None):
            return frozenset()
        case ast.MatchValue(value=ast.Constant(value=value)):
            return frozenset({value})
        case ast.MatchOr(patterns=patterns):
            parts = [_words(each) for each in patterns]
            return None if not all(parts) else frozenset().union(*(each for each in parts if each))
    return None
