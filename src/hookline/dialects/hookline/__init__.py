"""Our own dialect: `hooks.toml` of the workspace, the user and the system, and hooks added by code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from hookline.dialects import dialect
from hookline.dialects.base import Dialect, Loaded, Places, Source, SourceText
from hookline.dialects.hookline.rules import COMMAND_PREDICATES, RULES, concerned_files, unmet
from hookline.dialects.tools import TOOL_EVENTS
from hookline.model.events import Event, payload_of
from hookline.model.hooks import Answer, HandlerInput, HookSpec
from hookline.model.record import replace
from hookline.model.results import Fit, HookResult, Outcome, RawResult
from hookline.model.typing import Any

# What a hook is not told by this event must not come from the one in whose hook we run
_VARIABLES = (
    "HOOK_EVENT", "HOOK_SESSION_ID", "HOOK_WORKSPACE", "HOOK_TOOL", "HOOK_COMMAND", "HOOK_FILE", "HOOK_PROMPT",
    "HOOK_FILES_LIST", "HOOK_UNSURE",
)  # fmt: skip


class Hookline(Dialect):
    """Every event there is; a failing guard blocks unless its `on_failure` says otherwise.

    A hook of an event written `gemini:BeforeTool` talks as that agent's own: its matcher, its input and its
    output are that dialect's.
    """

    name = "hookline"
    title = "hookline"
    rules = RULES

    def sources(self, places: Places) -> Sequence[Source]:
        """User, workspace, then managed."""
        from hookline.dialects.hookline.config import hookline_sources

        return hookline_sources(places)

    def parse(self, given: SourceText) -> Loaded:
        if given.source.format == "pack":
            from hookline.dialects.hookline.packs import parse_shipped

            return parse_shipped(given)
        from hookline.dialects.hookline.config import parse_hookline, parse_pack

        return parse_pack(given) if given.source.label else parse_hookline(given)

    def further_sources(self, loaded: Loaded) -> Sequence[Source]:
        """The packs that a file takes in."""
        if "packs" not in loaded.settings:
            return ()
        from hookline.dialects.hookline.packs import pack_sources

        return pack_sources(loaded)

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        """A pack taken in by several files counts once."""
        if not any(each.source.format == "pack" for each in loaded):
            return loaded
        from hookline.dialects.hookline.packs import told_once

        return told_once(loaded)

    def schema(self) -> Mapping[str, Any]:
        from hookline.dialects.hookline.schema import hookline_schema

        return hookline_schema()

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        return self.fit_of(spec, event).mismatch

    def tells_many(self, specs: Sequence[HookSpec]) -> bool:
        return not all(spec.rule.predicates.keys().isdisjoint(COMMAND_PREDICATES) for spec in specs)

    def sit_out(self, specs: Sequence[HookSpec], event: Event) -> Mapping[int, HookResult]:
        """Rules about programs and effects that a line does not have."""
        if event.kind not in TOOL_EVENTS:
            return {}
        return _sit_out()(specs, event)

    def fit_of(self, spec: HookSpec, event: Event) -> Fit:
        """The matcher, then `files`, `where` and so on, then what the call does: `shell`, `write`, `does`."""
        if spec.origin.speaks:
            speaker, meant = _spoken(spec)
            found = speaker.skip_reason(meant, event)
        else:
            found = super().skip_reason(spec, event)
        predicates = spec.rule.predicates
        if found is None and predicates:
            found = unmet(spec, event)
        if found is not None or not predicates or predicates.keys().isdisjoint(COMMAND_PREDICATES):
            return Fit(found)
        from hookline.dialects.hookline.commands import command_fit

        return command_fit(spec, event)

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """The canonical payload on stdin, common fields in `HOOK_…` variables, a file for the reply."""
        if spec.origin.speaks:
            speaker, meant = _spoken(spec)
            return speaker.hook_input(event, meant)
        found = () if isinstance(spec.action, Answer) else concerned_files(spec, event)
        lists = {"HOOK_FILES_LIST": found} if found else {}
        return HandlerInput(
            payload_of(event), stdin=True, cwd=event.workspace or event.cwd, env=_variables(event),
            unset=_VARIABLES, lists=lists, texts={"HOOK_REPLY": ""}, keep_git_env=event.kind.value == "PreCommit",
        )  # fmt: skip

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        if spec.origin.speaks:
            speaker, meant = _spoken(spec)
            return speaker.read_output(event, meant, raw)
        from hookline.dialects.hookline.output import read_hookline_output

        return read_hookline_output(spec, raw)


@cache
def _sit_out() -> Callable[[Sequence[HookSpec], Event], Mapping[int, HookResult]]:
    from hookline.dialects.hookline.many import sit_out

    return sit_out


def _spoken(spec: HookSpec) -> tuple[Dialect, HookSpec]:
    """The dialect a hook talks, and the hook as that dialect would have it."""
    name, _, native = spec.origin.speaks.partition(":")
    condition = spec.options.get("condition", spec.condition)
    blocking = spec.options.get("blocking", spec.blocking)
    meant = replace(spec, dialect=name, native_event=native, condition=condition, blocking=blocking)
    return dialect(name), meant


def _variables(event: Event) -> dict[str, str]:
    """The fields most hooks need, so that a shell script needs no JSON reader. However long a value is, a guard must
    not find nothing in its place: what the system does not take is cut where the process is started."""
    given = event.tool_input
    found = {
        "HOOK_EVENT": event.kind.value,
        "HOOK_SESSION_ID": event.session_id,
        "HOOK_WORKSPACE": event.workspace,
        "HOOK_TOOL": event.get("tool_name"),
        "HOOK_COMMAND": given.get("command"),
        "HOOK_FILE": given.get("file_path"),
        "HOOK_PROMPT": event.get("prompt"),
    }
    return {name: value for name, value in found.items() if isinstance(value, str) and value}


DIALECT = Hookline()
