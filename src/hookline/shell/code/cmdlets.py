"""What PowerShell knows by name: what each group of its commands does, calls of .NET's, and places of a machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from hookline.shell.code.pieces import split_words
from hookline.shell.reading import Command, Hole, Word
from hookline.system.patterns.late import late

KEYWORDS = frozenset(
    ["if", "elseif", "else", "foreach", "for", "while", "do", "until", "switch", "try", "catch", "finally", "function",
     "param", "return", "throw", "begin", "process", "end", "trap", "filter", "class", "in"]
)  # fmt: skip
RUNS_TEXT = frozenset({"iex", "invoke-expression", "invoke-command", "icm", "start-process", "start", "saps"})
EVALUATES = frozenset({"iex", "invoke-expression"})
STARTS = frozenset({"start-process", "start", "saps", "wsl"})
NAMES = frozenset(
    {"-filepath", "-argumentlist", "-args", "-wait", "-nonewwindow", "-passthru", "-e", "--", "--exec"}
)
OTHER_SHELLS = frozenset({"bash", "sh", "zsh"})
WITH_ARGUMENTS = frozenset({"-commandwithargs", "-cwa"})  # of PowerShell's code, which stand behind it
OPERATOR = late(
    r"(?i)[ \t]*(?:[-+*/%]|-[ci]?(?:join|split|replace|f|eq|ne|[gl][te]|(?:not)?(?:match|like|in|contains)|is|as|and|or"
    r"|b(?:and|or|xor)))[ \t]"
)
CLOSER = {"(": ")", "{": "}"}
LISTS = frozenset(("get-childitem", "gci", "ls", "dir", "get-item", "gi", "resolve-path"))
PASSES_ON = frozenset(
    ("where-object", "where", "?", "sort-object", "sort", "select-object", "select", "%", "foreach-object")
)
TAKES_FILES = frozenset(
    (
        "remove-item",
        "ri",
        "rd",
        "del",
        "erase",
        "rmdir",
        "rm",
        "clear-content",
        "clc",
        "set-content",
        "get-content",
    )
)
FILTERS = ("-filter", "-include", "-exclude", "-depth", "-erroraction")
# Calls of .NET's, by how their names begin, and the commands that do the same.
METHOD = late(
    r"\]::\w+$|^(?:\$\w+)?\.(?:(?:Down|Up)load\w+|(?:Delete|Move|Copy)(?:Folder|File)|CreateTextFile)$",
    re.IGNORECASE,
)
CALLED = {
    ("delete",): ("rm", "-rf"), ("write", "append", "create"): ("python:write",), ("move",): ("mv",),
    ("copy",): ("python:copy",), ("read", "open"): ("python:read",),
    ("getenvironmentvariables",): ("printenv",), ("setenvironmentvariable",): ("setx",),
    ("downloadfile",): ("python:retrieve",), ("downloadstring",): ("curl",), ("uploadfile",): ("curl", "-T"),
    ("upload",): ("curl", "-d"),
}  # fmt: skip
# Places that variables name on every machine.
PLACES = {
    "home": "~", "userprofile": "~", "homepath": "~", "systemroot": "C:\\Windows", "windir": "C:\\Windows",
    "systemdrive": "C:", "homedrive": "", "comspec": "C:\\Windows\\System32\\cmd.exe",
    "programfiles": "C:\\Program Files", "programdata": "C:\\ProgramData", "appdata": "~\\AppData\\Roaming",
    "localappdata": "~\\AppData\\Local",
    "profile": "~\\Documents\\PowerShell\\profile.ps1", "temp": "/tmp", "tmp": "/tmp", "pwd": ".",
    "pshome": "C:\\Program Files\\PowerShell",
}  # fmt: skip


_TEXT = r"(?:'[^']*'|\"[^\"$`]*\")"
_VALUE = late(r"(?:[\w.-]++[ \t]*+=[ \t]*+)?['\"]")
_LIST = late(rf"\s*+@?\(?\s*+({_TEXT}(?:\s*+,\s*+{_TEXT})*+)\s*+\)?\s*+(?=[;\n|}})]|\Z)")


def texts_at(line: str, at: int) -> tuple[Word, ...]:
    """The texts of a list that stands there alone: `"a", "b"`, `@('a')`."""
    found = _LIST.match(line, at)
    return tuple(Word((text[1:-1],)) for text in re.findall(_TEXT, found[1])) if found is not None else ()


def gone_through(line: str, at: int, name: str, values: Mapping[str, Word]) -> Word | None:
    """What the variable of a loop may be, where texts or a variable that is known stand there."""
    held = re.compile(r"\s*\$\{?(\w+)").match(line, at)
    several = texts_at(line, at)
    if several:
        return Word((Hole("word", "one of several texts", f"${name}", choices=several, only=True),))
    return values.get(held[1].lower()) if held is not None else None


def joined_path(words: Sequence[Word]) -> str:
    """What `Join-Path a b` gives; empty for any other command."""
    texts = [
        word.literal or "-" for word in words if (word.literal or "").lower() not in ("-path", "-childpath")
    ]
    plain = texts[:1] and texts[0].lower() == "join-path" and not any(text[:1] == "-" for text in texts)
    return "/".join(text.rstrip("/\\") for text in texts[1:]) if plain else ""


# What gives the very thing that it is asked for.
_OF_FINDING = ("-commandtype", "-type", "-erroraction", "-ea", "-name", "-all", "-literalpath")
_ITEM = late(r"(?:^|[/\\])(?!\.{1,2}$)[^/\\]*\.[^/\\]+$")  # a file by its name
_NAMES_ONE = frozenset(("get-command", "gcm", "resolve-path", "rvpa", "convert-path"))


def _without_options(words: Sequence[Word]) -> Iterator[Word]:
    """Words without options that change nothing about what is found: `-CommandType Application`."""
    before = ""
    for word in words:
        option = word.prefix.lower()
        if option not in _OF_FINDING and before not in _OF_FINDING[:4]:
            yield word
        before = option


def given_by(words: Sequence[Word]) -> str:
    """What a command in brackets gives: a joined path, the name that `Get-Command` was asked for, or the folder."""
    texts = [word.literal or "-" for word in _without_options(words)]
    if len(texts) == 1 and texts[0].lower() in ("get-location", "gl", "pwd"):
        return "."
    named = len(texts) == 2 and texts[0].lower() in _NAMES_ONE and texts[1][:1] != "-"
    return texts[1] if named else joined_path(words)


def without_values(line: str, at: int, commands: list[Command], depth: int) -> list[Command]:
    """What a bracket holds, without the texts of a list and the rows of a table that have one: `@{why = "…"}`."""
    called = line[:at].rstrip().endswith(("&", "."))
    return [
        each for each in commands
        if called or len(each.via) != depth or not _VALUE.match(line, each.start)
        or line[: each.start].rstrip().endswith(("&", "."))
    ]  # fmt: skip


def with_places(text: str) -> str:
    """A line of cmd's with the places that its variables name: `%USERPROFILE%\\x`."""
    return re.sub(r"%(\w+)%", lambda found: PLACES.get(found[1].lower(), found[0]), text)


