"""The pieces of one command that forms are filled with: its line, its words, and other ways to write them."""

from __future__ import annotations

import base64
import codecs
import json
import re
import shlex
from collections.abc import Mapping, Sequence

from hookline.model.record import Record

PLACE = re.compile("«([a-z0-9_]+)»")
# One command without anything a shell would act upon but quotes, `~` and names of files.
_SIMPLE = re.compile(
    r"""(?:[^\s|&;<>()$`#\\{}!"'=]|'[^']*'|"[^"$`\\]*")"""
    r"""(?:[^|&;<>()$`#\\{}!\n"']|'[^']*'|"[^"$`\\]*")*"""
)
_WORD = re.compile(r"""(?:[^\s"']|'[^']*'|"[^"]*")+""")
_ECHO_OPTION = re.compile("-[neE]+")
_PLAIN = re.compile(r"[\w./:@%+,-]+")
# Words that no other program can start: a shell's own.
_OWN = frozenset([
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "time",
    "coproc", "function", "select", "exec", "command", "builtin", "eval", "source", ".", ":", "trap", "cd",
    "export", "set", "unset", "alias", "read", "shift", "declare", "local", "readonly", "shopt",
])  # fmt: skip


class Command(Record):
    """One command: its line as given; `words` as they stand in it and `argv` as they arrive, where it is simple."""

    line: str
    words: tuple[str, ...] = ()
    argv: tuple[str, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether every word means itself, quoted or not."""
        return bool(self.words) and all(map(_PLAIN.fullmatch, self.words))


def command_of(line: str) -> Command:
    """A line, taken apart where it is one simple command."""
    line = line.strip()
    if not _SIMPLE.fullmatch(line):
        return Command(line)
    words = tuple(_WORD.findall(line))
    if words[0] in _OWN or "=" in words[0]:
        return Command(line)
    return Command(line, words, tuple(shlex.split(line)))


def pieces_of(command: Command, folder: str = "/usr/bin") -> Mapping[str, str]:
    """All the pieces a command has. `folder` is where its program is."""
    found = _of_line(command.line)
    if command.words:
        found.update(_of_words(command, folder))
    if command.is_plain:
        found.update(_of_plain(command))
    if command.argv and not any(set(word) & set("~*?[") for word in command.words):
        argv = list(command.argv)
        found.update(
            json_argv=json.dumps(argv), json_name=json.dumps(argv[0]), json_arguments=json.dumps(argv[1:]),
            json_words=", ".join(map(json.dumps, argv)),
        )  # fmt: skip
    return found


def filled(form: str, pieces: Mapping[str, str]) -> str | None:
    """The form with its pieces; None when the command has no such piece."""
    names = PLACE.findall(form)
    if any(name not in pieces for name in names):
        return None
    return PLACE.sub(lambda place: pieces[place[1]], form)


def quoted(text: str) -> str:
    """One word of a shell line, in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


def _doubled(text: str) -> str:
    return re.sub(r'([\\"$`])', r"\\\1", text)


def _of_line(line: str) -> dict[str, str]:
    content = line.encode("utf-8", "surrogateescape")
    found = {
        "quoted": quoted(line), "doubled": _doubled(line), "doubled_quoted": _doubled(quoted(line)),
        "quoted_percent": quoted(line.replace("%", "%%").replace("\\", "\\\\")), "alias": quoted("!" + line),
        "base64": base64.b64encode(content + b"\n").decode(), "base16": content.hex(),
        "octal": "".join(f"\\{byte:03o}" for byte in content), "hex": "".join(f"\\x{byte:02x}" for byte in content),
        "json": json.dumps(line),
    }  # fmt: skip
    if not re.search(r"^E$", line, re.MULTILINE):
        found["code"] = line
    if "\n" not in line:
        found["reversed"] = quoted(line[::-1])
        found["turned"] = quoted(codecs.encode(line, "rot13"))
        if not set(line) & set("#&") and not line.endswith(";"):
            found["line"] = line
            if not set(line) & set("`\\$\"'!"):
                found["line_plain"] = line
    return found


def _of_words(command: Command, folder: str) -> dict[str, str]:
    words = command.words
    line = " ".join(words)
    found = {
        "simple": line, "program": words[0], "rest": _tail(words[1:]),
        "wide": "  ".join(words), "tabbed": "\t".join(words), "leading": "".join(f"{word} " for word in words[:-1]),
    }  # fmt: skip
    if len(words) > 1 and not _ECHO_OPTION.fullmatch(words[1]):
        found["arguments"] = " ".join(words[1:])
    if not set(line) & set("\"'"):
        found["simple_bare"] = line
        if "arguments" in found:
            found["bare_arguments"] = found["arguments"]
        if "/" not in line:
            found["slashless"] = line
    if _PLAIN.fullmatch(words[0]):
        found.update(_of_program(words[0], folder))
    if len(words) > 1 and _PLAIN.fullmatch(words[1]) and not _ECHO_OPTION.fullmatch(words[1]):
        found.update(_split("first", words[1]), others=_tail(words[2:]))
        found["first"] = words[1]
        found["hex_first"] = _hex(words[1])
        if words[0] == "git" and not words[1].startswith("-"):
            found["git_first"] = words[1]
    if len(words) > 1 and _PLAIN.fullmatch(words[-1]):
        found["last"] = words[-1]
        found.update(_split("last", words[-1]))
    return found


def _of_program(word: str, folder: str) -> dict[str, str]:
    folder, name = word.rsplit("/", 1) if "/" in word else (folder, word)
    found = {"folder": folder, "folder_name": folder.rpartition("/")[2], "hex_name": _hex(word)}
    found["octal_name"] = "".join(f"\\{byte:03o}" for byte in word.encode())
    found["unicode_name"] = "".join(f"\\u{ord(letter):04x}" for letter in word)
    if "/" not in word:
        found.update(name=name, head=name[0], **({"neck": name[1:]} if len(name) > 1 else {}))
        if len(name) > 1:
            found["glob_name"] = f"{name[:-1]}[{name[-1]}]"
            found["glob_neck"] = f"[{name[1]}]{name[2:]}"
            found["upto"], found["end"] = name[:-1], name[-1]
        if name == name.lower() and name.isalpha():
            found["upper_name"] = name.upper()
    return found


def _of_plain(command: Command) -> dict[str, str]:
    words = command.words
    line = " ".join(words)
    found = {
        "plain_simple": line, "plain_arguments": " ".join(words[1:]), "json_plain": json.dumps(line),
        "all_single": " ".join(f"'{word}'" for word in words), "all_double": " ".join(f'"{word}"' for word in words),
        "escaped": " ".join(f"{word[0]}\\{word[1:]}" if len(word) > 1 else word for word in words),
        "base64_simple": base64.b64encode(line.encode()).decode(),
    }  # fmt: skip
    if not any("," in word for word in words) and len(words) > 1:
        found["commas"] = ",".join(words)
        found["comma_arguments"] = ",".join(words[1:])
        if len(words) > 2:
            found["several"] = found["comma_arguments"]
    return found


def _split(name: str, word: str) -> dict[str, str]:
    return {f"{name}_head": word[0], f"{name}_neck": word[1:]} if len(word) > 1 else {}


def _tail(words: Sequence[str]) -> str:
    return "".join(f" {word}" for word in words)


def _hex(word: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in word.encode())
