"""What PowerShell hands on under names: functions and blocks with parameters, splatted lists (`git @words`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hookline.shell.code.cmdlets import texts_at
from hookline.shell.reading import Word
from hookline.system.patterns.late import late

SPLAT = late(r"@([A-Za-z_]\w*+)")
_TABLE = late(r"\s*+@\{([^{}]*+)\}")
_PAIR = late(r"\s*+([\"']?)([\w-]++)\1\s*+=\s*+(?:'([^']*+)'|\"([^\"$`]*+)\"|([^;\n]*+))[ \t]*+(?:[;\n]|\Z)")
_DECLARED = late(r"(?i)\s*+(?:\[CmdletBinding[^]]*+\]\s*+)?param\s*+\(")
_PARAMETER = late(r"(?s)\$(\w++)(?:\s*+=\s*+(?:'([^']*+)'|\"([^\"$`]*+)\"))?")
_BLOCKS = ("-scriptblock", "-command")
_LISTED = ("-argumentlist", "-args")


def splatted(line: str, at: int) -> tuple[Word, ...]:
    """The words that a variable is splatted to, where a table or a list of texts stands there."""
    found = _TABLE.match(line, at)
    return texts_at(line, at) if found is None else tuple(_of_table(found[1]))


def _of_table(text: str) -> Iterator[Word]:
    """`Path = 'x'; Recurse = $true` as `-Path x -Recurse`."""
    for found in _PAIR.finditer(text):
        value = found[3] or found[4] or (found[5] or "").strip()
        if value.lower() != "$false":
            yield Word((f"-{found[2]}",))
        if value.lower() not in ("$true", "$false"):
            yield from texts_at(value, 0) or (Word((value,)),)


class Block:
    """A function, or a block in braces: its code, and its parameters with the values that they have otherwise."""

    def __init__(self, code: str, header: str = "") -> None:
        declared = _DECLARED.match(code)
        if declared is not None:
            end = _closing(code, declared.end())
            header, code = code[declared.end() : end], code[end + 1 :]
        self.code = code
        self.names = {
            found[1].lower(): Word((found[2] or found[3],)) if found[2] or found[3] else None
            for found in _PARAMETER.finditer(header)
            if found[1].lower() not in ("true", "false", "null")
        }

    def values(self, words: Sequence[Word]) -> Mapping[str, Word]:
        """What its parameters are where it is called with these words."""
        found = {name: value for name, value in self.names.items() if value is not None}
        left = list(self.names)
        rest: list[Word] = []
        words = list(words)
        while words:
            word = words.pop(0)
            name = word.prefix.lstrip("-").rstrip(":").lower()
            if word.prefix[:1] == "-" and name in self.names and words:
                found[name] = words.pop(0)
                left.remove(name)
            elif word.prefix.lower() not in _LISTED:
                rest.append(word)
        found.update(zip(left, rest, strict=False))
        return {**found, "args": rest[0]} if len(rest) == 1 else found


def _closing(text: str, at: int) -> int:
    """Where the bracket is closed that stands open before a place; the end where none does."""
    depth = 1
    for place in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if not depth:
            return place
    return len(text)


def block_of(line: str, words: Sequence[Word]) -> tuple[Block, Sequence[Word]] | None:
    """The block in braces that words call with others: `& { … } x`, `icm -ScriptBlock { … } -ArgumentList x`."""
    for at, word in enumerate(words[:3]):
        text = line[word.start : word.end].strip()
        before = (words[at - 1].literal or "").lower() if at else ""
        if text[:1] == "{" and text[-1:] == "}" and (not at or before in _BLOCKS or at == 1):
            return Block(text[1:-1]), words[at + 1 :]
    return None
