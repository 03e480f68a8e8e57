"""Brackets and branches: what an `if` or a `case` leaves behind when nobody knows which way it went."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING, Any, Callable
from hookline.shell.grammar.branches import Case, Group, If, Subshell
from hookline.shell.grammar.pieces import Text
from hookline.shell.grammar.tree import Compound, Sequence, Simple
from hookline.shell.reading import OF_COMPOUND, Hole, Redirection, Step

if TYPE_CHECKING:
    from hookline.shell.values.running import Running

Way = Callable[[Any, Any], bool | None]


def _compound(reader: Running, node: Compound) -> bool | None:
    simple = Simple((), (), (), node.redirects[0].target.start, node.redirects[-1].target.end)

    def run(found: tuple[Redirection, ...]) -> bool | None:
        if any(each.target is not None for each in found):
            via, reader.via = reader.via, (*reader.via, Step(OF_COMPOUND))
            reader.emit(simple, [], (), found)
            reader.via = via
        return reader.node(node.body)

    return reader.within(node.redirects, run)


def _subshell(reader: Running, node: Subshell) -> bool | None:
    reader.state.branch()
    stdin = reader.stdin
    if node.coproc:
        from hookline.shell.values.streams import Stream

        reader.stdin = Stream((Hole("words", "what the line sends to `coproc`"),), reader.doubt)
    status = reader.own_shell(lambda: reader.run(node.body))
    reader.stdin = stdin
    reader.state.rewind()
    return status


def _branches(
    reader: Running, branches: tuple[tuple[Sequence, Sequence], ...], otherwise: Sequence | None
) -> None:
    condition, body = branches[0]
    reader.run(condition)
    reader.doubt += 1
    reader.state.branch()
    reader.run(body)
    taken = reader.state.rewind()
    reader.state.branch()
    if branches[1:]:
        _branches(reader, branches[1:], otherwise)
    elif otherwise is not None:
        reader.run(otherwise)
    reader.doubt -= 1
    reader.state.adopt([taken, reader.state.rewind()])


def _case(reader: Running, node: Case) -> None:
    reader.one(node.subject.pieces or ())
    ways: list[dict[str, object]] = []
    falls = whole = False
    for clause in node.clauses:
        for pattern in clause.patterns:
            reader.one(pattern.pieces)
            whole = whole or pattern.pieces == (Text("*", False),)
        reader.state.branch()
        if falls:
            reader.state.adopt([ways[-1], {}])
        reader.doubt += 1
        reader.run(clause.body)
        reader.doubt -= 1
        ways.append(reader.state.rewind())
        falls = clause.terminator != ";;"
    reader.state.adopt(ways if whole else [*ways, {}])


WAYS: dict[type, Way] = {
    Compound: _compound, Group: lambda reader, node: reader.run(node.body), Subshell: _subshell,
    If: lambda reader, node: _branches(reader, node.branches, node.otherwise), Case: _case,
}  # fmt: skip
