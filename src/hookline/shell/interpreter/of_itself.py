"""What a shell prints of itself: its options, its variables, its folder; silent otherwise."""

from __future__ import annotations

import re

from hookline.shell.grammar.syntax import Function
from hookline.shell.interpreter.printing import SETS_UP
from hookline.shell.reading import Command, Hole, Parts, Word
from hookline.shell.values.running import Running
from hookline.shell.values.state import function_key

_ONLY_OPTIONS = r"(?:[-+]\S+ )*\Z"
_DECLARED = rf"{_ONLY_OPTIONS}|(?:\S+ )*-\w*[pfF]"
# The words with which a command prints, a blank behind each.
_PRINTS_CODE = {
    "set": r"\Z|(?:\S+ )*[-+]\w*o \Z",
    "shopt": r"(?!(?:\S+ )*-\w*q)(?!(?=(?:\S+ )*-\w*[su])(?:-\S+ )*[^-\s])",
    "export": _ONLY_OPTIONS, "readonly": _ONLY_OPTIONS, "declare": _DECLARED, "typeset": _DECLARED, "local": _DECLARED,
    "alias": r"\Z|-p|(?:\S+ )*[^\s=]+ ", "trap": r"\Z|-[lpP]", "umask": rf"{_ONLY_OPTIONS}|-\w*S",
    "enable": rf"{_ONLY_OPTIONS}|-\w*[ps]", "hash": r"\Z|-\w*[lt]",
}  # fmt: skip
_VERBOSE = r"(?:\S+ )*(?:-\w*v|--verb)"
_PRINTS = {
    "cd": r"(?:\S+ )*- \Z", "chdir": r"(?:\S+ )*- \Z", "pushd": "", "popd": "", "fc": r"(?:\S+ )*-\w*l", "compgen": "",
    "kill": r"-[lL]", "mkdir": _VERBOSE, "rm": _VERBOSE, "ln": _VERBOSE, "cp": _VERBOSE, "mv": _VERBOSE,
    "chmod": _VERBOSE,
}  # fmt: skip


def told(reader: Running, name: str, command: Command) -> Parts:
    """What a command prints that is silent otherwise."""
    given = [
        re.sub(r"\s", "_", word.prefix) or "\0" for word in command.words[1:] if word.single or word.prefix
    ]
    shown = "".join(f"{text} " for text in given)
    if name in _PRINTS_CODE:
        choices = _sources(reader, command) if name in ("declare", "typeset") else ()
        return (Hole("words", SETS_UP, choices=choices),) if re.match(_PRINTS_CODE[name], shown) else ()
    if name in _PRINTS and re.match(_PRINTS[name], shown):
        return (Hole("words", f"what `{name}` prints is not told by the line"),)
    return ()


def _sources(reader: Running, command: Command) -> tuple[Word, ...]:
    """`declare -f f`: it means what the line says of these functions, in other words."""
    option, *names = (word.literal or "" for word in command.words[1:] or command.words)
    texts = []
    for name in names if option == "-f" else ():
        held = reader.state.slots.get(function_key(name))
        only = held[0] if isinstance(held, tuple) and len(held) == 1 else None
        text = reader.line[only.start : only.end] if isinstance(only, Function) else ""
        begins = re.match(rf"\s*{re.escape(name)}(?:\s*\(\s*\)|\s)", text)
        if begins is None:
            return ()
        texts.append(f"{name}() {text[begins.end() :]}\n")
    return (Word(("".join(texts),)),) if texts else ()
