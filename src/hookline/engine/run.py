"""Runs a plan: groups side by side, each by its own order, and anew for another call; waiting happens only here."""

from __future__ import annotations

import os

from hookline.engine.failures import guards, with_failure_rule, with_name
from hookline.engine.merge import merge
from hookline.engine.plan import results_of
from hookline.model.events import Event
from hookline.model.hooks import HandlerInput, HookSpec, Programs, PromptCheck
from hookline.model.record import Record, fields_of, replace
from hookline.model.results import SILENT, Decision, HookResult, Outcome, RawResult, Status, Timings, Verdict
from hookline.model.short_json import whole, whole_text, without_middle, write_json
from hookline.model.typing import TYPE_CHECKING, Any, Awaitable, Callable, Iterator, Mapping, Sequence
from hookline.system import files
from hookline.system.clock import monotonic, now

if TYPE_CHECKING:
    from hookline.engine.plan import Group, Plan, Step

    RunStep = Callable[[Step, Event, float], Awaitable[HookResult]]


ANSWER_CUT = "its answer is longer than 1 MiB and was not read"
_NOS = frozenset(("deny", "ask", "reprompt", "continue"))
_OBJECTS = _NOS | {"context", "rewrite"}
# without one of these on stderr no exit 2 looks like an accident
_TROUBLE = (
    "yntax error", "unexpected", "No such file", ": error: ", "Error: ", "can't open", "expected", "Try '", "Try `",
    "llegal number", "arguments", "option", "enied", "Is a directory",
)  # fmt: skip
_SHOWN = 64 * 1024  # characters of a text for people; what is cut is in the file of its full output


class Ran(Record):
    """What a plan's hooks came to, by index, and the input a pipeline left behind (None: unchanged)."""

    results: dict[int, HookResult]
    rewritten: Any = None


async def run_plan(plan: Plan, event: Event, run_step: RunStep, limit: int) -> Ran:
    """Groups that pass input along go first, one by one; all others then run side by side.

    So every judge sees the call as it will be made, whatever the hooks' speeds.
    """
    results: dict[int, HookResult] = {}
    original = event
    for group in plan.groups:
        if group.rule.order == "pipeline":
            event = await _run_sequence(group, event, run_step, results, limit)
    others = [group for group in plan.groups if group.rule.order != "pipeline"]
    if len(others) == 1:
        await _run_group(others[0], event, run_step, results, limit)
    elif others:
        await _side_by_side([_run_group(group, event, run_step, results, limit) for group in others])
    changed = _input_of(event) if event is not original and _input_of(event) != _input_of(original) else None
    return Ran(results, changed)


async def _run_group(
    group: Group, event: Event, run_step: RunStep, results: dict[int, HookResult], limit: int
) -> None:
    if group.rule.order != "parallel":
        await _run_sequence(group, event, run_step, results, limit)
        return
    planned = monotonic()
    if len(group.steps) == 1:
        results[group.steps[0].index] = await run_step(group.steps[0], event, planned)
        return
    ran = await _side_by_side([run_step(step, event, planned) for step in group.steps], limit)
    results.update({step.index: result for step, result in zip(group.steps, ran, strict=True)})


async def _run_sequence(
    group: Group, event: Event, run_step: RunStep, results: dict[int, HookResult], limit: int
) -> Event:
    """The event as the hooks left it: only a pipeline passes on what they make of the input."""
    planned = monotonic()
    for batch in _batches(group.steps):
        if len(batch) == 1:
            ran = [await _run_or_skip(group, batch[0], event, run_step, results, planned)]
        else:
            ran = await _side_by_side(
                [_run_or_skip(group, step, event, run_step, results, planned) for step in batch], limit
            )
        results.update({step.index: result for step, result in zip(batch, ran, strict=True)})
        stopper = next((result for result in ran if _stops(group, result)), None)
        if stopper is not None:
            _not_reached(group, group.steps.index(batch[-1]) + 1, stopper, results)
            break
        if group.rule.order == "pipeline":
            for result in ran:
                if result.outcome.updated_input is not None:
                    event = with_input(event, result.outcome.updated_input)
    return event


async def _side_by_side(works: Sequence[Awaitable[Any]], limit: int | None = None) -> list[Any]:
    from hookline.system.loops.loop import gather  # one hook, or one after the other, needs none

    return await gather(works, limit)


