"""Names that a script uses before they mean anything: functions of a shell, variables of Python."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from hookline.checking.lines import HookLine
from hookline.checking.steps.languages import is_python, is_shell, python_tree
from hookline.checking.steps.shell_nodes import all_nodes, text_of
from hookline.model.errors import Problem
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.syntax import Function, Node
from hookline.shell.grammar.tree import Compound, Sequence, Simple

_OWN_SCOPE = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp,
)  # fmt: skip

_OF_MODULES = ("__file__", "__doc__", "__name__", "__spec__")


def order_problems(line: HookLine) -> Iterator[Problem]:
    """The first such name of each script."""
    for shown, script in line.scripts.items():
        if is_shell(shown, script) and (name := _called_early(script)):
            words = f"`{shown}` calls `{name}` above the lines that make it: there is no such program yet"
            yield line.entry.at_line("bad-syntax", words, f"move `{name}() {{ … }}` to the top")
        elif is_python(shown, script) and (name := _read_early(line.written.get(shown, script))):
            words = f"`{shown}` reads `{name}` a line before it is set, which fails"
            yield line.entry.at_line("bad-syntax", words, "set it first")


def _called_early(text: str) -> str:
    tree, unclear = parse(text) if "() {" in text or "(){" in text else (Sequence(()), None)
    later = {} if unclear else {_made(node): at for at, (node, _) in enumerate(tree.items) if _made(node)}
    for at, item in enumerate(tree.items) if later else ():
        nodes = [] if _made(item[0]) else list(all_nodes(Sequence((item,))))
        if any(isinstance(each, Function) for each in nodes):
            continue
        for each in nodes:
            name = text_of(each.words[0]) if isinstance(each, Simple) and each.words else ""
            if later.get(name, -1) > at:
                return name
    return ""


def _made(node: Node) -> str:
    """The function that a statement makes."""
    inner = node.body if isinstance(node, Compound) else node
    return inner.name if isinstance(inner, Function) else ""


def _read_early(text: str) -> str:
    tree = python_tree(text)
    for made in ast.walk(tree) if tree else ():
        if isinstance(made, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef):
            set_at: dict[str, tuple[int, int]] = {}
            for name, at in _given(made.body):
                set_at[name] = min(at, set_at.get(name, at))
            known = _known_in(made)
            for each in () if "*" in set_at else _in_order(made):
                for used in _used(each):
                    place = (used.lineno, used.col_offset)
                    if used.id not in known and place < set_at.get(used.id, place):
                        return used.id
    return ""


def _in_order(made: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.stmt]:
    """The statements that run one after the other, those of `if __name__ == …` too."""
    for each in made.body:
        yield from each.body if isinstance(each, ast.If) and isinstance(made, ast.Module) else [each]


def _known_in(made: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Names that mean something already: parameters, and what a function imports, which may be a file's that was put
    there; of a module what Python brings, and what functions set."""
    if isinstance(made, ast.Module):
        set_inside = (each.names for each in ast.walk(made) if isinstance(each, ast.Global))
        return {*vars(builtins), *_OF_MODULES, *(name for names in set_inside for name in names)}
    inside = list(ast.walk(made))
    imported = (each.asname or each.name.partition(".")[0] for each in inside if isinstance(each, ast.alias))
    return {*imported, *(each.arg for each in ast.walk(made.args) if isinstance(each, ast.arg))}


def _used(statement: ast.stmt) -> Iterator[ast.Name]:
    """The names a plain statement reads, in whatever order its parts run."""
    value = getattr(statement, "value", None) if isinstance(statement, ast.Assign | ast.Expr) else None
    inside = list(ast.walk(value)) if isinstance(value, ast.AST) else []
    if not any(isinstance(each, (*_OWN_SCOPE, ast.NamedExpr)) for each in inside):
        yield from (each for each in inside if isinstance(each, ast.Name))


def _given(body: list[ast.stmt]) -> Iterator[tuple[str, tuple[int, int]]]:
    """Every name that a function gives a meaning to, and where; nothing that belongs to a scope within it."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        at = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                yield name, at
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, (0, 0)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from ((name, (0, 0)) for name in names)
            case ast.alias(name=name, asname=other):
                yield other or name.partition(".")[0], at
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                yield name, at
        if not isinstance(node, _OWN_SCOPE):
            waiting.extend(ast.iter_child_nodes(node))
