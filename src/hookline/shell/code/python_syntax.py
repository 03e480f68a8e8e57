"""Python code as a tree, also where it is of another version than the Python that reads it."""

from __future__ import annotations

import ast

MOST_ODD = 20  # lines that are left out
MOST_LETTERS = 100_000  # of all attempts together


def parsed(text: str) -> tuple[ast.Module, list[str]]:
    """The tree of what this Python can read, and the lines that it cannot: the one that runs them may be able to."""
    lines = text.strip("\n").split("\n")
    odd: list[str] = []
    for _ in range(min(MOST_ODD, 2 + MOST_LETTERS // (len(text) + 1))):
        try:
            return ast.parse("\n".join(lines)), odd
        except SyntaxError as error:
            at = min(error.lineno or 1, len(lines)) - 1
            odd += _left_out(lines, at)
        except (ValueError, RecursionError, MemoryError):
            break
    return ast.Module([], []), text.split("\n")


def _left_out(lines: list[str], at: int) -> list[str]:
    """Puts into the place of a line one that does nothing, and nothing where one stands there already."""
    line = lines[at]
    body = line.strip()
    instead = "except:" if body.startswith("except") else "if 1:" if body.endswith(":") else "pass"
    lines[at] = line[: len(line) - len(line.lstrip())] + instead if body not in ("", instead) else ""
    return [line] if lines[at] else []
