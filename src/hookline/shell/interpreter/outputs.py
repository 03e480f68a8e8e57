"""What a command prints where that is plain to see: `echo`, `printf`, `cat` of text."""

from __future__ import annotations

import re

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.interpreter.printing import unknown
from hookline.shell.reading import Command, Hole, Parts, Word, glued
from hookline.shell.values.fields import listed
from hookline.shell.values.redirecting import content_of, file_name

if TYPE_CHECKING:
    from hookline.shell.interpreter.printing import Way
    from hookline.shell.values.running import Running

_DIRECTIVE = (
    r"%(?:%|(-?[0-9]*)([sdib]))"
    r"|\\(?:[0-7]{1,3}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[^%])"
)


def _echo(reader: Running, command: Command) -> Parts | None:
    words = list(command.words[1:])
    newline, escapes = True, False
    while words and (option := words[0].literal) is not None and re.fullmatch(r"-[neE]+", option):
        if reader.shell != "bash" and option != "-n":
            return None
        newline = newline and "n" not in option
        for letter in option[1:]:
            escapes = letter == "e" if letter in "eE" else escapes
        del words[0]
    if words and words[0].literal is None and re.fullmatch(r"-[neE]*", words[0].prefix):
        return None  # `-e$1` is an option where `$1` is nothing
    parts = list(spaced(words))
    if reader.option("X") and any(isinstance(part, str) and "\\" in part for part in parts):
        return None
    if escapes or reader.shell != "bash":
        slashes = any(isinstance(part, str) and "\\" in part for part in parts)
        if slashes and (reader.shell != "bash" or len(glued(parts)) > 1):
            return None
        from hookline.shell.grammar.quotes import printed_text

        whole = [printed_text(part, False) if isinstance(part, str) else part for part in glued(parts)]
        if None in whole:
            return None
        parts = [part for part in whole if part is not None]
    return glued(parts + ["\n"] * newline)


def spaced(words: list[Word]) -> Parts:
    """Words with a blank between each, which may be missing beside one that turns out to be no word."""
    parts: list[str | Hole] = []
    for place, word in enumerate(words):
        if place:
            sure = _some(word) and _some(words[place - 1])
            parts.append(" " if sure else Hole("words", "a blank, where another word follows", " "))
        parts += word.parts
    return glued(parts)


def _some(word: Word) -> bool:
    """Whether it is at least one word, whatever its holes become."""
    return word.single or any(isinstance(part, str) or part.kind == "glob" for part in word.parts)


def formatted(words: tuple[Word, ...]) -> Parts | None:
    """What `printf` makes of a format and its arguments; None where that is too odd."""
    texts = [word.literal for word in words]
    if not texts or texts[0] is None or not all(word.single for word in words):
        return None
    if texts[0].startswith("-") and texts[0] != "--":
        return None
    if texts[0] == "--":
        words, texts = words[1:], texts[1:]
    pattern = texts[0] if texts else None
    if pattern is None:
        return None
    from hookline.shell.grammar.quotes import whole_letters

    arguments = list(words[1:])
    parts: list[str | Hole] = []
    while True:
        before = len(arguments)
        if not _format_once(pattern, arguments, parts):
            return None
        if not arguments or len(arguments) == before:
            return tuple(whole_letters(part) if isinstance(part, str) else part for part in glued(parts))


def _format_once(pattern: str, arguments: list[Word], parts: list[str | Hole]) -> bool:
    from hookline.shell.grammar.quotes import ansi_text

    at = 0
    for found in re.finditer(_DIRECTIVE, pattern, re.DOTALL):
        plain = pattern[at : found.start()]
        if "%" in plain or "\\" in plain:
            return False
        parts.append(plain)
        at = found.end()
        if found[0] == "%%":
            parts.append("%")
        elif found[0][0] == "\\":
            parts.append("\0" if re.fullmatch(r"\\x?0+", found[0]) else ansi_text(found[0]))
        elif not _argument(found[2], found[1], arguments, parts):
            return False
    parts.append(pattern[at:])
    return "%" not in pattern[at:] and "\\" not in pattern[at:]


def _argument(letter: str, width: str, arguments: list[Word], parts: list[str | Hole]) -> bool:
    word = arguments.pop(0) if arguments else None
    given = word.parts if word is not None else ()
    literal = word.literal if word is not None else ""
    if letter == "s" and not width:
        parts += given
        return True
    if literal is None or len(width) > 3 or not literal.isascii():  # bash counts bytes
        return False
    if letter == "b":
        from hookline.shell.grammar.quotes import printed_text

        escaped = printed_text(literal, True)
        parts.append(escaped or "")
        return escaped is not None and not width
    if letter in "di":
        if not re.fullmatch(r"-?(?:0|[1-9][0-9]*)|", literal) or width.startswith("0"):
            return False
        literal = literal or "0"
    size = abs(int(width or 0))
    parts.append(literal.ljust(size) if width.startswith("-") else literal.rjust(size))
    return True


def _printf(reader: Running, command: Command) -> Parts | None:
    pattern, names = command.words[1:2], command.words[2:]
    if reader.shell != "bash" and any(
        re.search(r"\\[^abfnrtv0-7\\]|%q", word.prefix) for word in command.words
    ):
        return None
    if pattern and pattern[0].literal == "-v":
        return ()
    if pattern and pattern[0].literal in ("%s\\n", "%s\\0") and any(not name.single for name in names):
        found = [
            listed(name.parts) or [name.parts] * name.single for name in names
        ]  # a list of files, as `ls` prints
        end = "\n" if pattern[0].literal == "%s\\n" else "\0"
        return (
            glued([part for lines in found for line in lines for part in (*line, end)])
            if all(found)
            else None
        )
    return formatted(command.words[1:])


def _cat(reader: Running, command: Command) -> Parts | None:
    names = command.words[1:]
    if any((word.literal or "").startswith("-") and word.literal != "-" for word in names):
        return None
    if not names:
        return given_to(command)
    parts: list[str | Hole] = []
    for name in names:
        parts += (given_to(command) or unknown("`cat`")) if name.literal == "-" else content_of(reader, name)
    return glued(parts)


def given_to(command: Command) -> Parts | None:
    """What arrives on its standard input, where the line says it."""
    return None if command.stdin is None else command.stdin.parts


def _tee(reader: Running, command: Command) -> Parts | None:
    given = given_to(command)
    appends = any(word.literal in ("-a", "--append") for word in command.words)
    for word in command.words[1:]:
        if not (word.literal or "").startswith("-"):
            content = given if given is not None else unknown("its input")
            reader.write(file_name(reader, word), content, appends)
    return given


def _pwd(reader: Running, command: Command) -> Parts | None:
    folder = reader.scalar("PWD")
    return glued([*folder, "\n"]) if folder is not None and len(command.words) == 1 else None


WAYS: dict[str, Way] = {"echo": _echo, "printf": _printf, "cat": _cat, "tee": _tee, "pwd": _pwd}
