"""What follows what in a line: commands, pipelines and lists of them, and of whatever else `syntax` has."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.model.typing import Any


class Simple(Record):
    """A word that means itself is a Word already; what else stands in it is of `syntax`."""

    assignments: tuple[Any, ...]
    words: tuple[Any, ...]
    redirects: tuple[Any, ...]
    start: int
    end: int
    source: str = ""  # the words behind the first, as written
    argv: tuple[str, ...] | None = None  # of one that is nothing but words that mean themselves


class Redirect(Record):
    """`variable` is the name in `{name}>file`; the `target` of what a plain command has is a Word already."""

    fd: int | None
    operator: str
    target: Any
    document: Any = None
    variable: str = ""


class Chain(Record):
    """Pipelines joined by `&&` and `||`: the operator before each, the first with none."""

    links: tuple[tuple[str, Any], ...]


class Pipeline(Record):
    parts: tuple[Any, ...]
    negated: bool = False
    errors_too: bool = False  # `|&`
    timed: bool = False


class Sequence(Record):
    """What stands in it in order, and with each whether it runs in the background."""

    items: tuple[tuple[Any, bool], ...]


class Compound(Record):
    """A node with redirections of its own."""

    body: Any
    redirects: tuple[Any, ...]
