"""Parts of a tree of Python that say what a script does with its input."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def parameters(function: Function) -> list[str]:
    every = function.args
    return [each.arg for each in (*every.posonlyargs, *every.args, *every.kwonlyargs)]


def keys(function: Function) -> tuple[str, ...]:
    """The parameters of a function that are names of what it takes out of another: `given[name]`, `given.get(name)`."""
    found = []
    for node in own(function):
        match node:
            case (
                ast.Subscript(slice=ast.Name(id=name), ctx=ast.Load())
                | ast.Call(func=ast.Attribute(attr="get"), args=[ast.Name(id=name), *_])
            ):
                found.append(name)
    return tuple(each for each in parameters(function) if each in found)


def bare(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a condition that ask nothing but whether a value is there."""
    match test:
        case ast.BoolOp(values=values):
            for each in values:
                yield from bare(each)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from bare(operand)
        case ast.Call(func=ast.Name(id="isinstance"), args=[first, *_]):
            yield first
        case ast.Call() | ast.Subscript() | ast.Attribute():
            yield test


def objects(tree: ast.Module) -> Iterator[str]:
    """The names of what values are taken out of by name."""
    for each in ast.walk(tree):
        match each:
            case (
                ast.Attribute(value=ast.Name(id=name), attr="get")
                | ast.Subscript(value=ast.Name(id=name), slice=ast.Constant())
            ):
                yield name


def of_keys(error: ast.expr | None) -> bool:
    """Whether it is what a missing field raises."""
    return error is not None and any(
        isinstance(each, ast.Name) and each.id == "KeyError" for each in ast.walk(error)
    )


def is_plain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def own(tree: ast.AST, statements: bool = False) -> Iterator[ast.AST]:
    """The nodes of a function or the module without those of the functions in it; with `statements` those alone, and
    the expressions right below."""
    waiting: list[ast.AST] = [*(tree.body if isinstance(tree, FUNCTIONS) else ast.iter_child_nodes(tree))]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, FUNCTIONS) or (statements and isinstance(node, ast.expr)):
            continue
        if (
            statements
            and isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
        ):
            continue
        waiting += ast.iter_child_nodes(node)
