"""What PowerShell hands on under names: functions and blocks with parameters, splatted lists (`git @words`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from posixpath import normpath

from hookline.model.record import replace
from hookline.shell.code.cmdlets import NAMES, OPERATOR, PLACES, RUNS_TEXT, Lost, texts_at
from hookline.shell.code.pieces import split_words
from hookline.shell.reading import Command, Hole, HoleKind, Parts, Word, below, glued
from hookline.system.patterns.late import late

ASSIGNED = late(r"(?:\[[\w.]+(?:\[\])?\]\s*)*\$(?P<name>[A-Za-z][\w:]*)(?P<of>(?:\.\w+)*)\s*[-+]?=(?!=)\s*")
RUNS = late(
    r"(?i)^\[scriptblock\]::create$|reflection\.assembly\]::load(?:file|from)?$|\.(?:addscript|invokescript|newscriptblock|run|exec|shellexecute)$"
)  # methods that run a text
_SINGLE = late(r"'((?:[^']|'')*)'")
_PLUS, _FORMAT = late(r"\s*+\+\s*+(?=['\"])"), late(r"\s++-f\s++(?=['\"])")
_QUOTED = late(r"'((?:[^']|'')*+)'|\"([^\"$`]*+)\"")
_PROGRAM = late(r"(?i)[a-z]:\\(?:[^\\]+\\)*([^\\]+?)\.exe$")
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


def is_shown(line: str, word: Word, at: int) -> bool:
    """Whether a variable stands there alone: without `&` it is no command, and PowerShell shows its value."""
    behind = line[at:].lstrip(" \t\r")
    alone = word.literal is None and word.parts[0] == word.holes[0]
    alone = alone or (bool(word.holes) and line[word.start : word.start + 1] == '"')  # `"v$v"`
    alone = alone and not ASSIGNED.match(line, word.start)
    return alone and (not behind or behind[0] in ";\n|)}" or OPERATOR.match(behind) is not None)


def single_quoted(line: str, at: int) -> tuple[str, int]:
    """A text in single quotes, and where it ends."""
    found = _SINGLE.match(line, at)
    if found is None:
        raise Lost("the quote `'` stays open")
    return found[1].replace("''", "'"), found.end()


def ends_word(line: str, at: int, parts: Sequence[str | Hole], first: bool) -> bool:
    """Whether a word ends where something stands that might go on with it: `'a'+'b'`, `iex(…)`, which is `iex (…)`."""
    joins = line[at] == "+" and bool(parts) and line[at - 1] in "'\""
    return joins or (first and line[at] == "(" and "".join(map(str, parts)).lower() in RUNS_TEXT)


def joined_texts(line: str, start: int, at: int, parts: list[str | Hole]) -> tuple[list[str | Hole], int]:
    """A word, and where it ends, with the texts that are added to it: `"C:\\" + "x"`, `"{0}" -f "x"`."""
    if line[start : start + 1] not in ("'", '"'):
        return parts, at
    while (plus := _PLUS.match(line, at)) and (quoted := _QUOTED.match(line, plus.end())):
        parts.append(quoted[1] or quoted[2] or "")
        at = quoted.end()
    places = _FORMAT.match(line, at)
    values = texts_at(line, places.end()) if places is not None and len(parts) == 1 else ()
    if places is None or not values or not isinstance(parts[0], str):
        return parts, at
    shown = parts[0]
    for number, value in enumerate(values):
        shown = shown.replace(f"{{{number}}}", value.literal or "")
    ends = (found for mark in ";\n|)}" if (found := line.find(mark, places.end())) >= 0)
    return [shown], min(ends, default=len(line))


def plain_name(name: str) -> str:
    """A program by its path: one of the folder as it stands there, one of the machine by its own name."""
    found = _PROGRAM.match(name)
    return found[1] if found is not None else name.replace("\\", "/") if name.startswith(".\\") else name


def alias_of(name: str, words: Sequence[Word]) -> Mapping[str, str]:
    """What `Set-Alias z Remove-Item` calls what."""
    texts = [word.literal or "" for word in words[1:] if word.prefix[:1] != "-"]
    known = name.lower() in ("set-alias", "new-alias", "sal", "nal") and len(texts) == 2
    return {texts[0].lower(): texts[1]} if known else {}


def variable_of(name: str, words: Sequence[Word]) -> Mapping[str, Word]:
    """What `Set-Variable -Name d -Value x` gives which variable."""
    if name.lower() not in ("set-variable", "sv", "new-variable", "nv"):
        return {}
    texts = [word for word in words[1:] if (word.literal or "").lower() not in ("-name", "-value", "-force")]
    return {(texts[0].literal or "").lower(): texts[1]} if len(texts) > 1 else {}


def set_outside(name: str, words: Sequence[Word]) -> Iterator[Command]:
    """`$env:NAME = 'x'`, which programs that follow get, as `export NAME=x`."""
    if len(words) == 1:
        yield Command((Word(("export",)), Word(glued((f"{name}=", *words[0].parts)))), start=words[0].start)


def item_outside(name: str, words: Sequence[Word]) -> Iterator[Command]:
    """`Set-Item Env:NAME x`, which sets a variable of the environment too."""
    given = [word for word in words[1:] if word.prefix[:1] != "-"]
    if name.lower() in _SETS_ITEM and len(given) == 2 and given[0].prefix[:4].lower() == "env:":
        yield from set_outside((given[0].literal or "")[4:].lstrip("/\\"), given[1:])


def special_folder(text: str, given: Sequence[Word]) -> str:
    """The place that `[Environment]::GetFolderPath('MyDocuments')` is, or a joined path; empty for any other call."""
    if given and text.lower().endswith("path]::combine") and all(word.literal for word in given):
        return "/".join((word.literal or "").rstrip("/\\") for word in given)
    asked = given[0].literal if len(given) == 1 and text.lower().endswith("]::getfolderpath") else None
    kind = (asked or "").rpartition("::")[2].lower()
    return _SPECIAL.get(kind, "~/" + kind) if kind else ""


def value_of(
    text: str, kind: HoleKind, listed: Sequence[Word], values: Mapping[str, Word]
) -> tuple[str | Hole, ...]:
    """What a variable is: a place of the machine, what the line set, the file that a pipe hands on."""
    name = text.lower().strip("${}")
    place = PLACES.get("profile" if name.startswith("profile.") else name.removeprefix("env:"))
    if place is not None:
        return (place,)
    if name.partition(".")[0] in ("_", "psitem") and listed:
        several = Hole("word", "a file that a pipe hands on", "$_", choices=tuple(listed), only=True)
        return listed[0].parts if len(listed) == 1 else (several,)
    if name in values:
        return values[name].parts
    outside = name.startswith("env:")
    shown = "$" + text.strip("${}")[4:] if outside else text  # as bash has it
    return (Hole(kind, f"`{text}` is not told by the line", shown, outside=outside),)


def as_run(line: str, words: list[Word]) -> list[Word]:
    """The command of a row of a table (`@{ a = Remove-Item x }`); a program that a variable names may be any."""
    behind = words[2].literal if len(words) > 2 and words[1].literal == "=" else None
    if behind and line[words[2].start] not in "'\"$@":
        return words[2:]
    if len(words) > 1 and words[0].literal == "return" and line[words[1].start].isalpha():
        return words[1:]
    if not words or not words[0].holes:
        return words
    parts = (replace(part, outside=False) if isinstance(part, Hole) else part for part in words[0].parts)
    return [Word(tuple(parts), words[0].start, words[0].end), *words[1:]]


def fed_by(listed: Sequence[Word]) -> Word | None:
    """The text that a pipe hands on: `'rm x' | bash`."""
    return listed[0] if len(listed) == 1 and listed[0].literal is not None else None


_SETS_ITEM = frozenset(("set-item", "si", "new-item", "ni", "set-content", "sc"))
_SPECIAL = {
    "userprofile": "~", "personal": "~/Documents", "mydocuments": "~/Documents", "desktop": "~/Desktop",
    "desktopdirectory": "~/Desktop", "mypictures": "~/Pictures", "applicationdata": "~/AppData/Roaming",
    "localapplicationdata": "~/AppData/Local", "windows": "C:\\Windows", "system": "C:\\Windows\\System32",
    "programfiles": "C:\\Program Files", "startup": "~/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup",
}  # fmt: skip
_MEMBER = late(r"(?i)\.(?:source|path|definition)\b")


def behind_member(line: str, at: int) -> int:
    """Where it goes on behind `(Get-Command x).Source`, which is what it is called."""
    found = _MEMBER.match(line, at)
    return at if found is None else found.end()


def in_temp(parts: Parts) -> Parts:
    """A path below the folder for temporary files, as it is written elsewhere."""
    if not parts or not isinstance(parts[0], str) or not parts[0].startswith("/tmp\\"):
        return parts
    return tuple(part.replace("\\", "/") if isinstance(part, str) else part for part in parts)


def keys_in(commands: Sequence[Command]) -> tuple[Hole, ...]:
    """Variables of outside that stand in a bracket, or a table, and go where that goes."""
    found = (hole for each in commands for word in each.words for hole in word.holes if hole.outside)
    return tuple(hole for hole in found if not hole.choices)


def with_added(name: str, before: Word | None, listed: Sequence[Word]) -> Word:
    """What a variable is behind `$x += "b"`: a longer text, or a list, which a program gets word by word."""
    texts = [word.literal for word in listed]
    if before is not None and before.literal is not None and None not in texts:
        return Word((before.literal + (texts[-1] or ""),))
    return Word((Hole("words", f"`${name}` is a list", f"${name}"),))


def printed(line: str, words: Sequence[Word], name: str) -> Word:
    """What a variable is that a command's output is given to: `$b = git branch --show-current`."""
    text = f"$({line[words[0].start : words[-1].end]})"
    return Word(
        (Hole("words", f"`${name}` is not told by the line", text if len(text) < 200 else f"${name}"),)
    )


