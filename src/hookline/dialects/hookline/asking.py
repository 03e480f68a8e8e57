"""What a rule asks of a call, and what is said of a call that does not meet it."""

from __future__ import annotations

from hookline.dialects.hookline.hits import OF_LINES, PREDICATES
from hookline.model.record import Record
from hookline.model.typing import Any, Mapping

MOST_RULES = 4000  # known at a time; then all are taken apart anew
Derivation = tuple[Mapping[str, Any], ...]


class Finding(Record):
    """What the predicates of a rule come to. `unmet` says why it is not met; `doubt` why that cannot be told.

    `blind`: it cannot be told because nothing at all is known of a path, or of code that runs. `opaque` is what
    nobody sees into, of a rule that is not met otherwise. `derivation` names commands, as
    `fire --json` prints them.
    """

    unmet: str = ""
    doubt: str = ""
    opaque: str = ""
    blind: bool = False
    derivation: Derivation = ()


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
    asked = {key: wanted for key, wanted in predicates.items() if key in PREDICATES}
    if "touches" in predicates:
        asked["does"] = (*asked.get("does", ()), "tamper")
    tool, line = unmet_words(asked)
    found = Asked(
        asked,
        predicates.get("outside", ()),
        bool(asked) and asked.keys() <= OF_LINES,
        (Finding(tool), Finding(line)),
    )
    if len(_known_rules) >= MOST_RULES:
        _known_rules.clear()
    _known_rules[id(predicates)] = (predicates, found)
    return found


def unmet_words(asked: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    """Why a rule is not met, by a tool that is no shell and by a line."""
    words = ", ".join(f"`{key} = {_list(wanted)}`" for key, wanted in asked.items()) or "`outside`"
    return f"{words} does not fit this call", f"{words}: no command of the line does that"


def _list(wanted: tuple[str, ...]) -> str:
    return ", ".join(f'"{text}"' for text in wanted[:3]) + (", …" if len(wanted) > 3 else "")
