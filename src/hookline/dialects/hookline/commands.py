"""Whether a call meets the predicates of a rule, together and with their exceptions, in three values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from hookline.dialects.hookline.calls import Call, call_of, may_name
from hookline.dialects.hookline.findings import (
    Finding,
    Hit,
    derivation_of,
    shown_doubt,
    unmet_words,
    whole_line,
    why_in_doubt,
)
from hookline.dialects.hookline.hits import ALLOWED, EXCEPTED, PATHS, TESTS, Tests, with_effect
from hookline.model.events import Event
from hookline.model.record import Record, replace
from hookline.shell.effects.paths import is_outside, only_any_name
from hookline.shell.effects.places import is_of_container
from hookline.shell.effects.spots import spot_of
from hookline.shell.programs.conditions import YES
from hookline.shell.programs.one_word import is_one_word, is_variables
from hookline.shell.reading import Word
from hookline.shell.values.fields import FOUND

_OF_LINES = frozenset(("shell", "shell_exact"))
_CHANGES = {"write", "delete"}
MOST_RULES = 4000  # known at a time; then all are taken apart anew
_PATHS = ("read", "write", "delete")
_COMMITS = r"\$\(git (?:tag|describe|rev-parse|rev-list|branch|symbolic-ref|merge-base|log)\b"


def found_in(
    predicates: Mapping[str, Any],
    event: Event,
    programs: str = "",
    tools: Mapping[str, Any] | None = None,
    allows: bool = False,
) -> Finding:
    """Whether a call meets all predicates of a rule; the others of the rule are somebody else's.

    A rule that `allows` is taken by the letter, as an exception is, and must be about all that the call does.
    """
    call = call_of(event, programs, tools)
    if call is None:
        return Finding("this event is about no tool")
    rule = asked_of(predicates)
    if not call.is_shell and rule.of_lines:
        return Finding(
            f"`{next(iter(rule.asked))}` is about other tools than `{event.get('tool_name') or 'none'}`"
        )
    hits = _all_hits(rule, call, programs, ALLOWED) if allows else hits_of(rule, call, programs)
    passed = [
        hit
        for exception in (predicates.get("except", ()) if hits else ())
        for hit in _all_hits(asked_of(exception), call, programs, EXCEPTED)
        if hit.certain
    ]
    hits = [hit for hit in hits if not _is_let_off(hit, passed, call)] if passed else hits
    if not hits and call.unknowns and not (call.prose and not may_name(rule.asked, call.line)):
        return Finding(doubt=shown_doubt(call.unknowns[0]), blind=True, derivation=(whole_line(call),))
    if not hits and not call.opaque:
        return rule.unmet[call.is_shell]
    if not hits:
        return replace(rule.unmet[call.is_shell], opaque=", ".join(call.opaque))
    if allows:
        from hookline.dialects.hookline.allowing import left_over

        if more := left_over(call, hits, rule.asked):
            return Finding(f"allows nothing else than that, and there is {more}")
    certain = [hit for hit in hits if hit.certain]
    return Finding(
        doubt="" if certain else shown_doubt(why_in_doubt(hits[0], call)),
        blind=not certain and all(is_blind(hit, call, rule.asked) for hit in hits),
        derivation=derivation_of(certain or hits, call),
    )


class Asked(Record):
    """The predicates of a rule about what a call does, as `found_in` wants them for every call.

    `of_lines`: they are about shell lines only. `unmet` is what is found where it is not met by a tool, or by a line.
    """

    asked: Mapping[str, Any]
    outside: tuple[str, ...]
    of_lines: bool
    unmet: tuple[Finding, Finding]


_known_rules: dict[
    int, tuple[Mapping[str, Any], Asked]
] = {}  # by what they are, which is as long as they are kept


def asked_of(predicates: Mapping[str, Any]) -> Asked:
    known = _known_rules.get(id(predicates))
    if known is not None:
        return known[1]
    asked = {key: wanted for key, wanted in predicates.items() if key in TESTS}
    if "touches" in predicates:
        asked["does"] = (*asked.get("does", ()), "tamper")
    tool, line = unmet_words(asked)
    found = Asked(
        asked,
        predicates.get("outside", ()),
        bool(asked) and asked.keys() <= _OF_LINES,
        (Finding(tool), Finding(line)),
    )
    if len(_known_rules) >= MOST_RULES:
        _known_rules.clear()
    _known_rules[id(predicates)] = (predicates, found)
    return found


def hits_of(rule: Asked, call: Call, programs: str = "") -> list[Hit]:
    """What meets a rule before its exceptions; many rules are asked at once, and those that are met once more."""
    key = ("hits", id(rule))
    known: tuple[Asked, list[Hit]] | None = call.where.known.get(key)
    if known is None or known[0] is not rule:
        known = call.where.known[key] = (rule, _all_hits(rule, call, programs, TESTS))
    return known[1]


def _all_hits(rule: Asked, call: Call, programs: str, tests: Tests) -> list[Hit]:
    """What meets every predicate: of several, those that are met at one place of the line."""
    found: list[Hit] | None = None
    for key, wanted in rule.asked.items():
        hits = list(tests[key](wanted, call, programs))
        if rule.outside and key in PATHS:
            hits = [each for hit in hits for each in _outside(rule.outside, hit, call)]
        found = hits if found is None else _together(found, hits, call)
        if not found:
            return []
    if found is None and rule.outside:
        found = [
            each
            for hit in with_effect(call, ("write", "delete"))
            for each in _outside(rule.outside, hit, call)
        ]
    return found or []


def _together(first: list[Hit], second: list[Hit], call: Call) -> list[Hit]:
    made = []
    for hit in first:
        others = [other for other in second if _is_one(_root(other.at, call), _root(hit.at, call))]
        if others:
            sure = hit.certain and any(other.certain for other in others)
            made.append(Hit(hit.at, sure, hit.effect, hit.why or others[0].why))
    return made


def _is_one(first: tuple[int, int], second: tuple[int, int]) -> bool:
    """Whether two commands stand in one place of the line, or one in a word of the other."""
    (start, end), (other_start, other_end) = sorted((first, second), key=lambda span: span[0] - span[1])
    return start <= other_start and other_end <= end


def _root(at: int, call: Call) -> tuple[int, int]:
    """Where the command stands that a command is a part of."""
    command = call.taken[at].command
    step = next((step for step in command.via if step.end), None)
    return (command.start, command.end) if step is None else (step.start, step.end)


def _is_let_off(hit: Hit, passed: list[Hit], call: Call) -> bool:
    """Whether exceptions are about this; of a command as a whole, about all that it does of what they speak of."""
    let_off = {each.effect for each in passed if each.at == hit.at}
    if hit.effect in let_off or hit.effect is not None:
        return hit.effect in let_off or (None in let_off and not _is_beside(hit, call))
    effects = call.deeds[hit.at].effects
    passing = [effects[number] for number in let_off if number is not None]
    names = {effect.name for effect in passing}
    if names & _CHANGES:
        names |= _CHANGES
    return bool(passing) and all(effect in passing for effect in effects if effect.name in names)


def _is_beside(hit: Hit, call: Call) -> bool:
    """Whether a redirection does it, of a command that writes files itself: `touch a > b`."""
    deeds = call.deeds[hit.at]
    into = [each.target for each in deeds.command.redirections]
    beside = [effect.target in into for effect in deeds.effects if effect.name == "write"]
    return hit.effect is not None and deeds.effects[hit.effect].target in into and not all(beside)


def _outside(folders: tuple[str, ...], hit: Hit, call: Call) -> Iterator[Hit]:
    assert hit.effect is not None
    effect = call.deeds[hit.at].effects[hit.effect]
    via, spot = call.deeds[hit.at].command.via, spot_of(effect, call.where)
    if via and spot and is_of_container(via, spot.forms[0] if spot.forms else spot.begins, effect.name):
        return  # which is nowhere on this machine
    met = min(is_outside(folder, effect, call.where) for folder in folders)
    if met:
        yield Hit(hit.at, hit.certain and met == YES, hit.effect, hit.why)


def is_blind(hit: Hit, call: Call, asked: Mapping[str, Any]) -> bool:
    """Whether a word could be any, or a path anywhere: its first part, or all of its name, is not known."""
    given = call.deeds[hit.at].given
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
        any_word = all(_is_any(word, alone, asked, given.path) for word in holes)
        return not given.guessed and given.hidden is None and any_word and bool(holes)
    effect = call.deeds[hit.at].effects[hit.effect]
    if effect.name not in (*_PATHS, "connect"):
        unknown = given.loose or any(_is_all_unknown(option.value) for option in given.options)
        return bool(unknown) and len(given.path) > 1 and not given.guessed
    if effect.target is None:
        return True
    if effect.name in _PATHS and only_any_name(asked.get(effect.name, ()), effect, call.where):
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
    return spot is not None and not spot.forms and not spot.begins


def _is_root_without(target: Word) -> bool:
    """Whether it is `/` or all in it where a variable is not set: `rm -rf $BUILD/`, `rm -rf "$BUILD"/*`."""
    first, *rest = target.parts
    if isinstance(first, str) or not first.outside or not re.fullmatch(r"\$(?:\w+|\{\w+\})", first.text):
        return False
    if not all(isinstance(part, str) or part.kind == "glob" for part in rest):
        return False  # names that are looked for in it
    behind = "".join(part if isinstance(part, str) else part.text for part in rest)
    return behind[:1] == "/" and not behind.strip("/.*")


def _is_any(word: Word, alone: bool, asked: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    """One word, of which nothing is known that the rule asks for; what names a commit is one without quotes too,
    where it stands alone.
    """
    one = word.single or all(map(is_one_word, word.holes)) or is_variables(word)
    if any(isinstance(part, str) for part in word.parts):
        return one and not any(_speaks_for(word, chunk) for chunk in _chunks(asked, path))
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