def as_called(name: str, words: list[Word], splats: Mapping[str, tuple[Word, ...]]) -> list[Word]:
    """A command by the name it has elsewhere, with the words of a list that a program gets one by one."""
    low = name.lower()
    words = [part for word in words for part in _apart(word)] if low[:1].isalpha() else words
    words = [word for at, word in enumerate(words) if word.literal != "--%" or not at]  # no more PowerShell
    options = {(word.literal or "").lower() for word in words[1:]}
    if low == "kill" and options & {"-name", "-force", "-id", "-inputobject"}:
        name = "Stop-Process"
    elif low in ("stop-process", "spps") and not options - {"-force", "-passthru"}:
        words = [*words, Word(("-Name",))]  # those that a pipe hands on
    elif name.isalpha():
        name = low if name[:1].isupper() else name  # `Git`
    named = Word((name,), words[0].start, words[0].end)
    if "-" in name:
        return [named, *words[1:]]
    given = (
        splats.get(word.holes[0].text.lower().strip("${}"), (word,)) if _alone(word) else (word,)
        for word in words[1:]
    )
    return [named, *(each for several in given for each in several)]


_JOINED = late(
    r"(?i)(-(?:Path|LiteralPath|FilePath|Destination|Target|Value|Name|Uri|Body|InFile|OutFile|Method|Filter|Include|Query|Command)):"
)


