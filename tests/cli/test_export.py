"""`hookline history export`: other systems get what ran, whole, in order and without secrets."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from tests.program import Program
from tests.waiting import until

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SECRET = "sesame-open-42"


def group(command: str, matcher: str = "") -> dict[str, Any]:
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}


FIVE = {
    "UserPromptSubmit": [group("echo seen")],
    "PreToolUse": [group("true", "Bash"), group("echo $API_TOKEN", "Bash")],
    "PostToolUse": [group("true", "Bash")],
    "Stop": [group("true")],
}
TURN = {"turns": [{"tool_calls": [{"name": "Bash", "input": {"command": "echo hi"}}]}, {"text": "Done."}]}


class Receiver(ThreadingHTTPServer):
    """Takes what is posted; answers `answers` first, then 200."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Taker)
        self.taken: list[tuple[str, dict[str, str], bytes]] = []
        self.answers: list[int] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Taker(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        code = self.server.answers.pop(0) if self.server.answers else 200
        if code == 200:
            self.server.taken.append((self.path, dict(self.headers.items()), body))
        self.send_response(code)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def turned(program: Program) -> Program:
    """A turn with five hooks and one tool call was taken, within a trace."""
    program.write(".claude/settings.json", json.dumps({"hooks": FIVE}))
    program.write("script.json", json.dumps(TURN))
    more = {"TRACEPARENT": f"00-{TRACE}-{PARENT}-01", "API_TOKEN": SECRET}
    done = program("run", "go", "--model", "scripted:script.json", environment=more)
    assert done.returncode == 0, done
    return program


def spans_in(text: str) -> list[dict[str, Any]]:
    (resource,) = json.loads(text)["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    found: list[dict[str, Any]] = scope["spans"]
    return found


def facts_of(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def is_otlp(text: str) -> None:
    """The schema's own reader takes it; OTLP's JSON has ids in hexadecimal, which is not protobuf's way."""
    pytest.importorskip("opentelemetry.proto")
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    given = json.loads(text)
    for span in given["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for key in {"traceId", "spanId", "parentSpanId"} & span.keys():
            span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    ParseDict(given, ExportTraceServiceRequest())


def test_an_otlp_endpoint_gets_the_spans_of_a_turn_complete_and_in_order(
    turned: Program, receiver: Receiver
) -> None:
    receiver.answers = [503]
    words = (
        "history",
        "export",
        "--format",
        "otel",
        "--to",
        receiver.url,
        "--header",
        "Authorization=Bearer ${KEY}",
    )
    done = turned(*words, environment={"KEY": "k-1"})
    assert done.returncode == 0, done
    assert "(HTTP 503); trying again" in done.stderr
    ((path, headers, body),) = receiver.taken
    assert (path, headers["Content-Type"], headers["Authorization"]) == (
        "/v1/traces",
        "application/json",
        "Bearer k-1",
    )
    spans = spans_in(body.decode())
    names = [
        span["name"] for span in spans if not span["name"].startswith(("decide Session", "decide Message"))
    ]
    hooks = [name for name in names if " claude:" in name]
    assert [name.rpartition(":")[0] for name in hooks] == [
        "run_guardrail claude:UserPromptSubmit", "run_guardrail claude:PreToolUse", "run_guardrail claude:PreToolUse",
        "run_hook claude:PostToolUse", "run_guardrail claude:Stop",
    ]  # fmt: skip
    order = [name for name in names if name in ("decide UserPromptSubmit", "decide PreToolUse", "execute_tool Bash",
                                                "decide PostToolUse", "decide Stop")]  # fmt: skip
    assert order == [
        "decide UserPromptSubmit", "decide PreToolUse", "execute_tool Bash", "decide PostToolUse", "decide Stop",
    ]  # fmt: skip
    starts = [int(span["startTimeUnixNano"]) for span in spans]
    assert starts == sorted(starts)
    assert {span["traceId"] for span in spans} == {TRACE}
    above = {span["spanId"]: span for span in spans}
    assert len(above) == len(spans)
    for span in spans:
        if " claude:" in span["name"]:
            assert above[span["parentSpanId"]]["name"].startswith("decide ")
        else:
            assert span["parentSpanId"] == PARENT
        assert int(span["endTimeUnixNano"]) >= int(span["startTimeUnixNano"])
    tool = facts_of(next(span for span in spans if span["name"] == "execute_tool Bash"))
    decided = facts_of(next(span for span in spans if span["name"] == "decide PreToolUse"))
    assert tool["gen_ai.operation.name"] == "execute_tool"
    assert tool["gen_ai.tool.call.id"] == decided["gen_ai.tool.call.id"]
    assert decided["hookline.evidence.digest"] and decided["hookline.policy"].startswith("sha256:")
    assert SECRET not in body.decode()
    is_otlp(body.decode())


def test_a_file_gets_every_record_once_with_a_cursor_also_while_it_is_followed(turned: Program) -> None:
    out, cursor = turned.workspace / "spans.jsonl", turned.workspace / "cursor"
    words = ("history", "export", "--format", "otel", "--to", str(out), "--cursor", str(cursor))
    assert turned(*words).returncode == 0
    assert turned(*words).returncode == 0
    (line,) = out.read_text().splitlines()
    is_otlp(line)
    follower = turned.start(*words, "--follow", stderr=subprocess.DEVNULL)
    try:
        turned("fire", "Stop", "--session", "later")
        until(lambda: out.read_text().count("\n") == 2, "the second record")
    finally:
        follower.terminate()
        follower.wait()
    spans = spans_in(out.read_text().splitlines()[1])
    assert [span["name"].partition(":")[0] for span in spans] == ["decide Stop", "run_guardrail claude"]


def test_cloudevents_and_ocsf_say_the_same_of_each_decision(turned: Program, receiver: Receiver) -> None:
    words = ("history", "export", "--event", "PreToolUse")
    (kept,) = json.loads(turned("history", "--json", "--event", "PreToolUse").stdout)
    assert turned(*words, "--format", "cloudevents", "--to", f"{receiver.url}/in").returncode == 0
    ((path, headers, body),) = receiver.taken
    (event,) = json.loads(body)
    assert (path, headers["Content-Type"]) == ("/in", "application/cloudevents-batch+json")
    assert (event["specversion"], event["id"], event["time"]) == ("1.0", kept["run"], kept["at"])
    assert event["source"] == f"/hookline{turned.workspace}" and event["traceparent"].startswith(
        f"00-{TRACE}"
    )
    assert "stdout" not in event["data"]["hooks"][0]
    finding = json.loads(turned(*words, "--format", "ocsf").stdout)
    assert (finding["class_uid"], finding["type_uid"], finding["action"]) == (6003, 600399, "Allowed")
    assert finding["api"]["operation"] == "Bash" and finding["metadata"]["uid"] == kept["run"]
    assert finding["policy"]["uid"] == event["data"]["evidence"]["facts"]["policy"]
    line = json.loads(turned(*words, "--format", "jsonl", "--outputs").stdout)
    evidence = line.pop("evidence")
    assert line.pop("workspace") == str(turned.workspace)
    assert line == kept and SECRET not in json.dumps(line) and "[redacted:API_TOKEN]" in json.dumps(line)
    assert evidence["digest"] == event["data"]["evidence"]["digest"]


def test_what_cannot_be_delivered_is_said_and_kept_for_the_next_time(
    turned: Program, receiver: Receiver
) -> None:
    cursor = turned.workspace / "cursor"
    words = ("history", "export", "--format", "jsonl", "--cursor", str(cursor), "--to")
    receiver.answers = [400]
    done = turned(*words, receiver.url)
    assert (done.returncode, cursor.exists()) == (1, False)
    assert "refuses the records: HTTP 400" in done.stderr
    receiver.answers = [302]
    assert "HTTP 302" in turned(*words, receiver.url).stderr
    assert turned(*words, receiver.url).returncode == 0
    assert cursor.read_text().strip().isdigit()
    for wrong in ("ftp://x", "http://"):
        assert turned("history", "export", "--format", "jsonl", "--to", wrong).returncode == 64
    assert turned("history", "export", "--format", "jsonl", "--header", "A=b").returncode == 64
    done = turned("history", "export", "--format", "jsonl", "--to", receiver.url, "--header", "A=${NO_SUCH}")
    assert (done.returncode, "`NO_SUCH` is not set" in done.stderr) == (64, True)
