"""What a command prints that decodes or changes text which the line tells: `base64 -d`, `xxd -r -p`, `rev`, `tr`."""

from __future__ import annotations

import re

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.interpreter.outputs import given_to
from hookline.shell.reading import Command, Parts
from hookline.shell.values.redirecting import content_of

if TYPE_CHECKING:
    from hookline.shell.interpreter.printing import Way
    from hookline.shell.values.running import Running


def _base64(reader: Running, command: Command) -> Parts | None:
    options = [word.literal for word in command.words[1:]]
    if not options or any(option not in ("-d", "-D", "--decode", "-di") for option in options[:1]):
        return None
    given = content_of(reader, command.words[2]) if len(options) == 2 else given_to(command)
    return _decoded(given) if len(options) <= 2 else None


def _openssl(reader: Running, command: Command) -> Parts | None:
    """`openssl base64 -d`, `openssl enc -d -a`."""
    texts = [word.literal for word in command.words[1:]]
    plain = texts[:1] == ["base64"] or (texts[:1] == ["enc"] and {"-a", "-base64"} & set(texts))
    decodes = "-d" in texts and set(texts[1:]) <= {"-d", "-a", "-A", "-base64"}
    return _decoded(given_to(command)) if plain and decodes else None


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
    given = given_to(command)
    if options != ["p", "r"] or given is None or len(given) != 1 or not isinstance(given[0], str):
        return None
    try:
        return (bytes.fromhex(re.sub(r"\s", "", given[0])).decode(),)
    except ValueError:
        return None


def _reversed(reader: Running, command: Command) -> Parts | None:
    given = given_to(command)
    if len(command.words) > 1 or given is None or len(given) != 1 or not isinstance(given[0], str):
        return None
    return ("\n".join(line[::-1] for line in given[0].split("\n")),)


def _translated(reader: Running, command: Command) -> Parts | None:
    """`tr SET SET` and `tr -d SET` with sets of letters and ranges."""
    given = given_to(command)
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


WAYS: dict[str, Way] = {
    "base64": _base64, "openssl": _openssl, "xxd": _hexadecimal, "rev": _reversed, "tr": _translated,
}  # fmt: skip
