"""What the dialects of real agents have in common: rows, subjects, fitting, and config entries."""

from __future__ import annotations

from hookline.dialects.base import Dialect, Loaded
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.degrade import fit
from hookline.dialects.tools import call_names, native_for, native_tools
from hookline.model.errors import PayloadError
from hookline.model.events import EventKind
from hookline.model.record import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from hookline.dialects.base import SourceText
    from hookline.dialects.matching.matchers import Compiled
    from hookline.dialects.reading import Node, Reader
    from hookline.model.errors import Problem
    from hookline.model.events import Event
    from hookline.model.hooks import HookSpec, Matcher
    from hookline.model.results import Decision

TOOL_EVENTS = frozenset(
    {EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PostToolUseFailure, EventKind.PermissionRequest,
     EventKind.PermissionDenied}
)  # fmt: skip


class AgentDialect(Dialect):
    """A dialect whose rows are `AgentRule`s: one per native event, the leading one of a kind first."""

    rows: tuple[AgentRule, ...] = ()

    def kind_of(self, native: str) -> EventKind | None:
        """The canonical kind of one of this agent's own event names."""
        row = self.row(native)
        return row.kind if row else None

    def row(self, native: str) -> AgentRule | None:
        for row in self.rows:
            if row.native == native:
                return row
        return None

    def rule(self, spec: HookSpec) -> AgentRule:
        """The row a hook runs under, by its native event."""
        return self.row(spec.native_event) or self.row_of(spec.kind)

    def row_of(self, kind: EventKind) -> AgentRule:
        """The leading row of a kind. Raises PayloadError where the agent has no such event."""
        for row in self.rows:
            if row.kind is kind:
                return row
        raise PayloadError(f"{self.title} has no event `{kind.value}`")

    def canonical_row(self, name: str) -> AgentRule:
        """The row of a canonical event name. Raises PayloadError."""
        for row in self.rows:
            if row.kind.value == name:
                return row
        raise PayloadError(f"{self.title} has no event `{name}`")

    def host_row(self, event: Event) -> AgentRule:
        """The row by which the agent reads our answer to an event it sent."""
        return self.row_of(event.kind)

    def fit(self, event: Event, decision: Decision) -> tuple[Decision, tuple[str, ...]]:
        """The decision as this agent can carry it out as a host, and what had to change; never weaker."""
        return fit(self.title, self.host_row(event), event, decision)

    def subject_values(self, rule: AgentRule, event: Event) -> object:
        """What a matcher of this event is tested on, in this agent's words."""
        if rule.subject == "tool_name":
            return self.tool_words(event)
        return event.get(rule.subject)

    def tool_words(self, event: Event) -> tuple[str, ...]:
        """Every name the called tool has for this agent."""
        native = event.extra.get("native")
        if event.host == self.name and isinstance(native, dict) and native.get("tool_name"):
            return (str(native["tool_name"]),)
        found = [word for name in call_names(event) for word in native_tools(self.name, name)]
        return tuple(dict.fromkeys(found))

    def is_volatile(self, spec: HookSpec) -> bool:
        """Hooks of a subagent look at who calls."""
        return "agent" in spec.options or super().is_volatile(spec)


def report_matcher(reader: Reader, rule: AgentRule, compiled: Compiled, known: Sequence[str]) -> None:
    """Points out a matcher that is ignored, can never fit, or names a tool nobody has."""
    node = reader.node.members.get("matcher")
    if node is None:
        return
    if compiled.matcher is not None and not rule.subject:
        words = f"`{rule.native}` has nothing to match, so the matcher is ignored"
        reader.report(node, "matcher-ignored", words, "remove the matcher", severity="warning")
    if compiled.problem:
        reader.report(node, "dead-matcher", compiled.problem, compiled.hint, severity="warning")
    if rule.subject == "tool_name" and known:
        _report_dead(reader, node, compiled.matcher, known)


def _report_dead(reader: Reader, node: Node, matcher: Matcher | None, known: Sequence[str]) -> None:
    """Points out names and patterns that fit no known tool; MCP tools are never known."""
    from hookline.dialects.matching.matchers import dead_names, fits_none
    from hookline.dialects.reading import nearest

    for name in dead_names(matcher, known):
        meant = nearest(name, known) or native_for(name, known)
        hint = f"did you mean `{meant}`?" if meant else ""
        reader.report(node, "dead-matcher", f"no known tool is called `{name}`", hint, severity="warning")
    if matcher is not None and fits_none(matcher, known):
        meant = native_for(matcher.text, known)
        hint = f"did you mean `{meant}`?" if meant else "known tools: " + ", ".join(known)
        words = f"`{matcher.text}` fits none of the known tools"
        reader.report(node, "dead-matcher", words, hint, severity="warning")


def unread(given: SourceText) -> Loaded:
    """A source that has no text to read."""
    return Loaded(given.source, given.state)


def loaded(
    given: SourceText, specs: Sequence[HookSpec], problems: Sequence[Problem], **settings: object
) -> Loaded:
    """What a source with text yielded."""
    return Loaded(given.source, given.state, specs=tuple(specs), problems=tuple(problems), settings=settings)


def silencing(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The problems of a file that cannot be read at all: whatever guard stood in it is silent now."""
    return tuple(replace(problem, guard=True) for problem in problems)


def switched_off(spec: HookSpec, why: str) -> HookSpec:
    """The hook, listed but not run."""
    return replace(spec, enabled=False, options={**spec.options, "disabled_why": why})
