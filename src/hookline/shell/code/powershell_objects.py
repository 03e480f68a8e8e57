"""Objects that a PowerShell line makes: files that are opened, programs that are described and then started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from hookline.shell.code.pieces import split_words
from hookline.shell.reading import Hole, Word, glued
from hookline.system.patterns.late import late

_VALUE = r"(?:'([^']*+)'|\"([^\"$`]*+)\"|\$(?:env:)?(\w++))"
_NEW = late(
    r"(?i)ProcessStartInfo(?:\]::new\(|['\"]?[ \t]++(?:-ArgumentList[ \t]++)?|\()\s*+" + _VALUE
    + r"(?:\s*+,\s*+" + _VALUE + ")?",
    0, ("ProcessStartInfo",),
)  # fmt: skip
_PROGRAM = late(r"(?i)\bFileName\s*+=\s*+" + _VALUE)
_GIVEN = late(r"(?i)\b(?:Arguments\s*+=|ArgumentList\.Add\()\s*+" + _VALUE)
_WRITES = frozenset(("create", "createnew", "append", "truncate", "openorcreate", "write", "readwrite"))
_OPENED = late(r"(?i)(?:System\.)?IO\.((?:Stream|Binary)(?:Reader|Writer)|FileStream)")
_OPENS = ("streamreader", "streamwriter", "filestream", "binarywriter", "binaryreader")


def processes(line: str, values: Mapping[str, Word]) -> Iterator[list[Word]]:
    """What is started as a `ProcessStartInfo` says: by its constructor, its members, or a table that becomes one."""
    if "startinfo" not in line.lower():
        return
    given = [part for found in _GIVEN.finditer(line) for part in split_words(_value(found.groups(), values))]
    for found in _NEW.finditer(line):
        words = split_words(_value(found.groups()[3:], values)) if any(found.groups()[3:]) else given
        yield [_value(found.groups()[:3], values), *words]
    for found in _PROGRAM.finditer(line):
        yield [_value(found.groups(), values), *given]


def _value(groups: Sequence[str | None], values: Mapping[str, Word]) -> Word:
    single, double, name = groups
    if name is None:
        return Word((single or double or "",))
    return values.get(name.lower(), Word((Hole("words", f"`${name}` is not told by the line", f"${name}"),)))


def verb_of(method: str, given: Sequence[Word]) -> str:
    """The method of a call of .NET's, and of a constructor what is done with the file that it opens."""
    made_of, _, verb = method.rpartition("::")
    verb = verb.rpartition(".")[2].lower()
    opened = made_of.rstrip("]").rpartition(".")[2].rpartition("[")[2].lower()
    if verb == "new" and opened in _OPENS:
        verb = "write" if "writer" in opened else "open"
    modes = {(word.literal or "").rpartition(":")[2].rstrip("]").lower() for word in given[1:]}
    return "write" if verb == "openwrite" or (verb == "open" and modes & _WRITES) else verb


def as_opened(words: list[Word]) -> list[Word]:
    """`New-Object IO.StreamReader 'x'` as the call of the constructor does it."""
    given = [word for word in words[1:] if (word.literal or "").lower() not in ("-typename", "-argumentlist")]
    made = _OPENED.match(given[0].prefix) if given else None
    if made is None or made[1].lower() not in _OPENS:
        return words
    joined = given[0].prefix[made.end() :], *given[0].parts[1:]  # `IO.StreamReader('x')` is one word
    files = [*([Word(glued(joined))] if any(joined) else []), *given[1:]]
    name = "python:write" if verb_of(f"{made[1]}]::new", files) == "write" else "python:read"
    return [Word((name,), words[0].start, words[0].end), *files[:1]]


def switched(words: Sequence[Word]) -> list[Word]:
    """`switch -File x { … }`, which goes through the lines of a file."""
    named = [word for before, word in pairwise(words) if before.prefix.lower() == "-file"]
    return [Word(("Get-Content",), words[0].start, words[0].end), *named[:1]] if named else []
