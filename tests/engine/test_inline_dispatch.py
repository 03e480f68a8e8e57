"""Hooks that are Python callables: one decision, in config order, every hook accounted for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hookline.engine import Engine
from hookline.engine.services import Services
from hookline.model.events import Event, EventKind, ToolCall
from hookline.model.hooks import HookSpec, Inline, Matcher
from hookline.model.results import Outcome, Status, Verdict

BASH = Event(EventKind.PreToolUse, body=ToolCall("Bash", {"command": "ls"}, "t1"))


def hook(
    callback: Callable[[Event], Any], name: str = "h", kind: EventKind = EventKind.PreToolUse, **more: Any
) -> HookSpec:
    return HookSpec(
        f"hookline:{kind.value}:{name}", "hookline", kind, kind.value, Inline(callback), name, **more
    )


def says(outcome: Outcome | None) -> Callable[[Event], Outcome | None]:
    return lambda event: outcome


def test_nothing_registered_is_no_opinion() -> None:
    decision = Engine(services=Services(environment={})).fire_now(BASH)
    assert (decision.verdict, decision.results, decision.blocked) == (Verdict.NONE, (), False)


def test_a_denial_carries_its_reason_and_stops_later_hooks() -> None:
    engine = Engine(
        [
            hook(says(None), "first"),
            hook(says(Outcome(Verdict.DENY, "not here")), "second"),
            hook(says(Outcome(Verdict.ALLOW)), "third"),
            hook(says(None), "other", EventKind.Stop),
        ],
        Services(environment={}),
    )
    decision = engine.fire_now(BASH)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "not here")
    assert [r.status.value for r in decision.results] == ["ran", "ran", "not_reached", "not_matched"]
    assert decision.results[2].why == "`second` denied first"
    assert decision.results[3].why == "listens to Stop, not to PreToolUse"


def test_a_guard_that_raises_blocks_and_an_observer_does_not() -> None:
    def broken(event: Event) -> None:
        raise ValueError("no config")

    denied = Engine([hook(broken, "guard")], Services(environment={})).fire_now(BASH)
    assert denied.verdict == Verdict.DENY
    assert denied.reason == "guard `guard` failed: ValueError: no config"
    after = Event(EventKind.PostToolUse, body=ToolCall("Bash"))
    seen = Engine([hook(broken, "watch", EventKind.PostToolUse)], Services(environment={})).fire_now(after)
    assert seen.verdict == Verdict.NONE
    assert seen.messages == ("watch: ValueError: no config",)


def test_on_failure_turns_a_broken_guard_into_what_its_author_wants() -> None:
    def broken(event: Event) -> None:
        raise ValueError("x")

    verdicts = {
        wish: Engine([hook(broken, on_failure=wish)], Services(environment={})).fire_now(BASH).verdict
        for wish in ("block", "ask", "allow")
    }
    assert verdicts == {"block": Verdict.DENY, "ask": Verdict.ASK, "allow": Verdict.NONE}


def test_a_matcher_keeps_a_hook_out_and_says_so() -> None:
    engine = Engine(
        [hook(says(Outcome(Verdict.DENY)), matcher=Matcher("exact", "Write"))], Services(environment={})
    )
    decision = engine.fire_now(BASH)
    assert decision.verdict == Verdict.NONE
    assert decision.results[0].why == "matcher `Write` (exact) does not fit tool_name `Bash`"


def test_a_disabled_hook_is_listed_with_its_reason() -> None:
    engine = Engine([hook(says(Outcome(Verdict.DENY)), enabled=False)], Services(environment={}))
    result = engine.fire_now(BASH).results[0]
    assert (result.status, result.why) == (Status.disabled, "switched off in its config")


def test_explain_runs_nothing_and_says_what_would_run() -> None:
    calls: list[Event] = []
    engine = Engine([hook(calls.append)], Services(environment={}))
    decision = engine.explain(BASH)
    assert calls == []
    assert decision.results[0].status == Status.would_run
    assert decision.results[0].why == "matches"


def test_hooks_added_later_take_effect_with_a_new_generation() -> None:
    engine = Engine(services=Services(environment={}))
    assert engine.fire_now(BASH).generation == 1
    engine.add(hook(says(Outcome(Verdict.DENY, "now"))))
    decision = engine.fire_now(BASH)
    assert (decision.verdict, decision.generation) == (Verdict.DENY, 2)


def test_a_hook_started_by_a_hook_does_not_run_hooks_again() -> None:
    engine = Engine([hook(says(Outcome(Verdict.DENY)))], Services(environment={"HOOKLINE_DEPTH": "2"}))
    decision = engine.fire_now(BASH)
    assert decision.verdict == Verdict.NONE
    assert decision.results[0].status == Status.disabled
    assert "HOOKLINE_DEPTH=2" in decision.results[0].why


def test_each_rewriting_hook_sees_what_the_one_before_it_left() -> None:
    """Rewrites compose in config order."""

    def append(text: str) -> Callable[[Event], Outcome]:
        return lambda event: Outcome(updated_input={"command": event.get("tool_input")["command"] + text})

    engine = Engine(
        [hook(append(" -l"), "a"), hook(says(None), "b"), hook(append(" ."), "c")], Services(environment={})
    )
    assert engine.fire_now(BASH).updated_input == {"command": "ls -l ."}


outcomes = st.builds(
    Outcome,
    st.sampled_from(list(Verdict)),
    st.text(max_size=3),
    st.none() | st.fixed_dictionaries({"command": st.text(max_size=3)}),
    st.lists(st.text(min_size=1, max_size=3), max_size=2).map(tuple),
)


@given(st.lists(outcomes, max_size=5))
def test_the_strictest_verdict_wins_whatever_the_order_of_the_others(given_outcomes: list[Outcome]) -> None:
    """Deny beats ask beats allow beats none; a hook's allow never undoes another's denial."""
    engine = Engine([hook(says(o), str(n)) for n, o in enumerate(given_outcomes)], Services(environment={}))
    decision = engine.fire_now(BASH)
    reached = []
    for outcome in given_outcomes:
        reached.append(outcome.verdict)
        if outcome.verdict >= Verdict.DENY:
            break
    assert decision.verdict == max(reached, default=Verdict.NONE)
    if decision.blocked:
        assert decision.updated_input is None
