"""What is known of the run of a script that a hook's line starts."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.model.record import Record

SCRIPT = object()  # how the script is called, as the first of its arguments


class Known(Record):
    """`words`: the arguments behind its name, None where the line leaves them open. `sent`: the fields of its input
    that say the event, with what they say."""

    words: tuple[str, ...] | None
    sent: Mapping[str, str]


class TooLongError(Exception):
    """A script has more to look at than is worth it."""
