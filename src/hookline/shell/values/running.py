"""What a shell that runs through a line knows and can do; its parts are spread over this folder."""

from __future__ import annotations

from hookline.model.typing import TYPE_CHECKING
from hookline.shell.values.state import OPTIONS

if TYPE_CHECKING:
    from hookline.shell.grammar.syntax import Function
    from hookline.shell.reading import Command, Hole, InnerOf, OpenScript, Parts, Step
    from hookline.shell.values.abilities import Abilities
    from hookline.shell.values.state import State
    from hookline.shell.values.streams import Output, Stream
else:
    Abilities = object


class Running(Abilities):
    """`doubt` is 0 where a command runs whenever the line does; each branch that may be left out adds 1."""

    shell: str
    line: str
    open_script: OpenScript | None
    inner_of: InnerOf
    state: State
    commands: list[Command]
    opaque: dict[Hole, None]
    via: tuple[Step, ...]
    doubt: int
    keeps: bool  # the redirections just opened stay open (`exec`)
    left: bool  # something may have ended the loop, the function or the shell that we are in
    beyond: int  # and so many loops around that one
    redirected: bool  # what is printed may go elsewhere, or not be reached
    ended: bool  # something may have ended the shell that we are in
    began: int  # how many commands there were when this shell began
    stdin: Stream | None
    out: Output | None  # None where nobody looks at what is printed
    errors: Output | None  # where standard error goes, by the same rule
    # what the line writes to each file, one after the other where it may be both
    files: dict[str, list[Parts]]
    besides: int  # how deep we are in what runs in the background
    racing: set[str]  # files that are written there
    astray: set[str]  # those of them for which nobody can wait, as another shell has begun it
    looked_at: bool  # what the line wrote to a file was read
    run_beside: set[str]  # and scripts that are run there
    substitutions: int  # how many there have been
    calls: int  # how deep we are in functions
    leaves: set[tuple[str, ...]]  # commands that run no others
    exports: dict[str, None]
    inherited: tuple[str, ...]
    locals: list[dict[str, object]]
    temporary: list[str]  # variables that are set for one function or builtin that runs
    functions: dict[int, Function]  # those that nothing has called yet
    loop_changes: dict[int, dict[str, object]]
    unknowns: dict[Hole, None]
    stand_ins: dict[str, Hole]  # letters that stand for holes in code that is taken apart

    def option(self, letter: str) -> bool:
        """Whether an option of the shell is set, or may be."""
        held = self.state.slots.get(OPTIONS)
        return isinstance(held, str) and letter in held
