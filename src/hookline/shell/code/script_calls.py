"""What calls of JavaScript, Perl, Ruby, PHP and the like do to files and hosts, by their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import zip_longest

from hookline.model.record import replace
from hookline.shell.code.pieces import code, lost
from hookline.shell.reading import Argv, Code, Hole, Inner, Word, below
from hookline.system.patterns.late import late

SHELL_NAMED = late(r"['\"](?:/bin/|/usr/bin/)?(?:ba|z|da)?sh(?:\s+-i)?['\"]|['\"]cmd(?:\.exe)?['\"]")
MARK = "\ue000"
MOST_MOVES = 20
_DELETES = (
    "unlink", "rm", "remove", "emptyDir", "delete", "File.delete", "File.unlink", "File.Delete", "Directory.Delete",
    "os.Remove", "fs::remove",
)  # fmt: skip
READS = (
    "read", "os.ReadFile", "os.Open", "fs::read", "highlight", "show_source", "parse_ini", "File.read", "File.bin",
    "File.for", "IO.read", "IO.bin", "IO.for", "insert-file", "Bun.file", "file", "io.lines", "each", "createRead",
)  # fmt: skip
_READERS = late(r"(?:java\.[\w.]+\.)?(?:FileReader|FileInputStream|Files\.read)")
COPIES = ("copy", "cp", "mv", "move", "rename", "File.rename", "os.Rename", "fs::copy", "fs::rename")
_CONNECTS = (
    "fetch", "http", "post", "put", "patch", "axios", "curl_init", "Net::HTTP", "URI.open", "LWP", "get", "net.",
)  # fmt: skip
WRITES = (
    "write", "append", "truncate", "File.write", "IO.write", "File.binw", "IO.binw", "Bun.write", "file_put",
    "createWrite",
)  # fmt: skip
OPENS = ("open", "fopen", "File.open")


def is_bare_shell(text: str) -> bool:
    """Whether a command is a shell alone, which runs what it is told on its input."""
    name, _, options = text.strip().partition(" ")
    return options in ("", "-s", "-e", "-es") and SHELL_NAMED.fullmatch(f"'{name}'") is not None


def word_of(text: str) -> Word:
    """A text, or the pattern of names that a mark says it is."""
    plain = text.replace(MARK, "")
    found = re.search(r"[*?\[]", plain) if MARK in text else None
    if found is None:
        return Word((plain,))
    hole = Hole("glob", "names of files that fit a pattern", plain[found.start() :])
    return Word((*((plain[: found.start()],) if found.start() else ()), hole))


# Where code changes the folder it runs in, and the text that names it.
_MOVES = late(
    r"\b(?:chdir|setwd|Chdir)\s*+\(?\s*+(['\"`])([^'\"`\\\n]*+)\1",
    needs=("chdir", "setwd", "Chdir"),
)


def in_folders(text: str, commands: Callable[[str], Iterator[Inner]]) -> Iterator[Inner]:
    """What code does, and behind `chdir("x")` in that folder."""
    moves = list(_MOVES.finditer(text))
    if not moves or len(moves) > MOST_MOVES:
        yield from commands(text)
        return
    before = set(commands(text[: moves[0].start()]))
    moved: dict[Inner, None] = {}
    folder = Word(())
    for found, follows in zip_longest(moves, moves[1:]):
        folder = below(folder, Word((found[2],)))
        for each in commands(text[found.end() : follows.start() if follows is not None else len(text)]):
            inside = isinstance(each, Argv | Code) and each.cwd is None
            moved[replace(each, cwd=folder) if inside else each] = None

    plain = {replace(each, cwd=None) if isinstance(each, Argv | Code) else each for each in moved}
    yield from (each for each in commands(text) if each in before or each not in plain)
    yield from moved


def command_of(how: str, *words: str) -> Argv:
    return Argv(tuple(map(word_of, words)), how)


def call(name: str, strings: list[str], how: str) -> Iterator[Inner]:
    if re.match("(?:https?|ftps?)://", strings[0]) and name.startswith((*READS, *OPENS)):
        yield command_of(how, "python:connect", strings[0])
    elif name == "writeLines" or name.startswith("file."):
        verb = {"file.remove": "rm", "file.rename": "mv", "file.copy": "python:copy"}.get(
            name, "python:write"
        )
        yield command_of(how, verb, *(strings if verb != "python:write" else strings[-1:]))
    elif name == "download":
        yield command_of(how, "python:write", *strings[1:2])
    elif name == "IO.copy_stream":
        yield command_of(how, "python:write", strings[-1])
    elif _READERS.match(name):
        yield command_of(how, "python:read", strings[0])
    elif name == "os.OpenFile":
        yield command_of(how, "python:write", strings[0])
    elif name.startswith(COPIES):
        moves = name.startswith(("mv", "move")) or name.lower().endswith(("rename", "renamesync"))
        yield command_of(how, "mv" if moves else "python:copy", *strings)
    elif name.startswith(("symlink", "link", "File.symlink")) and len(strings) > 1:
        yield command_of(how, "python:write", strings[1])
    elif name.startswith(_DELETES) or "Files.delete" in name:
        yield command_of(how, "rm", "-rf", *strings)
    elif name.startswith(OPENS):
        yield from _opened(strings, how)
    elif name.startswith(_CONNECTS):
        yield command_of(how, "python:connect", strings[0])
    elif name.startswith(READS) and not name.startswith(WRITES):
        yield command_of(how, "python:read", strings[0])
    else:
        yield command_of(how, "python:write", strings[0])


def _opened(strings: list[str], how: str) -> Iterator[Inner]:
    """`open(F, ">x")`, `fopen("x", "w")`, `open(F, "<", "x")`."""
    if strings[0] in ("-|", "|-"):  # `open(P, "-|", "rm x")`
        told = strings[0] == "|-" and is_bare_shell(" ".join(strings[1:]))
        yield lost(how) if told else code(" ".join(strings[1:]), how)
        return
    marks = [each for each in strings if re.fullmatch(r"[rwa+xb]{1,3}|\+?[<>]{1,2}(?::.*)?", each)]
    names = [each for each in strings if each not in marks]
    joined = next(
        (each for each in names if each.lstrip("+")[:1] in ("<", ">", "|") or each.endswith("|")), ""
    )
    if joined.strip("+").startswith("|") or joined.endswith("|"):
        shell = SHELL_NAMED.fullmatch(f"'{joined.strip('|+ ')}'")  # what it is told is printed to it
        yield lost(how) if shell else code(joined.strip("|+ "), how)
        return
    writes = any(mark[0] in ">wa+x" or "+" in mark for mark in marks) or joined.lstrip("+").startswith(">")
    for name in names[:1]:
        yield command_of(how, "python:write" if writes else "python:read", name.lstrip("+<> "))
