"""Agents that took over Claude Code's hooks, a file of data each: one dialect speaks for all, as their columns say.

Those with a folder of their own add a class for what no column says.
"""

from __future__ import annotations

import os.path

from hookline.dialects.base import Source, subject_of
from hookline.dialects.bridged import AgentDialect
from hookline.dialects.bridged.payloads import (
    CAMEL_CASE,
    as_shell_result,
    canonical_call,
    native_call,
    native_of,
    read_agent_event,
    require_object,
    result_text,
    with_extra,
    write_fields,
)
from hookline.dialects.bridged.rules import PROMPT_KINDS, AgentRule, by_kind
from hookline.dialects.family.columns import Agent, EntryShape, entry_shape, handler_types
from hookline.dialects.matching import mismatch
from hookline.dialects.matching.matchers import Compiled
from hookline.dialects.reading.json_hooks import Entry
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import folded
from hookline.dialects.tools import is_about
from hookline.model.events import Event, EventKind
from hookline.model.hooks import Action, HandlerInput, HookSpec
from hookline.model.record import replace
from hookline.model.rendering import iso_time
from hookline.model.results import Decision, Outcome, RawResult, Response, Verdict
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Mapping
from hookline.system.modules import attribute

if TYPE_CHECKING:
    from hookline.dialects.profile import Profile


