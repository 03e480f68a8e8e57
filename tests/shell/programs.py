"""A small table of programs, so that the reader is tested without the one that is shipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hookline.shell.reading import Argv, Code, Command, Script

if TYPE_CHECKING:
    from hookline.shell.reading import Inner


def inner_of(command: Command) -> tuple[Inner, ...]:
    """What `env`, `xargs`, and shells run of their words."""
    texts = [word.literal for word in command.words]
    name = (texts[0] or "").rpartition("/")[2] if texts else ""
    if name == "env":
        first = next((place for place, text in enumerate(texts[1:], 1) if "=" not in (text or "")), None)
        return (Argv(command.words[first:], "env"),) if first is not None else ()
    if name == "xargs":
        return (Argv(command.words[1:], "xargs", adds_words=True),)
    if name not in ("sh", "bash"):
        return ()
    if len(texts) > 2 and texts[1] == "-c":
        return (Code(command.words[2], f"{name} -c", command.words[3:], name),)
    if len(texts) > 1:
        return (Script(command.words[1], name, command.words[2:], name),)
    return (Code(command.stdin, name, (), name),) if command.stdin is not None else ()
