"""What a dialect is: rows of rules plus a few pure functions.

A dialect plays two parts, kept apart. As the way a *hook* talks it reads config, writes the hook's input
and reads its output (`spec.dialect`). As the way a *host* talks it reads the agent's payload and writes the
answer (`event.host`). So a Discobot script can run in front of Claude Code. Nothing here does I/O.
"""

from __future__ import annotations

from hookline.dialects.tools import Tools
from hookline.model.errors import PayloadError, Problem
from hookline.model.events import Event, EventKind, event_from_payload, payload_of
from hookline.model.hooks import HandlerInput, HookSpec
from hookline.model.record import Record, replace
from hookline.model.results import SILENT, Decision, Fit, HookResult, Outcome, RawResult, Response
from hookline.model.typing import TYPE_CHECKING, Any, Callable, Collection, Mapping, Sequence
from hookline.system.modules import attribute

if TYPE_CHECKING:
    from hookline.dialects.profile import Profile


class EventRule(Record):
    """How one dialect treats one event.

    `subject`: the payload field its matcher is tested on, empty if it has none.
    `effects`: what hooks of it can do: deny, ask, allow, rewrite, context, continue, reprompt, product.
    `plain_context`: plain stdout of a hook goes to the model. `products`: further keys of the answer, handed on under
    their snake_case names.
    `order`: parallel, sequential, or pipeline (each hook sees the input the one before it left).
    `stop_at`: never, failure, deny, or halt: what keeps later hooks of the group from running.
    `on_timeout` and `on_launch_failure`: the dialect's own direction: allow, block, or outcome (whatever
    `read_output` makes of it). `dedupe`: identical hooks run once. `exits_speak`: a failing exit code by itself is no
    failure that a hook's `on_failure` is about. `closes`: whether there `on_failure` counts at all.
    `cite`: where this row is documented.
    """

    native: str
    kind: EventKind
    subject: str = ""
    effects: frozenset[str] = frozenset()
    order: str = "sequential"
    stop_at: str = "never"
    timeout_s: float = 60.0
    dedupe: bool = False
    exits_speak: bool = False
    closes: bool = True
    cite: str = ""
    plain_context: bool = False
    products: tuple[str, ...] = ()

    @property
    def guards(self) -> bool:
        """True when a hook of this event can keep something from happening."""
        return "deny" in self.effects


class Places(Record):
    """Where a dialect may look for config. All paths absolute; `variables` is the environment."""

    workspace: str
    home: str
    config_home: str
    variables: Mapping[str, str] = {}

    def source(self, scope: str, pattern: str, form: str, label: str = "") -> Source:
        """The config at a place such as `{ws}/.x/hooks.toml`: `{ws}` workspace, `{home}` home, `{config}` XDG."""
        path = self.path_of(pattern)
        return Source(path, scope, form, self.shown(path), label)

    def path_of(self, pattern: str) -> str:
        return pattern.format(ws=self.workspace, home=self.home, config=self.config_home)

    def shown(self, path: str) -> str:
        """A path as people know it: within the workspace, or from `~`."""
        inside = path.startswith(self.workspace + "/")
        return path[len(self.workspace) + 1 :] if inside else self.tilde(path)

    def tilde(self, path: str) -> str:
        """A path below the home folder from `~`, any other as it is."""
        return "~" + path[len(self.home) :] if path.startswith(self.home + "/") else path


class Source(Record):
    """One config file (or a directory whose files are hooks) that a dialect reads.

    `format`: json, jsonc, yaml, toml, or scripts (a directory of executables with front matter).
    `shown` is how people know the file; `label` is free for the dialect (`claude`, `native`, …). `adopted`: its
    hooks were moved there out of the agent's own file, so that hookline runs them.
    """

    path: str
    scope: str
    format: str
    shown: str
    label: str = ""
    adopted: bool = False


class SourceText(Record):
    """A source after reading. `state`: missing, empty, unreadable, undecodable, text.

    For `scripts` one `SourceText` per file, `text` being its first 64 KiB.
    """

    source: Source
    state: str
    text: str = ""
    reason: str = ""
    path: str = ""
    shown: str = ""
    mode: int = 0
    link_target: str = ""

    def at(self, line: int) -> dict[str, Any]:
        """Where a hook of that line stands, by the fields of `HookSpec`."""
        path = self.path or self.source.path
        return {"source": self.shown, "path": path, "line": line, "scope": self.source.scope}


class Loaded(Record):
    """What one source yielded: hooks in file order, every problem, and its dialect-wide settings."""

    source: Source
    state: str
    dialect: str = ""
    specs: tuple[HookSpec, ...] = ()
    problems: tuple[Problem, ...] = ()
    settings: Mapping[str, Any] = {}

    def changed(self, each: Callable[[HookSpec], HookSpec], *told: Problem) -> Loaded:
        """The same with every hook changed so, and what is to be told of that."""
        return replace(self, specs=tuple(map(each, self.specs)), problems=(*self.problems, *told))


