"""Hooks that run when a session begins, which is not each time an agent says SessionStart."""

from __future__ import annotations

from hookline.model.events import Event

_SAME_SESSION = frozenset({"clear", "compact"})


def goes_on(event: Event) -> str | None:
    """Why this SessionStart begins no session, in words; None when one begins (or is taken up again)."""
    source = event.get("source")
    if source not in _SAME_SESSION:
        return None
    return f"runs when a session begins, and this one goes on after `{source}`"
