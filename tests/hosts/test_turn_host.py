"""The turn host itself, at moments that no client can time: a turn not begun yet, hooks that outlive their session."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

from tests.program import Program
from tests.waiting import until

from hookline.agents.scripted import ScriptedModel, script_from
from hookline.engine.opening import open_engine
from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.session import Completion
from hookline.hosts.turns.ui_stream import user_message

WRITES = {"tool_calls": [{"name": "Write", "input": {"file_path": "a", "content": "1"}}]}


def hosted(
    program: Program, turns: list[dict[str, Any]], work: Callable[[TurnHost], Coroutine[Any, Any, None]]
) -> None:
    async def run() -> None:
        opened = open_engine(str(program.workspace), environment=program.environment, history=False)
        host = TurnHost(opened, ScriptedModel(script_from({"turns": turns})))
        try:
            await asyncio.wait_for(work(host), 30)
        finally:
            await host.close()

    asyncio.run(run())


def say(host: TurnHost, session: str, text: str) -> Completion:
    return host.start(session, user_message("", text))


async def ended(completion: Completion) -> None:
    assert completion.task is not None
    await asyncio.wait({completion.task})


def background(program: Program, end: str, **more: Any) -> None:
    line = f"while ! test -e go; do sleep 0.01; done; {end}"
    entry = {"type": "command", "command": line, "async": True, **more}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [{"hooks": [entry]}]}}))


def test_a_turn_that_is_cancelled_before_it_began_ends(program: Program) -> None:
    """It counted as running for ever, and the session took no further message."""

    async def work(host: TurnHost) -> None:
        first = say(host, "s", "never mind")
        assert await host.cancel("s") == first.id
        assert first.log.closed and host.session("s").running is None
        await ended(say(host, "s", "but this"))
        assert "done" in json.dumps(host.session("s").messages)

    hosted(program, [{"text": "done"}], work)


def test_a_background_hook_is_heard_in_its_own_session_alone(program: Program) -> None:
    """Whichever session asked its model next got the words, and the other never heard them."""
    said = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "the build is red"}}
    background(program, f"echo '{json.dumps(said)}'")

    async def work(host: TurnHost) -> None:
        await ended(say(host, "a", "write"))
        program.write("go", "")
        engine = host.engine
        await asyncio.to_thread(until, lambda: engine._background and engine._background._ended)
        for session in ("b", "a"):
            await ended(say(host, session, "what now?"))
        heard = {each: json.dumps(host.session(each).loop.messages) for each in "ab"}  # type: ignore[union-attr]
        assert ["the build is red" in heard[each] for each in "ab"] == [True, False]

    hosted(program, [WRITES, {"text": "ok"}, {"text": "b"}, {"text": "a"}], work)


def test_a_deleted_session_is_woken_by_no_hook(program: Program) -> None:
    background(program, "echo red >&2; exit 2", asyncRewake=True)

    async def work(host: TurnHost) -> None:
        await ended(say(host, "a", "write"))
        session = host.session("a")
        assert session.evaluation is not None
        await asyncio.wait({session.evaluation})
        await host.forget("a")
        ends = asyncio.ensure_future(host.engine.one_that_may_wake_ended("a"))
        program.write("go", "")
        assert await ends
        for _ in range(5):
            await asyncio.sleep(0)
        assert host.find("a") is None

    hosted(program, [WRITES, {"text": "ok"}, {"text": "woken"}], work)
