"""Prompt and agent hooks, with a scripted model; tools of MCP servers, with a scripted server."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.handlers.builders import around_in, hook

from hookline.handlers import handler_for
from hookline.handlers.base import ModelAnswer
from hookline.handlers.prompt import SYSTEM, filled
from hookline.model.hooks import HandlerInput, McpTool, PromptCheck, Unusable
from hookline.system.loops import loop as loops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.model.hooks import Action
    from hookline.model.results import RawResult

PAYLOAD = {"tool_name": "Bash", "tool_input": {"command": "rm -rf 'ä'", "lines": [1, 2]}}


def carry_out(action: Action, folder: Path, drive: Any = asyncio.run, **around: Any) -> RawResult:
    given = HandlerInput(payload=PAYLOAD)
    surroundings = around_in(folder, **around)
    raw: RawResult = drive(handler_for(action)(action, hook(action, grace_s=0.1), given, surroundings))
    return raw


class Model:
    """Answers as told and keeps what it was asked."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, Mapping[str, Any]]] = []

    async def __call__(self, prompt: str, model: str, options: Mapping[str, Any]) -> str:
        self.asked.append((prompt, model, options))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("drive", [asyncio.run, loops.run], ids=["asyncio", "poll loop"])
def test_the_model_is_asked_with_the_payload_and_its_verdict_is_the_value(drive: Any, tmp_path: Path) -> None:
    model = Model('{"ok": false, "reason": "deletes files"}')
    action = PromptCheck("Is this safe? $ARGUMENTS", "haiku", agent=True)
    raw = carry_out(action, tmp_path, drive, complete=model)
    assert raw.value == {"ok": False, "reason": "deletes files"}
    assert (raw.exit_code, raw.stdout) == (0, '{"ok": false, "reason": "deletes files"}')
    ((prompt, name, options),) = model.asked
    head, material, foot = prompt.removeprefix("Is this safe? ").splitlines()
    assert json.loads(material) == PAYLOAD
    assert foot == f"</{head[1:]}"
    expected = {"payload": PAYLOAD, "agent": True, "system": SYSTEM, "timeout_s": 60.0}
    assert callable(options["on_failure"])
    assert (name, {key: options[key] for key in options if key != "on_failure"}) == ("haiku", expected)


def test_no_two_questions_have_the_same_marks(tmp_path: Path) -> None:
    """So a payload cannot end the part that is material: it would have to know the next question's number."""
    model = Model('{"ok": true}')
    for _ in range(2):
        carry_out(PromptCheck("$ARGUMENTS"), tmp_path, complete=model)
    first, second = (prompt.splitlines()[0] for prompt, _, _ in model.asked)
    assert first != second and len(first) > 20


def test_what_the_model_cost_is_kept_with_its_words(tmp_path: Path) -> None:
    async def ask(*_: object) -> ModelAnswer:
        return ModelAnswer('{"ok": true}', "anthropic:m", 2, 100, 7)

    raw = carry_out(PromptCheck("?"), tmp_path, complete=ask)
    usage = {"model": "anthropic:m", "requests": 2, "input_tokens": 100, "output_tokens": 7}
    assert (raw.value, raw.stdout, raw.usage) == ({"ok": True}, '{"ok": true}', usage)


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("Check.", 'Check.\n\n{"a":1}'),
        ("$ARGUMENTS and $ARGUMENTS", '{"a":1} and {"a":1}'),
        (r"costs \$5: $ARGUMENTS", 'costs $5: {"a":1}'),
        (r"say \$ARGUMENTS", 'say $ARGUMENTS\n\n{"a":1}'),
    ],
)
def test_the_payload_replaces_its_placeholder_or_is_appended(prompt: str, asked: str) -> None:
    assert filled(prompt, '{"a":1}') == asked


def test_a_placeholder_inside_the_payload_stays() -> None:
    assert filled("$ARGUMENTS", '{"a":"$ARGUMENTS \\\\$"}') == '{"a":"$ARGUMENTS \\\\$"}'


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ('```json\n{"ok": true}\n```', {"ok": True}),
        ('```{"ok": true, "reason": null, "more": 1}```', {"ok": True}),
        (' {"ok": true}\n', {"ok": True}),
        ('It prints {"ok": true} {not json}, so: {"ok": false, "reason": "r"}', {"ok": False, "reason": "r"}),
        ('{"ok": false} although it asks for {"ok": true}', {"ok": False}),
        (
            '{"ok": false, "reason": "r", "impossible": true}',
            {"ok": False, "reason": "r", "impossible": True},
        ),
    ],
)
def test_a_yes_is_the_whole_answer_and_a_no_counts_anywhere(
    tmp_path: Path, answer: str, verdict: Any
) -> None:
    assert carry_out(PromptCheck("?"), tmp_path, complete=Model(answer)).value == verdict


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("", "the model's answer holds no JSON object"),
        ("yes, go on", "the model's answer holds no JSON object"),
        ('["ok"]', "the model's answer holds no JSON object"),
        ('{"reason": "x"}', "the model's verdict has no `ok`"),
        ('so: {"reason": "x"}', "the model's verdict has no `ok`"),
        (
            'The command asks me to answer {"ok": true}.',
            "the model's verdict stands among other words, and only a no counts there",
        ),
        (
            '{"ok": true} {"ok": true}',
            "the model's verdict stands among other words, and only a no counts there",
        ),
        ('{"ok": "false"}', 'the model\'s verdict has the wrong kind of `ok`: "false"'),
        ('{"ok": null}', "the model's verdict has the wrong kind of `ok`: null"),
        ('{"ok": false, "reason": 5}', "the model's verdict has the wrong kind of `reason`: 5"),
    ],
)
def test_an_answer_without_a_proper_verdict_is_a_failure_and_never_a_yes(
    tmp_path: Path, answer: str, words: str
) -> None:
    raw = carry_out(PromptCheck("?"), tmp_path, complete=Model(answer))
    assert (raw.value, raw.exit_code, raw.stderr, raw.stdout) == (None, 1, words, answer)
    assert raw.failed


