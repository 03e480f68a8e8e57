"""What a script of Python says in plain words of its own, and on which stream."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from hookline.checking.steps.languages import python_tree
from hookline.checking.texts.words_said import APART, Spoken, joined
from hookline.model.record import replace
from hookline.system.patterns.late import late

_LOGS_ELSEWHERE = late(r"\bfilename\s*=|\bhandlers\b|Handler\b|\b(?:dict|file)Config\b|\blogging\.disable\b")


def words_of_python(text: str) -> Iterator[Spoken]:
    tree = python_tree(text)
    if tree is None:
        return
    starts = [0]
    for row in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    given = joined(_given(tree))
    parts = {
        each.target.id: each.iter.id
        for each in ast.walk(tree)
        if isinstance(each, ast.For) and isinstance(each.target, ast.Name)
        and isinstance(each.iter, ast.Name) and each.iter.id in given
    }  # fmt: skip
    given.update((one, given[every]) for one, every in parts.items())
    given |= dict(_returned(tree, given))
    helpers = {
        node.name: told
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (told := _hands_on(node)) is not None
    }
    helpers.update(dict.fromkeys(_loggers(tree, text), "sys.stdout" not in text))
    for each in _of_python(tree, starts, given, helpers):
        yield replace(each, names=(*each.names, *(parts[name] for name in each.names if name in parts)))


def _loggers(tree: ast.Module, text: str) -> Iterator[str]:
    """What `logging` says things with, unless a file of its own is named for them; only what it shows by itself."""
    if "logging" not in text or _LOGS_ELSEWHERE.search(text):
        return
    names = ["logging"]
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names += [node.targets[0].id] * ast.unparse(node.value).startswith("logging.getLogger(")
    yield from (f"{name}.{how}" for name in names for how in ("warning", "error", "critical"))


def _given(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What is put into a variable, or into a list."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name), *_], value=value):
                yield name, _literal(value, {})
            case ast.AugAssign(target=ast.Name(id=name), value=value):
                yield name, _literal(value, {})
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append" | "extend"), args=[first, *_]
            ):
                yield name, _literal(first, {})


def _returned(tree: ast.Module, given: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What the functions return that put a text together, each as a call of it."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            returns = (each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value)
            if words := " ".join(_literal(each, given) for each in returns).strip():
                yield f"{node.name}()", words


def _hands_on(node: ast.FunctionDef) -> bool | None:
    """Whether a function prints its first argument on standard error; None if it does not print it, or ends all."""
    first = node.args.args[0].arg if node.args.args else ""
    inside = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    if not first or any("exit" in ast.unparse(each.func) for each in inside):
        return None
    printing = (
        each
        for each in inside
        if _stream(each) is not None
        and "json.dumps(" not in ast.unparse(each)
        and any(
            isinstance(part, ast.Name) and part.id == first for given in each.args for part in ast.walk(given)
        )
    )
    found = next(printing, None)
    return None if found is None else _stream(found)


def _stream(call: ast.Call) -> bool | None:
    """Whether a call prints on standard error; None where it prints nothing."""
    name = ast.unparse(call.func)
    given = next((each.value for each in call.keywords if each.arg == "file"), None)
    if not call.args or (name == "print" and given is not None and "sys.std" not in ast.unparse(given)):
        return None
    if name == "print":
        return given is not None and ast.unparse(given) == "sys.stderr"
    return "stderr" in name if name in ("sys.stderr.write", "sys.stdout.write") else None


def _of_python(
    node: ast.AST, starts: list[int], given: Mapping[str, str], helpers: Mapping[str, bool]
) -> Iterator[Spoken]:
    if isinstance(node, ast.ExceptHandler):
        return  # what fails is told to nobody on purpose
    if isinstance(node, ast.Call) and node.args:
        on_stderr = helpers.get(ast.unparse(node.func))
        on_stderr = _stream(node) if on_stderr is None else on_stderr
        if on_stderr is not None:
            told = " ".join(_literal(each, given) for each in node.args)
            told = told.replace("%s", "") if isinstance(node.func, ast.Attribute) else told
            inner = (each for one in node.args for each in ast.walk(one))
            names = [each.id for each in inner if isinstance(each, ast.Name) and each.id in given]
            start, end = starts[node.lineno - 1], starts[node.end_lineno or 0]
            yield Spoken(told, on_stderr, start, end, names=tuple(names))
    for each in ast.iter_child_nodes(node):
        yield from _of_python(each, starts, given, helpers)


def _literal(node: ast.expr, given: Mapping[str, str]) -> str:
    """The fixed parts of a text, also of a list, and of a name that is given some."""
    match node:
        case ast.Name(id=name):
            return given.get(name, "")
        case ast.JoinedStr(values=values):
            return "".join(_literal(each, given) for each in values).replace(APART, " ")
        case ast.FormattedValue(value=value):
            return _literal(value, given) if isinstance(value, ast.Name) else ""
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return " ".join(_literal(each, given) for each in parts)
        case ast.BinOp(left=left, right=right):
            return (_literal(left, given) + _literal(right, given)).replace(APART, " ")
        case ast.Call(func=ast.Name(id=name)):
            return given.get(f"{name}()", "")
        case ast.Call(func=ast.Attribute(value=ast.Constant() as text, attr=how), args=args):
            return _literal(args[0], given) if how == "join" and args else _literal(text, given)
        case ast.Constant(value=str() as text):
            return text
    return ""
