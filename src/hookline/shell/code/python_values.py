"""What Python code works with, as far as it can be told: texts, paths, names of files, and the order of a tree."""

from __future__ import annotations

import _ast as ast
import re
from collections.abc import Iterator, Sequence

from hookline.model.record import Record
from hookline.shell.code.python_calls import ELSEWHERE
from hookline.shell.code.python_syntax import children, walk
from hookline.shell.reading import Hole, Word

UNKNOWN = Hole("word", "a value of Python code")
ANY_NAME = Word((Hole("glob", "a name of a folder", "*"),))
TEMPORARY = Word(("/tmp/tmp", Hole("word", "tempfile makes the name up", "tempfile()")))


Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
MOST_WALKS, MOST_NODES = 64, 20_000
LONGEST_VALUE = 4096  # of letters, or of elements, that code puts together


class Path(Record):
    """A `pathlib.Path`, by its parts."""

    word: Word


class Known(Record):
    """A function that the tables know, by its dotted name."""

    name: str


class Started(Record):
    """A program that was started, by the call that did it."""

    call: ast.Call


def comes_from_elsewhere(node: ast.expr) -> bool:
    """Whether code is fetched, or hidden in what is unpacked first."""
    calls = (each.func for each in walk(node) if isinstance(each, ast.Call))
    return any((c.attr if isinstance(c, ast.Attribute) else getattr(c, "id", "")) in ELSEWHERE for c in calls)


def decoded(decode: object, text: str) -> str | None:
    try:
        return decode(text).decode("latin-1")  # type: ignore[operator,no-any-return]  # one of two functions
    except ValueError:
        return None


def in_order(tree: ast.AST, skipped: frozenset[ast.AST]) -> Iterator[ast.AST]:
    """Every node but these in the order of the text, an assignment's value before the assignment."""
    todo = [(tree, False)]
    while todo:
        node, behind = todo.pop()
        if behind:
            yield node
            continue
        nodes = [each for each in children(node) if each not in skipped]
        if "generators" in node._fields:
            nodes.sort(key=lambda each: not isinstance(each, ast.comprehension))
        elif isinstance(node, ast.For | ast.AsyncFor):
            nodes.insert(0, ast.comprehension(node.target, node.iter, [], 0))
        elif isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.args[0], ast.Lambda):
            for each in node.args[0].args.args[:1]:
                nodes.insert(0, ast.comprehension(ast.Name(each.arg), node.args[1], [], 0))
        todo.append((node, True))
        todo += [(each, False) for each in reversed(nodes)]


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
        if sum(len(part) if isinstance(part, str) else 1 for part in parts) > LONGEST_VALUE:
            return Word((UNKNOWN,))
    return Word(tuple(parts) or ("",))


def table_of(value: object) -> dict[str, object]:
    """A table; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def bounded(values: list[object]) -> list[object] | None:
    """A list that code makes, unless it grows without end."""
    return values if len(values) <= LONGEST_VALUE else None


_CHANGES = {
    "upper": str.upper, "lower": str.lower, "strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip,
    "replace": str.replace, "removeprefix": str.removeprefix, "removesuffix": str.removesuffix, "title": str.title,
}  # fmt: skip


def text_of_method(held: str, method: str, given: list[object]) -> object:
    """What a method of a text gives."""
    texts = [each for each in given if isinstance(each, str)]
    if method in ("decode", "encode"):
        return held
    if method in ("split", "splitlines"):
        return list(held.split(texts[0] if texts and texts[0] else "\n" if method == "splitlines" else None))
    if method in _CHANGES and len(texts) == len(given):
        if len(held) * max(map(len, texts), default=1) > LONGEST_VALUE:
            return None
        try:
            return str(_CHANGES[method](held, *texts))  # type: ignore[operator]  # one of several functions
        except TypeError:
            return None
    return None


def sliced(held: object, index: ast.expr, key: object) -> object:
    """An element, or a part, of a list, a table or a text."""
    if isinstance(held, dict):
        return held.get(key)
    if not isinstance(held, list | str):
        return None
    from ast import literal_eval

    try:
        if isinstance(index, ast.Slice):
            low, high, step = (
                None if each is None else literal_eval(each)
                for each in (index.lower, index.upper, index.step)
            )
            return held[low:high:step]
        return held[int(literal_eval(index))]
    except (ValueError, TypeError, IndexError):
        return None


def loaded(text: str) -> object:
    """What a text of JSON holds."""
    import json

    try:
        return _plain(json.loads(text))
    except (ValueError, RecursionError):
        return None


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list) else str(value)


class Choices:
    """Which of its values each place has in this walk over a tree; each combination has its walk."""

    def __init__(self, nodes: int) -> None:
        self.turn, self.turns = 0, 1
        self._most = min(MOST_WALKS, max(1, MOST_NODES // (nodes or 1)))
        self._strides: dict[tuple[ast.AST, int], int] = {}

    def one_of(self, place: ast.AST, values: Sequence[object]) -> object:
        """One of them; None, which nobody can tell, where there would be too many walks."""
        if len(values) < 2:
            return values[0] if values else None
        key = (place, len(values))
        if key not in self._strides:
            if self.turns * len(values) > self._most:
                return None
            self._strides[key] = self.turns
            self.turns *= len(values)
        return values[self.turn // self._strides[key] % len(values)]


def functions_of(nodes: Sequence[ast.AST]) -> tuple[dict[str, Function], frozenset[ast.AST]]:
    """Functions by their names, those of classes too; and those that are only called, so walked nowhere else."""
    found: dict[str, Function] = {}
    names: dict[ast.AST, str] = {}
    for node in nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found[name] = node
                names[node] = name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as made):
                found[name] = made
                names[made] = name
            case ast.Call(func=ast.Lambda() as made):
                names[made] = ""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.FunctionDef) and each.name == "__init__":
                    found[node.name] = each
                    names[each] = node.name
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    called = {getattr(func, "id", getattr(func, "attr", "")) for func in calls}
    handed_on = {
        getattr(node, "id", getattr(node, "attr", ""))
        for node in set(nodes).difference(calls)
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    skipped = [node for node, name in names.items() if name in called and name not in handed_on]
    return found, frozenset(skipped)


def imports(tree: ast.AST) -> set[str]:
    """The packages that code takes its names from."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


def in_branches(nodes: Sequence[ast.AST]) -> frozenset[ast.AST]:
    """The assignments that may not happen."""
    branches = [node for node in nodes if isinstance(node, ast.If | ast.ExceptHandler | ast.match_case)]
    return frozenset(
        each
        for branch in branches[:MOST_WALKS]
        for each in walk(branch)
        if isinstance(each, ast.Assign | ast.AnnAssign)
    )


def fields_of(nodes: Sequence[ast.AST]) -> list[tuple[str, ast.expr]]:
    """What the fields of classes begin with."""
    bodies = [each for node in nodes if isinstance(node, ast.ClassDef) for each in node.body]
    return [
        (target.id, each.value)
        for each in bodies
        if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is not None
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
        if isinstance(target, ast.Name)
    ]
