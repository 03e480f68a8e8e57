"""Lines of cmd.exe: the commands in them, by the names of those that do the same elsewhere."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from hookline.shell.code.cmdlets import with_places
from hookline.shell.code.pieces import Reads, argv, code
from hookline.shell.reading import Inner

_SWITCHES = r"(?i)^(?:/{1,2}(?:[adqsu]|[efv]:\w+)\s+)*/{1,2}[ckr]\s*"  # `/d /s /c rd x`, `/cdel x`
_LOOP = (
    r"(?is)\bfor\s+(?P<way>(?:/[dflr]\s+(?:\"[^\"]*\"\s+|[^%/\s\"]\S*\s+)?)*)%%?(?P<name>[a-z])\s+in\s*\((?P<list>[^()]*)\)"
    r"\s*do\s+(?P<body>.+)"
)
LONGEST_OF_EACH = 2_000
_REDIRECT = r"[012]?>{1,2}\s*(?:&\d|\"[^\"]*\"|[^\s\"&|<>]*)"
_MOVES = r"(?i)[\s@(]*(?:cd|chdir|pushd)\b\s*\S"
# `forfiles /p x /m *.log /s /c "cmd /c del @path"`
_FOR_FILES = r"(?is)(?P<before>.*?)/c\s+\"?(?P<code>.*?)\"?(?P<behind>(?:\s+/[dmps]\b(?:\s+[^/\s]\S*)?)*)\s*"
_FOLDERS = frozenset(("cd", "chdir", "pushd"))
# `if exist x`, `if not "%a%"=="b"`, before the command that depends on it
_IF = (
    r"(?i)(^|[&|(@\n])[ \t]*@?if\s+(?:/i\s+)?(?:not\s+)?(?:exist\s+(?:\"[^\"]*\"|[^\s\"]+)|defined\s+\w+"
    r"|errorlevel\s+\d+|(?:\"[^\"]*\"|[^\s\"=]+)\s*(?:==|\b(?:equ|neq|lss|leq|gtr|geq)\b)\s*(?:\"[^\"]*\"|[^\s\"]+))\s*"
)
_ELSE = r"(?i)\)\s*else\b\s*"
_OF_CMD = {
    "type": "cat",
    "more": "cat",
    "copy": "cp",
    "xcopy": "cp",
    "move": "mv",
    "ren": "mv",
    "erase": "del",
    "popd": "true",
}


def commands_of_cmd(text: str, how: str) -> Iterator[Inner]:
    """A line of cmd.exe: words with quotes, `%NAME%`, switches as `/s`, and commands joined by `&` and `|`."""
    text = re.sub(_SWITCHES, "", re.sub(r"\^\r?\n", "", text))
    text = with_places(text.strip().strip('"'))
    made = {name.lower(): value for name, value in re.findall(r'(?i)\bset\s+"?(\w+)=([^&|"]*)', text)}
    text = re.sub(
        r"[!%](\w+)[!%]", lambda found: made.get(found[1].lower(), found[0]), text
    )  # behind `/v` and `call`
    text = re.sub(_ELSE, " & ", re.sub(_IF, r"\1", text))
    loop = re.search(_LOOP, text)
    if loop is not None:
        yield from _of_loop(loop, how)
        return
    lines = re.split(r"&&?|\|\||\n", text.replace("^", ""))
    if any(re.match(_MOVES, line) for line in lines):
        yield code("; ".join(_in_bash(line) for line in lines), how)
        return
    for line in lines:
        for name in _written(line):
            yield argv(how, "python:write", _path_of_cmd(name))
        line = re.sub(_REDIRECT, " ", line)
        piped = [words for piece in line.split("|") if (words := _words_of_cmd(piece))]
        if len(piped) > 1 or "*" in line or "%" in line:  # what one prints, another may run
            yield code(" | ".join(" ".join(map(_quoted, words)) for words in piped), how)
        else:
            yield from (argv(how, *words) for words in piped)


def _in_bash(line: str) -> str:
    """One command, and what it is piped to, as bash has it."""
    files = "".join(f" > {_quoted(_path_of_cmd(name))}" for name in _written(line))
    line = re.sub(_REDIRECT, " ", line)
    piped = [words for piece in line.split("|") if (words := _words_of_cmd(piece))]
    return " | ".join(" ".join(map(_quoted, words)) for words in piped) + files


def _written(line: str) -> list[str]:
    return [name.strip('"') for name in re.findall(r">{1,2}\s*(\"[^\"]*\"|[^\s\"&|<>]+)", line)]


def _of_loop(loop: re.Match[str], how: str) -> Iterator[Inner]:
    """`for %f in (a b) do del %f`: what it does with each; of `/f` what gives the lines, and what any may bring."""
    listed, body = loop["list"].strip(), loop["body"]
    names = listed.replace(",", " ").replace('"', "").split()
    if "f" in loop["way"].lower():
        given = listed.strip("'`\"") if listed[:1] in ("'", "`", '"') else f"type {listed}"
        yield from commands_of_cmd(given, how)
        names = ["*"]
    elif (below := re.search(r'(?i)/r\s+("[^"]*"|[^%/\s"]\S*)', loop["way"])) is not None:
        folder = below[1].strip('"').rstrip("\\/")
        names = names if folder in ("", ".") else [f"{folder}\\{name}" for name in names]
    for name in names:
        told = re.sub(rf"%%?(?:~\w*)?{loop['name']}\b", name.replace("\\", "\\\\"), body)
        yield from commands_of_cmd(f"/c {told}", how)


def _path_of_cmd(word: str) -> str:
    """`.git\\hooks` as it is written elsewhere, and what a loop's variable is: any file."""
    word = re.sub(r"%%?[A-Za-z]\b|(?<![^\\/])\*\.\*$", "*", word)  # `*.*` is every name
    return word if re.match(r"[A-Za-z]:", word) else word.replace("\\", "/")


