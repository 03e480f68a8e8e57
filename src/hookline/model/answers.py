"""What a Python hook may return, by name: `deny("…")`, `ask("…")`, `context("…")`, `rewrite({...})`."""

from __future__ import annotations

from hookline.model.results import Outcome, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def deny(reason: str) -> Outcome:
    """It must not happen; the model hears why."""
    return Outcome(Verdict.DENY, reason)


def halt(reason: str) -> Outcome:
    """It must not happen, and the agent stops altogether."""
    return Outcome(Verdict.HALT, reason)


def ask(reason: str = "") -> Outcome:
    """A person decides."""
    return Outcome(Verdict.ASK, reason)


def allow(reason: str = "") -> Outcome:
    """It may happen without asking anybody; a stricter hook still wins."""
    return Outcome(Verdict.ALLOW, reason)


def context(*texts: str) -> Outcome:
    """Texts the model gets to read."""
    return Outcome(contexts=texts)


def rewrite(updated_input: Mapping[str, Any], reason: str = "") -> Outcome:
    """The tool runs with this input instead (a prompt is `{"prompt": …}`); the whole input, not a part."""
    return Outcome(Verdict.NONE, reason, dict(updated_input))
