"""Scripts of a shell that take their input apart, and do nothing with it."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.checking.steps.shell_nodes import all_nodes, text_of
from hookline.shell.grammar.parsing import parse
from hookline.shell.grammar.pieces import Substitution
from hookline.shell.grammar.syntax import Function, Node
from hookline.shell.grammar.tree import Simple

_NOTHING = frozenset(
    {"set", "true", ":", "[", "test", "local", "declare", "readonly", "shift", "cat", "read"}
)
_READERS = frozenset({
    "cat", "jq", "echo", "printf", "tr", "sed", "grep", "head", "tail", "cut", "awk", "basename", "dirname", "pwd",
})  # fmt: skip
_ENDS = (["exit"], ["exit", "0"], ["return"], ["return", "0"])


def only_reads(text: str) -> bool:
    """Whether a script does nothing but read, and nothing that is printed or written comes of it."""
    tree, unclear = parse(text)
    nodes = list(all_nodes(tree)) if unclear is None else []
    commands = [each for each in nodes if isinstance(each, Simple)]
    reads = any(
        "cat" in _words(inner) or "jq" in _words(inner) for each in commands for inner in _inside(each)
    )
    return reads and not any(isinstance(each, Function) for each in nodes) and all(map(_is_idle, commands))


def _is_idle(node: Simple) -> bool:
    words = _words(node)
    ends = not words or words in _ENDS or words[0] in _NOTHING
    away = [text_of(to.target) == "/dev/null" for to in node.redirects if ">" in to.operator and to.fd != 2]
    mute = all(away) and (bool(away) or words[:1] != ["cat"])
    return ends and mute and all(_reads(each) for each in _inside(node))


def _inside(node: Simple) -> Iterator[Simple]:
    """The commands whose output is put into a variable there."""
    for given in node.assignments:
        for piece in getattr(given.value, "pieces", ()):
            if isinstance(piece, Substitution):
                yield from (each for each in all_nodes(piece.body) if isinstance(each, Simple))


def _reads(node: Simple) -> bool:
    return (_words(node) or ["?"])[0] in _READERS


def _words(node: Node) -> list[str]:
    words = node.words if isinstance(node, Simple) else ()
    return [
        known
        if (known := text_of(word)) != "?"
        else "".join(getattr(each, "text", "") for each in getattr(word, "pieces", ()))
        for word in words
    ]
