"""Objects that a PowerShell line makes: files that are opened, programs that are described and then started."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from hookline.shell.code.pieces import split_words
from hookline.shell.reading import Command, Hole, Step, Word, glued
from hookline.system.patterns.late import late

_VALUE = r"(?:'([^']*+)'|\"([^\"$`]*+)\"|\$(?:env:)?(\w++))"
_NEW = late(
    r"ProcessStartInfo(?:\]::new\(|['\"]?[ \t]++(?:-ArgumentList[ \t]++)?|\()\s*+" + _VALUE
    + r"(?:\s*+,\s*+" + _VALUE + ")?",
    re.IGNORECASE, ("processstartinfo",),
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


ENDS: Mapping[str, tuple[str, ...]] = {
    ".delete": ("Remove-CimInstance",), ".kill": ("Stop-Process", "-Name"), ".terminate": ("Stop-Process", "-Name"),
    ".stopservice": ("Stop-Service",), ".reboot": ("Restart-Computer",), ".win32shutdown": ("Stop-Computer",),
    ".shutdown": ("Stop-Computer",),
}  # fmt: skip
_OF_MACHINE = late(r"(?i)\b(?:gwmi|get-wmiobject|gcim|get-ciminstance)\b|\[wmi(?:class)?\]")
_OWNER, _ASSIGNED = late(r"\$(\w++)\.\w+\Z"), late(r"\$(\w++)[ \t]*+=([^;\n]*+)")
_OF_FILES = late(r"(?i)\b(?:FileInfo|DirectoryInfo)[ (]++['\"]([^'\"$]++)['\"]")
_ENDED = late(r"\.\w+\Z")
_PROCESS = late(r"(?i)process|\bg?ps\b")


def ended(
    line: str, at: int, file: tuple[str | Hole, ...], via: tuple[Step, ...], certain: bool
) -> Iterator[Command]:
    """`$_.Delete()` of a file or a folder, or of what the machine was asked for; `(gps x).Kill()`."""
    method = _ENDED.search(line, max(0, at - 20), at)
    if method is None or not line.startswith("(", at):
        return
    statement = line[max(line.rfind(mark, 0, at) for mark in ";\n") + 1 : at]
    if (owner := _OWNER.search(line, max(0, at - 40), at)) is not None:
        name = owner[1].lower()
        statement += " ".join(each[2] for each in _ASSIGNED.finditer(line, 0, at) if each[1].lower() == name)
    texts = ENDS[method[0].lower()]
    if _OF_MACHINE.search(statement) or (texts[0] == "Stop-Process" and _PROCESS.search(statement)):
        words = [Word((text,), at, at) for text in texts]
    elif (named := _OF_FILES.search(statement)) is not None and method[0].lower() == ".delete":
        words = [Word((text,), at, at) for text in ("rm", "-rf", named[1])]
    elif method[0].lower() == ".delete" and file:
        words = [Word(parts, at, at) for parts in (("rm",), ("-rf",), file)]
    else:
        return
    yield Command(tuple(words), via=via, start=at, end=at, certain=certain)


_STEP = late(
    r"\.Add(Command|Argument|Parameter)\(\s*+" + _VALUE + r"(?:\s*+,\s*+" + _VALUE + ")?",
    re.IGNORECASE,
    (".add",),
)
_CREATED = late(r"\.Create\(\s*+" + _VALUE, re.IGNORECASE, (".create(",))
_LIST = late(r"\$(\w++)[ \t]*+=[ \t]*+(?=@?\(?['\"]|-split\b)", 0, ("=",))
_TEXT = late(r"'([^'\n]*+)'|\"([^\"$`\n]*+)\"")
_INDEXED = late(r"\$\{?(\w++)\}?\[(-?[0-9]{1,4})(?:\.\.(-?[0-9]{1,4}))?\]", 0, ("[",))


def told_otherwise(line: str) -> Iterator[str]:
    """Lines that do the same: as a pipeline that is put together, as WMI starts it, with what a list has."""
    low = line.lower()
    if ".addcommand(" in low:
        yield "".join(map(_as_step, _STEP.findall(line)))
    if "wmiclass" in low and "win32_process" in low:
        yield from ("".join(found.groups("")) for found in _CREATED.finditer(line))
    if (lists := dict(_lists_of(line))) and (
        told := _INDEXED.sub(lambda found: _at(found, lists), line)
    ) != line:
        yield told


def _as_step(found: Sequence[str]) -> str:
    kind, *texts = found
    first, second = (
        "".join((*texts[at : at + 2], *(f"${name}" for name in texts[at + 2 : at + 3] if name)))
        for at in (0, 3)
    )
    if kind.lower() == "command":
        return f"\n{first}"
    return f" -{first} '{second}'" if kind.lower() == "parameter" else f" '{first}'"


def _lists_of(line: str) -> Iterator[tuple[str, list[str]]]:
    """Variables that hold a list of plain texts, or a text that is split into one."""
    for found in _LIST.finditer(line):
        given = line[found.end() : found.end() + LONGEST_LIST].partition("\n")[0]
        rest, texts = (
            _TEXT.sub("", given.partition(";")[0]),
            [one or two for one, two in _TEXT.findall(given)],
        )
        mark = rest.strip(" @(),").lower()
        if mark == "" and texts:
            yield found[1].lower(), texts
        elif mark in ("-split", ".split") and texts:
            at = texts[1].replace("\\", "") if len(texts) > 1 else " "
            yield found[1].lower(), texts[0].split(at.replace("s+", " ") or None)


LONGEST_LIST = 2_000


def _at(found: re.Match[str], lists: Mapping[str, list[str]]) -> str:
    held, first = lists.get(found[1].lower()), int(found[2])
    if held is None:
        return found[0]
    last = int(found[3]) if found[3] else first
    places = range(first, last + 1) if first <= last else range(first, last - 1, -1)
    return " ".join(f"'{held[at]}'" for at in places if -len(held) <= at < len(held))
