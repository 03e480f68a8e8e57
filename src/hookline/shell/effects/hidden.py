"""Does a rule ask for a command whose program only the run shows: by what its other words speak for."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from hookline.model.record import replace
from hookline.shell.effects.wanted import Wanted, in_order
from hookline.shell.effects.words import are_written, first_of, mentions, plain_path
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.conditions import MAYBE, NO
from hookline.shell.programs.likely_names import is_another, tells, told_by
from hookline.shell.reading import FOUND, NAMED, Word

MOST_LETTERS = 12  # of a word's beginning and its end


def fit_hidden(wanted: Wanted, given: Arguments) -> int:
    """A program that only the run shows: anything, when it stands alone; else what its other words speak for."""
    if is_another(given.hidden, wanted.given.path):
        return NO
    word = given.hidden
    name = wanted.given.path[0] if wanted.given.path else "*"
    if word is None or not (
        name.startswith(word.prefix) or "*" in name or (word.prefix[:1] == "/" and word.prefix.endswith("/"))
    ):
        return NO
    if word.prefix and word.holes[-1].choices and name != word.prefix and "*" not in name:
        return NO  # `$nothing build` is no `buildah`
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
    if tells(word, name):
        return MAYBE
    if texts & (asked - _ANYBODYS - letters):  # what a rule asks for behind that stands behind that
        stand = are_written(wanted.given.options, texts) and in_order(
            wanted, wanted.given.operands, given.operands, MAYBE
        )
        return MAYBE if stand or not visible else NO
    listed = all(operand.holes and operand.holes[0].why in _LISTED for operand in given.operands)
    return MAYBE if not (word.single or listed) and all(text is None for text in texts) else NO


_LISTED = frozenset((FOUND, NAMED))  # a file is no sub-command: `find … | while read f; do $FMT "$f"; done`


def tokens_of(given: Arguments) -> frozenset[str] | None:
    """By what the words behind such a program may speak for one; None where they may speak for any."""
    assert given.hidden is not None
    texts = [text for word in given.operands if (text := word.literal) is not None]
    if not given.operands or not (texts or given.hidden.single):
        return None
    found = {*texts, *(text.partition("=")[0] for text in texts), *told_by(given.hidden)}
    for text in texts:
        plain = plain_path(text)
        found.add(plain)
        for size in range(1, min(len(plain), MOST_LETTERS) + 1):
            found |= {plain[:size] + "*", "*" + plain[-size:]}
        if text[:1] == "-" and text[1:2] != "-":
            found |= {f"-{letter}" for letter in text[1:]}
    return frozenset(found)


def spoken_for(wanted: Wanted) -> frozenset[str] | None:
    """The tokens of which one is there wherever `fit_hidden` is met; None where it may be without."""
    path, operands = wanted.given.path, [word.literal or "*" for word in wanted.given.operands]
    names = [name for option in wanted.given.options for name in option.names]
    if not path or "*" in path[0] or not wanted.globs.keys().isdisjoint((*path, *names)):
        return None
    ends = [_end_of(wanted.globs.get(text, text)) for text in operands]
    other = spoken_for(wanted.other) if wanted.other is not None else frozenset()
    if other is None or (ends and not any(ends)):
        return None
    return other.union((path[0].lower(), *path[1:], *names, *operands, *filter(None, ends)))


def _end_of(pattern: str) -> str:
    """What a word has that fits a pattern: all of it, how it begins or how it ends; empty where that is not told."""
    plain = plain_path(pattern)
    head, tail = re.split(r"[*?\[]", plain, maxsplit=1)[0], re.split(r"[*?\]]", plain)[-1]
    if pattern[:1] == "~":
        return ""
    return (
        plain if head == plain else f"{head[:MOST_LETTERS]}*" if head else tail and f"*{tail[-MOST_LETTERS:]}"
    )


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
    named = all(tells(word, name) for name in (wanted.given.path[0], *hidden))
    if None in texts:
        told = [each for each in given.operands if each.prefix or each.literal is not None]
        if path and not hidden and first_of(given.operands) != path[0]:
            return False
        if wanted.given.operands and not in_order(wanted, wanted.given.operands, told, MAYBE):
            return False  # what nobody knows speaks for no pattern, as nobody knows the program either
        stands = texts & {*path, *(each.literal for each in wanted.given.operands)}
        return bool((named and stands) or (not hidden and stands - _ANYBODYS))
    if not are_written(wanted.given.options, texts):
        return False
    held = path[: len(hidden)] if not word.single else ()
    if hidden != held or (len(held) < len(path) and first_of(given.operands) != path[len(held)]):
        return False
    if not all(mentions(pattern, replace(given, loose=())) for pattern in wanted.mentioned):
        return False
    seen = {*path[len(hidden) :], *(each.literal for each in wanted.given.operands)} - _ANYBODYS
    operands = [each for each in given.operands if each.prefix[:1] != "-"]
    speaks = named or (len(seen) > 1 or wanted.given.options if hidden else seen)
    return bool(seen or named) and bool(speaks) and in_order(wanted, wanted.given.operands, operands, MAYBE)


# which say nothing
_ANYBODYS = frozenset((
    "up", "update", "version", "use", "run", "start", "stop", "down", "apply", "upgrade", "pull", "server", "get",
    "--all",
))  # fmt: skip


def _plain_words(wanted: Wanted) -> set[str | None]:
    """Sub-commands and operands that a rule asks for by their whole name."""
    patterns = {name for name, pattern in wanted.globs.items() if pattern != f"{name}:*"}
    return {*wanted.given.path[1:], *(word.literal for word in wanted.given.operands)} - patterns
