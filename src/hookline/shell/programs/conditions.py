"""Does what a row says of a program hold for the words it was given, and which words are meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

from hookline.model.typing import Any
from hookline.shell.programs.arguments import Arguments, Option
from hookline.shell.programs.table import Deed
from hookline.shell.reading import Hole, Word, joined
from hookline.system.patterns.late import late

_SPECIAL = frozenset("*?[")
_ENDS_NAME = frozenset(',;"')
NO, MAYBE, YES = 0, 1, 2


def holds(deed: Deed, given: Arguments) -> int:
    """Whether the program does that: YES, NO, or MAYBE where a hole decides it."""
    if not deed.conditions:
        return YES
    known = _tests.get(id(deed))
    found = YES
    for wanted, tests in known[1] if known is not None and known[0] is deed else tests_of(deed):
        met = NO
        for test, told in tests:
            met = test(told, given) or met
            if met == YES:
                break
        if not wanted:
            met = YES - met
        if met == NO:
            return NO  # what nothing can change: most rows of a program are not about these words
        found = min(found, met)
    return found


_Test = tuple[Callable[[Any, Arguments], int], Any]
MOST_DEEDS = 8_000  # whose conditions are taken apart once
# by what they are, which is as long as they are kept
_tests: dict[int, tuple[Deed, list[tuple[bool, list[_Test]]]]] = {}


def tests_of(deed: Deed) -> list[tuple[bool, list[_Test]]]:
    found = [(wanted, _asked(words)) for wanted, words in deed.conditions]
    if len(_tests) >= MOST_DEEDS:
        _tests.clear()
    _tests[id(deed)] = (deed, found)
    return found


def _asked(words: tuple[str, ...]) -> list[_Test]:
    """What the words of a condition ask, of which one is enough; those that stand for themselves are asked together."""
    plain: dict[int | None, list[str]] = {}
    found: list[_Test] = []
    options: list[str] = []
    for word in words:
        test, told = _test_of(word)
        at, text = told if test is _has_at else (None, word)
        if test is _option:
            options.append(word)
        elif test in (_has_at, _has_one) and _SPECIAL.isdisjoint(text):
            plain.setdefault(at, []).append(text)
        else:
            found.append((test, told))
    first: list[_Test] = [
        (has_plain, (at, texts, frozenset(map(str.lower, texts)))) for at, texts in plain.items()
    ]
    if options:
        first.append((options_of, (options, {word.partition("=")[0] for word in options})))
    return first + found


def has_plain(told: tuple[int | None, list[str], frozenset[str]], given: Arguments) -> int:
    """Whether the operand at a place, or one at any, is one of these texts."""
    at, texts, lower = told
    if at is None:
        found = (each.literal for each in given.operands)
        return YES if any(text is not None and text.lower() in lower for text in found) else NO
    if len(given.operands) < at:
        return NO
    word = given.operands[at - 1]
    text = word.literal
    if text is None:
        return max(_fits(each, word) for each in texts)
    return YES if text.lower() in lower else NO


def options_of(told: tuple[list[str], set[str]], given: Arguments) -> int:
    words, names = told
    for option in given.options:
        first = option.names[0]
        if not names.isdisjoint(option.names) or (first[:2] == "--" and not given.knows(first)):
            return max(_option(word, given) for word in words)
    return MAYBE if given.loose else NO  # as where it is given no such option


# Clients of services, which print their help wherever `--help` stands.
_HELPFUL = frozenset((
    "gcloud", "az", "aws", "kubectl", "oc", "helm", "docker", "podman", "terraform", "tofu", "pulumi", "velero",
    "restic", "stripe", "supabase", "vercel", "netlify", "wrangler", "doctl", "fly", "flyctl", "gh", "glab", "mc",
    "heroku", "firebase", "railway",
))  # fmt: skip


def asks_for_help(given: Arguments) -> bool:
    """Whether it is given nothing but `--help`, which then is all that it prints; of a client of a service
    also where other words stand, but no option before it of which nobody knows whether it takes the word for a value.
    """
    asked = [option for option in given.options if "--help" in option.names]
    if not asked or is_off(asked[-1]) or given.loose:
        return False
    alone = len(given.options) == 1 and given.path != () and not given.operands
    helpful = given.path[:1] != () and given.path[0] in _HELPFUL and given.dashes is None
    return alone or (
        helpful and all(option in asked or given.knows(option.names[0]) for option in given.options)
    )


def _test_of(word: str) -> _Test:
    """What a word of a condition asks of the words that were given, and what it says of them."""
    if (word[0] == "-" and len(word) > 1) or (word[0] == "+" and word[1:].isalpha() and len(word) == 2):
        return _option, word
    if word[0] == "~":
        return _names_one_of, _names(word)
    if word[0] == "@":
        return _is_of, _names(word)
    if word == "0":
        return _has_none, None
    if word == "answered":
        return _is_answered, None
    number, mark, text = word.partition("=")
    if number.isdigit() and mark:
        return _has_at, (int(number), text)
    if word[:-1].isdigit() and word[-1] == "!":
        return _has_many, int(word[:-1])
    return (_fits_one, word) if number == "of" else (_has_one, word)


def _is_of(names: frozenset[str], given: Arguments) -> int:
    return YES if _is_called(given.path[0], names) else NO


def _has_none(_: None, given: Arguments) -> int:
    return YES if not given.operands else MAYBE if _all_may_vanish(given) else NO


def _is_answered(_: None, given: Arguments) -> int:
    return YES if given.answered else NO


def _has_at(told: tuple[int, str], given: Arguments) -> int:
    at, text = told
    return _fits(text, given.operands[at - 1]) if len(given.operands) >= at else NO


def _has_many(count: int, given: Arguments) -> int:
    return YES if len(given.operands) >= count else NO


def _fits_one(word: str, given: Arguments) -> int:
    return max((_fits(word, operand) for operand in given.operands), default=NO)


def _has_one(word: str, given: Arguments) -> int:
    return max((_has(word, operand) for operand in given.operands), default=NO)


_PARTS = late(r"[-_:.]+|(?<=[a-z])(?=[A-Z])")
MOST_SUBS = 4  # sub-commands stand in front: `gcloud alpha compute instances delete`


def _names_one_of(verbs: frozenset[str], given: Arguments) -> int:
    """Whether a sub-command is a verb, or begins or ends with it: `delete-bucket`, `apps:destroy`, `DeleteStack`."""
    for operand in given.operands[:MOST_SUBS]:
        text = operand.literal
        if text is not None and not verbs.isdisjoint(_verbs_in(text)):
            return YES
    return NO


@lru_cache(1024)
def _verbs_in(text: str) -> tuple[str, ...]:
    """How a sub-command begins and ends; of a file (`delete.py`) how it ends alone."""
    if not text[:1].isalpha():
        return ()
    first, *more = _PARTS.split(text) if not text.islower() or not text.isalpha() else (text,)
    return (more[-1].lower(),) if more and "." in text else (first.lower(), *map(str.lower, more[-1:]))


def _is_called(name: str, names: frozenset[str]) -> bool:
    return name in names or (
        "-" in name
        and name[:1].isupper()
        and any(each[-1] == "*" and name.startswith(each[:-1]) for each in names)
    )


@lru_cache(64)
def _names(word: str) -> frozenset[str]:
    return frozenset(word[1:].split(","))


def _has(pattern: str, word: Word) -> int:
    """The same of a word whose holes matter less: they fit only where a pattern has a `*`."""
    if word.literal is not None:
        return _fits(pattern, word)
    shown = "".join(part if isinstance(part, str) else "\0" for part in word.parts)
    return (
        YES if "*" in pattern and any(map(str.strip, shown.split("\0"))) and is_like(shown, pattern) else NO
    )


def _all_may_vanish(given: Arguments) -> bool:
    return all(not word.single and word in given.loose for word in given.operands)


def _option(word: str, given: Arguments) -> int:
    name, joined, text = word.partition("=")
    for option in given.options:
        if name in option.names or (
            len(name) > 3 and not given.knows(option.names[0]) and _is_short_for(option.names[0], name)
        ):
            if not joined and is_off(option):
                continue
            if not joined:
                return MAYBE if is_taken_back(option, given) else YES
            if option.value is not None and (found := _fits(text, option.value)):
                return found
    return MAYBE if given.loose else NO


_OFF = frozenset(("false", "no", "none", "off", "0"))


def is_off(option: Option) -> bool:
    """Whether it is given as what is not to be: `--dry-run=false` is no rehearsal."""
    long = any(name.startswith("--") for name in option.names)
    return long and option.value is not None and (option.value.literal or "").lower() in _OFF


def is_taken_back(option: Option, given: Arguments) -> bool:
    """Whether its negation, or the beginning of that, stands behind it: `--dry-run --no-dry-run` is no rehearsal.

    Nor is `--dry-run --dry-run=false`.
    """
    behind = next((at for at, each in enumerate(reversed(given.options)) if each is option), -1)
    later = given.options[len(given.options) - 1 - behind :]
    if any(is_off(other) and other.names == option.names for other in later):
        return True
    negated = [f"--no-{name[2:]}" for name in option.names if len(later) > 1 and name.startswith("--")]
    return any(
        len(other.names[0]) > 5 and any(no.startswith(other.names[0]) for no in negated)
        for other in (later[1:] if negated else ())
    )


def _is_short_for(found: str, name: str) -> bool:
    """Whether what was written is the beginning of a long option, of more than one perhaps; one letter is none."""
    return found.startswith("--") and len(found) > 3 and name.startswith(found)


def _fits(pattern: str, word: Word) -> int:
    text = word.literal
    if text is None:
        begins = is_like(word.prefix, pattern) or pattern.startswith(word.prefix)
        return MAYBE if begins and _may_end(pattern, word) else NO
    return YES if is_like(text.lower(), pattern.lower()) else NO


def _may_end(pattern: str, word: Word) -> bool:
    """Whether what stands behind the last hole of a word can be the end of what fits a pattern."""
    end = word.parts[-1]
    if not isinstance(end, str) or not word.single or not _SPECIAL.isdisjoint(pattern.replace("*", "")):
        return True
    end, pattern = end.lower(), pattern.lower()
    wanted = pattern.rpartition("*")[2]
    return end.endswith(wanted) or ("*" in pattern and wanted.endswith(end)) or pattern.endswith(end)


def targets(deed: Deed, given: Arguments) -> Iterator[Word]:
    """The words a deed is done to."""
    for text in deed.targets:
        yield from target_words(text, given)


def folders(given: Arguments) -> Iterator[Word]:
    """The folder in which the program works, by an option of its own."""
    for deed in given.row.deeds if given.row is not None and "cwd" in given.row.does else ():
        if deed.name == "cwd":
            yield from targets(deed, given)


def target_words(text: str, given: Arguments) -> Iterator[Word]:
    words = given.operands
    if text == "*":
        yield from words
        return
    base, mark, ending = text.partition("+") if "+" in text else text.partition("%")
    if mark:
        change = _with if mark == "+" else _less
        yield from (made for word in target_words(base, given) if (made := change(word, ending)) is not None)
    elif text == "last":
        yield from words[-1:]
    elif text == "-last":
        yield from words if given.has("-t") else words[:-1]
    elif text[0] == "'":
        yield Word((text.strip("'"),))
    elif text.isdigit():
        yield from words[int(text) - 1 : int(text)]
    elif text[:-1].isdigit():
        yield from words[int(text[:-1]) - 1 :]
    elif text[0] == "-":
        yield from _named(given.values(text[:-1]), text[-1]) if text[-1] in "@<" else given.values(text)
    elif text[-1] == "=":
        for word in words:
            if word.prefix.startswith(text):
                yield without(word, len(text))


def _with(word: Word, ending: str) -> Word:
    """A word with an ending, in which a `*` is whatever the program makes of it."""
    text, star, rest = ending.partition("*")
    more = (text, Hole("glob", "a name that the program makes", f"{star}{rest}")) if star else (text,)
    return joined((*word.parts, *more), word)


def _less(word: Word, ending: str) -> Word | None:
    last = word.parts[-1] if word.parts else ""
    if not isinstance(last, str) or not last.endswith(ending) or last == ending:
        return None
    return joined((*word.parts[:-1], last.removesuffix(ending)), word)


def _several(word: Word) -> Iterator[Word]:
    """`a.txt,"b.txt";type=text/plain` of a form is two files."""
    yield word
    shown = word.literal or ""
    if not _ENDS_NAME.isdisjoint(shown):
        names = (name.strip('"') for name in shown.split(";")[0].split(","))
        yield from (Word((name,), word.start, word.end) for name in names if name)


def _named(values: tuple[Word, ...], mark: str) -> Iterator[Word]:
    """The files that values name behind a mark: `@data.json`, `part=@photo.png`, `part=<text`."""
    for word in values:
        at = word.prefix.find(mark)
        if at >= 0 and (at == 0 or word.prefix[at - 1] == "=" or "=" not in word.prefix):
            yield from (name for name in _several(without(word, at + 1)) if name.literal != "-")


def without(word: Word, letters: int) -> Word:
    """The word without its first letters, which are text."""
    rest = word.prefix[letters:]
    return Word((*((rest,) if rest else ()), *word.parts[1:]) or ("",), word.start, word.end)


def is_like(text: str, pattern: str) -> bool:
    """As `fnmatchcase`, which makes a regular expression even of the plain patterns that most rows have."""
    around = _around_stars(pattern)
    if not around:
        from fnmatch import fnmatchcase

        return fnmatchcase(text, pattern)
    if len(around) == 1:
        return text == pattern
    head, *between, tail = around
    at, end = len(head), len(text) - len(tail)
    if end < at or not (text.startswith(head) and text.endswith(tail)):
        return False
    for each in between:
        at = text.find(each, at, end)
        if at < 0:
            return False
        at += len(each)
    return True


@lru_cache(4096)
def _around_stars(pattern: str) -> tuple[str, ...]:
    """What stands between the `*` of a pattern; nothing if that is not all that is special in it."""
    found = tuple(pattern.split("*"))
    return found if all(map(_SPECIAL.isdisjoint, found)) else ()
