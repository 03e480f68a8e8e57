"""What stands in `$((…))`, `((…))` and an index: its value, what it assigns, and code that runs with it."""

from __future__ import annotations

import re

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.reading import Hole, Parts
from hookline.shell.values.state import by_nothing

if TYPE_CHECKING:
    from hookline.shell.grammar.pieces import Piece
    from hookline.shell.values.running import Running

_CHANGES = r"\+\+|--|(?<![=!<>])=(?!=)|<<=|>>="
_SUM = (
    r"[ \t\n]*+([+-]?[ \t]*+(?:0|[1-9][0-9]{0,14}))[ \t\n]*+(?:([-+*])[ \t\n]*+(0|[1-9][0-9]{0,8})[ \t\n]*+)?"
)
_OF_SUMS = "0123456789-+* \t\n"


def calculated(reader: Running, pieces: tuple[Piece, ...], text: str) -> Parts:
    inner, before = reader.one(pieces), reader.redirected
    plain = "".join(part for part in inner if isinstance(part, str))
    reader.redirected = True  # an expression that bash refuses ends the command
    if by_nothing(plain):
        reader.refused()
    evaluated(reader, inner)
    if any(sign in plain for sign in ("=", "++", "--")) and re.compile(_CHANGES).search(plain):
        from hookline.shell.values.arrays import Array

        for name in _names(plain):
            held = reader.state.slots.get(name)
            if f"{name}[" in plain:
                reader.state.put(name, Array({}, isinstance(held, Array) and held.keyed, told=False))
            else:
                reader.assign(name, (Hole("word", f"`{name}` is calculated", f"${name}"),))
    elif inner and plain == inner[0] and not plain.strip(_OF_SUMS):
        found = re.compile(_SUM).fullmatch(plain)
        if found is not None:
            reader.redirected = before
            return (str(_sum(found)),)
    reader.complained()
    return (Hole("word", "it is calculated", text),)


def evaluated(reader: Running, parts: Parts) -> None:
    """Bash calculates with a variable's text as code, and `a[$(…)]` in it runs commands."""
    plain = "".join(part for part in parts if isinstance(part, str))
    if _calls(plain):
        reader.unknown("commands stand in what is calculated", plain)
    for name in _names(plain):
        value = reader.state.slots.get(name)
        if isinstance(value, tuple) and any(isinstance(part, str) and _calls(part) for part in value):
            reader.unknown(f"`{name}` holds commands and is calculated with")


def _names(text: str) -> list[str]:
    """Those of variables in an expression, of which no other letters are known."""
    words = "".join(
        letter if letter == "_" or (letter.isascii() and letter.isalnum()) else " " for letter in text
    ).split()
    return [name for word in words if (name := word.lstrip("0123456789"))]


def _calls(text: str) -> bool:
    return "$(" in text or "`" in text


def _sum(found: re.Match[str]) -> int:
    first = int(found[1].replace(" ", "").replace("\t", ""), 10)
    second = int(found[3] or 0)
    return {"+": first + second, "-": first - second, "*": first * second}.get(found[2] or "+", first)
