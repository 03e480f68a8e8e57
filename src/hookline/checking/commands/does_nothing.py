"""Scripts of Python of which all that runs does nothing: a `main` whose body was commented out."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hookline.checking.steps.languages import python_tree

# calls that only read what the hook is sent, or end well
_HARMLESS = frozenset({"json.load", "json.loads", "sys.stdin.read", "str", "dict", "isinstance", "len"})
_ENDS = frozenset({"sys.exit", "exit", "SystemExit"})
_PLAIN = (
    ast.Expr, ast.Assign, ast.AnnAssign, ast.If, ast.Try, ast.Return, ast.Pass, ast.Import, ast.ImportFrom,
    ast.FunctionDef, ast.ClassDef, ast.Raise,
)  # fmt: skip


def does_nothing(text: str) -> bool:
    """Whether it has functions, and what of it runs neither says, starts nor writes anything."""
    tree = python_tree(text)
    if tree is None:
        return False
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    return bool(functions) and all(_is_idle(each, functions, set()) for each in tree.body)


def _is_idle(node: ast.stmt, functions: dict[str, ast.FunctionDef], met: set[str]) -> bool:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
        return not getattr(node, "decorator_list", ())
    if not isinstance(node, _PLAIN):
        return False
    inner: list[ast.stmt] = []
    for name in ("body", "orelse", "finalbody"):
        inner += getattr(node, name, ())
    if any(_calls(each) for each in getattr(node, "body", ())):  # else nothing is ever handled
        inner += (each for one in getattr(node, "handlers", ()) for each in one.body)
    own = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.expr)]
    return all(_is_idle(each, functions, met) for each in inner) and all(
        _is_harmless(call, functions, met) for call in _calls_in(own)
    )


def _calls(node: ast.stmt) -> bool:
    return any(isinstance(each, ast.Call | ast.Attribute | ast.Subscript) for each in ast.walk(node))


def _calls_in(nodes: Iterable[ast.expr]) -> Iterable[ast.Call]:
    return (each for node in nodes for each in ast.walk(node) if isinstance(each, ast.Call))


def _is_harmless(call: ast.Call, functions: dict[str, ast.FunctionDef], met: set[str]) -> bool:
    name = ast.unparse(call.func)
    if name in functions:
        known = name in met
        met.add(name)
        return known or all(_is_idle(each, functions, met) for each in functions[name].body)
    if name in _ENDS:
        return all(isinstance(each, ast.Constant) and each.value in (0, None) for each in call.args)
    return name in _HARMLESS or name.endswith((".get", ".strip"))
