"""What few lines have: functions, tests in `[[ … ]]`, what is calculated."""

from __future__ import annotations

from hookline.shell.grammar.syntax import ArithmeticFor, Calculation, Function, Test
from hookline.shell.interpreter.branching import Way
from hookline.shell.interpreter.loops import ENDLESS, only_starts, repeat
from hookline.shell.values.running import Running
from hookline.shell.values.state import function_key

_COMPARES = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v"))


def _arithmetic_for(reader: Running, node: ArithmeticFor) -> None:
    reader.calculated(node.heads, "((…))")
    heads = "".join(piece.text for piece in node.heads).split(";")
    if len(heads) == 3 and not heads[1].strip() and only_starts(node.body):
        reader.unknown(ENDLESS)

    def once() -> None:
        reader.calculated(node.heads, "((…))")
        reader.run(node.body)

    repeat(reader, node, once)


def _function(reader: Running, node: Function) -> bool | None:
    reader.functions[id(node)] = node
    reader.state.put(function_key(node.name), (node,))
    if reader.option("a"):
        reader.exported(function_key(node.name))
    return True


def _test(reader: Running, node: Test) -> None:
    reader.differs("dash", "`[[` is known to bash and not to dash")
    texts = [(reader.one(word.pieces), word.plain) for word in node.words]
    if any(plain in _COMPARES for _, plain in texts):
        for parts, _ in texts:
            reader.evaluated(parts)
        reader.complained()  # where one is no number


def _calculation(reader: Running, node: Calculation) -> None:
    reader.differs("dash", "`((` is known to bash and not to dash")
    reader.calculated(node.pieces, "((…))")


WAYS: dict[type, Way] = {
    ArithmeticFor: _arithmetic_for, Function: _function, Test: _test, Calculation: _calculation,
}  # fmt: skip
