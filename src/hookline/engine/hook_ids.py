"""The id of a hook: made of what it is and what it is called, so that it stays its own when others come or go."""

from __future__ import annotations

from hookline.model.hooks import HookSpec, Unusable
from hookline.model.record import replace
from hookline.model.typing import Any, Iterable
from hookline.state.trust.fingerprint import canonical, definition, given_name, meaning_of, sha256

LENGTH = 6
_WITHOUT_DIGITS = str.maketrans("", "", "0123456789")


def identified(specs: Iterable[HookSpec], workspace: str) -> tuple[HookSpec, ...]:
    """The specs with ids of their own, where their dialect could only count them (`claude:PreToolUse:1`).

    Twins, the same in one file, are told apart by a number behind it; so are ids a dialect gave twice.
    """
    taken: set[str] = set()
    counts: dict[str, int] = {}  # of each id so far, as a file may have many thousand twins
    written = canonical([workspace])[2:-2]  # as it stands where a definition has it
    result = []
    for spec in specs:
        stem, _, number = spec.id.rpartition(":")
        digest = _digest(spec, workspace, written)
        wanted = f"{stem}:{_short(digest)}" if stem and number.isdigit() else spec.id
        unique, count = wanted, counts.get(wanted, 1)
        while unique in taken:
            count += 1
            unique = f"{wanted}-{count}"
        counts[wanted] = count
        taken.add(unique)
        result.append(replace(spec, id=unique, place=spec.id, digest=digest))
    return tuple(result)


def _digest(spec: HookSpec, workspace: str, written: bytes) -> str:
    told = _told(spec, meaning_of(spec))
    return sha256(_told(spec, definition(spec, workspace)) if written in told else told)


def _told(spec: HookSpec, meaning: dict[str, Any]) -> bytes:
    del meaning["enabled"]  # off, it is the same hook
    if isinstance(spec.action, Unusable):
        meaning["action"] = spec.action.why.translate(
            _WITHOUT_DIGITS
        )  # which tells by numbers where the fault is
    return canonical([spec.source, given_name(spec), meaning])


def _short(digest: str) -> str:
    """Six hexadecimal digits; the first is a letter, so that no number of a place is the beginning of an id."""
    return "abcdef"[int(digest[0], 16) % 6] + digest[1:LENGTH]
