"""Builtins that set no more than variables, or nothing, or end a loop, a function or the shell."""

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
    if name == "read" and reader.shell != "zsh":
        _read(reader, texts, command, node)
    elif node.assignments:
        raise Beyond
    elif name == "command" and texts and texts[0] in ("-v", "-V"):
        if reader.out is not None:
            raise Beyond
        return
    elif name == "set" and reader.out is None:
        _set(reader, list(command.words[1:]))
    elif name == "wait":
        if not (texts or reader.state.journals or reader.doubt):
            reader.run_beside.clear()
    elif name == "cd" and reader.out is None and not (texts and texts[0][:1] == "-" != texts[0]):
        from hookline.shell.interpreter.folders import cd

        cd(reader, command, node)
    elif name in _ENDS and not node.redirects:
        reader.quits(command)
    elif name in ("test", "[") and not {"-v", "-R"}.intersection(texts):
        pass
    elif not texts or texts[0][:1] in ("-", "+"):
        raise Beyond
    elif name == "printf" and command.words[1].literal:
        reader.printing(command)
        return
    elif (name == "export" or (name == "local" and reader.locals)) and reader.out is None:
        if len({text.partition("=")[0] for text in texts}) < len(texts):
            raise Beyond
        for word in command.words[1:]:
            _declare(reader, name, word)
        if name == "export":
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


def _read(reader: Any, texts: list[str], command: Command, node: Simple) -> None:
    """`IFS= read -r x y`."""
    from hookline.shell.interpreter.functions import temporarily
    from hookline.shell.interpreter.input import read_line

    options = [text for text in texts if text[:1] in ("-", "+")]
    if any(name != "IFS" for name, _ in command.assignments) or not {"-r", "-s", "-rs"}.issuperset(options):
        raise Beyond
    temporarily(reader, command.assignments, lambda: read_line(reader, command, node))


def _declare(reader: Any, builtin: str, word: Word) -> None:
    name, equals, text = word.prefix.partition("=")
    told = name.isidentifier() and name.isascii() and (equals or word.literal)
    if not told or name in reader.temporary:
        raise Beyond
    if builtin == "export":
        reader.exported(name)
    else:
        from hookline.shell.interpreter.functions import make_local

        make_local(reader, name)
    if equals:
        reader.assign(name, glued((text, *word.parts[1:])))