def joined(program: str, texts: Sequence[str | None]) -> str:
    """The code of several words."""
    code = " ".join(text for text in texts if text is not None)
    return with_places(code) if program == "cmd" else code


def takes_code(program: str, text: str | None) -> bool:
    """Whether an option of a shell is the one behind which its code stands."""
    low = (text or "").lower()
    if program == "cmd":
        return low in ("/c", "/k", "/r")
    if program in ("pwsh", "powershell"):
        starts = "-command".startswith(low) or "-encodedcommand".startswith(low)
        return len(low) > 1 and (starts or low == "-ec" or low in WITH_ARGUMENTS)
    return program in OTHER_SHELLS and low[:1] == "-" and low[:2] != "--" and low.endswith("c")


def files_within(folder: Word, words: list[Word], line: str) -> Word:
    """The files of a folder that a command lists: all, or those of its filters, which commas may part."""
    filters: list[str] = []
    taken = False
    for before, word in pairwise(words):
        taken = (before.literal or "").lower() in FILTERS[:2] or (
            taken and line[: word.start].rstrip()[-1:] == ","
        )
        if taken:
            filters.append("".join(part if isinstance(part, str) else part.text for part in word.parts))
    if not filters and _ITEM.search(folder.literal or ""):
        return folder
    text = (folder.literal or "").rstrip("/\\")
    why = "files of the folder"
    each = tuple(Word((Hole("glob", why, name),)) for name in filters)
    files = Hole(
        "glob", why, filters[0] if filters else "*", choices=each if len(each) > 1 else (), only=len(each) > 1
    )
    return Word((f"{text}/", files)) if folder.literal else folder


def is_code(texts: Sequence[str | None]) -> bool:
    """Whether the last word of `powershell` is its code, as that of no option is."""
    named = any((text or "").lower() in ("-file", "-f") or takes_code("powershell", text) for text in texts)
    return bool(texts and texts[-1] and any(map(str.isspace, texts[-1]))) and not named


def decoded(text: str) -> str:
    """The code of `-EncodedCommand`; empty if it is none."""
    import base64

    try:
        return base64.b64decode(text, validate=True).decode("utf-16-le")
    except ValueError:
        return ""


def called(method: str, words: tuple[Word, ...], at: int) -> tuple[Word, ...]:
    """The command that does what a call of .NET's does with these arguments."""
    if method == "uploadfile":
        words = (*words[1:], *words[:1])
    of_process = method == "setenvironmentvariable" and (len(words) < 3 or words[2].literal == "Process")
    if method == "setenvironmentvariable":
        words = (Word(("/M",)), *words[:2])
    texts: tuple[str, ...] = next(
        (texts for verbs, texts in CALLED.items() if method.startswith(verbs)), ("echo",)
    )
    if of_process:
        texts = ("echo",)
    elif method.startswith("upload") and method != "uploadfile":
        words = (*words[1:], *words[:1])
    if method == "start":
        texts, words = (), tuple(part for word in words for part in split_words(word))
    elif texts[0] == "python:write":
        words = words[:1]
    return (*(Word((text,), at, at) for text in texts), *words)


class Lost(Exception):
    """The line cannot be taken apart any further."""


def here_string(line: str, at: int) -> tuple[str | Hole, int]:
    """The text of `@'` or `@"` at that place, a hole where it has variables, and where it ends."""
    quote = line[at + 1]
    end = line.find(f"\n{quote}@", at)
    if end < 0:
        raise Lost("the here-string stays open")
    text = line[at + 2 : end].lstrip("\r\n")
    plain = quote == "'" or "$" not in text
    return text if plain else Hole("word", "a here-string with variables", text), end + 3
