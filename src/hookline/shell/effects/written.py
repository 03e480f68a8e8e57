"""The commands of a line as they are written, for rules that compare text: nothing is expanded or followed."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.model.record import Record
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Assignment, Document
from hookline.shell.grammar.syntax import Calculation, Test
from hookline.shell.grammar.tree import Compound, Redirect, Simple
from hookline.shell.reading import LONGEST_LINE, Word


def written_commands(line: str) -> tuple[str, ...]:
    """Every simple command of a line, those in substitutions included, without its assignments.

    Raises ValueError for a line that cannot be taken apart for certain.
    """
    if len(line) > LONGEST_LINE:
        raise ValueError("the line is too long")
    tree, unclear = parse(line)
    if unclear is not None:
        raise ValueError(unclear.why)
    return tuple(text for text in _texts(tree, line) if text)


def _texts(tree: Record, line: str) -> Iterator[str]:
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Simple):
            yield _text(node, line)
        elif isinstance(node, Compound):
            first, last = node.redirects[0], node.redirects[-1]
            yield line[_start(first, line) : last.target.end]
        elif isinstance(node, Test):
            yield "[["
        elif isinstance(node, Calculation):
            yield "(("
        if isinstance(node, Document):
            waiting += reversed(node.pieces)
        elif isinstance(node, tuple):
            waiting += reversed(node)
        elif isinstance(node, Record):
            waiting += [getattr(node, field) for field in reversed(node._fields)]


def _text(node: Simple, line: str) -> str:
    """From its first word or redirection that is no assignment, to its end."""
    starts = [
        *(word.whole.start if isinstance(word, Assignment) else word.start for word in node.words[:1]),
        *(_start(redirect, line) for redirect in node.redirects),
    ]
    if not starts:
        return ""
    if node.words and isinstance(node.words[0], Word) and line[starts[0]] == "`":
        raise ValueError("backticks with backslashes in them")  # its letters do not stand there as they are
    return line[starts[0] if node.words else min(starts) : node.end].strip()


def _start(redirect: Redirect, line: str) -> int:
    return max(line.rfind(redirect.operator, 0, redirect.target.start), 0)
