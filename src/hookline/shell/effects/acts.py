"""What a command does, as values: its effects, and the words they are done to."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.model.record import Record, replace
from hookline.shell.effects.places import is_secret
from hookline.shell.programs.arguments import Arguments, forget_taken, given_to
from hookline.shell.programs.conditions import joined
from hookline.shell.programs.one_word import is_variables
from hookline.shell.programs.table import Programs
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import NOWHERE, Command, Hole, Reading, Word
from hookline.shell.values.arrays import MOST_CHOICES
from hookline.shell.values.fields import Fields
from hookline.system.patterns.late import late

_ONE_NAME = late(r"[@+]\(([^()|*?\[\]]+)\)")


class Effect(Record):
    """One thing a command does. `target` is the word it does it to: a path, a host, or None.

    `certain` is false where a hole decides whether it happens. `below`: not the target itself but files in it,
    of which the line does not say the names.
    """

    name: str
    target: Word | None = None
    certain: bool = True
    below: bool = False
    cwd: Word = NOWHERE


class Taken(Record):
    """One command of a line, taken apart; `like` is the place of the first that does the same, mostly its own."""

    command: Command
    given: Arguments
    like: int = 0


class Deeds(Taken):
    """The same with its effects; `marks` are what only these modules look at."""

    effects: tuple[Effect, ...] = ()
    marks: frozenset[str] = frozenset()


def taken_apart(reading: Reading, more: str = "") -> tuple[Taken, ...]:
    """The commands of a line, which is all that most rules ask for: what they do is told behind that."""
    programs = shipped(more)
    found: list[Taken] = []
    known: dict[object, int] = {}
    for command in reading.commands:
        key = _key(command) if len(reading.commands) > 1 else None
        same = known.get(key) if key is not None else None
        if same is not None:
            found.append(Taken(command, found[same].given, same))
            continue
        ways = _ways(command, programs, len(found))
        if key is not None and len(ways) == 1:
            known[key] = len(found)
        found += ways
    forget_taken()
    return tuple(found)


def _key(command: Command) -> object:
    """What two commands that do the same have in common; None for one that more than its words decides about."""
    if command.redirections or command.assignments or command.stdin is not None:
        return None
    argv = command.argv
    return None if argv is None else (argv, command.cwd.parts)


def _ways(command: Command, programs: Programs, place: int) -> list[Taken]:
    """A command with each value of its variables that the line says, as `_way` has it."""
    if not (command.redirections or command.cwd.parts or command.argv is None):
        given = given_to(command, programs)
        if given.hidden is None:
            return [Taken(command, given, place)]  # as most are
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


def below(folder: Word, path: Word) -> Word:
    """A path seen from where `folder` is."""
    path = _named(path) if path.holes else path
    if not folder.parts or path.prefix.startswith(("/", "~")) or folder.literal == "":
        return path
    last = folder.parts[-1]
    slash = () if isinstance(last, str) and last.endswith("/") else ("/",)
    return joined((*folder.parts, *slash, *path.parts), path)


def _named(path: Word) -> Word:
    """With `@(server.key)` as the one name that it fits."""
    found = [
        _ONE_NAME.fullmatch(part.text) if isinstance(part, Hole) and part.kind == "glob" else None
        for part in path.parts
    ]
    if not any(found):
        return path
    return joined((name[1] if name else part for name, part in zip(found, path.parts, strict=True)), path)


LOADERS = frozenset((("export",), ("declare",), ("env",)))


def loaded(found: Sequence[Deeds]) -> list[Deeds]:
    """With a file read for its variables alone where `export $(grep -v '^#' .env | xargs)` sets these."""
    words = [word for each in found if each.given.path in LOADERS for word in each.command.words[1:]]
    spans = [(word.start, word.end) for word in words if is_variables(word)]
    return [_as_loads(each) if any(a < each.command.start < b for a, b in spans) else each for each in found]


def _as_loads(deeds: Deeds) -> Deeds:
    effects = tuple(replace(each, name="loads") if each.name == "read" else each for each in deeds.effects)
    return replace(deeds, effects=effects, marks=deeds.marks | {"loads"})


def reads_secret(deeds: Deeds) -> bool:
    """Whether a command reads what nobody else should see: a file with secrets, or all variables."""
    if "shows" in deeds.marks or ("dumps" in deeds.marks and not deeds.given.operands):
        return True
    return any(
        effect.name == "read" and effect.target is not None and is_secret(below(effect.cwd, effect.target))
        for effect in deeds.effects
    )


def connects(deeds: Deeds) -> bool:
    """Whether a command talks to another host."""
    return any(effect.name == "connect" for effect in deeds.effects)
