"""A rule's `shell = "git push --force"`: is a command that program with those words, or may it be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from hookline.model.record import Record, replace
from hookline.shell.effects.acts import run_script
from hookline.shell.effects.spelled import ends_name, is_assignment, is_mentioned, spelled
from hookline.shell.effects.words import (
    mentions,
    plain_path,
    pushed_to,
    stands_in,
    text_fits,
)
from hookline.shell.programs.arguments import Arguments, Option, arguments_of
from hookline.shell.programs.conditions import MAYBE, NO, YES, holds, is_like, is_taken_back
from hookline.shell.programs.table import SYSTEM_FOLDERS, Programs
from hookline.shell.programs.table import programs as shipped
from hookline.shell.reading import Command, Word, below
from hookline.system.patterns.late import late

_TO_EACH = frozenset(("read", "write", "delete", "connect", "install", "kill", "discard", "persist", "alike"))
_ALL = frozenset(("*", "paths", "-last"))  # what a row calls operands that are all alike
_FROM = late(r"\d+-$")


class Wanted(Record):
    """The words of a rule, taken apart as its program would; `globs` are those with a `*`, by the text without.

    `mode` has `exact` where nothing else may stand there; `each` where something is let off: every value of an option
    must fit, and every operand that has the same done to it; and `named` where it is allowed, which no other program
    of that name is. `program` is its name as written, `assigned` are variables before it, `mentioned` what is to stand
    anywhere among its words; `other` is the rule with a `*` taken for a sub-command or a value, or for nothing at all.
    """

    text: str
    given: Arguments
    globs: Mapping[str, str] = {}
    home: str = ""
    mode: str = ""
    program: str = ""
    assigned: tuple[tuple[str, str], ...] = ()
    mentioned: tuple[str, ...] = ()
    other: Wanted | None = None


def wanted_of(text: str, programs: Programs, home: str = "", mode: str = "") -> Wanted:
    """What a rule asks for. A last ` *` is what is meant anyway, and says nothing.

    So does `:*` behind a name as permission rules have it (`git push:*`); `npm run build:*` may mean `build:web` too.
    """
    plain = text.strip()
    globs: dict[str, str] = {}
    while plain.endswith(" *") or ends_name(plain):
        if plain.endswith(":*"):
            name = plain[:-2].rpartition(" ")[2]
            globs[name] = f"{name}:*"
        plain = plain[:-2].rstrip()
    words: list[Word] = []
    assigned: list[tuple[str, str]] = []
    mentioned: list[str] = []
    program = ""
    for word in spelled(plain, programs):
        if not words and is_assignment(word):
            name, _, value = word.partition("=")
            assigned.append((name, value))
            continue
        if not words:
            program = word
            word = "*" if word.endswith("/*") else word
        elif not mode and is_mentioned(word):
            mentioned.append(word)
            continue
        bare = word.rstrip("*")
        if word[0] == "-" and "=" in word:
            pass  # `--name=web*`: the value keeps its `*`
        elif bare != word and bare.strip("-/.~"):
            globs[bare] = word
            if word[0] == "-" and word[1] != "-":
                globs[bare[2:]] = word[2:]  # `-nweb*` is such a value as well
            word = bare
        words.append(Word((word,)))
    some = [word for word in words[1:] if word.literal != "*"]
    given = arguments_of((*words[:1], *some), programs)
    found = Wanted(text, given, globs, home, mode, program, tuple(assigned), tuple(mentioned))
    if len(some) + 1 >= len(words):
        return found
    given = arguments_of(words, programs)
    operands = tuple(word for word in given.operands if word.literal != "*")
    return replace(
        found, other=replace(found, given=replace(given, operands=operands), globs={**globs, "*": "*"})
    )


def named_patterns(text: str, programs: str, home: str, mode: str) -> Iterator[tuple[str, Wanted]]:
    """A pattern, and the same with the script that it runs, each with the program that it is about."""
    pattern = wanted_of(text, shipped(programs), home, mode)
    run = run_script(pattern.given, shipped(programs)) if not mode else None
    for each in [pattern] if run is None else [pattern, replace(pattern, given=run, other=None)]:
        name = each.given.path[0] if each.given.path else ""
        yield "" if name in each.globs or "*" in name else name, each


def begins(wanted: Wanted, command: Command, line: str, script: bool) -> int:
    """Whether a command begins as a rule has it: in its folder, with these values of variables; elsewhere in a line:
    MAYBE. `script`: it is taken for the script that it runs.
    """
    if "named" in wanted.mode and not _is_by_name(wanted, command):
        return NO
    found, given = YES, dict(command.assignments)
    if wanted.program.endswith("/*"):
        words = command.words if script else command.words[:1]
        found = max(_is_in_folder(wanted, below(command.cwd, word)) for word in words)
    for name, pattern in wanted.assigned:
        if name in given:
            found = min(found, text_fits(pattern, given[name]))
        else:
            found = min(found, MAYBE if stands_in(name, line) else NO)
    return found


def _is_by_name(wanted: Wanted, command: Command) -> bool:
    """By its plain name or by the path that the rule has: `./git` may be anything."""
    path = command.words[0].literal or ""
    folder, slash, name = path.rpartition("/")
    if "/" not in wanted.program:
        script = folder == "." and "." in name  # which is in no other folder
        return not slash or folder in SYSTEM_FOLDERS or script
    return bool(slash) and is_like(plain_path(path), _program_path(wanted))


def _is_in_folder(wanted: Wanted, word: Word) -> int:
    """`tools/*` is any program of a folder `tools`."""
    path, asked = word.literal, _program_path(wanted)
    if path is None:
        return MAYBE
    path = plain_path(path)
    own = asked[0] != "/" and path.rpartition("/")[0] not in SYSTEM_FOLDERS
    return YES if is_like(path, asked) or (own and is_like(path, f"*/{asked}")) else NO


def _program_path(wanted: Wanted) -> str:
    asked = wanted.globs.get(wanted.program, wanted.program)
    return plain_path(wanted.home + asked[1:] if asked[:2] == "~/" and wanted.home else asked)


def may_fit(wanted: Wanted, path: Sequence[str]) -> bool:
    """False where program and sub-command alone say that a command is not what the rule asks for."""
    asked = wanted.given.path
    may = not path or _named(wanted, asked[0] if asked else "*", path[0])
    if len(path) > 1 and len(asked) > 1:
        may = may and (asked[1] == path[1] or asked[1] in wanted.globs)
    return may or (wanted.other is not None and may_fit(wanted.other, path))


def fit_one(wanted: Wanted, given: Arguments) -> int:
    if not given.path:
        return NO  # nobody knows what that is: `hidden.fit` is asked
    name, options = wanted.given.path[0] if wanted.given.path else "*", given.options or given.loose
    if not _named(wanted, name, given.path[0]) or (wanted.given.options and not options):
        return NO
    found = _sub_commands(wanted, given)
    for option in wanted.given.options:
        found = min(found, _option(wanted, option, given)) if found else NO
    for pattern in wanted.mentioned:
        found = min(found, mentions(pattern, given)) if found else NO
    if found:
        found = min(found, _operands(wanted, given))
    return min(found, _nothing_else(wanted, given)) if found and "exact" in wanted.mode else found


def _named(wanted: Wanted, name: str, found: str) -> bool:
    if found == name:
        return True
    pattern = wanted.globs.get(name, name)
    return "*" in pattern and is_like(found, pattern)


def _sub_commands(wanted: Wanted, given: Arguments) -> int:
    asked, found = wanted.given.path[1:], given.path[1:]
    for place, name in enumerate(asked):
        if place >= len(found):
            hidden = given.hidden is not None and name.startswith(given.hidden.prefix)
            return MAYBE if hidden or given.loose else NO
        if not _named(wanted, name, found[place]):
            return NO
    return YES


def _option(wanted: Wanted, asked: Option, given: Arguments) -> int:
    same = [each for each in given.options if _same_option(wanted, asked, each, given)]
    if not same:
        return MAYBE if given.loose else NO
    same = same[-1:] if asked.value is None else same  # of those before it nothing else can be said
    values = [_value(wanted, asked, each, given) for each in same]
    if "each" in wanted.mode and NO in values:
        return NO
    return max(values) or (MAYBE if given.loose else NO)


def _same_option(wanted: Wanted, asked: Option, found: Option, given: Arguments) -> bool:
    names = asked.names
    for name in names:
        if name in found.names:
            return True
    patterns = [wanted.globs[name] for name in names if name in wanted.globs] if wanted.globs else ()
    if any(is_like(name, pattern) for pattern in patterns for name in found.names):
        return True
    short = found.names[0]  # of a long option its beginning is enough
    return (
        len(found.names) == 1
        and short[:2] == "--"
        and len(short) > 2
        and not given.knows(short)
        and any(name.startswith(short) for name in names)
    )


def _value(wanted: Wanted, asked: Option, found: Option, given: Arguments) -> int:
    if asked.value is None:
        return MAYBE if is_taken_back(found, given) else YES
    return NO if found.value is None else _word(wanted, asked.value, found.value)


def _operands(wanted: Wanted, given: Arguments) -> int:
    """Whether what is asked for stands there in that order, other words between them."""
    asked: Sequence[Word] = wanted.given.operands
    if not asked:
        return YES
    first = _program_word(given)
    if first is not None and asked[0].prefix[:1] != "-" and not _word(wanted, asked[0], first):
        return NO  # `npx lighthouse https://x.example` is no `npx https://*`
    mode = len(asked) > 1 and given.row is not None and "mode" in given.row.flags
    if mode and given.operands and not _word(wanted, asked[0], given.operands[0]):
        return NO  # nor is `chmod +x $(cmd)` a `chmod 777 /x`
    operands: Sequence[Word] = given.operands
    if any("*" in name for name in wanted.given.path):
        operands = (*(Word((name,)) for name in given.path[len(wanted.given.path) :]), *operands)
    if in_order(wanted, asked, operands, YES):
        return YES if "each" not in wanted.mode or _all_met(wanted, given) else NO
    if given.path == ("git", "push") and not wanted.mode:
        pushed = [pushed_to(word) for word in operands]
        if in_order(wanted, asked, pushed, YES):
            return YES
    if all(word.literal is not None for word in operands):
        return NO
    return MAYBE if in_order(wanted, asked, operands, MAYBE) else NO


def _all_met(wanted: Wanted, given: Arguments) -> bool:
    """`rm build` lets off no `rm build src`: of operands to which a program does the same, each must be met."""
    asked, deeds = wanted.given, given.row.deeds if given.row is not None else ()
    told = (deed for deed in deeds if deed.name in _TO_EACH and holds(deed, given) != NO)
    alike = {each for deed in told for each in deed.targets}
    starts = (0 if to in _ALL else int(to[:-1]) - 1 for to in alike if to in _ALL or _FROM.match(to))
    first = min(starts, default=len(asked.operands))
    if first >= len(asked.operands):
        return True  # it speaks of none of them
    beside = alike.difference(*(option.names for option in asked.options))  # `curl --url` takes another one
    if any(beside.intersection(option.names) for option in given.options):
        return False
    meant = given.operands[first : -1 if alike & _ALL == {"-last"} else None]
    return all(any(_word(wanted, one, each) == YES for one in asked.operands) for each in meant)


def _program_word(given: Arguments) -> Word | None:
    """The operand that a program takes for the one that it starts: the first, behind assignments perhaps."""
    deeds = given.row.deeds if given.row is not None else ()
    for deed in deeds:
        if deed.name == "command" and deed.targets[:1] == ("1-",):
            assigns = "assign" in deed.targets
            return next((w for w in given.operands if not (assigns and is_assignment(w.prefix))), None)
        posix = given.row is not None and "posix" in given.row.flags
        if posix and deed.name == "script" and deed.targets[1:2] == ("1",) and holds(deed, given) != NO:
            return next(iter(given.operands), None)  # all behind it is the script's
    return None


def in_order(wanted: Wanted, asked: Sequence[Word], found: Sequence[Word], least: int) -> bool:
    at = 0
    for word in found:
        while at < len(asked) and _word(wanted, asked[at], word) >= least:
            at += 1
            if word.single:
                break
    return at == len(asked)


def _word(wanted: Wanted, asked: Word, found: Word) -> int:
    text = asked.literal or ""
    pattern = wanted.globs.get(text, text)
    met = text_fits(pattern, found)
    if pattern == f"{text}:*":
        met = max(met, text_fits(text, found))
    at_home = pattern[:1] == "~" and wanted.home and met != YES
    return max(met, text_fits(wanted.home + pattern[1:], found)) if at_home else met


def _nothing_else(wanted: Wanted, given: Arguments) -> int:
    if len(given.path) > len(wanted.given.path):
        return NO
    asked = wanted.given.options
    if not all(any(_same_option(wanted, one, each, given) for one in asked) for each in given.options):
        return NO
    if len(given.operands) <= len(wanted.given.operands):
        return YES
    return MAYBE if all(map(given.loose.__contains__, given.operands[len(wanted.given.operands) :])) else NO