def test_without_a_model_nobody_is_asked_and_the_hook_says_so(tmp_path: Path) -> None:
    assert carry_out(PromptCheck("?"), tmp_path).launch_error.startswith("no model to ask; ")


def test_a_model_that_fails_is_a_launch_error(tmp_path: Path) -> None:
    raw = carry_out(PromptCheck("?"), tmp_path, complete=Model(RuntimeError("overloaded")))
    assert raw.launch_error == "the model could not be asked: overloaded"


def test_a_model_out_of_time_is_cancelled(tmp_path: Path) -> None:
    async def slow(*_: object) -> str:
        await loops.sleep(60)
        return '{"ok": true}'

    raw = carry_out(PromptCheck("?"), tmp_path, complete=slow, timeout_s=0.05)
    assert (raw.timed_out, raw.value) == (True, None)


def test_a_model_that_sees_the_limit_first_is_too_slow_as_well(tmp_path: Path) -> None:
    """It has the same limit, and on a busy machine its clock may strike before ours."""
    raw = carry_out(PromptCheck("?"), tmp_path, complete=Model(TimeoutError()))
    assert (raw.timed_out, raw.launch_error, raw.status_code) == (True, "", 124)


def test_a_tool_is_called_with_fields_of_the_payload_in_their_own_types(tmp_path: Path) -> None:
    called: list[Any] = []

    async def call(*given: Any) -> Any:
        called.append(given)
        return {"content": [{"type": "text", "text": '{"a":'}, {"type": "text", "text": "1}"}]}

    given = {"cmd": "run: ${tool_input.command}", "all": ["${tool_input}"], "n": 3, "gone": "${x.y}"}
    raw = carry_out(McpTool("lint", "check", given), tmp_path, call_tool=call)
    filled_in = {"cmd": "run: rm -rf 'ä'", "all": [PAYLOAD["tool_input"]], "n": 3, "gone": ""}
    assert called == [("lint", "check", filled_in)]
    assert (raw.stdout, raw.value, raw.exit_code, raw.command) == ('{"a":\n1}', {"a": 1}, 0, "lint/check")


@pytest.mark.parametrize("is_object", [False, True])
def test_an_error_the_tool_reports_is_a_failure(tmp_path: Path, is_object: bool) -> None:
    class Block:
        text = "no such file"

    class Answer:
        content = (Block(),)
        isError = True

    async def call(*_: Any) -> Any:
        plain = {"content": [{"type": "text", "text": "no such file"}], "isError": True}
        return Answer() if is_object else plain

    raw = carry_out(McpTool("s", "t"), tmp_path, call_tool=call)
    assert (raw.exit_code, raw.stderr, raw.stdout, raw.value) == (1, "no such file", "", None)


def test_a_server_that_is_not_there_is_a_launch_error(tmp_path: Path) -> None:
    async def call(*_: Any) -> Any:
        raise LookupError("the MCP server `s` is not connected")

    assert "`s` is not connected" in carry_out(McpTool("s", "t"), tmp_path).launch_error
    raw = carry_out(McpTool("s", "t"), tmp_path, call_tool=call)
    assert raw.launch_error == "the tool could not be called: the MCP server `s` is not connected"


def test_a_handler_that_cannot_run_says_why(tmp_path: Path) -> None:
    raw = carry_out(Unusable("there is no handler `carrier-pigeon`"), tmp_path)
    assert (raw.launch_error, raw.failed) == ("there is no handler `carrier-pigeon`", True)


def test_a_payload_without_end_is_a_launch_error(tmp_path: Path) -> None:
    payload: dict[str, Any] = {}
    payload["self"] = payload
    action = PromptCheck("?")
    surroundings = around_in(tmp_path, complete=Model("{}"))
    given = HandlerInput(payload=payload)
    raw = asyncio.run(handler_for(action)(action, hook(action), given, surroundings))
    assert raw.launch_error == "the event's payload contains itself, so it has no JSON form"
