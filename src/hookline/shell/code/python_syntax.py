"""Python code as a tree, also where it is of another version than the Python that reads it."""

from __future__ import annotations

import _ast as ast  # `ast` itself loads much to write such trees, which costs as much as half a line
from collections.abc import Iterator

MOST_ODD = 20  # lines that are left out
MOST_LETTERS = 100_000  # of all attempts together


def parsed(text: str) -> tuple[ast.Module, list[str]]:
    """The tree of what this Python can read, and the lines that it cannot: the one that runs them may be able to."""
    lines = text.strip("\n").split("\n")
    odd: list[str] = []
    for _ in range(min(MOST_ODD, 2 + MOST_LETTERS // (len(text) + 1))):
        try:
            return _tree("\n".join(lines)), odd
        except SyntaxError as error:
            at = min(error.lineno or 1, len(lines)) - 1
            odd += _left_out(lines, at)
        except (ValueError, RecursionError, MemoryError):
            break
    return ast.Module([], []), text.split("\n")


def _tree(text: str) -> ast.Module:
    tree = compile(text, "<code>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return tree


def children(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that stand in it, in the order of its fields; whether a name is read or set is none."""
    for name in node._fields:
        held = getattr(node, name, None)
        if isinstance(held, list):
            yield from (each for each in held if isinstance(each, ast.AST))
        elif isinstance(held, ast.AST) and name != "ctx":
            yield held


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """It and all that stands in it, what is nearer first."""
    level = [node]
    while level:
        yield from level
        level = [each for held in level for each in children(held)]


def _left_out(lines: list[str], at: int) -> list[str]:
    """Puts into the place of a line one that does nothing, and nothing where one stands there already."""
    line = lines[at]
    body = line.strip()
    instead = "except:" if body.startswith("except") else "if 1:" if body.endswith(":") else "pass"
    lines[at] = line[: len(line) - len(line.lstrip())] + instead if body not in ("", instead) else ""
    return [line] if lines[at] else []
