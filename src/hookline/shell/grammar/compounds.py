"""What few lines have, and how it is read: tests in `[[ … ]]`, functions, what is calculated, loops that count."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.branches import end_of_head, loop_body, named_loop
from hookline.shell.grammar.position import LONGEST_NAME, Unclear
from hookline.shell.grammar.syntax import ArithmeticFor, Function, Test
from hookline.shell.grammar.tree import Pipeline, Simple

if TYPE_CHECKING:
    from hookline.shell.grammar.branches import For
    from hookline.shell.grammar.pieces import Raw
    from hookline.shell.grammar.position import Position

_BEHIND = frozenset(("", *" \t\n|&;()<>"))
_NOT_IN_NAMES = frozenset(" \t\n|&;()<>$`'\"\\")


def test(reader: Position) -> Test:
    """Behind its `[[`."""
    text, start = reader.text, reader.at
    words: list[Raw] = []
    while True:
        reader.blank_lines()
        if text.startswith("]]", reader.at) and text[reader.at + 2 : reader.at + 3] in _BEHIND:
            reader.at += 2
            return Test(tuple(words))
        word = reader.word()
        if not word.pieces:
            if reader.at >= len(text):
                raise Unclear(start, "`[[` stays open")
            reader.at += 1  # an operator
            continue
        words.append(word)


def loop(reader: Position) -> ArithmeticFor | For:
    """`for ((…; …; …))`, and with a name, behind its first word."""
    reader.blanks()
    if not reader.text.startswith("((", reader.at):
        return named_loop(reader)
    heads = reader.arithmetic(reader.at + 2)
    if heads is None:
        raise Unclear(reader.at, "`((` stays open")
    end_of_head(reader)
    return ArithmeticFor(heads, loop_body(reader))


def function_name(reader: Position) -> tuple[str, int] | None:
    """The name of the function whose head `name ()` begins here, and where that ends."""
    text, start = reader.text, reader.at
    bracket = text.find("(", start, start + LONGEST_NAME)
    name = text[start:bracket].rstrip(" \t") if bracket > start else ""
    end = _closed(text, bracket) if name and _NOT_IN_NAMES.isdisjoint(name) and "=" not in name else 0
    return (name, end) if end else None


def function_word(reader: Position) -> tuple[str, int]:
    """The same behind the word `function`, where brackets need not follow."""
    text, start = reader.text, reader.at
    while text[start : start + 1] in (" ", "\t"):
        start += 1
    end = start
    while text[end : end + 1] and text[end] not in _NOT_IN_NAMES:
        end += 1
    if end == start:
        raise Unclear(reader.at, "a function has no name")
    bracket = end
    while text[bracket : bracket + 1] in (" ", "\t"):
        bracket += 1
    closed = _closed(text, bracket) if text.startswith("(", bracket) else 0
    return text[start:end], closed or end


def _closed(text: str, bracket: int) -> int:
    """Where an empty pair of brackets ends; 0 where there is none."""
    at = bracket + 1
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at + 1 if text.startswith(")", at) else 0


def function(reader: Position, name: str, behind: int) -> Function:
    start = reader.at
    reader.at = behind
    reader.blank_lines()
    reader.deeper()
    body = reader.command()
    if isinstance(body, (Simple, Function, Pipeline)):
        raise Unclear(start, "bash wants brackets or a loop as the body of a function")
    reader.depth -= 1
    low, high = reader.low + reader.scale * start, reader.high + reader.scale * reader.at
    return Function(name, body, low, high)