class Dialect:
    """Base of all dialects. Subclasses fill the tables and override what differs.

    `rules` has one row per event kind it knows, `rows` one per native event where those
    are more; `aliases` maps further native names to a kind.
    `tools` are its names of the tools and of their arguments, for matchers and payloads.
    `places` are those of a dialect that `REGISTRY` has no row of. `verbatim`: a denial of its hooks reaches the
    model word for word. `ends_batches`: its hook after a tool can keep the model's further calls from running.
    """

    name = ""
    title = ""
    rules: Mapping[EventKind, EventRule] = {}
    rows: tuple[EventRule, ...] = ()
    aliases: Mapping[str, EventKind] = {}
    tools = Tools()
    places: tuple[str, ...] = ()
    placeholder_style = ""
    verbatim = False
    ends_batches = False

    @property
    def doubt(self) -> str:
        """Why what we know of it may be wrong, in words; empty where it was read or seen."""
        return ""

    @property
    def profile(self) -> Profile:
        """How its config is written, installed, converted and told of."""
        found: Profile = attribute(f"{type(self).__module__}.profile", "PROFILE")
        return found

    # -- config ---------------------------------------------------------------------------------

    def sources(self, places: Places) -> Sequence[Source]:
        """The files to read, lowest precedence first."""
        raise NotImplementedError

    def parse(self, given: SourceText) -> Loaded:
        """Hooks and problems of one source; never raises for what a user wrote."""
        raise NotImplementedError

    def further_sources(self, loaded: Loaded) -> Sequence[Source]:
        """More files to read, which this one names; what they name is not looked at."""
        return ()

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        """Lets sources of one dialect act on each other (hide, disable, drop copies)."""
        return loaded

    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema of the dialect's config file."""
        raise NotImplementedError

    def drops_for(self, problem: Problem) -> bool:
        """Whether the agent itself drops the whole file for this fault, where we leave out one entry."""
        return False

    # -- naming -----------------------------------------------------------------------------------

    def rule(self, spec: HookSpec) -> EventRule:
        """The row a hook runs under (two native events of one kind may differ)."""
        return self.rules[spec.kind]

    def heard_by(self, spec: HookSpec) -> Collection[EventKind]:
        """The kinds of events that a hook is for."""
        return (spec.kind,)

    def kind_of(self, native: str) -> EventKind | None:
        """The canonical kind of one of this dialect's own event names."""
        for rule in self.rules.values():
            if rule.native == native:
                return rule.kind
        return self.aliases.get(native)

    def native_of(self, kind: EventKind) -> str | None:
        rule = self.rules.get(kind)
        return rule.native if rule else None

    def written(self, native: str) -> str:
        """The name of an event in the files that are written, where another kind of file has another name for it."""
        return native

    def tools_about(self, native: str) -> tuple[str, ...]:
        """The canonical tools a native event tells of, `mcp__*` for those of MCP servers; empty: all of them."""
        return ()

    # -- one hook ---------------------------------------------------------------------------------

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        """Why `spec` sits this event out, in words for the user: its agent, its matcher, its `if`; None if it runs."""
        if (only := spec.origin.agent) and event.agent_type != only:
            return f"runs only inside the agent `{only}`"
        unmatched = self.mismatch(spec, event)
        if unmatched is not None or spec.condition is None:
            return unmatched
        from hookline.dialects.matching.permission_rules import condition_mismatch

        return condition_mismatch(spec, event)

    def mismatch(self, spec: HookSpec, event: Event) -> str | None:
        """Why the hook's matcher does not fit; None when it does, or there is none."""
        if spec.matcher is None or not (rule := self.rule(spec)).subject:
            return None
        from hookline.dialects.matching import mismatch

        return mismatch(spec.matcher, subject_of(self, rule, event), rule.subject)

    def tells_many(self, specs: Sequence[HookSpec]) -> bool:
        """Whether `sit_out` is worth asking where these are all hooks."""
        return False

    def sit_out(self, specs: Sequence[HookSpec], event: Event) -> Mapping[int, HookResult]:
        """The results, by their places, of hooks that this event surely does not concern: told at once where that is
        quicker than `fit_of` for one after the other, which says the same.
        """
        return {}

    def fit_of(self, spec: HookSpec, event: Event) -> Fit:
        """Whether `spec` is meant by the event, where that may also be in doubt."""
        return Fit(self.skip_reason(spec, event))

    def subject_values(self, rule: Any, event: Event) -> object:
        """What a matcher of this event is tested on: a string, or several of which one must fit."""
        return event.get(rule.subject)

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """stdin payload, environment and variables for one hook."""
        return HandlerInput(payload=payload_of(event), stdin=True, cwd=event.cwd)

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        """What the hook meant, by this dialect's rules; pure."""
        return SILENT

    # -- the host's side (bridged agents) -----------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event an agent of this dialect reports, by default in canonical fields. Raises PayloadError."""
        kind = self.kind_of(native)
        if kind is None:
            known = ", ".join(rule.native for rule in self.rules.values())
            raise PayloadError(f"{self.title} has no event `{native}`", f"known: {known}")
        return event_from_payload(kind, payload, host=self.name)

    def respond(self, event: Event, decision: Decision) -> Response:
        """The answer in the agent's own format; silence when there is no opinion."""
        raise NotImplementedError


def subject_of(speaker: Dialect, rule: Any, event: Event) -> object:
    """What the matcher is tested on; an engine that watches what matching looks at knows of that already."""
    watching = getattr(event, "subject", None)
    return speaker.subject_values(rule, event) if watching is None else watching(speaker, rule)


_SAME_SESSION = frozenset({"clear", "compact"})


def goes_on(event: Event) -> str | None:
    """Why this SessionStart begins no session, in words; None when one begins (or is taken up again)."""
    source = event.get("source")
    if source not in _SAME_SESSION:
        return None
    return f"runs when a session begins, and this one goes on after `{source}`"
