"""What a command prints that makes names, of files or of programs, or numbers: `which`, `mktemp`, `basename`, `seq`."""

from __future__ import annotations

import re

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.interpreter.printing import SILENT
from hookline.shell.reading import BUILTIN_NAMES, MADE_UP, Command, Hole, Parts, Word, glued
from hookline.shell.values.state import alias_key, function_key

if TYPE_CHECKING:
    from hookline.shell.interpreter.printing import Way
    from hookline.shell.values.running import Running

_PROGRAMS = {"mkdir", "chmod", "rm", "ln", "cp", "mv", "touch", "sleep"}
_KNOWN_BY_SHELL = (SILENT | BUILTIN_NAMES | {"echo", "pwd", "type"}) - _PROGRAMS


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


WAYS: dict[str, Way] = {
    "which": _where, "command": _command, "mktemp": _made_up, "basename": _named_part, "dirname": _named_part,
    "seq": _numbers, "yes": _yes, "realpath": _without_links, "readlink": _without_links,
}  # fmt: skip
