"""Do the guards fire? Canary calls go the way an agent's own calls go; the history then tells which guards ran.

Nothing of a canary is carried out: it is only asked about. Each guard is asked about a call that it is meant by.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hookline.dialects import agent_dialect, agent_names
from hookline.dialects.bridged import AgentDialect
from hookline.engine.failures import guards
from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.loading import OURSELVES
from hookline.engine.opening import Opened
from hookline.engine.services import Services
from hookline.installing.agents import SCOPES, Place, place_of
from hookline.installing.canaries import Attested, Lapse, Proof, canary
from hookline.installing.findings import adopted_faults, calls_of_program, file_faults
from hookline.installing.githooks import probe
from hookline.model.errors import UsageError
from hookline.model.events import Event, EventKind, Plain
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.rendering import result_as_json
from hookline.model.results import FAILURES, Decision, HookResult, Status, fate_of
from hookline.state.history import History
from hookline.system import files

# Asked about for real. Hooks of other events may take their time, as tests at a stop do, and are only looked at.
ASKED = (EventKind.PreToolUse, EventKind.PermissionRequest, EventKind.UserPromptSubmit)
RECORD_WAIT_S = 3.0
_LOOK_S = 0.05
_NOT_FOUND = (126, 127)
_ANSWERED = (
    Status.ran, Status.not_reached, Status.timed_out, Status.launch_failed, Status.bad_output, Status.cancelled,
)  # fmt: skip


async def attest(opened: Opened, history: History, agents: Sequence[str] = ()) -> Attested:
    """Fires canaries the way of each agent in use here, or of those named. Raises UsageError for no agent."""
    attempt = _Attempt(opened, history)
    known = tuple(agents) or tuple(name for name in agent_names() if attempt.is_used(name))
    for name in known:
        await attempt.agent(name, bool(agents))
    attempt.nobody(known)
    attempt.lost()
    await attempt.git()
    return Attested(opened.workspace, known, tuple(attempt.proofs), tuple(attempt.lapses))


class _Attempt:
    def __init__(self, opened: Opened, history: History) -> None:
        self.proofs: list[Proof] = []
        self.lapses: list[Lapse] = []
        self._opened = opened
        self._history = history
        self._variables = opened.engine.environment
        self._guards = [
            spec
            for spec in opened.hooks.specs
            if not spec.origin.bridge and guards(spec) and not _is_off(spec)
        ]

    # -- which agents -----------------------------------------------------------------------------

    def is_used(self, name: str) -> bool:
        """Whether it has guards of its own here, an entry of ours in a file, readable or not, or once had one."""
        return (
            any(self._is_own(name, spec) for spec in self._guards)
            or any(_names_us(name, files.read_text(place.path).text) for place in self._places(name))
            or self._history.last_from(name, self._opened.workspace) is not None
        )

    def nobody(self, known: Sequence[str]) -> None:
        """Guards that no agent runs itself, and no agent that calls us."""
        left = [spec for spec in self._guards if spec.kind in ASKED and not self._runs_itself(spec)]
        if left and not any(self._entries(name) for name in known) and not any(
            lapse.code == "not-installed" for lapse in self.lapses
        ):  # fmt: skip
            words = f"no agent calls hookline here, so `{left[0].name or left[0].id}` never fires"
            self._tell("", "not-installed", "hookline", words, "run `hookline install AGENT`", left[0])

    def lost(self) -> None:
        """Guards in files, or parts of files, that nobody can read, and hooks of events that there are not."""
        hooks = self._opened.hooks
        nameless = (found for found in hooks.problems if found.code == "unknown-event")
        for problem in (*hooks.silenced_guards, *(found for found in nameless if found.severity == "error")):
            source, line = problem.source, problem.line
            if not any((lapse.source, lapse.line) == (source, line) for lapse in self.lapses):
                hint = problem.hint or ""
                self.lapses.append(Lapse("", "invalid", source, problem.message, hint, source, line))

    def _runs_itself(self, spec: HookSpec) -> bool:
        return spec.dialect in agent_names() and self._is_own(spec.dialect, spec)

    def _is_own(self, name: str, spec: HookSpec) -> bool:
        return spec.dialect == name and not spec.origin.adopted

    def _places(self, name: str) -> Iterator[Place]:
        for scope in SCOPES:
            try:
                yield place_of(
                    name, scope, self._opened.workspace, self._variables.get("HOME", ""), self._variables
                )
            except UsageError:
                continue

    def _entries(self, name: str) -> list[HookSpec]:
        """Our entries in that agent's files, as hooks of its own; what a program of ours inside of it calls."""
        found = [
            replace(spec, enabled=True) if spec.origin.disabled_why == OURSELVES else spec
            for spec in self._opened.hooks.specs
            if spec.dialect == name and spec.origin.bridge == name
        ]
        return found or [spec for place in self._places(name) for spec in calls_of_program(place)]

    # -- one agent --------------------------------------------------------------------------------

    async def agent(self, name: str, wanted: bool) -> None:
        agent = _agent(name)
        self._files(name)
        own = [spec for spec in self._guards if self._is_own(name, spec)]
        others = [spec for spec in self._guards if not self._runs_itself(spec)]
        entries = self._entries(name)
        if own:
            hooks = self._opened.hooks.with_specs(lambda spec: spec in own)
            await self._ask(agent, own, _Own(Engine(hooks, self._services(trust=self._opened.trust))))
        if entries:
            await self._ask(agent, others, _Bridged(self, Engine(HookSet(tuple(entries)), self._services())))
        elif others and (wanted or not own):
            words = f"{agent.title} does not call hookline, so `{others[0].name or others[0].id}` never fires"
            self._tell(name, "not-installed", agent.title, words, f"run `hookline install {name}`", others[0])

    def _services(self, **more: Any) -> Services:
        # What the agent itself tells its hooks, and nothing of an agent that runs us.
        variables = {key: value for key, value in self._variables.items() if key != "HOOKLINE_DEPTH"}
        return Services(workspace=self._opened.workspace, environment=variables, **more)

    def _files(self, name: str) -> None:
        """What keeps the agent from reading its files, and hooks that were moved behind us and are gone."""
        hooks, title = self._opened.hooks, _agent(name).title
        for place in self._places(name):
            for fault in file_faults(place, hooks):
                self._tell(name, "config", title, fault.message, fault.hint, path=place.shown)
            for fault in adopted_faults(place, hooks.workspace, self._variables):
                self._tell(name, "adopted-gone", title, fault.message, fault.hint, path=place.shown)

    async def _ask(self, agent: AgentDialect, specs: Sequence[HookSpec], way: _Own | _Bridged) -> None:
        """Asks each guard about a call of its own, unless a call before was already for it."""
        proven: set[str] = set()
        for kind in dict.fromkeys(spec.kind for spec in specs):
            here = [spec for spec in specs if spec.kind is kind]
            if kind not in agent.rules and not any(row.kind is kind for row in agent.rows):
                continue
            if not way.has(kind):
                words = f"no entry of ours for {kind.value}, so `{_called(here[0])}` never fires"
                again = f"run `hookline install {agent.name}` again"
                self._tell(agent.name, "no-entry", agent.title, words, again, here[0])
                self._failed(agent.name, here)
                continue
            for spec in here:
                if spec.id not in proven:
                    await self._ask_one(agent, spec, here, way, proven)

    async def _ask_one(
        self,
        agent: AgentDialect,
        spec: HookSpec,
        here: Sequence[HookSpec],
        way: _Own | _Bridged,
        proven: set[str],
    ) -> None:
        if not self._may_run(agent.name, spec):
            return self._failed(agent.name, [spec])
        if spec.kind not in ASKED:
            return self._prove(agent.name, spec, "ready")
        event = canary(agent, spec, self._opened.workspace)
        if event is None:
            if spec.matcher is None or spec.condition is not None or spec.rule.predicates:
                return self._prove(agent.name, spec, "unproven")
            words = f"its matcher `{spec.matcher.text}` fits no tool of {agent.title}"
            return self._lapsed(agent.name, "never-matches", spec, words, "write a name the agent uses")
        found = await way.fire(event)
        if isinstance(found, Lapse):
            self.lapses.append(found)
            self._failed(agent.name, here)
            proven.update(each.id for each in here)
            return None
        for each in here:
            seen = found.get(each.id)
            ran = seen is not None and seen["status"] != Status.not_reached
            if each.id not in proven and (each is spec or ran):
                proven.add(each.id)
                self._judge(agent, each, seen, event)
        return None

    def _judge(
        self, agent: AgentDialect, spec: HookSpec, seen: Mapping[str, Any] | None, event: Event
    ) -> None:
        call = _words_of(event)
        if seen is None:
            words = f"it is meant by `{call}`, and did not run"
            return self._lapsed(agent.name, "did-not-fire", spec, words, "see `hookline history --all`")
        if seen["status"] == Status.not_reached:  # an earlier guard has stopped the call already
            return self._prove(agent.name, spec, "ready", "", call)
        fate = fate_of(seen)
        if fate in FAILURES or seen["exit_code"] in _NOT_FOUND:
            said = seen["stderr"].strip().splitlines() or [f"exit code {seen['exit_code']}"]
            words = f"{fate} on `{call}`: {seen['why'] or said[-1]}"
            return self._lapsed(agent.name, "guard-fails", spec, words, "see `hookline doctor`")
        return self._prove(agent.name, spec, "fired", seen["verdict"], call, seen.get("run", ""))

    def _may_run(self, agent: str, spec: HookSpec) -> bool:
        """Whether nothing but its matcher is between the guard and its event."""
        event = Event(spec.kind, body=Plain(), workspace=self._opened.workspace, cwd=self._opened.workspace)
        found = self._opened.engine.explain(event, [spec.id])
        (result,) = [each for each in found.results if each.spec.id == spec.id]
        if result.status in (Status.would_run, Status.duplicate):
            return True
        hint = "review it with `hookline trust`" if result.status is Status.untrusted else ""
        self._tell(agent, result.status.value, _called(spec), result.why, hint, spec)
        return False

    # -- git --------------------------------------------------------------------------------------

    async def git(self) -> None:
        """Git itself is asked to call us, where there are guards of commits."""
        specs = [spec for spec in self._guards if spec.kind is EventKind.PreCommit]
        if not specs:
            return
        why = await probe(self._opened.workspace)
        if why:
            self._tell("git", "git-not-called", "git", why, "run `hookline install git`", specs[0])
        for spec in specs:
            fine = self._may_run("git", spec) and not why
            self._prove("git", spec, "ready" if fine else "failed")

    # -- small things -----------------------------------------------------------------------------

    async def record_of(
        self, event: Event, title: str, decision: Decision
    ) -> Mapping[str, Mapping[str, Any]] | Lapse:
        """The hooks that the bridge recorded for a canary, by id; the reason when it recorded none."""
        end = time.monotonic() + RECORD_WAIT_S
        answered = any(
            each.status is Status.ran and each.raw and not each.raw.status_code for each in decision.results
        )
        while not (found := self._history.runs(session=event.session_id)):
            if not answered or time.monotonic() > end:
                return self._unanswered(event, title, decision)
            await asyncio.sleep(_LOOK_S)
        run = found[0]
        place = self._history.workspace_of(run["run"])
        if place != self._opened.workspace:
            words = f"its entry asks the hooks of `{place}`, not those of this workspace"
            return Lapse(
                event.host, "wrong-workspace", title, words, f"run `hookline install {event.host}` again"
            )
        if run["verdict"] in ("deny", "halt", "ask") and not decision.blocked and not decision.needs_person:
            words = f"the guards said {run['verdict']}, and {title} was told `{decision.verdict.word}`"
            return Lapse(event.host, "answer-lost", title, words, f"see `hookline show {run['run']}`")
        return {
            hook["id"]: {**hook, "run": run["run"]} for hook in run["hooks"] if hook["status"] in _ANSWERED
        }

    def _unanswered(self, event: Event, title: str, decision: Decision) -> Lapse:
        again = f"run `hookline install {event.host}` again"
        entries = [result for result in decision.results if result.spec.kind is event.kind]
        for result in entries:
            if result.status is Status.disabled:
                words = f"its entry for {event.kind.value} is switched off: {result.why}"
                return _of_entry(event, "config", title, words, "switch it on again", result)
        for result in entries:
            if result.status is Status.not_matched:
                words = f"its entry for {event.kind.value} is not called: {result.why}"
                return _of_entry(event, "entry-never-matches", title, words, again, result)
        for result in entries:
            said = (result.raw.stderr if result.raw else "").strip().splitlines()
            code = (
                f"exit code {result.raw.status_code}"
                if result.raw and result.raw.status_code
                else "no decision was recorded"
            )
            words = f"its entry for {event.kind.value} does not reach hookline: {result.why or (said or [code])[-1]}"
            return _of_entry(event, "entry-fails", title, words, again, result)
        return Lapse(event.host, "entry-fails", title, "its entry does not reach hookline", again)

    def _prove(
        self, agent: str, spec: HookSpec, state: str, verdict: str = "", call: str = "", run: str = ""
    ) -> None:
        self.proofs.append(Proof(agent, spec.id, _called(spec), spec.kind.value, state, verdict, call, run))

    def _failed(self, agent: str, specs: Sequence[HookSpec]) -> None:
        told = {(proof.agent, proof.id) for proof in self.proofs}
        for spec in specs:
            if (agent, spec.id) not in told:
                self._prove(agent, spec, "failed")

    def _lapsed(self, agent: str, code: str, spec: HookSpec, words: str, hint: str) -> None:
        self._tell(agent, code, _called(spec), words, hint, spec)
        self._failed(agent, [spec])

    def _tell(
        self, agent: str, code: str, subject: str, message: str, hint: str = "", spec: HookSpec | None = None,
        path: str = "",
    ) -> None:  # fmt: skip
        source, line = (spec.source, spec.line) if spec else (path, 0)
        lapse = Lapse(agent, code, subject, message, hint, source, line)
        if lapse not in self.lapses:
            self.lapses.append(lapse)


