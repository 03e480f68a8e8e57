"""What is not known of a command that may meet a rule, and whether nothing is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from hookline.dialects.hookline.calls import Call, reason
from hookline.dialects.hookline.guard_places import CLOSE, spoken
from hookline.dialects.hookline.hits import PATHS, Hit
from hookline.model.typing import Any
from hookline.shell.effects.acts import Where
from hookline.shell.effects.paths import only_any_name, pattern_of
from hookline.shell.effects.spots import Spot, spot_of
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.one_word import are_things, is_alike, is_one_word, is_variables
from hookline.shell.reading import FOUND, Word
from hookline.system.patterns.late import late

_COMMITS = r"\$\(git (?:tag|describe|rev-parse|rev-list|branch|symbolic-ref|merge-base|log)\b"
_DISK = late(r"\$\{?(?:\w+_)?(?i:dev|device|disk|drive|sd_?card)\}?$")
_DOUBTS = {
    "expose": "a secret is read beside it, which may be in what is sent",
    "download-and-run": "what it runs may be in what is fetched",
}  # effects that one command has by what others do


def why_in_doubt(hit: Hit, call: Call) -> str:
    """What of a command is not known."""
    taken = call.taken[hit.at]
    effect = call.deeds[hit.at].effects[hit.effect] if hit.effect is not None else None
    if effect is not None and effect.name in _DOUBTS:
        return _DOUBTS[effect.name]
    words = (effect.target,) if effect is not None and effect.target is not None else taken.command.words
    for word in (*words, *taken.command.words, *((taken.given.hidden,) if taken.given.hidden else ())):
        for hole in word.holes:
            return reason(hole)
    name = " ".join(taken.given.path[:2])
    return f"what `{name}` means is told elsewhere" if name else "the call does not say what it is about"


def is_blind(hit: Hit, call: Call, asked: Mapping[str, Any]) -> bool:
    """Whether a word could be any, or a path anywhere: its first part, or all of its name, is not known."""
    given = call.taken[hit.at].given
    if hit.effect is None:
        if not given.path and given.hidden is not None:
            words = (given.hidden, *given.operands)
            return not any(isinstance(part, str) for word in words for part in word.parts)
        if given.path[:1] == ("git",) and given.row is None:
            return True  # a sub-command that only git's settings know
        if given.path == ("git", "checkout") and given.dashes is not None:
            return False  # the files that are meant stand there
        values = (option.value for option in given.options if option.value is not None and option.value.holes)
        holes = [word for word in (*given.operands, *given.loose) if word.holes]
        alone = len(holes) == len((*given.operands, *given.loose))
        holes += values
        any_word = all(_is_any(word, alone, asked, given) for word in holes)
        return not given.guessed and given.hidden is None and any_word and bool(holes)
    effect = call.deeds[hit.at].effects[hit.effect]
    if effect.name not in (*PATHS, "connect"):
        untold = any(_is_all_unknown(option.value) for option in given.options)
        if effect.name == "elevate" and not (given.loose or given.guessed):
            return untold or any(map(_is_all_unknown, given.operands))  # `chmod "$MODE" x`
        unknown = given.loose or untold
        if given.row is not None and "script" in given.row.does and "posix" in given.row.flags:
            return bool(given.operands) and _is_all_unknown(given.operands[0])  # nobody knows which script
        return bool(unknown) and len(given.path) > 1 and not given.guessed
    if effect.target is None:
        return True
    if (
        effect.name == "write"
        and given.path == ("dd",)
        and any(_DISK.match(hole.text) for hole in effect.target.holes)
    ):
        return False
    if effect.name in PATHS and only_any_name(asked.get(effect.name, ()), effect, call.where):
        return True
    sought = (
        effect.target.holes[0].outside and effect.target.holes[0].kind == "word"
        if effect.target.holes
        else False
    )
    if effect.name == "delete" and not all(
        hole.text or (sought and hole.why == FOUND) for hole in effect.target.holes
    ):
        return False  # the words that a list of files gives to `rm`
    if effect.name == "connect" and not effect.target.prefix and effect.target.holes:
        return True
    if effect.name == "delete" and _is_root_without(effect.target):
        return False
    spot = spot_of(effect, call.where)
    return (
        spot is not None
        and not (spot.forms or spot.begins)
        and not _is_named(spot, asked.get(effect.name, ()), call.where)
    )


def _is_named(spot: Spot, patterns: Sequence[str], where: Where) -> bool:
    """Whether a rule's name fits what is told of the last one, in a folder that nobody knows: `$DIR/.env*`."""
    told = spot.fits or (spot.text.rpartition("/")[2] if spot.globs else "")
    meant = (pattern_of(each, where).name for each in patterns) if spoken(told) >= CLOSE else ()
    return any(name and fnmatchcase(name, told) for name in meant)


def _is_root_without(target: Word) -> bool:
    """Whether it is `/` or all in it where a variable is not set: `rm -rf $BUILD/`, `rm -rf "$BUILD"/*`."""
    first, *rest = target.parts or ("",)
    if isinstance(first, str) or not first.outside or not re.fullmatch(r"\$(?:\w+|\{\w+\})", first.text):
        return False
    if not all(isinstance(part, str) or part.kind == "glob" for part in rest):
        return False  # names that are looked for in it
    behind = "".join(part if isinstance(part, str) else part.text for part in rest)
    return behind[:1] == "/" and not behind.strip("/.*")


def _is_any(word: Word, alone: bool, asked: Mapping[str, Any], given: Arguments) -> bool:
    """One word, of which nothing is known that the rule asks for; what names a commit is one without quotes too,
    where it stands alone.
    """
    at = given.operands.index(word) if word in given.operands else 0
    behind = given.operands[at + 1].prefix if given.operands[at + 1 :] else ""
    one = word.single or all(map(is_one_word, word.holes)) or is_variables(word)
    one = one or is_alike(word, given.operands[:at], behind, given.row) or all(map(are_things, word.holes))
    if any(isinstance(part, str) for part in word.parts):
        return one and not any(_speaks_for(word, chunk) for chunk in _chunks(asked, given.path))
    return one or (alone and all(re.match(_COMMITS, hole.text) for hole in word.holes))


def _chunks(asked: Mapping[str, Any], path: tuple[str, ...]) -> set[str]:
    """What the rule asks for behind that program, letter by letter: `url.*.insteadOf` has two such texts."""
    rows = [text.split() for key in ("shell", "shell_exact") for text in asked.get(key, ())]
    same = [row[len(path) :] for row in rows if tuple(row[: len(path)]) == path]
    words = [word for row in same or [row[1:] for row in rows] for word in row]
    return {chunk for word in words for chunk in re.split(r"[*?]+", word) if re.search(r"\w", chunk)}


def _speaks_for(word: Word, chunk: str) -> bool:
    """Whether what is known of a word is a part of that text, so that a hole may be the rest of it."""
    for at, part in enumerate(word.parts):
        if not isinstance(part, str):
            continue
        if chunk in part or (re.search(r"\w", part) and part in chunk):
            return True
        ends, begins = at + 1 < len(word.parts), at > 0
        for length in range(1, min(len(part), len(chunk))):
            over = (ends and part[-length:] == chunk[:length]) or (
                begins and part[:length] == chunk[-length:]
            )
            if over and re.search(r"\w", chunk[:length] if ends else chunk[-length:]):
                return True
    return False


def _is_all_unknown(value: Word | None) -> bool:
    """Whether a value begins with what nobody knows: `-v $DIR:/w`."""
    return value is not None and bool(value.holes) and not value.prefix and value.holes[0].outside