class FamilyDialect(AgentDialect):
    """One agent of the family as a config reader, as the way its hooks talk, and as a host.

    `has_profile`: beside its module stands a `profile` that says more than the columns. `beside`: another kind of its
    files, as if it were an agent by itself.
    """

    has_profile = False
    beside: FamilyDialect | None = None

    def __init__(self, agent: Agent) -> None:
        types = handler_types(agent)
        self.agent = agent
        self.name = agent.name
        self.title = agent.title
        self.shared = agent.shared
        self.tools = replace(agent.tools, agent=agent.name)
        self._functions: dict[str, Any] = {}
        # worked out when the first hook of a file asks for it
        self._known: tuple[str, ...] = ()
        self._entries: EntryShape | None = None
        self.rows = tuple(
            replace(
                row, timeout_s=agent.limits.get(row.kind, (agent.timeout_s,))[0], handlers=types,
                cite=agent.sources, order=agent.order, dedupe=agent.dedupe,
                stop_at=agent.stop_at if row.guards else "never",
                closes=not agent.closes_at or row.kind in agent.closes_at,
            )
            for row in agent.rows
        )  # fmt: skip
        self.rules = by_kind(self.rows)
        self.places = agent.places
        self.project_variable = agent.project_variable
        self.has_stop_limit = agent.stop_limit
        self.placeholder_style = agent.placeholders

    @property
    def profile(self) -> Profile:
        if self.has_profile:
            return super().profile
        found: Profile = attribute("hookline.dialects.family.profile", "profile_of")(self)
        return found

    @property
    def doubt(self) -> str:
        return {"medium": "its facts are from documentation alone", "low": "its facts are uncertain"}.get(
            self.agent.knows, ""
        )

    def row(self, native: str) -> AgentRule | None:
        found = super().row(native)
        if found is not None or not self.agent.any_case:
            return found
        return next((row for row in self.rows if folded(row.native) == folded(native)), None)

    def tools_about(self, native: str) -> tuple[str, ...]:
        return self.agent.about.get(native, ())

    # -- config ---------------------------------------------------------------------------------

    def _config(self, name: str) -> Any:
        """A function of the reader of config, which is imported when there is config."""
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = attribute("hookline.dialects.family.config", name)
        return (lambda given: found(self, given)) if name in ("sources", "combine") else found

    def schema(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = attribute("hookline.dialects.family.schema", "schema")(self)
        return found

    def check_file(self, root: Reader, source: Source) -> None:
        """Reports what is wrong with a file as a whole."""
        if self.agent.version:
            self._config("check_version")(root, self.agent.version, self.sharing(source))

    @property
    def entries(self) -> EntryShape:
        """What is the same for all entries of the agent."""
        if self._entries is None:
            self._entries = entry_shape(self.agent)
        return self._entries

    def action_of(self, entry: Entry) -> tuple[Action | None, str]:
        """What an entry runs, None once the reason has been reported; and why only the agent itself can run it."""
        found: tuple[Action | None, str] = self._config("action_by_columns")(self, entry)
        return found

    def compiled(self, row: AgentRule | None, text: str | None) -> Compiled:
        """A matcher as the agent reads it."""
        found: Compiled = self._config("compiled_by_columns")(self.agent, row, text)
        return found

    def known_tools(self, native: str) -> tuple[str, ...]:
        """The names by which a matcher of that event can mean a tool."""
        if not self._known:
            self._known = self.tools.known()
        return self._known

    def drops_for(self, problem: Any) -> bool:
        """The agent drops a file for some faults."""
        return problem.code in self.agent.drops

    def rule(self, spec: HookSpec) -> AgentRule:
        """In a sequence each hook sees what the one before it made of the call."""
        rule = super().rule(spec)
        return replace(rule, order="pipeline") if spec.options.get("sequential") else rule

    # -- one hook -----------------------------------------------------------------------------------

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        return self._other_event(spec, event) or _filtered(spec, event) or super().skip_reason(spec, event)

    def mismatch(self, spec: HookSpec, event: Event) -> str | None:
        """Aliases of a tool fit whole, patterns its native name."""
        matcher = spec.matcher
        if self.agent.matching != "names" or matcher is None or self.rule(spec).subject != "tool_name":
            return super().mismatch(spec, event)
        words = subject_of(self, self.rule(spec), event)
        assert isinstance(words, tuple)
        if frozenset(matcher.text.split("|")) & frozenset(words):
            return None
        return mismatch(matcher, words[:1], "tool_name")

    def _other_event(self, spec: HookSpec, event: Event) -> str | None:
        """Why an event that is of some tools only is not this one."""
        native = spec.native_event
        told = native in self.agent.about
        if not (told or self.agent.reports_each):
            return None
        if event.host == self.name:
            reported = native_of(event, self.name).get("event", "" if told else native)
            return f"{self.title} reports `{native}` by itself" if reported != native else None
        if not told:
            return None
        tools = self.agent.about[native]
        return None if is_about(event.tool_name, tools) else f"`{native}` is about {' and '.join(tools)}"

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """JSON on stdin, in this agent's fields, and its variables."""
        same = (row for row in self.rows if row.kind is event.kind and row.native == spec.native_event)
        rule = next(same, None) or self.rule(spec)
        env = self._filled(self.agent.environment, event, rule, spec)
        env.update(
            {name: str(event.extra.get(own) or "") for name, own in self.agent.own_environment.items()}
        )
        payload = self.payload(event, rule)
        if self.agent.payload_in_environment:
            plain = {name: value for name, value in payload.items() if isinstance(value, str | int | float)}
            texts = {
                name: str(value).lower() if isinstance(value, bool) else str(value)
                for name, value in plain.items()
            }
            env = {**texts, **env}
        filled = self.agent.placeholders
        return HandlerInput(
            payload=payload, stdin=True, env=env, cwd=self._folder(event, spec), placeholders=filled,
            variables=env if filled else {},
        )  # fmt: skip

    def host_row(self, event: Event) -> AgentRule:
        """Without what only some versions of the agent understand."""
        row, held = super().host_row(event), self.agent.withheld
        return replace(row, effects=row.effects - held) if held else row

    def subject_values(self, rule: AgentRule, event: Event) -> object:
        given = event.get("tool_input")
        if rule.subject in ("command", "file") and isinstance(given, dict):
            return str(given.get("command" if rule.subject == "command" else "file_path") or "")
        return super().subject_values(rule, event)

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What the agent itself would send for this event."""
        agent = self.agent
        payload: dict[str, Any] = {
            "session_id": event.session_id, "transcript_path": event.transcript_path, "cwd": event.cwd,
            "hook_event_name": rule.native,
        }  # fmt: skip
        for field in ("permission_mode", "agent_id", "agent_type"):
            if getattr(event, field):
                payload[field] = getattr(event, field)
        payload.update(write_fields(rule, event))
        if "tool_name" in payload:
            payload.update(native_call(self.tools, event))
        if "tool_response" in payload and event.host != self.name:
            payload["tool_response"] = self._result(event)
        if agent.adds:
            added = {name: text for name, text in agent.adds.items() if name not in event.extra}
            payload.update(self._filled(added, event, rule))
        payload.update({field: event.get(field) for field in agent.always if field not in payload})
        payload = with_extra(payload, event)
        return {
            agent.payload.get(field, field): [value] if field in agent.lists else value
            for field, value in payload.items()
            if agent.payload.get(field, field)
        }

    def _result(self, event: Event) -> Any:
        keys, found = self.agent.result, event.get("tool_response")
        if not keys:
            return as_shell_result(event)
        if isinstance(found, dict) and keys[0] in found:
            return found
        text = result_text(found)
        return text if keys == ("text",) else dict.fromkeys(keys, text)

    def _folder(self, event: Event, spec: HookSpec) -> str:
        """Where a hook runs."""
        root = event.workspace or event.cwd
        if named := spec.means.cwd:
            return os.path.join(root, str(named)).rstrip("/") or root
        if self.agent.runs_in == "owner" and spec.scope == "user":
            return os.path.dirname(spec.path)
        return event.cwd if self.agent.runs_in == "cwd" else root

    def _filled(
        self, patterns: Mapping[str, str], event: Event, rule: AgentRule, spec: HookSpec | None = None
    ) -> dict[str, str]:
        """The texts, with what they name of the call, and of the hook where they are given to one."""
        values = _Values(self, event, rule, spec)
        return {name: pattern.format_map(values) for name, pattern in patterns.items()}

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        outcome = self.meaning(self.rule(spec), raw)
        if spec.background:  # nobody waits for its verdict
            return replace(outcome, verdict=Verdict.NONE, reason="", reprompt="", updated_input=None)
        if event.kind in PROMPT_KINDS:
            return outcome
        outcome = self.in_canonical_fields(event, outcome)
        if self.agent.merges_input and outcome.updated_input is not None:
            return replace(
                outcome, updated_input={**(event.get("tool_input") or {}), **outcome.updated_input}
            )
        return outcome

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        """What a hook says by how it ended and what it printed, in the agent's own fields."""
        from hookline.dialects.family.output import read_family_output

        return read_family_output(self.agent, rule, raw)

    # -- as a host ----------------------------------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event the agent reports, in canonical fields; the payload's own name of it wins over `native`."""
        given = dict(require_object(payload, self.title))
        own = {native: field for field, native in self.agent.payload.items() if native}
        given = {own.get(field, field): value for field, value in given.items()}
        for field in CAMEL_CASE.keys() & given.keys():  # some versions spell them so
            given.setdefault(CAMEL_CASE[field], given.pop(field))
        for field in self.agent.lists & given.keys():
            listed = given[field]
            given[field] = listed[0] if isinstance(listed, list) and listed else ""
        row = self.reported_row(native, given)
        kind = self.reported_kind(row, given)
        words = canonical_call(self.tools, given, _server(given)) if given.get("tool_name") else {}
        if not words:  # present and null where there is no call
            given = {field: value for field, value in given.items() if value is not None}
        return read_agent_event(kind, self.name, given, {"event": row.native, **words})

    def reported_kind(self, row: AgentRule, given: dict[str, Any]) -> EventKind:
        """What a payload tells of, where one event tells of several; it may be put into canonical fields."""
        return row.kind

    def is_noise(self, event: Event) -> bool:
        """Whether the agent reports something that did not happen."""
        return (
            self.agent.empty_prompt_is_none
            and event.kind is EventKind.UserPromptSubmit
            and not event.get("prompt")
        )

    def respond(self, event: Event, decision: Decision) -> Response:
        """A denial by exit 2 where the agent reads it, all else by JSON with exit 0; nothing for no opinion."""
        from hookline.dialects.bridged.answers import family_response

        fitted, _ = self.fit(event, decision)
        said = self.sayable(event, fitted)
        return family_response(self.agent, self.tools, self.host_row(event), event, said)

    def sayable(self, event: Event, fitted: Decision) -> Decision:
        """A fitted decision without what the agent's keys have no place for."""
        return fitted


class _Values(dict[str, str]):
    """What the texts of an agent may name of a call, each found out when one does."""

    def __init__(self, speaker: FamilyDialect, event: Event, rule: AgentRule, spec: HookSpec | None) -> None:
        super().__init__()
        if spec is not None:
            self.update(plugin=_plugin_of(spec), folder=os.path.dirname(spec.path))
        self._about = (speaker, event, rule)

    def __missing__(self, name: str) -> str:
        found = self[name] = _NAMED[name](*self._about)
        return found


def _plugin_of(spec: HookSpec) -> str:
    """The folder of the plugin that a file `hooks/hooks.json` belongs to; empty for hooks of other files."""
    inside = os.path.join("hooks", "hooks.json")
    return spec.path.removesuffix(inside).rstrip(os.sep) if spec.path.endswith(os.sep + inside) else ""


def _subject(speaker: FamilyDialect, event: Event, rule: AgentRule) -> str:
    found = speaker.subject_values(rule, event) if rule.subject else ""
    return str((found[0] if isinstance(found, tuple) and found else found) or "")


def _tool(speaker: FamilyDialect, event: Event, _rule: AgentRule) -> str:
    return str(native_call(speaker.tools, event)["tool_name"] if event.get("tool_name") else "")


def _given(event: Event, field: str) -> str:
    found = event.get("tool_input")
    return str((found.get(field) if isinstance(found, dict) else "") or "")


_NAMED: Mapping[str, Callable[[FamilyDialect, Event, AgentRule], str]] = {
    "time": lambda _, event, __: iso_time(event.at or None),
    "project": lambda _, event, __: event.workspace or event.cwd,
    "cwd": lambda _, event, __: event.cwd,
    "session": lambda _, event, __: event.session_id,
    "transcript": lambda _, event, __: event.transcript_path,
    "event": lambda _, __, rule: rule.native,
    "kind": lambda _, __, rule: rule.kind.value,
    "tool": _tool,
    "subject": _subject,
    "prompt": lambda _, event, __: str(event.get("prompt") or ""),
    "command": lambda _, event, __: _given(event, "command"),
    "file": lambda _, event, __: _given(event, "file_path"),
}


def _server(given: Mapping[str, Any]) -> str:
    """The MCP server of a call, for agents that name it beside the tool."""
    context = given.get("mcp_context")
    return str(context.get("server_name", "")) if isinstance(context, dict) else ""


def _filtered(spec: HookSpec, event: Event) -> str | None:
    """Why the pattern of the hook's group keeps it from this call: it is about shell commands alone."""
    pattern = spec.options.get("filter")
    if pattern is None:
        return None
    from hookline.system.patterns import fits

    command = event.tool_input.get("command") if event.tool_name == "Bash" else None
    if isinstance(command, str) and fits(str(pattern), command):
        return None
    return f"the pattern `{pattern}` of its group fits no shell command here"
