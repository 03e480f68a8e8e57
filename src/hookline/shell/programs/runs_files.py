"""Files of tasks and of code that a command runs by their names."""

from __future__ import annotations

from collections.abc import Iterator

from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.conditions import target_words
from hookline.shell.programs.table import Deed
from hookline.shell.reading import Command, Hole, Inner, Script, Word, descriptor_of, shown


def tasks_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """A file whose tasks are run by their names; it is looked at where the line itself writes it."""
    for word in (each for text in deed.targets[1:] for each in target_words(text, given)):
        only = word.parts[0] if len(word.parts) == 1 else None
        content = only.content if isinstance(only, Hole) else None  # `ssh -F <(…)`
        read = content is None and (descriptor_of(word) == "0" or word.literal == "-")
        if content is None and not read:
            yield Script(word, f"{how} ({word.literal})", language=deed.targets[0])
            continue
        text, by = (command.stdin, f"{how} reads it") if read else (content, how)
        if text is not None:
            from hookline.shell.programs.runs_code import texts_in

            yield from texts_in(command, text, deed.targets[0], by, None, ())


def modules_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """Files of code that it loads by their names; they are looked at where the line itself writes them."""
    for word in (each for text in deed.targets for each in target_words(text, given)):
        path = shown(word).partition("::")[0]  # `test_x.py::test_a`
        if path and path != "-":
            name = path.rpartition("/")[2]
            language = _OF_FILES.get(name) or _OF_FILES.get(name.rpartition(".")[2], "script-file")
            yield Script(Word((path,), word.start, word.end), f"{how} ({path})", language=language)


_OF_FILES = {
    "py": "python-file", "SConstruct": "python-file", "SConscript": "python-file", "Tiltfile": "python-file",
    ".envrc": "sh-file", "sh": "sh-file", "CMakeLists.txt": "cmake", "cmake": "cmake", ".gdbinit": "sql-file",
    ".lldbinit": "sql-file", "ini": "tasks", "build": "tasks",
}  # fmt: skip
