"""Builtins that set no more than variables for the programs behind them, or nothing, or end a loop or the shell."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any
from hookline.shell.interpreter.walk import Beyond
from hookline.shell.reading import Command, Word, glued

if TYPE_CHECKING:
    from hookline.shell.grammar.tree import Simple

_KNOWN = frozenset("euxo")  # options of `set` that change nothing of how the words behind it are read
_ENDS = ("break", "continue", "return", "exit")


def carry_out(reader: Any, name: str, command: Command, node: Simple) -> None:
    """Raises Beyond where that needs the reader."""
    texts = [word.prefix for word in command.words[1:]]
    if node.assignments:
        raise Beyond
    if name == "set" and reader.out is None:
        _set(reader, list(command.words[1:]))
    elif name in _ENDS and not node.redirects:
        reader.quits(command)
    elif name in ("test", "[") and not {"-v", "-R"}.intersection(texts):
        pass
    elif not texts or texts[0][:1] in ("-", "+"):
        raise Beyond
    elif name == "printf" and command.words[1].literal:
        reader.printing(command)
        return
    elif name == "export" and reader.out is None:
        if len({text.partition("=")[0] for text in texts}) < len(texts):
            raise Beyond
        for word in command.words[1:]:
            _export(reader, word)
        reader.inner(command, node.argv)
    else:
        raise Beyond
    reader.complained()


def _set(reader: Any, words: list[Word]) -> None:
    """`set -euo pipefail`."""
    from hookline.shell.interpreter.options import set_options

    while words:
        text = words.pop(0).literal or ""
        if text[:1] not in ("-", "+") or not len(text) > 1 or not _KNOWN.issuperset(text[1:]):
            raise Beyond
        if "o" in text and not (words and text.endswith("o") and words[0].literal == "pipefail"):
            raise Beyond
        set_options(reader, text, words)


def _export(reader: Any, word: Word) -> None:
    name, equals, text = word.prefix.partition("=")
    if not (name.isidentifier() and name.isascii() and (equals or word.literal)):
        raise Beyond
    reader.exported(name)
    if equals:
        reader.assign(name, glued((text, *word.parts[1:])))
