"""`$x` and `${x…}`: the values of a shell's variables."""

from __future__ import annotations

from hookline.shell.grammar.pieces import Parameter
from hookline.shell.reading import Parts, Unset
from hookline.shell.values.arrays import Array
from hookline.shell.values.fields import Fields
from hookline.shell.values.filling import held, positional, put, whole_array
from hookline.shell.values.running import Running
from hookline.shell.values.state import POSITIONALS


class Parameters(Running):
    """Reads variables of `state`; what is not in it comes from outside of the line."""

    def scalar(self, name: str) -> Parts | None:
        if name.isdigit():
            return positional(self.state, name)
        known = self.positionals() if name == "#" else None
        if known is not None:
            return (str(len(known)),)
        value = held(self.state, name)
        if isinstance(value, Array):
            from hookline.shell.values.elements import element

            return element(f"${name}", value, "0")
        if isinstance(value, Unset):
            return None
        assert isinstance(value, tuple)
        return value

    def parameters(self) -> list[Parts] | None:
        """What `for x` goes through."""
        known = self.state.slots.get(POSITIONALS)
        return list(known.patterns) if isinstance(known, Array) else self.positionals()

    def positionals(self) -> list[Parts] | None:
        known = self.state.slots.get(POSITIONALS)
        return list(known) if isinstance(known, tuple) else None

    def parameter(self, fields: Fields, piece: Parameter, alone: bool = False) -> None:
        if piece.name in "@*" or piece.operator or piece.prefix or piece.index is not None:
            from hookline.shell.values.elements import braced

            braced(self, fields, piece, alone)
        else:
            put(self, fields, self.scalar(piece.name), piece.quoted)

    def is_list(self, piece: Parameter) -> bool:
        return piece.name in "@*" or whole_array(piece)
