"""What is known of the run of a script that a hook's line starts."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.model.record import Record

SCRIPT = object()  # how the script is called, as the first of its arguments


class Known(Record):
    """`words`: the arguments behind its name, None where the line leaves them open. `sent`: the fields of its input
    that say the event, with what they say. `agent` is who runs it; `events` are the names of the hook's event, and
    `others` those of the agent's events, all as `plain` has them; `fields` are all of its input."""

    words: tuple[str, ...] | None
    sent: Mapping[str, str]
    agent: str = ""
    events: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()


def plain(name: str) -> str:
    """The name of an event, however its words are joined."""
    return name.lower().replace("-", "").replace("_", "")


class TooLongError(Exception):
    """A script has more to look at than is worth it."""
