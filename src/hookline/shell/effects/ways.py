"""A command with each value of its variables that a line says, and in each folder where it may run."""

from __future__ import annotations

from hookline.model.record import replace
from hookline.shell.programs.arguments import Taken, given_to
from hookline.shell.programs.table import Programs
from hookline.shell.reading import MOST_CHOICES, Command, Hole, Word, below
from hookline.shell.values.fields import Fields


def ways(command: Command, programs: Programs, place: int) -> list[Taken]:
    """A command with each value, as `_way` has it."""
    found: list[Taken] = []
    for each in _told(command):
        found += _way(each, programs, place + len(found))
    return found


def _told(command: Command, room: int = MOST_CHOICES) -> list[Command]:
    """A command, or what it is with each value that the line has for a variable, and with one of outside."""
    rest = [word for word in command.words[1:] if word.literal is None]
    rest += [each.target for each in command.redirections if each.target is not None]
    if not rest:
        return [command]
    holes = (hole for word in rest for hole in word.holes if hole.only or hole.outside)
    hole = next((hole for hole in holes if 0 < len(hole.choices) <= room), None)
    if hole is None:
        return [command]
    found: list[Command] = []
    # what stands for a word when nobody sets it (`${KIND:-pods}`), stands for a word
    plain = all(choice.prefix and choice.prefix[0] != "-" and choice.single for choice in hole.choices)
    kind = "word" if plain else hole.kind
    other = () if hole.only else (Word((replace(hole, choices=(), kind=kind),)),)
    for value in (*hole.choices, *other):
        words = [each for word in command.words[1:] for each in _filled(word, hole, value)]
        redirections = tuple(
            replace(each, target=only[0])
            if each.target is not None and len(only := _filled(each.target, hole, value)) == 1
            else each
            for each in command.redirections
        )
        filled = replace(command, words=(*command.words[:1], *words), redirections=redirections)
        found += _told(filled, room // (1 + len(hole.choices)))
    return found


def _filled(word: Word, hole: Hole, value: Word) -> list[Word]:
    """The words that it becomes with this value in the place of that hole."""
    if not any((part.text, part.choices) == (hole.text, hole.choices) for part in word.holes):
        return [word]
    fields = Fields(" \t\n")
    for part in word.parts:
        if isinstance(part, str):
            fields.add(part, True)
        elif (part.text, part.choices) == (hole.text, hole.choices):
            same = len(value.holes) == len(value.parts) == 1 and value.holes[0].text == hole.text
            fields.hole(value.holes[0]) if same else fields.value(value.parts, part.kind == "word")
        else:
            fields.hole(part)
    return fields.words(word.start, word.end)


def _way(command: Command, programs: Programs, place: int) -> list[Taken]:
    """A command in each folder where it may run, and without a word before its sub-command that may be nothing."""
    given = given_to(command, programs)
    found = [Taken(each, given, at) for at, each in enumerate(_in_folders(command), place)]
    hidden = given.hidden
    if hidden is not None and given.path and not hidden.single and not hidden.prefix:
        less = replace(command, words=tuple(word for word in command.words if word is not hidden))
        found.append(Taken(less, replace(given_to(less, programs), guessed=True), place + len(found)))
    return found


def _in_folders(command: Command) -> list[Command]:
    first, *rest = command.cwd.parts or ("",)
    if isinstance(first, str) or not first.only:
        return [command]
    if rest and isinstance(rest[0], str):
        rest[0] = rest[0].removeprefix("/")
    behind = Word(tuple(rest))
    return [replace(command, cwd=below(way, behind) if rest else way) for way in first.choices]
