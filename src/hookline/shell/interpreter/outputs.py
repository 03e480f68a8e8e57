"""What a command prints where that is plain to see: `echo`, `printf`, `cat` of text, `base64 -d` of text."""

from __future__ import annotations

import re
from collections.abc import Callable

from hookline.shell.grammar.quotes import ansi_text, printed_text, whole_letters
from hookline.shell.interpreter.printing import SILENT, unknown
from hookline.shell.reading import BUILTIN_NAMES, MADE_UP, Command, Hole, Parts, Word, glued
from hookline.shell.values.fields import listed
from hookline.shell.values.redirecting import content_of, file_name
from hookline.shell.values.running import Running
from hookline.shell.values.state import alias_key, function_key

_PROGRAMS = {"mkdir", "chmod", "rm", "ln", "cp", "mv", "touch", "sleep"}
_KNOWN_BY_SHELL = (SILENT | BUILTIN_NAMES | {"echo", "pwd", "type"}) - _PROGRAMS
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
    arguments = list(words[1:])
    parts: list[str | Hole] = []
    while True:
        before = len(arguments)
        if not _format_once(pattern, arguments, parts):
            return None
        if not arguments or len(arguments) == before:
            return tuple(whole_letters(part) if isinstance(part, str) else part for part in glued(parts))


def _format_once(pattern: str, arguments: list[Word], parts: list[str | Hole]) -> bool:
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
        return _input(command)
    parts: list[str | Hole] = []
    for name in names:
        parts += (_input(command) or unknown("`cat`")) if name.literal == "-" else content_of(reader, name)
    return glued(parts)


def _input(command: Command) -> Parts | None:
    return None if command.stdin is None else command.stdin.parts


def _tee(reader: Running, command: Command) -> Parts | None:
    given = _input(command)
    appends = any(word.literal in ("-a", "--append") for word in command.words)
    for word in command.words[1:]:
        if not (word.literal or "").startswith("-"):
            content = given if given is not None else unknown("its input")
            reader.write(file_name(reader, word), content, appends)
    return given


def _base64(reader: Running, command: Command) -> Parts | None:
    options = [word.literal for word in command.words[1:]]
    if not options or any(option not in ("-d", "-D", "--decode", "-di") for option in options[:1]):
        return None
    given = content_of(reader, command.words[2]) if len(options) == 2 else _input(command)
    return _decoded(given) if len(options) <= 2 else None


def _openssl(reader: Running, command: Command) -> Parts | None:
    """`openssl base64 -d`, `openssl enc -d -a`."""
    texts = [word.literal for word in command.words[1:]]
    plain = texts[:1] == ["base64"] or (texts[:1] == ["enc"] and {"-a", "-base64"} & set(texts))
    decodes = "-d" in texts and set(texts[1:]) <= {"-d", "-a", "-A", "-base64"}
    return _decoded(_input(command)) if plain and decodes else None


def _decoded(given: Parts | None) -> Parts | None:
    if given is None or len(given) > 1 or not all(isinstance(part, str) for part in given):
        return None
    import binascii

    text = str(given[0]).replace("\n", "") if given else ""  # other blanks are mistakes
    try:
        return (binascii.a2b_base64(text.encode("ascii"), strict_mode=True).decode(),)
    except ValueError:
        return None


def _hexadecimal(reader: Running, command: Command) -> Parts | None:
    options = sorted("".join((word.literal or "?").removeprefix("-") for word in command.words[1:]))
    given = _input(command)
    if options != ["p", "r"] or given is None or len(given) != 1 or not isinstance(given[0], str):
        return None
    try:
        return (bytes.fromhex(re.sub(r"\s", "", given[0])).decode(),)
    except ValueError:
        return None


def _reversed(reader: Running, command: Command) -> Parts | None:
    given = _input(command)
    if len(command.words) > 1 or given is None or len(given) != 1 or not isinstance(given[0], str):
        return None
    return ("\n".join(line[::-1] for line in given[0].split("\n")),)


def _translated(reader: Running, command: Command) -> Parts | None:
    """`tr SET SET` and `tr -d SET` with sets of letters and ranges."""
    given = _input(command)
    texts = [word.literal or "\\" for word in command.words[1:]]
    deletes = texts[:1] == ["-d"]
    sets = [_letters(text) for text in texts[deletes:]]
    if given is None or len(given) != 1 or not isinstance(given[0], str) or not given[0].isascii():
        return None
    if deletes and len(sets) == 1 and sets[0] is not None:
        return (given[0].translate(str.maketrans("", "", sets[0])),)
    if deletes or len(sets) != 2 or not sets[0] or not sets[1]:
        return None
    return (
        given[0].translate(str.maketrans(sets[0], sets[1].ljust(len(sets[0]), sets[1][-1])[: len(sets[0])])),
    )


