"""Models over HTTP, against a real server on loopback that speaks their formats, and breaks as servers do."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.agents.wire_server import WireServer, anthropic_answer, openai_answer, serving, sse
from tests.waiting import DEADLINE_S, until

from hookline.agents.anthropic import Anthropic
from hookline.agents.base import ModelError, ModelReply, ModelRequest, ToolSchema, ToolUse, Usage
from hookline.agents.llm import LOST, LlmModel, Patience
from hookline.agents.models import open_model
from hookline.agents.openai import OpenAi
from hookline.model.errors import UsageError
from hookline.model.record import replace

FAST = Patience(first_delay_s=0.01, idle_s=20)
TOOL = ToolSchema("Bash", "Runs.", {"type": "object", "properties": {"command": {"type": "string"}}})
ASKED = ModelRequest("Be brief.", [{"role": "user", "content": [{"type": "text", "text": "hi"}]}], [TOOL])
WIRES = {"anthropic": (Anthropic, anthropic_answer), "openai": (OpenAi, openai_answer)}
ANSWERS = pytest.mark.parametrize("provider", WIRES)


def ask(
    server: WireServer, provider: str, patience: Patience = FAST, request: ModelRequest = ASKED
) -> tuple[ModelReply, list[str]]:
    """The reply, and what was shown of it meanwhile."""
    shown: list[str] = []
    model = LlmModel(WIRES[provider][0](), "m1", server.url, "secret", patience)
    return asyncio.run(model.request(request, shown.append)), shown


def answer(provider: str, *content: Any) -> bytes:
    make: Callable[..., bytes] = WIRES[provider][1]
    return make(*content)


@ANSWERS
def test_an_answer_comes_as_it_is_written(provider: str) -> None:
    """Text in pieces, tool calls whole, tokens counted."""
    whole = answer(provider, "Hello", ("Bash", '{"command": "ls"}'), ("Bash", ""))
    with serving({"pieces": [whole]}) as server:
        reply, shown = ask(server, provider)
    assert (reply.text, reply.stop_reason, reply.usage) == ("Hello", "tool_use", Usage(12, 34))
    assert [(call.name, call.input) for call in reply.tool_calls] == [
        ("Bash", {"command": "ls"}),
        ("Bash", {}),
    ]
    assert shown == ["Hel", "lo"]


@ANSWERS
def test_a_stream_may_be_cut_into_any_pieces(provider: str) -> None:
    whole = answer(provider, "Grüße, 世界", ("Bash", '{"command": "echo ä"}'))
    whole = whole.replace(b"\\u", b"\\u").replace(b"\n", b"\r\n")
    with serving({"pieces": [whole[at : at + 1] for at in range(len(whole))]}) as server:
        reply, _ = ask(server, provider)
    assert reply.text == "Grüße, 世界"
    assert reply.tool_calls[0].input == {"command": "echo ä"}


def test_what_anthropic_is_sent() -> None:
    talk = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [{"type": "text", "text": ""},
                                          {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True}]},
        {"role": "assistant", "content": [{"type": "text", "text": ""}]},
    ]  # fmt: skip
    with serving({"body": anthropic_answer("ok").decode()}) as server:
        ask(server, "anthropic", request=ModelRequest("Be brief.", talk, [TOOL]))
        (sent,) = server.requests
    assert sent["path"] == "/v1/messages"
    assert sent["headers"]["x-api-key"] == "secret" and sent["headers"]["anthropic-version"]
    assert sent["body"]["system"] == "Be brief." and sent["body"]["stream"] is True
    assert sent["body"]["tools"][0]["input_schema"] == TOOL.parameters
    assert sent["body"]["messages"] == [talk[0], {**talk[1], "content": talk[1]["content"][1:]}, talk[2]]


def test_what_openai_is_sent() -> None:
    talk = [
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"a": 1}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "no", "is_error": True},
            {"type": "text", "text": "and more"}]},
    ]  # fmt: skip
    with serving({"body": openai_answer("ok").decode()}) as server:
        ask(server, "openai", request=ModelRequest("Be brief.", talk, [TOOL]))
        (sent,) = server.requests
    assert (sent["path"], sent["headers"]["authorization"]) == ("/chat/completions", "Bearer secret")
    call = {"id": "t1", "type": "function", "function": {"name": "Bash", "arguments": '{"a": 1}'}}
    assert sent["body"]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "error: no"},
        {"role": "user", "content": "and more"},
    ]
    assert sent["body"]["tools"][0]["function"]["name"] == "Bash"


@ANSWERS
def test_malformed_tool_json_is_the_calls_problem_not_the_ends(provider: str) -> None:
    with serving({"pieces": [answer(provider, "", ("Bash", '{"command": "l'), ("Bash", "[1]"))]}) as server:
        reply, _ = ask(server, provider)
    first, second = reply.tool_calls
    assert (first.input, second.input) == ({}, {})
    assert "not JSON" in first.problem and "must be an object" in second.problem


@ANSWERS
@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_a_busy_server_is_asked_again(provider: str, status: int) -> None:
    busy = {"status": status, "body": '{"error": {"message": "busy"}}'}
    with serving(busy, busy, {"pieces": [answer(provider, "ok")]}) as server:
        reply, _ = ask(server, provider)
        assert len(server.requests) == 3
    assert reply.text == "ok"


@ANSWERS
def test_retry_after_is_honoured(provider: str) -> None:
    """The first delay would be an hour; the server asks for a tenth of one."""
    busy = {"status": 429, "headers": {"retry-after": "0.1"}, "body": "slow down"}
    with serving(busy, {"pieces": [answer(provider, "ok")]}) as server:
        began = time.monotonic()
        ask(server, provider, Patience(first_delay_s=3600))
        assert time.monotonic() - began >= 0.1


def test_a_server_that_wants_an_hour_is_not_waited_for() -> None:
    with serving({"status": 429, "headers": {"retry-after": "3600"}, "body": ""}) as server:
        with pytest.raises(ModelError) as caught:
            ask(server, "anthropic")
        assert len(server.requests) == 1
    assert (caught.value.kind, caught.value.retry_after) == ("rate_limit", 3600)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request"),
        (401, "authentication_failed"),
        (402, "billing_error"),
        (404, "model_not_found"),
    ],
)
def test_a_refusal_is_final_and_says_why(status: int, kind: str) -> None:
    body = '{"type": "error", "error": {"type": "x", "message": "no such thing"}}'
    with serving({"status": status, "body": body}) as server:
        with pytest.raises(ModelError, match="no such thing") as caught:
            ask(server, "anthropic")
        assert len(server.requests) == 1
    assert caught.value.kind == kind


def test_an_overload_in_the_middle_of_an_answer_is_tried_again() -> None:
    """Anthropic reports it as an event of the stream, after status 200."""
    start = sse({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "He"}},
                {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})  # fmt: skip
    with serving({"pieces": [start]}, {"pieces": [anthropic_answer("Hello")]}) as server:
        reply, shown = ask(server, "anthropic")
    assert reply.text == "Hello"
    assert "".join(shown) == f"He{LOST}Hello"


@ANSWERS
@pytest.mark.parametrize("ending", [{}, {"cut": True}])
def test_a_broken_stream_is_no_answer(provider: str, ending: dict[str, Any]) -> None:
    """Whether it ends too early or the connection drops; half of a tool call is never run."""
    whole = answer(provider, "Hello", ("Bash", '{"command": "rm -rf build"}'))
    half = whole[: len(whole) // 2]
    with serving({"pieces": [half], **ending}, {"pieces": [answer(provider, "again")]}) as server:
        reply, _ = ask(server, provider)
        assert len(server.requests) == 2
    assert (reply.text, reply.tool_calls) == ("again", ())


@ANSWERS
def test_a_silent_server_is_given_up(provider: str) -> None:
    with serving({"hang": True, "pieces": [b": hello\n\n"]}) as server:
        with pytest.raises(ModelError, match="no answer in time"):
            ask(server, provider, Patience(attempts=2, first_delay_s=0.01, idle_s=0.5))
        until(lambda: len(server.requests) == 2)


def test_garbage_is_no_answer() -> None:
    with serving({"pieces": [b"data: {nonsense\n\n"]}) as server, pytest.raises(ModelError, match="not JSON"):
        ask(server, "openai", Patience(attempts=1))
    with (
        serving({"body": "<html>hello</html>"}) as server,
        pytest.raises(ModelError, match="no event stream: <html>hello"),
    ):
        ask(server, "openai", Patience(attempts=1))
    odd = sse({"type": "content_block_start"})
    with serving({"pieces": [odd]}) as server, pytest.raises(ModelError, match="no answer"):
        ask(server, "anthropic", Patience(attempts=1))


def test_nobody_listening_is_said() -> None:
    with socket.socket() as unused:  # taken, so that nobody else gets it, but not listening
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"
        model = LlmModel(Anthropic(), "m1", url, "", Patience(attempts=2, first_delay_s=0.01))
        with pytest.raises(ModelError, match=url):
            asyncio.run(model.request(ASKED))


@ANSWERS
def test_a_connection_serves_all_requests_of_a_loop_and_ends_with_it(provider: str) -> None:
    async def three(server: WireServer) -> None:
        model = LlmModel(WIRES[provider][0](), "m1", server.url, "", FAST)
        await model.request(ASKED)
        await asyncio.gather(model.request(ASKED), model.request(ASKED))
        assert server.connections == 2

    with serving({"pieces": [answer(provider, "ok")], "keep": True}) as server:
        asyncio.run(three(server))
        for _ in range(server.connections):
            assert server.ended.acquire(timeout=DEADLINE_S)


@ANSWERS
def test_a_connection_that_was_closed_meanwhile_is_not_used(provider: str) -> None:
    failures: list[str] = []
    request = replace(ASKED, on_failure=failures.append)

    async def two(server: WireServer) -> None:
        model = LlmModel(WIRES[provider][0](), "m1", server.url, "", FAST)
        await model.request(request)
        await asyncio.to_thread(server.ended.acquire, timeout=60)
        await model.request(request)

    with serving({"pieces": [answer(provider, "ok")], "keep": "silently"}) as server:
        asyncio.run(two(server))
        assert (server.connections, failures) == (2, [])


def test_what_is_lost_behind_the_last_event_is_no_loss() -> None:
    """A drop, and a body without an end: the answer was whole before."""
    for ending in ({"cut": True}, {"hang": True}):
        with serving({"pieces": [openai_answer("ok")], **ending}) as server:
            assert ask(server, "openai")[0].text == "ok"
            assert len(server.requests) == 1


def test_cancelling_hangs_up() -> None:
    async def cancel(server: WireServer) -> None:
        model = LlmModel(Anthropic(), "m1", server.url, "", FAST)
        began = asyncio.Event()
        task = asyncio.create_task(model.request(ASKED, lambda _: began.set()))
        await asyncio.wait_for(began.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    start = anthropic_answer("Hello").partition(b"event: message_delta")[0]
    with serving({"pieces": [start], "hang": True}) as server:
        asyncio.run(cancel(server))
        assert server.dropped.wait(DEADLINE_S)


def test_keys_and_addresses_come_from_the_environment() -> None:
    with serving({"pieces": [anthropic_answer("ok")]}) as server:
        variables = {"ANTHROPIC_API_KEY": "from-env", "ANTHROPIC_BASE_URL": f"{server.url}/v1/"}
        model = open_model("anthropic:claude", variables)
        assert asyncio.run(model.request(ASKED)).text == "ok"
        assert (server.requests[0]["path"], server.requests[0]["headers"]["x-api-key"]) == (
            "/v1/messages", "from-env",
        )  # fmt: skip
    assert model.name == "anthropic:claude"
    with pytest.raises(UsageError, match="no key for `openai:gpt`"):
        open_model("openai:gpt", {})


def test_a_call_without_a_problem_has_none() -> None:
    assert ToolUse("1", "Bash", {}).problem == ""
