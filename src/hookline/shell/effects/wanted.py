"""A rule's `shell = "git push --force"`: is a command that program with those words, or may it be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from hookline.model.record import Record, replace
from hookline.shell.effects.acts import below
from hookline.shell.effects.spelled import ASSIGNMENT, ends_name, is_mentioned, spelled
from hookline.shell.effects.words import (
    are_written,
    first_of,
    is_cluster_of,
    mentions,
    plain_path,
    pushed_to,
    stands_in,
    text_fits,
)
from hookline.shell.programs.arguments import Arguments, Option, arguments_of, program_name
from hookline.shell.programs.conditions import MAYBE, NO, YES, holds, is_like, is_taken_back, targets
from hookline.shell.programs.injected import SYSTEM_FOLDERS
from hookline.shell.programs.likely_names import is_another, tells
from hookline.shell.programs.table import Programs
from hookline.shell.reading import Command, Word

_TO_EACH = frozenset(("read", "write", "delete", "connect", "install", "kill", "discard", "persist", "alike"))
_ALL = frozenset(("*", "paths", "-last"))  # what a row calls operands that are all alike
_FROM = re.compile(r"\d+-$")


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
        if not words and ASSIGNMENT.match(word):
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


def run_script(given: Arguments, programs: Programs) -> Arguments | None:
    """`bash deploy.sh prod` and `. ./deploy.sh prod` as `deploy.sh prod`, which is what runs."""
    first = given.operands[0] if given.operands and given.path in _SOURCES else None
    for deed in given.row.deeds if given.row is not None and "script" in given.row.does else ():
        if first is None and deed.name == "script" and holds(deed, given) != NO:
            first = next(iter(targets(deed, given)), None)
    at = next((at for at, word in enumerate(given.operands) if word is first), None) if first else None
    known = first is not None and (program_name(first) or first.literal)
    return None if at is None or not known else arguments_of(given.operands[at:], programs)


_SOURCES = ((".",), ("source",))


def fit(wanted: Wanted, given: Arguments) -> int:
    """Whether the command is what the rule asks for: YES, NO, or MAYBE where a hole decides it."""
    found = _fit(wanted, given)
    if wanted.other is not None and found != YES:
        found = max(found, _fit(wanted.other, given))
    return min(found, MAYBE) if given.guessed else found


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


def _fit(wanted: Wanted, given: Arguments) -> int:
    if not given.path:
        return NO if is_another(given.hidden, wanted.given.path) else _hidden_program(wanted, given)
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
    pattern = wanted.globs.get(name, name)
    return found == name or ("*" in pattern and fnmatchcase(found, pattern))


def _hidden_program(wanted: Wanted, given: Arguments) -> int:
    """A program that only the run shows: anything, when it stands alone; else what its other words speak for."""
    word = given.hidden
    name = wanted.given.path[0] if wanted.given.path else "*"
    if word is None or not (
        name.startswith(word.prefix) or "*" in name or (word.prefix[:1] == "/" and word.prefix.endswith("/"))
    ):
        return NO
    if isinstance(word.parts[-1], str) and not name.endswith(word.parts[-1].rpartition("/")[2]):
        return NO  # `$env:TOKEN=x`
    if all(hole.kind == "glob" for hole in word.holes) and not _fits_file(name, word):
        return NO
    if not given.operands or name == "*":
        return MAYBE
    texts = {operand.literal for operand in given.operands}
    visible = None not in texts
    there = texts.issuperset(_plain_words(wanted)) and are_written(wanted.given.options, texts)
    if word.single and visible and not there:
        return NO  # one word is the program alone: `"$CC" -v` is no `docker compose down -v`
    if re.fullmatch(r"[a-z][\w.:-]+", first_of(given.operands)):
        return MAYBE if _rest_stands_there(wanted, given, word, texts) else NO
    asked: set[str | None] = {
        *wanted.given.path[1:][-1:],
        *(operand.literal for operand in wanted.given.operands[-1:]),
    }
    asked |= {name for option in wanted.given.options if option.value is None for name in option.names}
    # which speak for no program alone
    letters: set[str | None] = {text for text in asked if text and text[0] == "-" and len(text) == 2}
    clustered = len(wanted.given.path) > 1 or wanted.given.operands
    if tells(word, name):
        return MAYBE
    if texts & (asked - _ANYBODYS - letters):  # what a rule asks for behind that stands behind that
        stand = are_written(wanted.given.options, texts) and _in_order(
            wanted, wanted.given.operands, given.operands, MAYBE
        )
        return MAYBE if stand or not visible else NO
    if clustered and any(is_cluster_of(text, letters) for text in texts if text):
        return MAYBE
    return MAYBE if not word.single and all(text is None for text in texts) else NO


def _fits_file(name: str, word: Word) -> bool:
    """Whether a program of that name may be what a pattern of files comes to: `/bin/r?`, and not `/blog/[slug]`."""
    written = "".join(part if isinstance(part, str) else part.text for part in word.parts)
    return fnmatchcase(name, written.rpartition("/")[2]) or "*" in name


def _rest_stands_there(wanted: Wanted, given: Arguments, word: Word, texts: set[str | None]) -> bool:
    """Whether what a rule asks for stands behind a program that a variable holds, perhaps with sub-commands.

    `$DOCKER run x` is no `docker system prune`.
    """
    first = first_of(wanted.given.operands)
    path = wanted.given.path[1:] or ((first,) if first in _plain_words(wanted) else ())
    hidden = tuple(name for name in path if name not in texts)
    if None in texts:
        return bool(set(path) - {*hidden, *_ANYBODYS}) or any(
            word.literal in texts for word in wanted.given.operands
        )
    if not are_written(wanted.given.options, texts):
        return False
    held = path[: len(hidden)] if not word.single else ()
    if hidden != held or (len(held) < len(path) and first_of(given.operands) != path[len(held)]):
        return False
    named = all(tells(word, name) for name in (wanted.given.path[0], *hidden))
    if not all(mentions(pattern, replace(given, loose=())) for pattern in wanted.mentioned):
        return False
    seen = {*path[len(hidden) :], *(each.literal for each in wanted.given.operands)} - _ANYBODYS
    operands = [each for each in given.operands if each.prefix[:1] != "-"]
    speaks = seen or named or (wanted.given.options and path)  # options alone speak for no program
    return bool(speaks) and _in_order(wanted, wanted.given.operands, operands, MAYBE)


# which say nothing
_ANYBODYS = frozenset(("up", "update", "version", "use", "run", "start", "down", "apply", "upgrade"))


def _plain_words(wanted: Wanted) -> set[str | None]:
    """Sub-commands and operands that a rule asks for by their whole name."""
    patterns = {name for name, pattern in wanted.globs.items() if pattern != f"{name}:*"}
    return {*wanted.given.path[1:], *(word.literal for word in wanted.given.operands)} - patterns


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
    same = same[-1:] if asked.value is None else same  # of those before it nothing else can be said
    values = [_value(wanted, asked, each, given) for each in same]
    if "each" in wanted.mode and NO in values:
        return NO
    return max(values, default=NO) or (MAYBE if given.loose else NO)


def _same_option(wanted: Wanted, asked: Option, found: Option, given: Arguments) -> bool:
    names = set(asked.names)
    if not names.isdisjoint(found.names):
        return True
    patterns = [wanted.globs[name] for name in names if name in wanted.globs] if wanted.globs else ()
    if any(fnmatchcase(name, pattern) for pattern in patterns for name in found.names):
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
    if first is not None and not _word(wanted, asked[0], first):
        return NO  # `npx lighthouse https://x.example` is no `npx https://*`
    operands: Sequence[Word] = given.operands
    if any("*" in name for name in wanted.given.path):
        operands = (*(Word((name,)) for name in given.path[len(wanted.given.path) :]), *operands)
    if _in_order(wanted, asked, operands, YES):
        return YES if "each" not in wanted.mode or _all_met(wanted, given) else NO
    if given.path == ("git", "push") and not wanted.mode:
        pushed = [pushed_to(word) for word in operands]
        if _in_order(wanted, asked, pushed, YES):
            return YES
    if all(word.literal is not None for word in operands):
        return NO
    return MAYBE if _in_order(wanted, asked, operands, MAYBE) else NO


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
            return next((w for w in given.operands if not (assigns and ASSIGNMENT.match(w.prefix))), None)
    return None


def _in_order(wanted: Wanted, asked: Sequence[Word], found: Sequence[Word], least: int) -> bool:
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
