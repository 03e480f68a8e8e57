"""What agents that call us have in common: a dialect with one row per native event, payloads, answers that fit."""

from __future__ import annotations

from hookline.dialects.base import Dialect, Loaded, Places, Source, SourceText
from hookline.dialects.bridged.degrade import fit
from hookline.dialects.bridged.payloads import native_of
from hookline.dialects.bridged.rules import AgentRule, Sharing
from hookline.dialects.tools import call_names
from hookline.model.errors import PayloadError
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, Verdict
from hookline.model.typing import Any, Collection, Mapping, Sequence
from hookline.system.modules import attribute


class AgentDialect(Dialect):
    """A dialect whose rows are `AgentRule`s: one per native event, the leading one of a kind first.

    `project_variable` is where it says its project is, whatever folder its session has wandered into.
    `has_stop_limit`: it does not go on for as long as a hook says so. `shared`: another agent that reads the same
    files.
    """

    rows: tuple[AgentRule, ...] = ()
    project_variable = ""
    has_stop_limit = True
    shared: Sharing = Sharing()

    def is_noise(self, event: Event) -> bool:
        """Whether the agent reports something that did not happen, so that no hook is to hear of it."""
        return False

    def sharing(self, source: Source) -> Sharing:
        """Another agent that reads this very file."""
        return self.shared

    # -- config ---------------------------------------------------------------------------------

    def sources(self, places: Places) -> Sequence[Source]:
        found: Sequence[Source] = self._config("sources")(places)
        return found

    def parse(self, given: SourceText) -> Loaded:
        found: Loaded = self._config("parse")(self, given)
        return found

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        found: Sequence[Loaded] = self._config("combine")(loaded)
        return found

    def schema(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._config("schema")(self)
        return found

    def _config(self, name: str) -> Any:
        return attribute(f"hookline.dialects.{self.name}.config", name)

    # -- naming -----------------------------------------------------------------------------------

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

    def heard_by(self, spec: HookSpec) -> Collection[EventKind]:
        """One event of an agent may tell of several of ours: that a call has ended, and that it failed."""
        return {spec.kind, *(row.kind for row in self.rows if row.native == spec.native_event)}

    def row_of(self, kind: EventKind | str) -> AgentRule:
        """The leading row of a kind, or of the name of one. Raises PayloadError where the agent has no such event."""
        for row in self.rows:
            if row.kind == kind:
                return row
        raise PayloadError(f"{self.title} has no event `{kind}`")

    def guards(self, native: str) -> bool:
        """Whether a hook of that event can keep something from happening."""
        row = self.row(native)
        return row is not None and row.guards

    def reported_row(self, native: str, payload: Mapping[str, Any]) -> AgentRule:
        """The row of the event a payload names, else of `native`, in this agent's words or ours."""
        named = str(payload.get("hook_event_name") or "")
        return self.row(named) or self.row(native) or self.row_of(native)

    def host_row(self, event: Event) -> AgentRule:
        """The row by which the agent reads our answer: of the native event it reported, else the kind's leading one."""
        native = native_of(event, self.name).get("event")
        found = (row for row in self.rows if row.native == native and row.kind is event.kind)
        return next(found, None) or self.row_of(event.kind)

    def fit(self, event: Event, decision: Decision) -> tuple[Decision, tuple[str, ...]]:
        """The decision as this agent can carry it out as a host, and what had to change; never weaker."""
        return fit(self.title, self.host_row(event), event, decision)

    def in_canonical_fields(self, event: Event, outcome: Outcome) -> Outcome:
        """The outcome with its changed input as ours; one that is no call of that tool any more is denied."""
        if outcome.updated_input is None:
            return outcome
        changed = self.tools.rewritten(event.get("tool_name") or "", outcome.updated_input)
        if changed is None:
            why = "the changed patch is no longer a single edit of that tool"
            return replace(outcome, updated_input=None, verdict=Verdict.DENY, reason=why, problem=why)
        return replace(outcome, updated_input=changed)

    # -- one hook ---------------------------------------------------------------------------------

    def subject_values(self, rule: AgentRule, event: Event) -> object:
        """What a matcher of this event is tested on, in this agent's words."""
        if rule.subject == "tool_name":
            return self.tool_words(event)
        return event.get(rule.subject)

    def tool_words(self, event: Event) -> tuple[str, ...]:
        """Every name the called tool has for this agent."""
        native = event.extra.get("native")
        if event.host == self.name and isinstance(native, dict) and native.get("tool_name"):
            name = str(native["tool_name"])
            return tuple(dict.fromkeys((name, *self.tools.aliases.get(name, ()))))
        found = [word for name in call_names(event) for word in self.tools.native(name)]
        return tuple(dict.fromkeys(found))
