"""The engine in somebody else's program: it cannot hang, it cannot be ended, and a slip of the pen is an error."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import json
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import DEADLINE_S

import hookline
from hookline import Decision, Engine, Event, Outcome, UsageError, Verdict, make_event

BASH = make_event("PreToolUse", tool_name="Bash", tool_input={"command": "ls"})


def both(engine: Engine, event: Event = BASH) -> list[Decision]:
    return [engine.fire_now(event), asyncio.run(engine.fire(event))]


def test_the_workspace_of_an_event_may_be_a_path(tmp_path: Path) -> None:
    (tmp_path / ".hookline").mkdir()
    (tmp_path / ".hookline/hooks.toml").write_text('use = ["secrets"]\n')
    opened = hookline.open_engine(tmp_path, environment={"HOME": str(tmp_path)}, history=False)
    event = make_event(
        "PreToolUse", workspace=tmp_path, tool_name="Bash", tool_input={"command": "cat README.md"}
    )
    decision = opened.engine.fire_now(event)
    assert (decision.verdict, decision.reason) == (Verdict.NONE, "")
    assert event.workspace == str(tmp_path)


def test_a_plain_function_that_blocks_is_a_denial_at_its_limit() -> None:
    engine, release = Engine(), threading.Event()

    @engine.on("PreToolUse", timeout_s=0.1)
    def slow(event: Event) -> None:
        release.wait(DEADLINE_S)

    async def ticks() -> int:
        count = 0

        async def tick() -> None:
            nonlocal count
            while True:
                count += 1
                await asyncio.sleep(0.001)

        ticking = asyncio.create_task(tick())
        decision = await engine.fire(BASH)
        ticking.cancel()
        assert decision.blocked
        return count

    try:
        assert engine.fire_now(BASH).blocked
        assert asyncio.run(ticks()) > 1, "the loop stood still"
    finally:
        release.set()


@pytest.mark.parametrize("direction", ["", "block", "ask", "allow"])
@pytest.mark.parametrize("thread", [False, True])
def test_a_late_answer_is_a_time_out_in_a_thread_or_not(thread: bool, direction: Any) -> None:
    engine = Engine()
    engine.on("PreToolUse", timeout_s=1e-9, thread=thread, on_failure=direction)(
        lambda event: hookline.allow("late")
    )
    for decision in both(engine):
        expected = {"": Verdict.DENY, "block": Verdict.DENY, "ask": Verdict.ASK, "allow": Verdict.NONE}[
            direction
        ]
        assert decision.verdict is expected, decision.explain()
        assert decision.results[0].status is hookline.Status.timed_out
        assert bool(decision.degraded) == (direction == "allow")


@pytest.mark.parametrize(
    "error", [SystemExit(3), GeneratorExit(), RuntimeError("x"), RecursionError(), MemoryError()]
)
@pytest.mark.parametrize("kind", ["thread", "direct", "async"])
def test_whatever_a_callback_raises_is_its_own_failure(error: BaseException, kind: str) -> None:
    engine = Engine()

    def raises(event: Event) -> None:
        raise error

    async def raises_later(event: Event) -> None:
        await asyncio.sleep(0)
        raise error

    if kind == "async":
        engine.on("PreToolUse")(raises_later)
    else:
        engine.on("PreToolUse", thread=kind == "thread")(raises)
    engine.on("PreToolUse", name="other")(lambda event: None)
    for decision in both(engine):
        assert decision.blocked and type(error).__name__ in decision.explain()


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")

    __repr__ = __str__


class MuteAndStuck(Mute, RuntimeError): ...


class Closed:
    """What cannot be looked at: every attribute that it does not have ends the program."""

    def __getattr__(self, name: str) -> None:
        raise SystemExit(name)

    def __repr__(self) -> str:
        raise ValueError("not to be shown")

    __str__ = __repr__


STRANGE: dict[str, Any] = {
    "error": Mute(), "runtime error": MuteAndStuck(), "object": Closed(), "inside": {"reason": Closed()},
    "name": {Closed(): 1},
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("kind", ["thread", "direct", "async"])
def test_what_cannot_be_shown_is_one_hooks_failure_and_silences_no_other(name: str, kind: str) -> None:
    engine, what = Engine(), STRANGE[name]

    def strange(event: Event) -> Any:
        if isinstance(what, Exception):
            raise what
        return what

    async def strange_later(event: Event) -> Any:
        return strange(event)

    if kind == "async":
        engine.on("PreToolUse", name="strange", on_failure="allow")(strange_later)
    else:
        engine.on("PreToolUse", name="strange", on_failure="allow", thread=kind == "thread")(strange)
    engine.on("PreToolUse", thread=False)(lambda event: hookline.deny("the other one"))
    for decision in both(engine):
        assert decision.blocked and decision.reason == "the other one", decision.explain()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (asyncio.CancelledError("me"), "thread"),
        (asyncio.CancelledError("me"), "direct"),
        (KeyboardInterrupt("me"), "thread"),
    ],
)
def test_what_looks_like_the_callers_end_is_the_callbacks_own_where_only_it_can_have_raised_it(
    error: BaseException, kind: str
) -> None:
    engine = Engine()

    @engine.on("PreToolUse", thread=kind == "thread")
    def raises(event: Event) -> None:
        raise error

    for decision in both(engine):
        assert decision.blocked and f"{type(error).__name__}: me" in decision.reason


def test_an_async_hook_that_cannot_be_ended_is_left_behind_by_both_ways() -> None:
    engine, release, rounds = Engine(), threading.Event(), [0]

    @engine.on("PreToolUse", timeout_s=0.05, on_failure="allow")
    async def in_a_thread(event: Event) -> None:
        await asyncio.to_thread(release.wait, 600)

    @engine.on("PreToolUse", timeout_s=0.05)
    async def deaf(event: Event) -> None:
        while rounds[0] < 1000:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                rounds[0] += 1

    decision = engine.fire_now(BASH)
    release.set()
    assert decision.blocked and [result.status.name for result in decision.results] == ["timed_out"] * 2
    assert asyncio.run(engine.fire(BASH)).blocked
    assert rounds[0] < 10


@pytest.mark.parametrize("thread", [True, False])
def test_what_a_hook_takes_out_of_its_event_is_there_for_the_others_and_the_host(thread: bool) -> None:
    given = {"command": "git push", "env": {"A": "1"}}
    engine, seen = Engine(), []

    @engine.on("PreToolUse", thread=thread)
    def careless(event: Event) -> None:
        event.tool_input.pop("command")  # type: ignore[attr-defined]
        if thread:
            event.get("tool_input")["env"].clear()

    @engine.on("PreToolUse", thread=thread)
    async def guard(event: Event) -> Outcome:
        seen.append(event.get("tool_input"))
        return hookline.deny("no push") if "push" in event.tool_input["command"] else hookline.allow()

    event = make_event("PreToolUse", tool_name="Bash", tool_input=given)
    for decision in both(engine, event):
        assert decision.reason == "no push", decision.explain()
    assert given == seen[0] == event.tool_input == {"command": "git push", "env": {"A": "1"}}


class _Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


_ENDLESS: dict[str, Any] = {}
_ENDLESS["more"] = _ENDLESS


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (_Unspeakable(), "it returned <_Unspeakable instance"),
        ({"input": _ENDLESS}, "in JSON"),
        (hookline.rewrite(_ENDLESS), "in JSON"),
    ],
)
def test_what_is_no_answer_is_the_callbacks_failure_in_true_words(value: object, words: str) -> None:
    engine = Engine()
    engine.on("PreToolUse")(lambda event: value)  # type: ignore[arg-type,return-value]
    for decision in both(engine):
        assert decision.blocked and words in decision.reason and "defect" not in decision.reason


@pytest.mark.parametrize("given", ["PreToolUse", None, {"tool_name": "Bash"}])
def test_what_is_no_event_is_refused_in_words(given: Any) -> None:
    for ask in (Engine().fire_now, Engine().explain, lambda it: asyncio.run(Engine().fire(it))):
        with pytest.raises(UsageError, match="expected an event"):
            ask(given)


def test_a_function_in_a_thread_sees_the_callers_context() -> None:
    tenant: contextvars.ContextVar[str] = contextvars.ContextVar("tenant", default="nobody")
    tenant.set("acme")
    engine = Engine()
    engine.on("PreToolUse")(lambda event: hookline.deny(tenant.get()))
    assert [decision.reason for decision in both(engine)] == ["acme", "acme"]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"tool": "Bash", "tool_name": "Bash"}, "tool_name"),
        ({"tool_name": "Bash", "tool_inputs": {}}, "tool_input"),
        ({"tool_input": {}}, "tool_name"),
        ({"tool_name": ""}, "tool_name"),
    ],
)
def test_a_slip_in_a_payload_is_an_error_with_the_right_name(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as caught:
        make_event("PreToolUse", **fields)
    assert words in f"{caught.value.message} {caught.value.hint}"


def test_what_only_some_agent_knows_goes_into_extra() -> None:
    event = make_event("Stop", extra={"transcript": "x"}, session_id="s")
    assert (event.get("transcript"), event.session_id) == ("x", "s")
    assert (BASH.tool_name, BASH.tool_input, BASH.prompt) == ("Bash", {"command": "ls"}, "")
    assert make_event("UserPromptSubmit", prompt="hi").prompt == "hi"


def test_a_decision_says_what_a_host_may_do() -> None:
    answers: list[tuple[Outcome | None, bool, bool]] = [
        (None, True, False), (hookline.allow("a"), True, False), (hookline.ask("b"), False, True),
        (hookline.deny("c"), False, False), (hookline.halt("d"), False, False),
    ]  # fmt: skip
    for answer, may_run, needs_person in answers:
        engine = Engine()
        engine.on("PreToolUse", name="rule")(lambda event, answer=answer: answer)
        decision = engine.fire_now(BASH)
        assert (decision.may_run, decision.needs_person) == (may_run, needs_person)
        shown = json.loads(json.dumps(decision.as_dict()))
        assert (shown["verdict"], shown["reason"]) == (decision.verdict.word, decision.reason)
        assert "rule: ran" in decision.explain() and decision.reason in decision.explain()
        assert len(repr(decision)) < 200


@pytest.mark.parametrize("matcher", ["Bash", "Write"])
@pytest.mark.parametrize("thread", [True, False])
def test_fire_now_where_a_loop_runs_says_what_to_do(matcher: str, thread: bool) -> None:
    """Also where no hook would wait, or none is concerned: it must not depend on the hooks of today."""
    engine = Engine()
    engine.on("PreToolUse", matcher=matcher, thread=thread)(lambda event: None)

    async def inside() -> None:
        with pytest.raises(UsageError, match="event loop") as caught:
            engine.fire_now(BASH)
        assert "await engine.fire(event)" in str(caught.value.hint)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asyncio.run(inside())
        gc.collect()


def test_a_workspace_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no folder"):
        hookline.open_engine(str(tmp_path / "nowhere"), history=False)
    opened = hookline.open_engine(str(tmp_path), history=False)
    assert len(repr(opened)) < 300


def test_help_names_the_fields_of_records() -> None:
    assert list(inspect.signature(Event).parameters)[:2] == ["kind", "session_id"]
    assert inspect.signature(hookline.HookSpec).parameters["timeout_s"].default == 60.0
    assert "TYPE_CHECKING" not in dir(hookline)