def _letters(text: str) -> str | None:
    if not text.isascii() or "[" in text or re.search(r"\\(?!n)", text) or text.startswith("-"):
        return None
    text = text.replace("\\n", "\n")
    return re.sub(
        r"(.)-(.)",
        lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))),
        text,
        flags=re.DOTALL,
    )


def _where(reader: Running, command: Command) -> Parts | None:
    """`which git` prints a path that ends in the name, and runs the same program."""
    names = [word for word in command.words[1:] if not (word.literal or "").startswith("-")]
    literal = names[0].literal if len(names) == 1 else None
    if not literal or not re.fullmatch(r"[A-Za-z0-9_.+-]+", literal):
        return None
    return (Hole("word", "the folder of a program", f"$(which {literal})"), f"/bin/{literal}\n")


def _command(reader: Running, command: Command) -> Parts | None:
    first, name = (word.literal or "" for word in command.words[1:3]) if len(command.words) > 2 else ("", "")
    own = name in _KNOWN_BY_SHELL or {function_key(name), alias_key(name)} & reader.state.slots.keys()
    return _where(reader, command) if first == "-v" and not own else None


def _made_up(reader: Running, command: Command) -> Parts | None:
    """A name of `mktemp`, which is below /tmp where nothing else is asked for."""
    plain = all(re.fullmatch("-[dqu]+|--directory|--quiet", word.literal or "") for word in command.words[1:])
    why = f"{MADE_UP} ({len(reader.commands)})"  # another one each time, and the same wherever it is kept
    return ("/tmp/tmp.", Hole("word", why, "$(mktemp)"), "\n") if plain else None


def _pwd(reader: Running, command: Command) -> Parts | None:
    folder = reader.scalar("PWD")
    return glued([*folder, "\n"]) if folder is not None and len(command.words) == 1 else None


def _named_part(reader: Running, command: Command) -> Parts | None:
    name, path = command.words[0].literal, command.words[1].literal if len(command.words) == 2 else None
    if not path or path.startswith("-") or path.endswith("/"):
        return None
    folder, slash, last = path.rpartition("/")
    if name == "basename":
        return (last + "\n",)
    return ((folder or "/" if slash else ".") + "\n",) if not folder.endswith("/") else None


def _without_links(reader: Running, command: Command) -> Parts | None:
    """`realpath /etc/../usr`: that very folder, unless a link leads elsewhere."""
    path = command.words[-1].literal or ""
    if len(command.words) < 2 or not path.startswith(("/", "~")):
        return None
    name = command.words[0].literal
    return (Hole("word", f"`{name}` follows links", f"$({name} {path})", choices=(Word((path,)),)), "\n")


def _yes(reader: Running, command: Command) -> Parts | None:
    """`yes` says it again and again."""
    texts = [word.literal for word in command.words[1:]]
    if None in texts or len(texts) > 1:
        return None
    return (f"{texts[0] if texts else 'y'}\n" * 2, Hole("words", "`yes` goes on"))


def _numbers(reader: Running, command: Command) -> Parts | None:
    texts = [word.literal or "" for word in command.words[1:]]
    if not 1 <= len(texts) <= 2 or not all(re.fullmatch(r"0|[1-9][0-9]{0,3}", text) for text in texts):
        return None
    first, last = (1, int(texts[0])) if len(texts) == 1 else (int(texts[0]), int(texts[1]))
    return (
        glued(["".join(f"{number}\n" for number in range(first, last + 1))]) if last - first < 200 else None
    )


Way = Callable[[Running, Command], Parts | None]
WAYS: dict[str, Way] = {
    "echo": _echo, "printf": _printf, "cat": _cat, "tee": _tee, "base64": _base64,
    "openssl": _openssl, "xxd": _hexadecimal,
    "rev": _reversed, "tr": _translated, "which": _where, "command": _command, "pwd": _pwd,
    "mktemp": _made_up, "basename": _named_part, "dirname": _named_part, "seq": _numbers, "yes": _yes,
    "realpath": _without_links, "readlink": _without_links,
}  # fmt: skip
