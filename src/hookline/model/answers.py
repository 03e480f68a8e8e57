"""What a Python hook may return, by name: `deny("…")`, `ask("…")`, `context("…")`, `rewrite({...})`.

Each raises TypeError for a text that is none, so that the guard fails where the mistake is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline.model.results import Outcome, Verdict


def deny(reason: str) -> Outcome:
    """It must not happen; the model hears why."""
    return Outcome(Verdict.DENY, _text("reason", reason))


def halt(reason: str) -> Outcome:
    """It must not happen, and the agent stops altogether."""
    return Outcome(Verdict.HALT, _text("reason", reason))


def ask(reason: str = "") -> Outcome:
    """A person decides."""
    return Outcome(Verdict.ASK, _text("reason", reason))


def allow(reason: str = "") -> Outcome:
    """It may happen without asking anybody; a stricter hook still wins."""
    return Outcome(Verdict.ALLOW, _text("reason", reason))


def context(*texts: str) -> Outcome:
    """Texts the model gets to read."""
    return Outcome(contexts=tuple(_text("context", text) for text in texts))


def rewrite(updated_input: Mapping[str, Any], reason: str = "") -> Outcome:
    """The tool runs with this input instead (a prompt is `{"prompt": …}`); the whole input, not a part."""
    if not hasattr(updated_input, "keys"):
        raise TypeError(f"`updated_input`: expected an object, found {updated_input!r:.60}")
    return Outcome(Verdict.NONE, _text("reason", reason), dict(updated_input))


def _text(name: str, given: object) -> str:
    if isinstance(given, str):
        return given
    raise TypeError(f"`{name}`: expected a text, found {given!r:.60}")
