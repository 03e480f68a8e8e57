"""Guards in Python and JavaScript that find something in a call and end with 1, without a word."""

from __future__ import annotations

import ast
import re

from hookline.checking.languages import is_python, python_tree
from hookline.system.patterns.late import late

_FINDS = frozenset(
    {"search", "match", "fullmatch", "findall", "startswith", "endswith", "any", "intersection"}
)
_EXITS = frozenset({"exit", "_exit", "SystemExit", "quit"})
_TWO = late(r"\b(?:exit|return)\w*[ (]+2\b|exit_?code\s*=\s*2\b", re.IGNORECASE)
_NODE_ENDS = late(
    r"\bif\s*\((?P<test>[^\n{;]{3,200}?)\)\s*\{?\s*process\.exit\(\s*1\s*\)"
    r"|process\.exit\((?P<chosen>[^\n;?]{3,200}?)\?\s*1\s*:\s*0\s*\)"
)
_NODE_FINDS = late(r"\.(?:includes|test|match|startsWith|endsWith|some|has)\(|={2,3}\s*[\"'`]")
_OF_ITS_OWN = late(r"\bargv\b|\bargc\b|__name__|\benv(?:iron)?\b|isTTY|isatty")


def ends_with_one(shown: str, text: str) -> bool:
    """Whether a test of what came leads to exit code 1 and nothing else; never where code 2 is used as well."""
    if _TWO.search(text):
        return False
    if is_python(shown, text):
        return _python(text)
    if shown.endswith((".js", ".mjs", ".cjs", ".ts", ".mts")):
        return any(
            _NODE_FINDS.search(test) and not _OF_ITS_OWN.search(test) and not test.lstrip().startswith("!")
            for found in _NODE_ENDS.finditer(text)
            for test in [found["test"] or found["chosen"]]
        )
    return False


def _python(text: str) -> bool:
    tree = python_tree(text)
    if tree is None:
        return False
    handed_on = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _name(node.func) in _EXITS
        for each in node.args
        if isinstance(each, ast.Call) and (name := _name(each.func))
    }
    return _says_no(tree, handed_on, "")


def _says_no(node: ast.AST, handed_on: set[str], within: str) -> bool:
    """Whether something in it says no by code 1; what handles an error is no answer to the call."""
    if isinstance(node, ast.ExceptHandler):
        return False
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        within = node.name
    alone = node.body[0] if isinstance(node, ast.If) and len(node.body) == 1 and _finds(node.test) else None
    if alone is not None and (_is_exit(alone) or (within in handed_on and _is_return(alone))):
        return True
    if isinstance(node, ast.Call) and _name(node.func) in _EXITS and len(node.args) == 1:
        given = node.args[0]
        chosen = isinstance(given, ast.IfExp) and _is_one(given.body) and _finds(given.test)
        as_number = isinstance(given, ast.Call) and _name(given.func) in ("int", "bool") and _finds(given)
        if chosen or as_number or (isinstance(given, ast.Compare) and _finds(given)):
            return True
    return any(_says_no(each, handed_on, within) for each in ast.iter_child_nodes(node))


def _finds(test: ast.expr) -> bool:
    """Whether it succeeds where something was found in a text, or a field has a value."""
    if _OF_ITS_OWN.search(ast.unparse(test)) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    ):
        return False
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and _name(node.func) in _FINDS:
            return True
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
            return True
        if (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], ast.Eq)
            and _is_word(node.comparators[0])
        ):
            return True
    return False


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != ""


def _is_exit(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else node.exc if isinstance(node, ast.Raise) else None
    return (
        isinstance(call, ast.Call)
        and _name(call.func) in _EXITS
        and len(call.args) == 1
        and _is_one(call.args[0])
    )


def _is_return(node: ast.stmt) -> bool:
    return isinstance(node, ast.Return) and node.value is not None and _is_one(node.value)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
