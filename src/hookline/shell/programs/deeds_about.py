"""Which deeds of a program can hold for the words that it was given: most of them are about other words."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.model.typing import Any
from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.conditions import MOST_DEEDS, has_plain, options_of, tests_of
from hookline.shell.programs.table import Deed, Row

_Places = dict[str, list[int]]
# The places of deeds that need none, and those of others by a word, and by an option, of which each needs one.
_Sorted = tuple[Row, list[int], _Places, _Places]
_known: dict[int, _Sorted] = {}  # by what they are, which is as long as they are kept


def deeds_about(row: Row, given: Arguments) -> Sequence[Deed]:
    """The deeds of a row without some for which `holds` would say NO, in their order."""
    known = _known.get(id(row))
    _, free, by_word, by_option = known if known is not None and known[0] is row else _sort(row)
    found = [*free]
    for word in given.operands if by_word else ():
        text = word.literal
        if text is None:
            return row.deeds
        found += by_word.get(text.lower(), ())
    if by_option:
        if given.loose:
            return row.deeds
        for option in given.options:
            if option.names[0][:2] == "--" and not given.knows(option.names[0]):
                return row.deeds
            for name in option.names:
                found += by_option.get(name, ())
    places = found if len(found) == len(free) else sorted({*found})
    return [row.deeds[at] for at in places]


def _sort(row: Row) -> _Sorted:
    free: list[int] = []
    by_word: _Places = {}
    by_option: _Places = {}
    for at, deed in enumerate(row.deeds):
        conditions: list[list[tuple[Any, Any]]] = [tests for wanted, tests in tests_of(deed) if wanted]
        words = next((each for each in conditions if all(test is has_plain for test, _ in each)), None)
        options = next((each for each in conditions if all(test is options_of for test, _ in each)), None)
        if words is not None:
            for text in {text for _, (_, _, lower) in words for text in lower}:
                by_word.setdefault(text, []).append(at)
        elif options is not None:
            for name in {name for _, (_, names) in options for name in names}:
                by_option.setdefault(name, []).append(at)
        else:
            free.append(at)
    if len(_known) >= MOST_DEEDS:
        _known.clear()
    _known[id(row)] = found = (row, free, by_word, by_option)
    return found
