"""What a command runs besides itself: other commands, and what its variables say."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hookline.model.record import replace
from hookline.shell.programs.arguments import Arguments, arguments_of, program_name
from hookline.shell.programs.conditions import NO, YES, folders, holds, without
from hookline.shell.programs.names import known_name
from hookline.shell.programs.table import Deed, Programs
from hookline.shell.programs.table import programs as shipped
from hookline.shell.programs.ways import WAYS, way_of
from hookline.shell.reading import CONTAINED, Argv, Code, Command, Hole, Inner, Script, Word, behind_nothing
from hookline.system.patterns.late import late

_OF_TARGET = late(r"^CARGO_TARGET_\w+_(?=(?:RUNNER|LINKER)$)", 0, ("CARGO_TARGET_",))
_PROMPTS = ("PS0", "PS1", "PS2", "PS4")


def of_variable(
    name: str, value: Word, command: Command, given: Arguments, programs: Programs
) -> Iterator[Inner]:
    """What a program runs because a variable is set for it: as the row `[NAME=]` says of its value."""
    text = "".join(part for part in value.parts if isinstance(part, str))
    calls = "$(" in text or "`" in text
    row = programs.row((f"{_OF_TARGET.sub('CARGO_TARGET_', name)}=",))
    if name.startswith("BASH_FUNC_") and text.startswith("() "):
        yield Code(without(value, 3), name)
    elif name in _PROMPTS and calls:
        yield Code(Word((f': "{text}"',)), name)
    talks = (
        bool(given.path) and _is_shell(given.path[0]) and given.has("-i")
    )  # to a person, whom `ENV` is for
    if row is None or (name == "ENV" and not talks):
        return
    if calls and name.endswith("ENV"):
        yield Code(Word((f': "{text}"',)), name)
        return
    values = _split(value, ":") if "modules" in row.does else _split(value) if row.options else (value,)
    own = arguments_of((Word((f"{name}=",)), *values), programs)
    for deed in row.deeds:
        if deed.name in WAYS and holds(deed, own) != NO:
            yield from way_of(deed.name)(command, own, deed, name)


def _split(value: Word, marks: str = "") -> Sequence[Word]:
    from hookline.shell.code.pieces import split_words

    return split_words(value, marks)


def _is_shell(name: str) -> bool:
    from hookline.shell.programs.runs_code import SHELLS

    return name in SHELLS


def command_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    words = list(_named_words(given) if "named" in deed.targets else _words_of(given, deed))
    behind = behind_nothing(tuple(words)) if words and words[0].literal is None else ()
    if behind and behind[0].prefix[:1] == "-" and command.words[-len(words) :] == tuple(words):
        nearer = replace(command, words=(*command.words[: -len(words)], *behind))  # where these are nothing
        yield from command_of(nearer, arguments_of(nearer.words, shipped()), deed, how)
    assigns = "assign" in deed.targets
    del words[: bool(words) and words[0].literal == "--" and not (assigns and given.dashes is not None)]
    del words[: assigns and bool(words) and words[0].literal == "-"]  # `env -` is `env -i`
    if given.path == ("npm", "exec") and (literals := [word.literal for word in words]).count("--"):
        del words[literals.index("--")]  # `npm exec wrangler -- deploy`
    folder = next(iter(folders(given)), None)
    alone = (each for each in given.row.deeds if each.name == "contained") if given.row is not None else ()
    if any(holds(each, given) == YES for each in alone):
        how = f"{how} {CONTAINED}"
    for started, assignments in _behind_assignments(words) if assigns else [(words, [])] if words else ():
        if given.path == ("env",) and _is_shell(program_name(started[0])):
            assignments += map(_taken_away, given.values("-u"))
        if "adds" in deed.targets:
            from hookline.shell.programs.feeds import commands_of_xargs

            yield from commands_of_xargs(command, given, started, how)
            continue
        for before in _split_off(command.words[1 : -len(started)]):
            yield Argv((*before, *started), how, folder, stdin=command.stdin)
        yield Argv(tuple(started), how, folder, stdin=command.stdin, assignments=tuple(assignments))


def _taken_away(name: Word) -> tuple[str, Word]:
    """A variable of `env -u`."""
    why = "`env` takes the variable away"
    gone = Hole("words", why, f"${name.literal}", choices=(Word(()),), only=True)
    return name.literal or "", Word((gone,))


_Assignments = list[tuple[str, Word]]


def _behind_assignments(words: list[Word]) -> Iterator[tuple[list[Word], _Assignments]]:
    """What `env` starts behind variables; each way, where a word may be one, or several and a program among them."""
    assignments: _Assignments = []
    while words:
        word, rest = words[0], words[1:]
        if word.literal is None and _is_variables(word):
            words = rest
        elif _is_set(word):
            splits = [hole for hole in word.holes if _may_split(hole)]
            if "=" not in word.prefix and splits:
                yield words, list(assignments)
            for place, hole in enumerate(splits if "=" in word.prefix else (), 1):
                more = (Word((Hole("words", each.why, each.text),)) for each in splits[place:])
                yield [Word((Hole("words", hole.why, hole.text),)), *more, *rest], list(assignments)
            name, _, _ = word.prefix.partition("=")
            if name.removesuffix("%%").removesuffix("()").isidentifier() and "=" in word.prefix:
                assignments.append((name, without(word, len(name) + 1)))
            words = rest
        elif _may_be_set(word) or (
            not (word.single or word.prefix) and any(map(_is_set, behind_nothing(tuple(words))[:1]))
        ):
            yield words, list(assignments)
            words = rest
        else:
            yield words, assignments
            return


def _split_off(skipped: Sequence[Word]) -> Iterator[tuple[Word, ...]]:
    """What stands before the program where a word that is skipped turns out as several: `x="5 rm"; timeout $x y`."""
    for hole in (hole for word in skipped for hole in word.holes if hole.kind == "words"):
        for choice in hole.choices:
            if more := (choice.literal or "").split()[1:]:
                yield tuple(Word((text,)) for text in more)


def _named_words(given: Arguments) -> tuple[Word, ...]:
    """The program that an image or a package is called after, which perhaps it runs: `alpine/git:2`, `nixpkgs#git`."""
    programs = shipped()
    first, *rest = given.operands or (Word(()),)
    text = re.split("[/#]", (first.literal or "").removeprefix("npm:").removeprefix("jsr:"))[-1]
    name = known_name(re.split("[@:]", text)[0], programs)
    if not rest or programs.row((name,)) is None or programs.row((program_name(rest[0]),)) is not None:
        return ()
    from hookline.shell.programs.guessing import guessed

    return guessed(first, name), *rest


def _words_of(given: Arguments, deed: Deed) -> tuple[Word, ...]:
    start = next((int(target[:-1]) - 1 for target in deed.targets if target[0].isdigit()), given.dashes or 0)
    for target in deed.targets:
        if target == "dashes":
            return () if given.dashes is None else given.operands[given.dashes :]
        if target[0] == "-":
            from hookline.shell.code.pieces import entry_point

            values = given.values(target)
            return (*entry_point(values[0]), *given.operands[start:]) if values else ()
        if target[0].isdigit():
            return given.operands[int(target[:-1]) - 1 :]
    return ()


def _may_split(hole: Hole) -> bool:
    """Whether it may be more words than one, the second of which is then the program."""
    if hole.kind != "words":
        return False
    from hookline.shell.programs.one_word import is_one_word

    return not (hole.outside or is_one_word(hole)) or _has_blank(hole)


def _has_blank(hole: Hole) -> bool:
    """Whether one of several texts that it may be is several words; what stands in braces was read as one."""
    return any(
        " " in part if isinstance(part, str) else _is_printed(part) or _has_blank(part)
        for each in hole.choices
        for part in each.parts
    )


def _is_printed(hole: Hole) -> bool:
    from hookline.shell.programs.one_word import is_one_word

    return hole.text[:2] == "$(" and not is_one_word(hole)


def _is_variables(word: Word) -> bool:
    from hookline.shell.programs.one_word import is_variables

    return is_variables(word)


def _may_be_set(word: Word) -> bool:
    """Whether one of several texts that it may be has a `=` in it: `env "${X:-A=b}" sh`."""
    return any(_is_set(each) or _may_be_set(each) for hole in word.holes for each in hole.choices)


def _is_set(word: Word) -> bool:
    """Whether a `=` stands in it; before that there may be what the shell takes for no name."""
    return any("=" in part for part in word.parts if isinstance(part, str))


def module_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`python -m pip install x` is `pip install x`; a module of its own is read where the line writes it."""
    for value in given.values("-m")[:1]:
        for path in (f"{value.prefix.replace('.', '/')}{end}.py" for end in ("", "/__main__")):
            yield Script(Word((path,), value.start, value.end), f"{how} -m", given.operands, "python-file")
        yield Argv((value, *given.operands), f"{how} -m", stdin=command.stdin)


def command_as(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """`git send-pack` is a `git push` too."""
    names = tuple(Word((name,)) for name in deed.targets if not name[0].isdigit())
    if holds(deed, given) != YES:
        from hookline.shell.programs.guessing import guessed

        names = (guessed(names[0], names[0].prefix), *names[1:])
    options = tuple(Word((option.names[0],)) for option in given.options if option.value is None)
    start = next((int(name.rstrip("-")) - 1 for name in deed.targets if name[0].isdigit()), 0)
    yield Argv((*names, *options, *given.operands[start:]), how)


def find_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    from hookline.shell.programs.feeds import commands_of_find

    return commands_of_find(command, how)
