"""What a shell line runs, read without running it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.plain import is_plain, plain_words
from hookline.shell.reading import (
    BUILTIN_NAMES,
    LONG_LINE,
    LONGEST_LINE,
    NOWHERE,
    TASKS,
    WRITERS,
    Command,
    Hole,
    Inner,
    InnerOf,
    OpenScript,
    Reading,
    Script,
)

if TYPE_CHECKING:
    from hookline.shell.interpreter.reader import Reader

_NOTHING: Mapping[str, str] = {}
_OF_THE_SHELL = BUILTIN_NAMES | WRITERS  # what these do, the rest of the line may see


def read_commands(
    line: str,
    shell: str = "bash",
    cwd: str = "",
    variables: Mapping[str, str] = _NOTHING,
    *,
    open_script: OpenScript | None = None,
    inner_of: InnerOf | None = None,
) -> Reading:
    """Every command that `line` may run, however it is reached. Runs nothing, reads nothing, never raises.

    `shell`: `bash`, `sh`, `dash`, `zsh` or `powershell`. `variables` are values that the line starts with;
    all others are holes. `open_script` gives the text of a script, by its path seen from `cwd`, or None;
    `inner_of` tells what a program runs of its words, by default as the table that is shipped says.
    """
    if inner_of is None:
        from hookline.shell.programs.inner import inner_of as shipped

        inner_of = shipped
    if len(line) > LONGEST_LINE:
        return Reading(line, (), (Hole("words", f"the line is longer than {LONGEST_LINE} letters"),))
    if shell in ("powershell", "pwsh"):
        from hookline.shell.code.powershell import read_powershell
        from hookline.shell.code.powershell_programs import with_inner

        read_bash = _reader()("bash", variables, None, inner_of).read
        return with_inner(read_powershell(line, read_bash), inner_of, read_bash)
    only: Command | None = None
    inner: tuple[Inner, ...] = ()
    if len(line) <= LONG_LINE:
        words = plain_words(line) if is_plain(line) else ()
        if words and words[0].prefix not in _OF_THE_SHELL:
            # one program with plain words, as half of all lines are: it alone has no shell to change
            only = Command(words, (), (), None, NOWHERE, (), 0, len(line))
            inner = inner_of(only)
            if all(isinstance(each, Script) and each.language in TASKS for each in inner):
                return Reading(line, (only,))
        found = _plainly()(line, shell, variables, open_script, inner_of, only, inner)
        if found is not None:
            return found
    return _reader()(shell, variables, open_script, inner_of).read(line, only, inner)


@cache
def _plainly() -> Callable[..., Reading | None]:
    from hookline.shell.interpreter.plainly import plainly

    return plainly


@cache
def _reader() -> type[Reader]:
    from hookline.shell.interpreter.reader import Reader

    return Reader
