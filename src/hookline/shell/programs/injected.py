"""What reaches other programs from aside: files that are loaded into them, numbers of processes that were looked up."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.model.record import replace
from hookline.shell.code.pieces import split_words
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.conditions import targets
from hookline.shell.programs.table import SYSTEM_FOLDERS, Deed
from hookline.shell.reading import Argv, Command, Hole, Inner, Script, Word, is_lost
from hookline.system.patterns.late import late

_SYSTEM_LIBRARIES = (
    *(f"{folder}/" for folder in SYSTEM_FOLDERS),
    "/lib",
    "/usr/lib",
    "/usr/local/lib",
    "/opt/",
    "/usr/share/",
)
# What listens at ports, or wrote its number into a file here; any other file, or a name, may be anybody's.
_ONE = (
    r"(?:\$\(|`)\s*(?:lsof\s+(?:-[tPn]+\s+)*-[tPn]*i\s*(?:[A-Za-z]+@?)?:[0-9]+(?:,:?[0-9]+)*(?:\s+-sTCP:LISTEN)?|"
    r"(?:cat\s+|<\s*)(?:\./)?(?:[\w-][\w.-]*/)*[\w.-]*(?i:pid)\b)\s*(?:2>\s*/dev/null\s*)?(?:\)|`)$"
)
_ASKED = r"(?:\$\(|`)\s*(?:pgrep|pidof)\s+([^|;&$`()<>]+?)\s*(?:2>\s*/dev/null\s*)?(?:\)|`)"
_OWN_START_FILES = ("/.bashrc", "/.bash_profile", "/.profile", "/.zshenv", "/.bash_env", "/.pythonrc")


_INTERPRETERS = late(r"\$\{?(SHELL|BASH|0|PYTHON3?|NODE|PERL|RUBY|ZSH|PHP|JAVA)\}?")
_SHELLS = {"SHELL": "sh", "0": "sh"}  # the names of others are their variables' in small letters


def shell_of_variable(command: Command, program: Word) -> Iterator[Inner]:
    """`curl … | $SHELL`, `$SHELL -c …`: what the variable is called after."""
    found = _INTERPRETERS.fullmatch(program.holes[0].text) if len(program.parts) == 1 else None
    if found is not None:
        name = Word((_SHELLS.get(found[1], found[1].lower()),), program.start, program.end)
        yield Argv((name, *command.words[1:]), found[0], stdin=command.stdin)


def injected(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """A file of somebody's own that runs inside of other programs; those that came with the machine may."""
    language = deed.targets[0]
    spoken = "" if language == "program" else language
    for value in targets(replace(deed, targets=deed.targets[1:]), given):
        for word in split_words(value, ":" if language == "native" else ""):
            text = word.prefix.removeprefix("file://")
            if language in ("sh", "python") and (
                not text or (text[0] != "." and text.endswith(_OWN_START_FILES))
            ):
                yield Script(word, how, language=language)
            elif text[:1] in ("/", ".", "~") or (text and language in ("sh", "python")):
                why = Hole("words", f"`{how}` loads `{text}` into other programs", text)
                came = text.startswith(_SYSTEM_LIBRARIES)
                yield from () if came else (Script(word, how, language=spoken, instead=why),)


def by_name(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`kill $(pgrep x)` is `pkill x`: the numbers of processes that somebody looked up."""
    for word in targets(deed, given):
        if any(is_lost(hole) and not (_is_own_job(hole) or _is_one(hole)) for hole in word.holes):
            names = tuple(_looked_up(word)) or (word,)
            yield Argv((Word(("pkill",), word.start, word.end), *names), how)
            return


def _looked_up(word: Word) -> Iterator[Word]:
    """The names that one program was asked the numbers of: `$(pgrep -f name)`."""
    found = re.fullmatch(_ASKED, word.holes[0].text) if len(word.parts) == 1 else None
    for name in found[1].split() if found is not None else ():
        if name[:1] != "-":
            yield Word((name.strip("'\""),), word.start, word.end)


def _is_one(hole: Hole) -> bool:
    """Whether it was looked up by the port at which it listens, or by the file that it wrote here."""
    return bool(re.match(_ONE, hole.text))


def _is_own_job(hole: Hole) -> bool:
    """Whether a number may be that of a process which the line, or the shell, has started."""
    return "jobs" in hole.text or "`$!`" in hole.why or "list is not told" in hole.why
