"""What a shell prints of itself: its options, its variables, its folder; silent otherwise."""

from __future__ import annotations

import re

from hookline.shell.reading import Command, Hole, Parts

SETS_UP = "code by which a shell is set up"
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
    "kill": r"-[lL]", "mkdir": _VERBOSE, "rm": _VERBOSE, "ln": _VERBOSE, "chmod": _VERBOSE,
}  # fmt: skip


def told(name: str, command: Command) -> Parts:
    """What a command prints that is silent otherwise."""
    given = [
        re.sub(r"\s", "_", word.prefix) or "\0" for word in command.words[1:] if word.single or word.prefix
    ]
    shown = "".join(f"{text} " for text in given)
    if name in _PRINTS_CODE:
        return (Hole("words", SETS_UP),) if re.match(_PRINTS_CODE[name], shown) else ()
    if name in _PRINTS and re.match(_PRINTS[name], shown):
        return (Hole("words", f"what `{name}` prints is not told by the line"),)
    return ()