def _apart(word: Word) -> tuple[Word, ...]:
    """`-Path:x` as `-Path x`."""
    found = _JOINED.match(word.prefix)
    if found is None or (found[0] == word.literal):
        return (word,)
    rest = word.prefix[found.end() :]
    value = Word((*([rest] if rest else []), *word.parts[1:]), word.start, word.end)
    return Word((found[1],), word.start, word.start), value


def _alone(word: Word) -> bool:
    return len(word.parts) == len(word.holes) == 1


def function_of(line: str, words: Sequence[Word]) -> Mapping[str, Block]:
    """The function that words declare: its name, and its block."""
    if (
        len(words) < 3
        or words[0].prefix.lower() not in ("function", "filter")
        or not line.startswith("{", words[-1].start)
    ):
        return {}
    start, at, end = words[1].start, words[-1].start, words[-1].end
    return {words[1].prefix.lower(): Block(line[at + 1 : end - 1], line[start:at].partition("(")[2])}


def others(blocks: Mapping[str, Block], code: str) -> dict[str, Block]:
    """The functions that one with this code may call: itself would be followed without end."""
    return {name: block for name, block in blocks.items() if block.code != code}


def started(program: str, words: Sequence[Word]) -> list[Word]:
    """The command that `Start-Process` or `wsl` is given."""
    kept = [word for word in words if (word.literal or "").lower() not in NAMES]
    kept[:1] = [Word((plain_name(word.literal),)) if word.literal else word for word in kept[:1]]
    return kept if program == "wsl" else [part for word in kept for part in split_words(word)]


