"""What every integration has in common: moments become rulings, a person is asked, names are those of hooks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from hookline import Engine, Outcome, allow, ask, context, deny, rewrite
from hookline.integrations.gate import SESSIONS_KEPT, Gate, Question, Ruling, Sessions, plain


def engine(**hooks: Callable[[Any], Any]) -> Engine:
    made = Engine()
    for event, hook in hooks.items():
        made.on(event, thread=False)(hook)  # type: ignore[arg-type]  # names of events, as keywords
    return made


def before(gate: Gate, name: str = "Bash", **given: Any) -> Ruling:
    return asyncio.run(gate.before(name, given))


def fails(question: Question) -> bool:
    raise OSError("no terminal")


async def says_yes(question: Question) -> bool:
    return question.reason == "sure?"


@pytest.mark.parametrize(
    ("person", "word", "reason"),
    [
        (None, "deny", "sure?; a person has to permit it, and nobody is there to ask"),
        (lambda question: False, "deny", "sure?; the person said no"),
        (lambda question: "yes", "deny", "sure?; the person said no"),
        (fails, "deny", "sure?; the person could not be asked: OSError: no terminal"),
        (lambda question: True, "allow", ""),
        (says_yes, "allow", ""),
    ],
)
def test_only_a_persons_yes_is_one(person: Any, word: str, reason: str) -> None:
    gate = Gate(engine(PreToolUse=lambda event: ask("sure?")), ask=person)
    ruling = before(gate, command="git push")
    assert (ruling.word, ruling.reason) == (word, reason)


def test_permission_hooks_are_asked_before_the_person() -> None:
    answers = {"a": allow(), "b": deny("never"), "c": rewrite({"command": "c --dry-run"})}
    asked: list[Any] = []
    hooks = engine(
        PreToolUse=lambda event: ask("sure?"),
        PermissionRequest=lambda event: answers.get(event.tool_input["command"]),
    )
    gate = Gate(hooks, ask=lambda question: asked.append(question.tool_input["command"]) is None)
    rulings = [before(gate, command=each) for each in "abcd"]
    assert [each.word for each in rulings] == ["allow", "deny", "allow", "allow"]
    assert (rulings[1].reason, rulings[2].value) == ("never", {"command": "c --dry-run"})
    assert asked == ["c --dry-run", "d"]


def test_hooks_know_a_tool_by_their_own_names_and_rewrite_it_back() -> None:
    heard: list[Any] = []

    def https(event: Any) -> Outcome:
        heard.append((event.tool_name, dict(event.tool_input)))
        return rewrite({**event.tool_input, "command": "curl https://x"})

    gate = Gate(engine(PreToolUse=https), tools={"run": ("Bash", {"cmd": "command"})})
    assert before(gate, "run", cmd="curl http://x", limit=3).value == {"cmd": "curl https://x", "limit": 3}
    assert heard == [("Bash", {"command": "curl http://x", "limit": 3})]


def test_context_before_a_tool_goes_with_its_result_and_with_a_denial() -> None:
    async def rulings() -> tuple[Ruling, Ruling]:
        gate = Gate(engine(PreToolUse=lambda event: context("mind the gap")))
        await gate.before("Bash", {})
        first = await gate.after("Bash", {}, "done")
        return first, await gate.after("Bash", {}, "done")

    first, second = asyncio.run(rulings())
    assert (first.text, second.text) == ("done\n\nmind the gap", "done")
    both = Gate(
        engine(PreToolUse=lambda event: Outcome(deny("no").verdict, "no", contexts=("read the docs",)))
    )
    assert before(both).refusal == "Blocked by a hook: no\n\nread the docs"


def test_nothing_that_hooks_say_is_lost() -> None:
    told: list[str] = []

    def broken(event: Any) -> None:
        raise ValueError("oh")

    hooks = Engine()
    hooks.on("PreToolUse", on_failure="allow", thread=False)(broken)
    hooks.on("PreToolUse", thread=False)(
        lambda event: Outcome(messages=("for you",), products={"color": "red"})
    )
    assert before(Gate(hooks, tell=told.append)).allowed
    assert "for you" in told and "a hook asked for `color` at PreToolUse, which has no effect here" in told
    assert any("broken" in words for words in told), told


def test_a_session_remembers_only_its_own_and_old_ones_are_let_go() -> None:
    sessions = Sessions(Gate(engine(SessionStart=lambda event: context("hello"))))

    async def notes() -> list[tuple[str, ...]]:
        await sessions.of("a").start()
        found = [(await sessions.of(each).prompt("x")).notes for each in "ba"]
        sessions.forget("a")
        return [*found, (await sessions.of("a").prompt("x")).notes]

    assert asyncio.run(notes()) == [(), ("hello",), ()]
    kept = sessions.of("b")
    for number in range(SESSIONS_KEPT):
        sessions.of(str(number))
    assert sessions.of("b") is not kept


@dataclass
class Pair:
    left: Any
    right: Any = None


def test_values_are_shown_as_json_whatever_they_are() -> None:
    itself: list[Any] = []
    itself.append(itself)
    assert plain({"a": Pair(1, {2}), 3: (None, 1.5)}) == {"a": {"left": 1, "right": [2]}, "3": [None, 1.5]}
    assert plain(Pair) == str(Pair) and plain(object) == str(object)
    assert str(itself) in str(plain(itself))
