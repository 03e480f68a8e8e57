"""What a shell line runs, read without running it."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.shell.reading import InnerOf, OpenScript, Reading

_NOTHING: Mapping[str, str] = {}


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
    from hookline.shell.interpreter.reader import reading_of
    from hookline.shell.programs.inner import inner_of as shipped

    return reading_of(line, shell, variables, open_script, inner_of or shipped)
