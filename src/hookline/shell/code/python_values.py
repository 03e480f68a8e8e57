"""What Python code works with, as far as it can be told: texts, paths, names of files, and the order of a tree."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hookline.model.record import Record
from hookline.shell.code.python_calls import ELSEWHERE
from hookline.shell.reading import Hole, Word

UNKNOWN = Hole("word", "a value of Python code")
ANY_NAME = Word((Hole("glob", "a name of a folder", "*"),))
TEMPORARY = Word(("/tmp/tmp", Hole("word", "tempfile makes the name up", "tempfile()")))


class Path(Record):
    """A `pathlib.Path`, by its parts."""

    word: Word


def comes_from_elsewhere(node: ast.expr) -> bool:
    """Whether code is fetched, or hidden in what is unpacked first."""
    calls = (each.func for each in ast.walk(node) if isinstance(each, ast.Call))
    return any((c.attr if isinstance(c, ast.Attribute) else getattr(c, "id", "")) in ELSEWHERE for c in calls)


def decoded(decode: object, text: str) -> str | None:
    try:
        return decode(text).decode("latin-1")  # type: ignore[operator,no-any-return]  # one of two functions
    except ValueError:
        return None


def in_order(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node in the order of the text, an assignment's value before the assignment."""
    nodes = list(ast.iter_child_nodes(tree))
    nodes.sort(key=lambda node: not isinstance(node, ast.comprehension))
    if isinstance(tree, ast.For | ast.AsyncFor):
        nodes.insert(0, ast.comprehension(tree.target, tree.iter, [], 0))
    if isinstance(tree, ast.Call) and len(tree.args) > 1 and isinstance(tree.args[0], ast.Lambda):
        for each in tree.args[0].args.args[:1]:
            nodes.insert(0, ast.comprehension(ast.Name(each.arg), tree.args[1], [], 0))
    for node in nodes:
        yield from in_order(node)
    yield tree


def listed(name: str, place: object) -> object:
    """One of the names that a folder, or a pattern, stands for."""
    word = as_word(place if place is not None else ".")
    if name.endswith("glob"):
        found = re.search(r"[*?\[]", word.literal or "")
        text = word.literal or ""
        hole = Hole("glob", "names of files that fit a pattern", text[found.start() :]) if found else None
        return Word((*((text[: found.start()],) if found.start() else ()), hole)) if found and hole else place
    if name == "os.walk":
        return joined([place, Word((Hole("word", "a folder below"),))])
    return Path(joined([place, "/", ANY_NAME])) if name == "os.scandir" else ANY_NAME


def as_word(value: object) -> Word:
    if isinstance(value, str):
        return Word((value,))
    if isinstance(value, Word):
        return value
    if isinstance(value, Path):
        return value.word
    return Word((UNKNOWN,))


def joined(values: list[object]) -> Word:
    parts: list[str | Hole] = []
    for value in values:
        for part in as_word(value).parts:
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            elif part != "":
                parts.append(part)
    return Word(tuple(parts) or ("",))
