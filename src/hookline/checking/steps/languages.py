"""In which language a script is written."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache

_SHELL_ENDS = (".sh", ".bash", ".zsh")


def is_shell(shown: str, text: str) -> bool:
    first = text.split("\n", 1)[0]
    if first.startswith("#!"):
        return any(first.rstrip().endswith(name) for name in ("/sh", "bash", " sh", "zsh", "dash"))
    return shown.endswith(_SHELL_ENDS)


def is_python(shown: str, text: str) -> bool:
    first = text.split("\n", 1)[0]
    return shown.endswith(".py") or (first.startswith("#!") and "python" in first)


def by_ending(shown: str, script: str) -> str:
    """The name of a script with an ending of its language, for what is left of it without its first line."""
    ends = ".sh" if is_shell(shown, script) else ".py" if is_python(shown, script) else ""
    return shown if shown.endswith((ends, *_SHELL_ENDS)) else shown + ends


@lru_cache(maxsize=32)
def python_tree(text: str) -> ast.Module | None:
    """What a text says; None where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def without_documenting(shown: str, text: str) -> str:
    """A script of Python without the texts that stand alone in it, which document."""
    tree = python_tree(text) if is_python(shown, text) else None
    rows = text.split("\n")
    for node in ast.walk(tree) if tree is not None else ():
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            alone = not rows[first].encode()[: node.col_offset].strip()
            if alone and not rows[last].encode()[node.end_col_offset or 0 :].strip():
                rows[first : last + 1] = [" " * node.col_offset + "pass", *[""] * (last - first)]
    return "\n".join(rows)
