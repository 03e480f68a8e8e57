"""What few lines have: functions, tests in `[[ … ]]`, what is calculated."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.grammar.syntax import ArithmeticFor, Calculation, Function, Test
from hookline.shell.interpreter.functions import define
from hookline.shell.interpreter.loops import ENDLESS, only_starts, repeat
from hookline.shell.values.calculating import calculated, evaluated

if TYPE_CHECKING:
    from hookline.shell.interpreter.branching import Way
from hookline.shell.values.running import Running

_COMPARES = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"))


def _arithmetic_for(reader: Running, node: ArithmeticFor) -> None:
    calculated(reader, node.heads, "((…))")
    heads = "".join(piece.text for piece in node.heads).split(";")
    if len(heads) == 3 and not heads[1].strip() and only_starts(node.body):
        reader.unknown(ENDLESS)

    def once() -> None:
        calculated(reader, node.heads, "((…))")
        reader.run(node.body)

    repeat(reader, node, once)


def _test(reader: Running, node: Test) -> None:
    reader.differs("dash", "`[[` is known to bash and not to dash")
    texts = [(reader.one(word.pieces), word.plain) for word in node.words]
    if any(plain in _COMPARES for _, plain in texts):
        for parts, _ in texts:
            evaluated(reader, parts)
        reader.complained()  # where one is no number


def _calculation(reader: Running, node: Calculation) -> None:
    reader.differs("dash", "`((` is known to bash and not to dash")
    calculated(reader, node.pieces, "((…))")


WAYS: dict[type, Way] = {
    ArithmeticFor: _arithmetic_for, Function: define, Test: _test, Calculation: _calculation,
}  # fmt: skip
