"""Conditions that ask for nothing but how a command begins, around the places where a script says something."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hookline.checking.steps.step import Look
from hookline.checking.steps.steps import Steps
from hookline.system.patterns.late import late

# a pattern that is open behind, and the branch of a `case`
_FORMS = (
    late(r"=~\s*[\"']?\^(?P<told>\(?[a-z][^\n]{0,200}?)[\"']?\s*$", needs=("=~",)),
    late(r"/\^(?P<told>\(?[a-z][^/\n]{0,200})/\w*\.test\(", needs=(".test(",)),
    late(r"\bre\.match\(\s*[rR]?[\"']\^?(?P<told>\(?[a-z][^\"'\n]{0,200})[\"']", needs=("re.match",)),
)
_OF_CASE = late(r"(?:[\"']?[a-z][\w./\\ -]{0,40}[\"']?\*[ \t]*){1,40}")
_MORE = late(r"&&|\|\||\band\b|\bor\b|\bnot\b|^\s*!")  # is asked


def told_by_beginning(steps: Steps, names: Collection[str], places: Iterable[int]) -> bool:
    """Whether one of the places is reached, also as part of a function, where a variable of these names begins so."""
    for place in places:
        inside = (name for name, each in steps.functions.items() if each.start <= place <= each.end)
        ways = [place, *(at for name in inside for at in steps.callers.get(name, ()))]
        looks = (look for at in ways for look in steps.looks(at))
        if any(not look.names.isdisjoint(names) and _asks_for_beginning(look) for look in looks):
            return True
    return False


def _asks_for_beginning(look: Look) -> bool:
    if _MORE.search(look.text):
        return False
    found = next(filter(None, (form.search(look.text) for form in _FORMS)), None)
    told = found["told"].rstrip() if found else "$"
    return bool(_OF_CASE.fullmatch(look.text.strip())) or not ("$" in told or told.endswith((r"\Z", r"\z")))
