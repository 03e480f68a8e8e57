"""What a table row of a real agent says beyond the common columns."""

from __future__ import annotations

from hookline.dialects.base import EventRule
from hookline.model.events import EventKind
from hookline.model.record import Record
from hookline.model.typing import Iterable, Mapping

# What is changed there is a text, and no call.
PROMPT_KINDS = frozenset({EventKind.UserPromptSubmit, EventKind.UserPromptExpansion})
COMMAND_TYPES = frozenset({"command", "http", "mcp_tool"})
ALL_TYPES = COMMAND_TYPES | {"prompt", "agent"}


class AgentRule(EventRule):
    """A row of an agent that runs hooks itself, read for both parts it plays.

    `effects` are what the agent lets its own hooks do, and so all that we can answer as one of them; besides
    the common words there are `defer` (leave the call for later) and `message` (a text for the user).
    `feedback`: a block comes after the fact and only tells the model. `exit_two`: block, shown (to the
    user only), ignored, or fails (like any other failure). `fields`: the payload's own fields in order, optional
    ones end in `?`. `rewrite_allows`: a changed input can only be sent together with an approval. `handlers`: the
    handler types the event takes.
    """

    feedback: bool = False
    exit_two: str = "block"
    fields: tuple[str, ...] = ()
    rewrite_allows: bool = False
    handlers: frozenset[str] = ALL_TYPES

    @property
    def guards(self) -> bool:
        """True when a hook of this event can keep something from happening."""
        return "deny" in self.effects and not self.feedback


class Sharing(Record):
    """Another agent that reads the same files.

    `events` are its own names of events; `also` are those of ours that it takes too, by what it calls them. `lines`:
    the keys of a hook's line that it alone runs. `groups`: hooks may stand in a group there.
    """

    title: str = ""
    events: frozenset[str] = frozenset()
    also: Mapping[str, str] = {}
    lines: tuple[str, ...] = ()
    groups: bool = False

    def called(self, native: str) -> str:
        """What it calls an event of the file; empty where it runs no hook of it."""
        return native if native in self.events else self.also.get(native, "")


def effects(words: str) -> frozenset[str]:
    """`"deny ask"` as a set."""
    return frozenset(words.split())


def by_kind(rules: Iterable[AgentRule]) -> dict[EventKind, AgentRule]:
    """Rows by their canonical event; of several natives of one kind the first leads."""
    table: dict[EventKind, AgentRule] = {}
    for rule in rules:
        table.setdefault(rule.kind, rule)
    return table