def _quoted(word: str) -> str:
    return word if re.fullmatch(r"[\w./*?~-]+", word) else shlex.quote(word)


def _words_of_cmd(text: str) -> list[str]:
    text = re.sub(r"(?i)^\s*for\s(?:(?!\bdo\s).)*\bdo\s", "", text, flags=re.DOTALL)
    words = [word.replace('"', "") for word in re.findall(r'(?:"[^"]*"?|[^\s"])+', text.strip("@() "))]
    while words and words[0].lower() in ("call", "start"):
        started = words.pop(0).lower() == "start"
        while started and words and (not words[0] or re.match(r"/[a-z]+$", words[0].lower())):
            del words[0]  # an empty title, or a switch
    if not words:
        return []
    name = words[0].rpartition("\\")[2].lower().removesuffix(".exe")
    if name.endswith((".bat", ".cmd", ".ps1")) and name == words[0].lower():
        begins = "" if "/" in name else "./"  # a bare name is looked for in the folder itself
        return [begins + words[0], *map(_path_of_cmd, words[1:])]
    if name == "find":  # of cmd, which looks for a text
        name = "findstr"
    if name == "mklink":
        names = [_path_of_cmd(word) for word in words[1:] if not re.fullmatch("/[A-Za-z]", word)]
        return ["ln", "-s", *reversed(names[:2])]
    if name in _FOLDERS:
        return ["cd", *(_path_of_cmd(word) for word in words[1:] if word.lower() != "/d")]
    own = name in ("del", "erase", "rd", "rmdir", "move", "copy", "xcopy", "type", "format")
    rest = (word for word in words[1:] if not (own and re.match(r"(?:/-?\w{1,2})+(?::|$)", word)))
    return [_OF_CMD.get(name, name), *map(_path_of_cmd, rest)]


def _of_each_file(text: str, how: str) -> Iterator[Inner]:
    """What `forfiles` runs with each file of a folder."""
    found = re.fullmatch(_FOR_FILES, text[:LONGEST_OF_EACH])
    if found is not None:
        folder = re.search(r"(?i)/p\s+(\"[^\"]*\"|\S+)", f"{found['before']} {found['behind']}")
        each = (folder[1].strip('"').rstrip("\\/") + "\\*") if folder is not None else "*"
        told = re.sub(r"(?i)\"?@(?:path|file|relpath|fname)\b\"?", lambda _: each, found["code"])
        yield from commands_of_cmd(told, how)


READERS: dict[str, Reads] = {"cmd": commands_of_cmd, "forfiles": _of_each_file}
