"""What holds of a script both as it stands and without the parts that may be for another event, agent or argument."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hookline.model.errors import Problem
from hookline.system.patterns.late import late

# what is quoted of a script's words, of which others may be left
_QUOTES = frozenset({"unread-output", "plain-output"})
_NAME = late(r"`[^`]*`")
_MORE = " and more"


def in_any_case(found: Iterable[Problem], again: Iterable[Problem]) -> Iterator[Problem]:
    """Those of `found` that are there `again`, with the words that are left."""
    left = {_key(each): each for each in again}
    for each in found:
        if (same := left.get(_key(each))) is not None:
            yield each if each.code not in _QUOTES else same


def _key(problem: Problem) -> tuple[object, ...]:
    message = problem.message
    if problem.code in _QUOTES:
        first, *_ = [*_NAME.findall(message), ""]
        message = first + _NAME.sub("", message.replace(_MORE, ""))
    return problem.source, problem.line, problem.path, problem.code, message
