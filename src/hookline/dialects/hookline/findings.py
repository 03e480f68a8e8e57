"""What the predicates of a rule find in a call, and how that is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.dialects.hookline.calls import Call, reason
from hookline.model.record import Record

LONGEST_SHOWN = 200


class Hit(Record):
    """One thing by which a predicate is met, or may be. `at` is the command's place among those of the call.

    `effect` is its place among the command's effects, None for a predicate about the command itself.
    """

    at: int
    certain: bool
    effect: int | None = None
    why: str = ""


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
    derivation: tuple[Mapping[str, Any], ...] = ()


def unmet_words(asked: Mapping[str, tuple[str, ...]]) -> tuple[str, str]:
    """Why a rule is not met, by a tool that is no shell and by a line."""
    words = ", ".join(f"`{key} = {_list(wanted)}`" for key, wanted in asked.items()) or "`outside`"
    return f"{words} does not fit this call", f"{words}: no command of the line does that"


def _list(wanted: tuple[str, ...]) -> str:
    return ", ".join(f'"{text}"' for text in wanted[:3]) + (", …" if len(wanted) > 3 else "")


_DOUBTS = {
    "expose": "a secret is read beside it, which may be in what is sent",
    "download-and-run": "what it runs may be in what is fetched",
}  # effects that one command has by what others do


def why_in_doubt(hit: Hit, call: Call) -> str:
    """What of a command is not known."""
    deeds = call.deeds[hit.at]
    effect = deeds.effects[hit.effect] if hit.effect is not None else None
    if effect is not None and effect.name in _DOUBTS:
        return _DOUBTS[effect.name]
    words = (effect.target,) if effect is not None and effect.target is not None else deeds.command.words
    for word in (*words, *deeds.command.words, *((deeds.given.hidden,) if deeds.given.hidden else ())):
        for hole in word.holes:
            return reason(hole)
    name = " ".join(deeds.given.path[:2])
    return f"what `{name}` means is told elsewhere" if name else "the call does not say what it is about"


def shown_doubt(why: str) -> str:
    return f"it cannot be told: {why}"


def derivation_of(hits: list[Hit], call: Call) -> tuple[Mapping[str, Any], ...]:
    """Each command once, in the order of the line."""
    found: dict[int, Mapping[str, Any]] = {}
    for hit in hits:
        command = call.deeds[hit.at].command
        if command.words or command.redirections:
            known = found.get(hit.at)
            found[hit.at] = {
                "command": known["command"] if known else _text(hit.at, call),
                "via": [step.how for step in command.via],
                "start": command.start,
                "end": command.end,
                "certain": hit.certain or bool(known and known["certain"]),
            }
    return tuple(found[at] for at in sorted(found))[:20]


def _text(at: int, call: Call) -> str:
    command = call.deeds[at].command
    if not command.words:
        return call.line[command.start : command.end][:LONGEST_SHOWN]
    words = (
        "".join(part if isinstance(part, str) else part.text or "…" for part in word.parts)
        for word in command.words
    )
    return " ".join(words)[:LONGEST_SHOWN]


def whole_line(call: Call) -> Mapping[str, Any]:
    return {
        "command": call.line[:LONGEST_SHOWN],
        "via": [],
        "start": 0,
        "end": len(call.line),
        "certain": False,
    }
