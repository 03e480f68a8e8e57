"""The parts of a shell script's tree: its statements, the words of a command, and what of them is said."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.texts.plain_output import looks
from hookline.model.typing import TypeGuard
from hookline.shell.grammar.branches import Case, For, Group, If, Subshell, While
from hookline.shell.grammar.pieces import Assignment, Raw
from hookline.shell.grammar.syntax import Function, Node, Test
from hookline.shell.grammar.tree import Chain, Compound, Pipeline, Sequence, Simple
from hookline.shell.reading import Word

_STARTERS = frozenset({"npx", "pnpm", "yarn", "bunx", "exec"})
_FILTERS = frozenset({"head", "tail", "cat", "sort", "uniq", "sed"})


def text_of(word: Word | Raw | Assignment) -> str:
    return str(getattr(word, "literal", None) or getattr(word, "plain", None) or "?")


def program_of(node: Simple) -> list[str]:
    """The words of a command without what only starts it."""
    words = [_written(word) for word in node.words]
    while not looks(words) and words[0] in _STARTERS and words[1:] and words[1] != "run":
        words = words[1:]
    return [words[0].rpartition("/")[2], *words[1:]]


def _written(word: Word | Raw | Assignment) -> str:
    known = text_of(word)
    return (
        known if known != "?" else "".join(getattr(each, "text", "") for each in getattr(word, "pieces", ()))
    )


def said(tree: Sequence) -> Iterator[Simple]:
    """The commands whose output is the script's own: at the end of a pipe, in functions too, not sent away."""
    bodies = [each.body for each in all_nodes(tree) if isinstance(each, Function)]
    for node in (*all_nodes(tree, functions=False), *(each for body in bodies for each in _of(body, False))):
        parts = [*node.parts] if isinstance(node, Pipeline) else [node]
        while len(parts) > 1 and _is_open(parts[-1]) and program_of(parts[-1])[0] in _FILTERS:
            parts.pop()
        if _is_open(parts[-1]):
            yield parts[-1]


def _is_open(node: Node) -> TypeGuard[Simple]:
    """Whether it is a command whose output goes where that of the script does."""
    return (
        isinstance(node, Simple)
        and bool(node.words)
        and all(each.fd == 2 or bool(each.document) for each in node.redirects)
    )


def all_nodes(tree: Sequence, functions: bool = True) -> Iterator[Node]:
    for node, _ in tree.items:
        yield from within(node, functions)


def within(node: Node, functions: bool = True) -> Iterator[Node]:
    match node:
        case Compound(body=inner, redirects=redirects):
            away = any(each.fd != 2 and ">" in each.operator for each in redirects)
            yield from within(inner, functions) if functions or not away else ()
        case Pipeline(parts=parts):
            yield node
            for part in parts if functions else parts[-1:]:
                yield from within(part, functions) if functions or not isinstance(part, Simple) else ()
        case Chain(links=links):
            yield node
            for _, each in links:
                yield from within(each, functions)
        case If(branches=branches, otherwise=otherwise):
            yield node
            for condition, body in branches:
                yield from _of(condition, functions)
                yield from all_nodes(body, functions)
            if otherwise is not None:
                yield from all_nodes(otherwise, functions)
        case Case(clauses=clauses):
            for clause in clauses:
                yield from all_nodes(clause.body, functions)
        case Group(body=body) | Subshell(body=body) | While(body=body) | For(body=body):
            yield from all_nodes(body, functions)
        case Function(body=body):
            yield node
            if functions:
                yield from _of(body, functions)
        case Test():
            return
        case _:
            yield node


def _of(part: Node | Sequence, functions: bool) -> Iterator[Node]:
    yield from all_nodes(part, functions) if isinstance(part, Sequence) else within(part, functions)
