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
    r"(?is)\bfor\s+(?P<way>(?:/[fd]\s+(?:\"[^\"]*\"\s+)?)?)%%?(?P<name>[a-z])\s+in\s*\((?P<list>[^()]*)\)"
    r"\s*do\s+(?P<body>.+)"
)
_OF_CMD = {
    "type": "cat",
    "more": "cat",
    "copy": "cp",
    "xcopy": "cp",
    "move": "mv",
    "ren": "mv",
    "erase": "del",
}


def commands_of_cmd(text: str, how: str) -> Iterator[Inner]:
    """A line of cmd.exe: words with quotes, `%NAME%`, switches as `/s`, and commands joined by `&` and `|`."""
    text = re.sub(_SWITCHES, "", text)
    text = with_places(text.strip().strip('"'))
    made = {name.lower(): value for name, value in re.findall(r'(?i)\bset\s+"?(\w+)=([^&|"]*)', text)}
    text = re.sub(r"!(\w+)!", lambda found: made.get(found[1].lower(), found[0]), text)  # behind `/v`
    loop = re.search(_LOOP, text)
    if loop is not None:
        yield from _of_loop(loop, how)
        return
    for line in re.split(r"&&?|\|\||\n", text.replace("^", "")):
        for found in re.finditer(r">{1,2}\s*(\"[^\"]*\"|[^\s\"&|<>]+)", line):
            yield argv(how, "python:write", _path_of_cmd(found[1].strip('"')))
        line = re.sub(r"[012]?>{1,2}\s*(?:&\d|\"[^\"]*\"|[^\s\"&|<>]*)", " ", line)
        piped = [words for piece in line.split("|") if (words := _words_of_cmd(piece))]
        if len(piped) > 1 or "*" in line or "%" in line:  # what one prints, another may run
            yield code(" | ".join(" ".join(map(_quoted, words)) for words in piped), how)
        else:
            yield from (argv(how, *words) for words in piped)


def _of_loop(loop: re.Match[str], how: str) -> Iterator[Inner]:
    """`for %f in (a b) do del %f`: what it does with each; of `/f` what gives the lines, and what any may bring."""
    listed, body = loop["list"].strip(), loop["body"]
    names = listed.replace(",", " ").replace('"', "").split()
    if "f" in loop["way"].lower():
        given = listed.strip("'`\"") if listed[:1] in ("'", "`", '"') else f"type {listed}"
        yield from commands_of_cmd(given, how)
        names = ["*"]
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
        del words[0]
    if not words:
        return []
    name = words[0].rpartition("\\")[2].lower().removesuffix(".exe")
    if name.endswith((".bat", ".cmd", ".ps1")) and name == words[0].lower():
        begins = "" if "/" in name else "./"  # a bare name is looked for in the folder itself
        return [begins + words[0], *map(_path_of_cmd, words[1:])]
    own = name in ("del", "erase", "rd", "rmdir", "move", "copy", "xcopy", "type", "format")
    rest = (word for word in words[1:] if not (own and re.match(r"/-?\w{1,2}(?::|$)", word)))
    return [_OF_CMD.get(name, name), *map(_path_of_cmd, rest)]


READERS: dict[str, Reads] = {"cmd": commands_of_cmd}
