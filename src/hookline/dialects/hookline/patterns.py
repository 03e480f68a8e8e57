"""The patterns of `shell` and `shell_exact`, taken apart, and the commands of a call that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from types import ModuleType

from hookline.dialects.hookline.calls import Call
from hookline.dialects.hookline.hits import Hit, commands_of, patterns_by_name
from hookline.shell.effects.wanted import Wanted, begins, fit_one, in_order, may_fit, wanted_of
from hookline.shell.effects.words import plain_path
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.conditions import MAYBE, NO, YES, asks_for_help
from hookline.shell.programs.table import programs as table

_MAGIC = frozenset("*?[")
_PUSH = ("git", "push")  # whose operands are each several names


def hits_of_patterns(wanted: tuple[str, ...], call: Call, programs: str, mode: str) -> Iterator[Hit]:
    """Each command that one of the patterns is about, in the order of the line."""
    found: dict[int, int] = {}
    for path, places in commands_of(call, programs)[0].items():
        patterns = patterns_about(wanted, programs, call.where.home, mode, path)
        for at, given in places if patterns else ():
            command, script = call.taken[at].command, given is not call.taken[at].given
            if (mode and script) or (asks_for_help(given) and not mode):
                continue  # what is let off is let off as it stands there
            most = YES if given.path and not given.guessed else MAYBE
            for each in patterns if given.path else _of_hidden(wanted, call, programs, mode, given):
                met = _fit(each, given)
                if met and (met := min(met, begins(each, command, call.line, script))):
                    found[at] = max(met, found.get(at, NO))
                    if met == most:
                        break
    yield from (Hit(at, met == YES) for at, met in sorted(found.items()))


def _of_hidden(
    wanted: tuple[str, ...], call: Call, programs: str, mode: str, given: Arguments
) -> Iterable[Wanted]:
    """The patterns for which the words behind a program speak that nobody knows."""
    key = ("tokens", id(given))
    if key not in call.where.known:
        call.where.known[key] = _hidden().tokens_of(given) if given.hidden is not None else frozenset()
    tokens = call.where.known[key]
    if tokens is None:
        return patterns_about(wanted, programs, call.where.home, mode, ())
    by_token = _by_token(wanted, programs, call.where.home, mode)
    found = {id(each): each for token in tokens & by_token.keys() for each in by_token[token]}
    return [*found.values(), *by_token[None]]


@lru_cache(2048)
def _by_token(wanted: tuple[str, ...], programs: str, home: str, mode: str) -> dict[str | None, list[Wanted]]:
    """The patterns of a rule by each token that they are spoken for with; by None where they need none."""
    found: dict[str | None, list[Wanted]] = {None: []}
    for pattern in patterns_about(wanted, programs, home, mode, ()):
        tokens = _hidden().spoken_for(pattern)
        for token in (None,) if tokens is None else tokens:
            found.setdefault(token, []).append(pattern)
    return found


def _fit(wanted: Wanted, given: Arguments) -> int:
    """Whether the command is what the rule asks for: YES, NO, or MAYBE where a hole decides it."""
    one = fit_one if given.path else _hidden().fit_hidden
    found = one(wanted, given)
    if wanted.other is not None and found != YES:
        found = max(found, one(wanted.other, given))
    if found == MAYBE and given.guessed and (asked := wanted.given.operands):
        told = [word for word in given.operands if any(isinstance(part, str) for part in word.parts)]
        return MAYBE if in_order(wanted, asked, told, MAYBE) else NO  # `$KUBECTL get pods $X` gets no secret
    return min(found, MAYBE) if given.guessed else found


@cache
def _hidden() -> ModuleType:
    from hookline.shell.effects import hidden

    return hidden


@lru_cache(8192)
def patterns_about(
    wanted: tuple[str, ...], programs: str, home: str, mode: str, path: tuple[str, ...]
) -> tuple[Wanted, ...]:
    """The patterns of a rule that may be about a program with that sub-command; about none is one that nobody knows."""
    by_name = patterns_by_name(wanted, programs, home, mode)
    found: list[Wanted] = []
    for name in (path[0], "") if path else tuple(by_name):
        patterns = by_name.get(name, [])
        for at, pattern in enumerate(patterns):
            if isinstance(pattern, str):
                pattern = patterns[at] = wanted_of(pattern, table(programs), home, mode)
            if may_fit(pattern, path):
                found.append(pattern)
    return tuple(found)


def needs_of(wanted: tuple[str, ...], home: str, path: tuple[str, ...]) -> set[str] | None:
    """What one of the words behind that program (`words_of`) must be for a rule to be met; None if none need be."""
    found: set[str] = set()
    for pattern in patterns_about(wanted, "", home, "", path):
        for each in (pattern, pattern.other) if pattern.other is not None else (pattern,):
            needed = _needed(each, path)
            if not needed:
                return None
            found |= needed
    return found


def _needed(wanted: Wanted, path: tuple[str, ...]) -> set[str]:
    """An option by any of its names, or an operand that is no pattern, of which there may be other ways to write it."""
    given = wanted.given
    for option in given.options:
        if wanted.globs.keys().isdisjoint(option.names):
            return set(option.names)
    text = (given.operands[0].literal or "") if given.operands else ""
    plain = bool(text) and text[0] != "~" and text not in wanted.globs and _MAGIC.isdisjoint(text)
    told = path[:2] != _PUSH and not any("*" in name for name in given.path)
    return {f" {plain_path(text)}"} if plain and told else set()


def words_of(given: Arguments) -> set[str] | None:
    """The options by all their names, and the operands behind a blank; None where a hole or half a name is one."""
    if given.loose or given.hidden is not None:
        return None
    found: set[str] = set()
    for option in given.options:
        if option.names[0][:2] == "--" and not given.knows(option.names[0]):
            return None
        found.update(option.names)
    for word in given.operands:
        if word.literal is None:
            return None
        found.add(f" {plain_path(word.literal)}")
    return found
