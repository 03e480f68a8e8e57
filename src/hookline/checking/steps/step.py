"""A statement of a script, whatever its language."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.model.record import Record

NOTHING: frozenset[str] = frozenset()
THROWN = ("raise", "throw")
UNKNOWN = "?"  # a code that is not 0, or may not be


class Look(Record):
    """What a condition, or a code, looks at: variables, and the letters that they are compared with."""

    text: str = ""
    names: frozenset[str] = NOTHING
    letters: frozenset[str] = NOTHING


class Step(Record):
    """A statement from `start` to `end`, with the `bodies` it may run, each behind one of `looks`.

    `kind`: `if`, `loop`, `group`, `handler`, `function`, `exit`, `code` (which a later end has), `return`, `out` (of a
    loop), or none. `what`: the name of a function. `sets` are variables, `calls` functions of the script. `whole`: one
    of the bodies runs in any case. `bare`: nothing asks what a call came to. `program`: what a command of a shell runs.
    """

    start: int
    end: int
    kind: str = ""
    what: str = ""
    look: Look = Look()
    looks: tuple[Look, ...] = ()
    bodies: tuple[tuple[Step, ...], ...] = ()
    sets: frozenset[str] = NOTHING
    calls: frozenset[str] = NOTHING
    whole: bool = False
    bare: bool = True
    program: str = ""


Body = tuple[Step, ...]


class TooLongError(Exception):
    """A script has so many ends and words that each would have to be looked at for each of the others."""


def all_steps(body: Body, handlers: bool = True) -> Iterator[Step]:
    left = list(reversed(body))
    while left:
        step = left.pop()
        if handlers or step.kind != "handler":
            yield step
            left += (each for inner in reversed(step.bodies) for each in reversed(inner))
