"""hookline's hooks as an interceptor of AGENT-HOOKS-0.1, and what of our host no vector can say."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.integrations.guards import claude_workspace
from tests.integrations.vectors import Player, Scripted, played_tool
from tests.waiting import DEADLINE_S

from hookline import Engine, Toolbox, UsageError, context, deny, halt, rewrite
from hookline.integrations.agent_hooks import Composition, Emission, Hooks, Host, Identity, MediatedLoop
from hookline.integrations.agent_hooks.verdicts import HostError, checked

SHELL = {"shell": ("Bash", {"line": "command"})}


async def started(host: Host) -> Host:
    await host.emit("agent_startup", agent_init={"tools_registered": []})
    return host


def emit(host: Host, point: str, **fields: Any) -> Emission:
    async def both() -> Emission:
        return await (await started(host)).emit(point, **fields)

    return asyncio.run(both())


def call(line: str, name: str = "shell") -> dict[str, Any]:
    return {"id": "c1", "name": name, "args": {"line": line}}


def result(value: Any, *, is_error: bool = False) -> dict[str, Any]:
    return {"tool_call": call("ls"), "tool_result": {"value": value, "is_error": is_error}}


def of(*hooks: tuple[str, Callable[..., Any]]) -> Host:
    engine = Engine()
    for event, hook in hooks:
        engine.on(event, thread=False)(hook)
    return Host([Hooks(engine)])


# -- a guard of Claude Code, in front of an agent that never heard of it ---------------------------------


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    return Hooks(claude_workspace(tmp_path_factory.mktemp("guarded")), tools=SHELL)


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("rm -rf build", {"decision": "deny", "reason": "use git clean", "message": "use git clean"}),
        ("git push", {"decision": "deny", "reason": "pushing is for people", "message": "pushing is for people",
                      "approval": {}}),
        ("curl http://x", {"decision": "transform", "transform": {"path": "$target", "value": {"line": "curl https://x"}}}),
        ("ls", {"decision": "allow"}),
    ],
)  # fmt: skip
def test_a_guard_of_claude_code_judges_the_call_of_any_agent(
    guarded: Hooks, line: str, verdict: dict[str, Any]
) -> None:
    assert emit(Host([guarded]), "pre_tool_call", tool_call=call(line)).verdict == verdict


def test_a_guard_of_claude_code_stops_an_agent_of_the_standard(tmp_path: Path) -> None:
    """The whole way: model, tool, guard script, and back to the model; and nothing else of the run is touched."""
    hooks = Hooks(claude_workspace(tmp_path), tools={"shell": "Bash"})
    scripts = [("rm -rf build", "c1"), ("cat secret.txt", "c2"), ("ls", "c3")]
    asked = [[{"id": each, "name": "shell", "args": {"command": line}}] for line, each in scripts]
    answers = [{"content": None, "tool_calls": calls, "finish_reason": "tool_calls"} for calls in asked]
    answers.append({"content": "Done.", "tool_calls": [], "finish_reason": "stop"})
    tools = [
        {
            "name": "shell",
            "behavior": [{"when_args": {"command": "ls"}, "return": "a b"}, {"return": "secret"}],
        }
    ]
    invoked: list[dict[str, Any]] = []
    host = Host([hooks, heard := Scripted([])])

    async def session() -> str:
        loop = MediatedLoop(
            Engine(), Player([{"respond": each} for each in answers]), host,
            workspace=str(tmp_path), toolbox=Toolbox(played_tool(each, invoked) for each in tools),
        )  # fmt: skip
        await loop.start()
        text = (await loop.submit("Tidy up.")).text
        await loop.end()
        return text

    assert asyncio.run(session()) == "Done."
    assert [each["args"]["command"] for each in invoked] == ["cat secret.txt", "ls"]
    told = str(
        [each["messages"] for each in heard.heard if each["interception_point"] == "pre_model_call"][-1]
    )
    assert "use git clean" in told and "a b\\n\\nchecked by a guard" in told
    assert "***" in told and "'secret'" not in told


# -- each event by the row of its point ------------------------------------------------------------------


def test_context_of_the_start_and_of_the_prompt_goes_with_the_prompt() -> None:
    host = of(
        ("SessionStart", lambda event: context("It is Monday.")),
        ("UserPromptSubmit", lambda event: context("Be brief.")),
    )
    emission = emit(host, "input", input={"content": "Hello", "role": "user"})
    assert emission.context["input"] == {"content": "Hello\n\nIt is Monday.\n\nBe brief.", "role": "user"}


@pytest.mark.parametrize(
    ("value", "hook", "verdict"),
    [
        ("out", lambda event: context("noted"), ("transform", "out\n\nnoted")),
        ("out", lambda event: deny("too long"), ("transform", "out\n\n[hook] too long")),
        ({"a": 1}, lambda event: context("noted"), ("allow", ["for the model: noted"])),
        ("out", lambda event: halt("enough"), ("deny", "enough")),
        ("out", lambda event: None, ("allow", [])),
    ],
)
def test_what_hooks_say_after_a_tool_reaches_the_model(
    value: Any, hook: Any, verdict: tuple[str, Any]
) -> None:
    found = emit(of(("PostToolUse", hook)), "post_tool_call", **result(value)).verdict
    said = {
        "transform": lambda: found["transform"]["value"],
        "deny": lambda: found["reason"],
        "allow": lambda: [each["message"] for each in found.get("warnings", ())],
    }
    assert (found["decision"], said[found["decision"]]()) == verdict


def test_a_failed_call_is_told_as_one() -> None:
    heard: list[Any] = []
    emit(of(("PostToolUseFailure", lambda event: heard.append(event.get("error")))), "post_tool_call",
         **result("no such file", is_error=True))  # fmt: skip
    assert heard == ["no such file"]


def test_a_stop_hook_keeps_the_answer_back_three_times_at_most() -> None:
    active: list[bool] = []

    def unfinished(event: Any) -> Any:
        active.append(event.get("stop_hook_active"))
        return deny("run the tests")

    async def answers() -> list[str]:
        host = await started(of(("Stop", unfinished)))
        emissions = [await host.emit("output", output={"content": "done"}) for _ in range(4)]
        return [each.verdict["decision"] for each in emissions]

    assert asyncio.run(answers()) == ["deny", "deny", "deny", "allow"]
    assert active == [False, True, True, True]


def test_after_a_halt_nothing_is_done_until_the_next_prompt() -> None:
    async def verdicts() -> list[str]:
        host = await started(
            of(("PreToolUse", lambda event: halt("enough") if "x" in str(event.tool_input) else None))
        )
        emissions = [
            await host.emit("pre_tool_call", tool_call=call("x")),
            await host.emit("pre_tool_call", tool_call=call("y")),
            await host.emit("pre_model_call", model={"id": "m"}, messages=[]),
            await host.emit("input", input={"content": "go on", "role": "user"}),
            await host.emit("pre_tool_call", tool_call=call("y")),
        ]
        return [each.verdict["decision"] for each in emissions]

    assert asyncio.run(verdicts()) == ["deny", "deny", "deny", "allow", "allow"]


def test_a_rewritten_prompt_that_is_no_text_is_denied_rather_than_lost() -> None:
    host = of(("UserPromptSubmit", lambda event: rewrite({"prompt": "else"})))
    found = emit(host, "input", input={"content": {"image": "x"}, "role": "user"}).verdict
    assert (found["decision"], found["reason"]) == ("deny", "a hook rewrote a prompt that is no text")


def test_hooks_of_the_model_see_and_change_what_it_is_asked(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    line = (
        """echo '{"hookSpecificOutput": {"hookEventName": "BeforeModel", "llm_request": {"messages": []}}}'"""
    )
    settings = {"hooks": {"BeforeModel": [{"hooks": [{"type": "command", "command": line}]}]}}
    (tmp_path / ".gemini" / "settings.json").write_text(json.dumps(settings))
    engine = claude_workspace(tmp_path)
    messages = [{"role": "user", "content": "x"}]
    emission = emit(Host([Hooks(engine)]), "pre_model_call", model={"id": "m"}, messages=messages)
    assert emission.context["messages"] == []


# -- the host, beside the vectors ------------------------------------------------------------------------


async def hangs(context: Any) -> Any:
    await asyncio.sleep(60)


def test_interceptors_that_are_late_or_fail_are_denials_of_their_own() -> None:
    release = threading.Event()

    def exits(context: Any) -> Any:
        raise SystemExit

    try:
        for interceptor, reason in (
            (hangs, "interceptor_timeout"), (lambda context: release.wait(DEADLINE_S), "interceptor_timeout"),
            (exits, "interceptor_failed"), (lambda context: {"decision": object()}, "interceptor_failed"),
            (lambda context: None, "verdict_invalid"),
        ):  # fmt: skip
            host = Host([interceptor], timeout_s=0.05)
            emission = asyncio.run(host.emit("agent_startup", agent_init={"tools_registered": []}))
            assert (emission.proceeds, emission.verdict["reason"]) == (False, f"host_error:{reason}")
    finally:
        release.set()


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"decision": "allow", "reason": "host_error:x"}, "verdict_invalid"),
        ({"decision": "allow", "approval": {}}, "verdict_invalid"),
        ({"decision": "deny", "transform": {"path": "$target"}}, "verdict_invalid"),
        ({"decision": "allow", "warnings": [{"reason": "host_error:x"}]}, "verdict_invalid"),
        ({"decision": "allow", "result_labels": [1]}, "verdict_invalid"),
        ({"decision": "perhaps"}, "verdict_invalid"),
        ({"decision": "allow", "evidence": {"artefact": 1}}, "verdict_invalid"),
        ({"decision": "allow", "score": float("nan")}, "interceptor_failed"),
    ],
)
def test_what_is_no_verdict_is_refused(given: dict[str, Any], code: str) -> None:
    with pytest.raises(HostError) as raised:
        checked(given)
    assert raised.value.code == code


@pytest.mark.parametrize(
    "path", ["$snapshot.line", "$target.other", "$target.line.deeper", "$target[0]", "$target..x"]
)
def test_a_path_that_leads_nowhere_is_a_denial(path: str) -> None:
    rule = {
        "at": "pre_tool_call",
        "return": {"decision": "transform", "transform": {"path": path, "value": 1}},
    }
    emission = emit(Host([Scripted([rule])]), "pre_tool_call", tool_call=call("x"))
    wanted = "transform_target_forbidden" if "snapshot" in path else "transform_invalid"
    assert emission.verdict["reason"] == f"host_error:{wanted}"


def test_a_context_that_cannot_be_made_is_denied_and_on_record() -> None:
    host = Host([Scripted([])])
    for point, fields in (
        ("pre_tool_call", {"tool_call": {**call("ls"), "id": ""}}), ("pre_tool_call", {"tool_call": {"id": "c"}}),
        ("input", {"input": {"content": "x", "role": "robot"}}), ("output", {}),
        ("post_tool_call", {**result("x"), "tool_result": {"value": "x", "is_error": "no"}}),
    ):  # fmt: skip
        assert emit(host, point, **fields).verdict["reason"] == "host_error:context_invalid", (point, fields)
        host = Host([Scripted([])])
    for args in ({"n": float("nan")}, {"s": "\ud800"}, {"o": threading.Lock()}, {1: 2}, "no object"):
        emission = emit(host, "pre_tool_call", tool_call={"id": "c", "name": "n", "args": args})
        assert emission.verdict["reason"] == "host_error:context_invalid"
        assert (host.records[-1]["input_identity"], host.records[-1]["verdicts"]) == (None, [])
        host = Host([Scripted([])])


def test_calls_side_by_side_have_numbers_of_their_own() -> None:
    async def many() -> list[int]:
        host = await started(Host([lambda context: {"decision": "allow"}]))
        await asyncio.gather(*(host.emit("pre_tool_call", tool_call=call(str(n))) for n in range(20)))
        return [record["sequence"] for record in host.records]

    assert sorted(asyncio.run(many())) == list(range(21))


def test_nothing_comes_before_the_start_or_after_the_end() -> None:
    async def wrong(points: list[str]) -> None:
        host = Host([lambda context: {"decision": "deny"}])
        for point in points:
            fields = {"agent_init": {"tools_registered": []}} if point == "agent_startup" else {}
            await host.emit(point, **{"summary": {"reason": "error"}, **fields})

    for points in (
        ["input"],
        ["agent_startup", "input"],
        ["agent_startup", "agent_shutdown", "agent_shutdown"],
        ["x"],
    ):
        with pytest.raises(UsageError, match=r"cannot come here|no interception point"):
            asyncio.run(wrong(points))


def test_slips_of_the_pen_are_errors() -> None:
    wrong: tuple[Callable[[], object], ...] = (
        lambda: Host([], composition=Composition("quorum")),
        lambda: Host([], composition=Composition(on_approval="go")),
        lambda: Host([], mode="off"),
        lambda: Identity("jcs-mine", lambda context: "x"),
        lambda: Identity("mine"),
    )
    for each in wrong:
        with pytest.raises(UsageError):
            each()


def test_nothing_of_an_answer_is_told_before_it_is_permitted() -> None:
    said: list[str] = []

    async def turn(rules: list[dict[str, Any]]) -> str:
        player = Player([{"respond": {"content": "the secret", "tool_calls": [], "finish_reason": "stop"}}])
        hear = lambda event: said.append(event.get("text", "")) if event.get("role") == "assistant" else None  # noqa: E731
        loop = MediatedLoop(Engine(), player, Host([Scripted(rules)]), workspace="/", on_event=hear)
        await loop.start()
        return (await loop.submit("x")).text

    rewritten = {"decision": "transform", "transform": {"path": "$target.content", "value": "***"}}
    assert asyncio.run(turn([{"at": "output", "return": {"decision": "deny"}}])) == ""
    assert said == []
    assert asyncio.run(turn([{"at": "output", "return": rewritten}])) == "***"
    assert said == ["***"]


def test_a_person_is_asked_through_the_approval_of_the_host(guarded: Hooks) -> None:
    def approve(request: dict[str, Any]) -> dict[str, Any]:
        assert request["verdict"]["reason"] == "pushing is for people"
        return {
            "outcome": "approve",
            "context_identity": request["context_identity"],
            "verdict": {"decision": "allow"},
        }

    emission = emit(Host([guarded], resolver=approve), "pre_tool_call", tool_call=call("git push"))
    assert (emission.proceeds, emission.record["resolved_by"]) == (True, "approval")