def is_told(words: Sequence[Word]) -> bool:
    """Whether the line has all of the code that `iex` is given."""
    return bool(words) and (all(word.literal is not None for word in words) or bool(ways_of(words)))


def ways_of(words: Sequence[Word]) -> list[str]:
    """The texts of which `iex` is given one, where it is one of several."""
    hole = words[0].holes[0] if len(words) == 1 and len(words[0].parts) == len(words[0].holes) == 1 else None
    texts = [each.literal for each in hole.choices] if hole is not None and hole.only else []
    return [text for text in texts if text] if all(texts) else []


def is_block(line: str, word: Word) -> bool:
    """Whether a word is code in braces: `pwsh -Command { … }`."""
    return line[word.start : word.end].strip()[:1] == "{"


def with_pattern(text: str) -> Parts:
    """A plain piece of a word, from its first `*` on a pattern; `[Type]::Member` is none."""
    if text in ("/?", "-?") or (text[:1] == "[" and "]::" in text):
        return (text,)
    at = min((place for mark in "*?[" if (place := text.find(mark)) >= 0), default=-1)
    return (text,) if at < 0 else (text[:at], Hole("word", "a pattern", text[at:]))


def is_value(line: str, word: Word) -> bool:
    """Whether what stands behind `$x =` is a text, or a bracket that gives one."""
    text = line[word.start : word.end].strip()
    return text[-1:] in ("'", '"') or (bool(word.literal) and (text[:1] == "(" or "]::" in text))


def is_argument(line: str, at: int) -> bool:
    """Whether a bracket is a word among others: what it holds is not what the command hands on."""
    return line[at] == "(" and line[at - 1 : at].isspace() and line[:at].rstrip()[-1:] not in tuple(";|({=")


def text_in(line: str, given: Sequence[Word], opener: str) -> str:
    """The text that stands alone in brackets; empty if there is none."""
    alone = len(given) == 1 and opener == "("
    quoted = alone and (line[given[0].start] in "'\"" or "]::" in line[given[0].start : given[0].end])
    return (given[0].literal or "") if quoted else ""


# Methods of an object that end it, and the command that does the same to what is no file.
_AWAY = late(r"[/~\\]|\.\.|[A-Za-z]:[/\\]")
_MOVES = frozenset(("cd", "chdir", "push-location", "pushd", "set-location", "sl"))


def placed(commands: Iterable[Command]) -> Iterator[Command]:
    """The commands in the folders where `Set-Location x` and `Push-Location x` before them lead."""
    folders = [Word(())]
    for command in commands:
        away = _AWAY.match(folders[-1].prefix) is not None  # names within the project are told enough
        yield replace(command, cwd=below(folders[-1], command.cwd)) if away else command
        name = command.words[0].prefix.lower() if command.words else ""
        if name in _MOVES and command.words[1:]:
            named = next((each for each in command.words[1:] if each.prefix[:1] != "-"), Word(()))
            place = below(folders[-1], named)
            plain = normpath(place.literal.replace("\\", "/")) if place.literal else ""
            folders.append(Word((plain,)) if plain else place)
            if name not in ("push-location", "pushd"):
                del folders[-2]
        elif name in ("pop-location", "popd") and folders[1:]:
            folders.pop()
