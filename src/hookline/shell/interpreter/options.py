"""The options of a shell, their names and what is kept of them; and those of a builtin."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.reading import Word
from hookline.shell.values.state import OPTIONS

if TYPE_CHECKING:
    from hookline.shell.values.running import Running

# What is kept of a shell's options: `B` where braces are not expanded, `n` where patterns may be no words.
_OPTIONS = {
    "noglob": "f", "errexit": "e", "noclobber": "C", "braceexpand": "B", "keyword": "k", "allexport": "a",
    "nounset": "u",
}  # fmt: skip
_SHOPT_OPTIONS = {
    None: "n", "nullglob": "n", "failglob": "n", "nocasematch": "I", "xpg_echo": "X", "localvar_inherit": "L",
    "lastpipe": "P", "nocaseglob": "n",
}  # fmt: skip
_NAMES = frozenset((
    *_OPTIONS, "emacs", "errtrace", "functrace", "hashall", "histexpand", "history", "ignoreeof", "monitor", "noexec",
    "interactive-comments", "nolog", "notify", "onecmd", "physical", "pipefail", "posix", "privileged", "verbose", "vi",
    "xtrace",
))  # fmt: skip
_KEPT = frozenset((*_OPTIONS.values(), *_SHOPT_OPTIONS.values())) - {"k"}


def set_options(reader: Running, text: str, behind: list[Word]) -> bool:
    """`-eo pipefail`, whose names are taken from the words behind it; false where one is none."""
    for letter in text[1:].replace("n", ""):
        name = behind.pop(0).literal or "" if letter == "o" and behind else None
        if name is not None and name not in _NAMES:
            return False
        set_option(reader, text[0], letter if name is None else _OPTIONS.get(name, ""))
    return True


def set_option(reader: Running, sign: str, letter: str) -> None:
    held = reader.state.slots.get(OPTIONS)
    text = held if isinstance(held, str) else ""
    if letter in _KEPT:
        on = sign == ("+" if letter == "B" else "-")
        reader.state.put(OPTIONS, (text + letter if on else text.replace(letter, "")) or None)
    if letter == "k" and sign == "-":
        reader.unknown("after `set -k` words with `=` are assignments wherever they stand")
    if letter in ("e", "u") and sign == "-":
        reader.redirected = True  # from here on a failure may end what would have been printed


def named_option(name: str | None, letter: str) -> str:
    """The letter by which an option is kept that `set -o` or, with any other letter, `shopt` knows by its name."""
    return _OPTIONS.get(name or "", "") if letter == "o" else _SHOPT_OPTIONS.get(name, "")


def line_of(word: Word) -> str:
    return "".join(part if isinstance(part, str) else part.text for part in word.parts)


def is_name(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def options_of(
    words: tuple[Word, ...], values: str = ""
) -> tuple[set[str], dict[str, Word], list[Word]] | None:
    """Letters, options with their values, and operands; None where a hole may be an option."""
    letters: set[str] = set()
    given: dict[str, Word] = {}
    rest = list(words)
    while rest:
        text = rest[0].literal
        if text is None:
            return None if not rest[0].prefix or rest[0].prefix[0] == "-" else (letters, given, rest)
        if text == "--":
            return letters, given, rest[1:]
        if len(text) < 2 or text[0] != "-":
            return letters, given, rest
        del rest[0]
        for place, letter in enumerate(text[1:], 1):
            letters.add(letter)
            if letter in values:
                if text[place + 1 :]:
                    given[letter] = Word((text[place + 1 :],))
                elif rest:
                    given[letter] = rest.pop(0)
                break
    return letters, given, rest
