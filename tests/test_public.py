"""The public names: lazy, complete, and enough to embed the engine."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import hookline
from hookline import Engine, Event, Outcome, Services, Status, Verdict
from hookline.engine.admission import CodeTrust


def push(command: str = "git push --force") -> Event:
    return hookline.make_event("PreToolUse", tool_name="Bash", tool_input={"command": command})


def test_every_public_name_is_there() -> None:
    assert [name for name in hookline.__all__ if not hasattr(hookline, name)] == []
    with pytest.raises(AttributeError, match="no attribute `Enginee`"):
        _ = hookline.Enginee  # type: ignore[attr-defined]  # that is the point


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, hookline; print([name for name in sys.modules if name.startswith('hookline.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_decorated_function_is_a_hook() -> None:
    engine = Engine(services=Services(environment={}))

    @engine.on("PreToolUse", matcher="Bash|Edit")
    def guard(event: Event) -> Outcome | None:
        return hookline.deny("not so fast") if "--force" in event.get("tool_input")["command"] else None

    denied = engine.fire_now(push())
    assert (denied.verdict, denied.reason) == (Verdict.DENY, "not so fast")
    assert engine.fire_now(push("ls")).verdict == Verdict.NONE
    assert [result.spec.id for result in denied.results] == ["hookline:guard"]


def test_an_async_function_is_one_too_on_both_fronts() -> None:
    engine = Engine(services=Services(environment={}))

    @engine.on("PreToolUse")
    async def guard(event: Event) -> Outcome:
        await asyncio.sleep(0)
        return hookline.ask(f"sure about {event.get('tool_name')}?")

    assert engine.fire_now(push()).reason == "sure about Bash?"
    assert asyncio.run(engine.fire(push())).verdict == Verdict.ASK


def test_what_runs_with_a_listener_gets_the_event_all_the_same() -> None:
    heard: list[object] = []
    engine = Engine(services=Services(environment={}))
    engine.listen(heard.append)

    @engine.on("PreToolUse")
    def rewriting(event: Event) -> Outcome:
        return hookline.rewrite({**event.get("tool_input"), "timeout": 5})

    assert engine.fire_now(push("ls")).updated_input == {"command": "ls", "timeout": 5}
    assert len(heard) == 2


def test_two_functions_of_one_name_are_two_hooks() -> None:
    engine = Engine(services=Services(environment={}))
    for text in ("one", "two"):
        engine.on("UserPromptSubmit", name="remind")(lambda event, text=text: hookline.context(text))
    decision = engine.fire_now(hookline.make_event("UserPromptSubmit", prompt="hi"))
    assert decision.contexts == ("one", "two")
    assert [result.spec.id for result in decision.results] == ["hookline:remind", "hookline:remind:2"]


def test_a_matcher_that_is_no_list_of_names_is_a_whole_pattern() -> None:
    engine = Engine(services=Services(environment={}))
    engine.on("PreToolUse", matcher="mcp__.*")(lambda event: hookline.halt("no servers"))
    assert engine.fire_now(hookline.make_event("PreToolUse", tool_name="mcp__a__b")).verdict == Verdict.HALT
    assert engine.fire_now(hookline.make_event("PreToolUse", tool_name="x_mcp__a__b")).verdict == Verdict.NONE


def test_a_wrong_event_is_refused_with_the_nearest() -> None:
    with pytest.raises(hookline.HooklineError) as raised:
        Engine(services=Services(environment={})).on("PreTolUse")(lambda event: None)
    assert raised.value.hint == "did you mean `PreToolUse`?"


@pytest.mark.parametrize("given", [True, 0, "deny", hookline.deny, ["deny"]])
def test_a_guard_that_returns_something_else_has_failed(given: object) -> None:
    """A mistake such as `return deny` for `return deny("…")` lets nothing through."""
    engine = Engine(services=Services(environment={}))
    engine.on("PreToolUse")(lambda event: given)
    decision = engine.fire_now(push())
    assert (decision.verdict, decision.results[0].status) == (Verdict.DENY, Status.bad_output)
    assert "not None or one of `deny(…)`" in decision.reason


@pytest.mark.parametrize(
    "answer",
    [
        lambda: hookline.deny(5),  # type: ignore[arg-type]  # that is the point, in all of them
        lambda: hookline.ask(None),  # type: ignore[arg-type]
        lambda: hookline.context("fine", 5),  # type: ignore[arg-type]
        lambda: hookline.rewrite("ls"),  # type: ignore[arg-type]
    ],
)
def test_an_answer_without_its_text_fails_where_it_is_made(answer: Callable[[], Outcome]) -> None:
    engine = Engine(services=Services(environment={}))
    engine.on("PreToolUse")(lambda event: answer())
    decision = engine.fire_now(push())
    assert decision.verdict == Verdict.DENY
    assert "TypeError" in decision.reason and "expected" in decision.reason


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"matcher": 5}, "`matcher`"),
        ({"matcher": "("}, "`matcher`"),
        ({"timeout_s": "5"}, "`timeout_s`"),
        ({"timeout_s": 0}, "`timeout_s`"),
        ({"timeout_s": float("nan")}, "`timeout_s`"),
        ({"on_failure": "panic"}, "`on_failure`"),
    ],
)
def test_a_hook_that_could_never_work_is_refused(options: dict[str, Any], word: str) -> None:
    with pytest.raises(hookline.HooklineError, match=word):
        Engine(services=Services(environment={})).on("PreToolUse", **options)(lambda event: None)
    with pytest.raises(hookline.HooklineError, match="something to call"):
        Engine(services=Services(environment={})).on("PreToolUse")("not me")  # type: ignore[arg-type]  # that is the point


def test_whoever_stops_listening_hears_no_more_and_disturbs_nobody() -> None:
    engine = Engine(services=Services(environment={}))
    engine.on("PreToolUse")(lambda event: None)
    first: list[object] = []
    second: list[object] = []

    def fails(news: object) -> None:
        raise ValueError("deaf")

    engine.listen(fails)
    undo = engine.listen(first.append)
    engine.listen(second.append)
    event = push()
    assert engine.fire_now(event).verdict == Verdict.NONE
    undo()
    engine.fire_now(event)
    assert (len(first), len(second)) == (2, 4)


def test_services_are_exchanged_for_the_events_from_then_on() -> None:
    class Refusing(CodeTrust):
        def state(self, spec: hookline.HookSpec) -> str:
            return "untrusted"

    engine = Engine(services=Services(environment={}))
    engine.on("PreToolUse")(lambda event: hookline.deny("no"))
    event = push()
    assert engine.fire_now(event).verdict == Verdict.DENY
    engine.provide(trust=Refusing())
    assert engine.fire_now(event).results[0].status == Status.untrusted