class _Own:
    """The agent's own hooks, run by its rules."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def has(self, kind: EventKind) -> bool:
        return True

    async def fire(self, event: Event) -> Mapping[str, Mapping[str, Any]] | Lapse:
        decision = await self._engine.fire(event)
        return {each.spec.id: result_as_json(each) for each in decision.results if each.status in _ANSWERED}


class _Bridged:
    """The agent's entries of ours, run as it runs its hooks: what they reach, the history tells."""

    def __init__(self, attempt: _Attempt, engine: Engine) -> None:
        self._attempt = attempt
        self._engine = engine

    def has(self, kind: EventKind) -> bool:
        return any(spec.kind is kind for spec in self._engine.hooks.specs)

    async def fire(self, event: Event) -> Mapping[str, Mapping[str, Any]] | Lapse:
        of_agents = {spec.origin.agent for spec in self._engine.hooks.specs if spec.kind is event.kind}
        if "" not in of_agents:  # they stand in the files of agents, and are asked inside of one
            event = replace(event, agent_type=min(of_agents))
        decision = await self._engine.fire(event)
        return await self._attempt.record_of(event, _agent(event.host).title, decision)


def _words_of(event: Event) -> str:
    if not event.tool_name:
        return event.kind.value
    return f"{event.tool_name} {event.get('tool_input').get('command', '')}".strip()


def _of_entry(event: Event, code: str, title: str, words: str, hint: str, result: HookResult) -> Lapse:
    return Lapse(event.host, code, title, words, hint, result.spec.source, result.spec.line)


def _is_off(spec: HookSpec) -> bool:
    """Switched off where it stands, by whoever wrote it."""
    return not spec.enabled and not spec.origin.disabled_why


def _called(spec: HookSpec) -> str:
    return spec.name or spec.id


def _names_us(agent: str, text: str) -> bool:
    return any(f"bridge {agent} {end}" in text for end in ("--event", "# hookline"))


def _agent(name: str) -> AgentDialect:
    if name not in agent_names():
        raise UsageError(f"attest: no agent `{name}`", f"agents: {', '.join(agent_names())}")
    return agent_dialect(name)