def _batches(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """Neighbours of one `group` run side by side, given the same input; all others one by one."""
    start = 0
    for end in range(1, len(steps) + 1):
        name = steps[start].spec.conduct.group
        if end == len(steps) or not name or steps[end].spec.conduct.group != name:
            yield steps[start:end]
            start = end


async def _run_or_skip(
    group: Group,
    step: Step,
    event: Event,
    run_step: RunStep,
    results: Mapping[int, HookResult],
    planned: float,
) -> HookResult:
    """Runs a hook unless one it `needs` failed in this event."""
    for name in step.spec.conduct.needs:
        for other in group.steps:
            result = results.get(other.index)
            if result is not None and other.spec.name == name and _fell_short(result):
                return HookResult(step.spec, Status.not_reached, f"needs `{name}`, which failed")
    return await run_step(step, event, planned)


def _fell_short(result: HookResult) -> bool:
    return result.failed or result.status is not Status.ran or result.outcome.verdict >= Verdict.DENY


def with_input(event: Event, updated: Any) -> Event:
    """The event with another tool input, or another prompt."""
    body = event.body
    if "tool_input" in body._fields:
        return replace(event, body=replace(body, tool_input=updated))
    if "prompt" in body._fields and isinstance(updated, dict):
        return replace(event, body=replace(body, prompt=str(updated.get("prompt", event.get("prompt")))))
    return event


def _input_of(event: Event) -> Any:
    if "tool_input" in event.body._fields:
        return event.get("tool_input")
    return {"prompt": event.get("prompt")} if "prompt" in event.body._fields else None


def _stops(group: Group, result: HookResult) -> bool:
    if result.spec.background:
        return False
    if group.rule.stop_at == "failure":
        goes_on = bool(result.spec.conduct.continue_on_failure)
        return (result.failed and not goes_on) or result.outcome.verdict >= Verdict.DENY
    least = {"deny": Verdict.DENY, "halt": Verdict.HALT}.get(group.rule.stop_at)
    return least is not None and result.outcome.verdict >= least


def _not_reached(group: Group, start: int, stopper: HookResult, results: dict[int, HookResult]) -> None:
    name = stopper.spec.name or stopper.spec.id
    did = "denied" if stopper.outcome.verdict >= Verdict.DENY else "failed"
    for step in group.steps[start:]:
        results[step.index] = HookResult(step.spec, Status.not_reached, f"`{name}` {did} first")


def status_of(raw: RawResult, problem: str) -> tuple[Status, str]:
    """A run's status and its reason in words; the reason is empty when the hook simply ran."""
    if raw.cancelled:
        return Status.cancelled, "cancelled before it ended"
    if raw.timed_out:
        limit = f" of {raw.limit}" if raw.limit else ""
        return Status.timed_out, f"killed at its time limit{limit}, after {raw.timings.total:.1f} s"
    if raw.launch_error:
        return Status.launch_failed, raw.launch_error
    if problem:
        return Status.bad_output, problem
    return Status.ran, f"killed by signal {raw.signal}" if raw.signal else ""


def judged(step: Step, event: Event, raw: RawResult, planned: float, started: float) -> HookResult:
    """Turns what happened into what it means, by the dialect's rules and then the hook's own."""
    took = raw.timings
    raw = replace(raw, timings=Timings(max(0.0, started - planned), took.spawn, took.run, took.drain))
    outcome = with_name(step.spec, raw, _whole(_read(step, event, raw)))
    unread = raw.stderr if isinstance(step.spec.action, PromptCheck) and raw.exit_code else ""
    status, why = status_of(raw, outcome.problem or unread or _lost(step, raw, outcome))
    kept = replace(raw, answer="") if raw.answer else raw
    if raw.exit_code == 2 and (outcome.verdict >= Verdict.DENY or outcome.reprompt):
        kept = _doubted(kept, step)
    result = HookResult(step.spec, status, why or step.fit.doubt, kept, outcome, step.fit.derivation)
    return with_failure_rule(result, step.rule)


def _doubted(raw: RawResult, step: Step) -> RawResult:
    """The run of a hook that denied, with a note where nobody may have meant it."""
    if not any(sign in raw.stderr for sign in _TROUBLE):
        return raw
    from hookline.dialects.accidents import accident

    found = accident(raw, f"{step.spec.command}\n{raw.command}")
    note = f"this denial looks like an accident: {found}, and that ends with exit 2 as well"
    return replace(raw, notes=(*raw.notes, note)) if found else raw


def _read(step: Step, event: Event, raw: RawResult) -> Outcome:
    """What the whole answer says, also where less of it is kept to be shown."""
    whole = replace(raw, stdout=raw.answer) if raw.answer else raw
    outcome = step.dialect.read_output(event, step.acting, whole)
    if raw.answer_cut and not outcome.problem and outcome.verdict < Verdict.DENY:
        return replace(outcome, problem=ANSWER_CUT)
    if whole is raw or not outcome.contexts:
        return outcome
    shown, plain = raw.stdout.strip(), whole.stdout.strip()
    return replace(outcome, contexts=tuple(shown if text == plain else text for text in outcome.contexts))


def _lost(step: Step, raw: RawResult, outcome: Outcome) -> str:
    """What a hook printed that can only be meant as a no, where its dialect makes nothing of it; else empty."""
    if outcome.verdict or outcome.reprompt or raw.failed or step.spec.background:
        return ""
    printed = "{" in raw.stdout or "{" in raw.stderr or isinstance(raw.value, dict)
    # of a hook that is only there to tell the model something, nothing is lost where the model is told it
    may_say = _NOS if outcome.contexts else _OBJECTS
    if not printed or may_say.isdisjoint(step.rule.effects):
        return ""
    from hookline.dialects.refusals import lost_in

    heard = {
        "context": outcome.contexts,
        "rewrite": outcome.updated_input is not None,
        "product": outcome.products,
    }
    effects = frozenset(each for each in step.rule.effects if not heard.get(each))
    said = lost_in(raw, effects, bool(outcome.contexts))
    return f"{said} means nothing to {step.dialect.title} at `{step.rule.native}`" if said else ""


def _whole(outcome: Outcome) -> Outcome:
    """The outcome without halves of surrogate pairs, which a hook's JSON may hold and nobody can write."""
    if outcome is SILENT:
        return outcome
    found = {name: _whole_value(value) for name, value in fields_of(outcome).items() if value}
    found["messages"] = tuple(map(_shown, found.get("messages", ())))
    return replace(outcome, **found)


def _whole_value(value: Any) -> Any:
    return tuple(map(whole_text, value)) if isinstance(value, tuple) else whole(value)


def _shown(text: str) -> str:
    if len(text) <= _SHOWN:
        return text
    return without_middle(text, _SHOWN // 2, _SHOWN // 2)


def within(spec: HookSpec, left: float) -> HookSpec:
    """The hook with limits so that it is over, and killed if need be, in `left` seconds."""
    grace = min(spec.grace_s, max(left, 0.0) * 0.2)
    return replace(spec, grace_s=grace, timeout_s=min(spec.timeout_s, max(0.001, left - grace)))


class Run:
    """One run of an event's hooks: its id, and its private folder once a hook needs one."""

    __slots__ = ("_folder", "_presence", "id")

    def __init__(self, run_id: str) -> None:
        self.id = run_id
        self._folder = self._presence = ""

    def begin(self, presence: str, plan: Plan, event: Event, workspace: str) -> None:
        """Notes for the next start what is about to run; `workspace` is empty where no history is kept."""
        from hookline.system.processes.orphans import note_presence

        self._presence = presence
        note_presence(presence, self.id, _said_of(self.id, plan, event, workspace) if workspace else "")

    def folder_for(self, step: Step, given: HandlerInput, programs: Programs) -> str:
        """Where the value files of a hook and the copies of its programs go; empty for one that has none."""
        if not given.lists and not given.texts and not programs:
            return ""
        from hookline.system.processes.orphans import run_folder

        self._folder = run_folder(self.id)
        return os.path.join(self._folder, str(step.index))

    def end(self) -> None:
        """All its hooks have ended."""
        if self._presence:
            from hookline.system.processes.orphans import take_back_line

            take_back_line(self._presence, self.id)

    def clear(self) -> None:
        if self._folder:
            files.remove_tree(self._folder)


def _said_of(run: str, plan: Plan, event: Event, workspace: str) -> str:
    """What `engine.unfinished` needs of a run that did not end; empty for rules that only answer."""
    begun = [step.spec for step in plan.steps if step.spec.handler != "answer"]
    if not begun:
        return ""
    return write_json({
        "run": run, "at": event.at or now(), "event": event.kind.value, "session": event.session_id,
        "host": event.host, "workspace": workspace, "tool": event.tool_name,
        "hooks": [[spec.id, spec.name, guards(spec)] for spec in begun],
    })  # fmt: skip


# -- calls that hooks made another one -------------------------------------------------------------

_LAPSED = "its `allow` was for the call as it was before other hooks rewrote it"


async def decided(
    plan: Plan, event: Event, run_step: RunStep, limit: int, plan_of: Callable[[Event], Plan] | None
) -> Decision:
    """What the hooks of a plan came to, and those that `plan_of` finds for the call as they left it.

    A rule is met by what will really be done: without this, any hook that rewrites a call carried it past the
    guards. Each hook runs once at most, so this ends.
    """
    ran = await run_plan(plan, event, run_step, limit)
    results = results_of(plan, ran.results)
    decision = merge(plan, results, ran.rewritten)
    while plan_of is not None and decision.updated_input is not None:
        left = decision.updated_input
        event = with_input(event, left)
        fresh = plan_of(event)
        if fresh is plan:  # nobody looks at what was rewritten
            break
        results = tuple(_unless_lapsed(result, fresh.skipped.get(n)) for n, result in enumerate(results))
        more = await run_plan(_of_those_left(fresh, results), event, run_step, limit)
        results = tuple(more.results.get(n, result) for n, result in enumerate(results))
        further = merge(plan, tuple(more.results.values()), more.rewritten).updated_input
        decision = merge(plan, results, left)
        if not decision.blocked:
            decision = replace(decision, updated_input=left if further is None else further)
        if further is None:
            break
    return decision


def _of_those_left(plan: Plan, results: Sequence[HookResult]) -> Plan:
    """The plan without the hooks that had their say."""
    groups = (
        replace(group, steps=tuple(s for s in group.steps if results[s.index].status is Status.not_matched))
        for group in plan.groups
    )
    return replace(plan, groups=tuple(group for group in groups if group.steps))


def _unless_lapsed(result: HookResult, sits_out: HookResult | None) -> HookResult:
    outcome = result.outcome
    fits = sits_out is None or sits_out.status is not Status.not_matched
    if outcome.verdict is not Verdict.ALLOW or outcome.updated_input is not None or fits:
        return result
    return replace(result, outcome=replace(outcome, verdict=Verdict.NONE, reason=""), why=_LAPSED)
