"""The description of the HTTP interface (OpenAPI 3.1), one row for each route."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hookline import __version__
from hookline.hosts.turns.turn_options import PHASES
from hookline.model.record import Record

Schema = Mapping[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
YES_NO: Schema = {"type": "boolean"}
ANY: Schema = {"type": "object"}
SESSION_ID: Schema = {
    "type": "string", "minLength": 1, "maxLength": 128, "pattern": r"^(?!\.$)(?!.*\.\.)[A-Za-z0-9._-]+$",
}  # fmt: skip


def obj(required: Mapping[str, Schema], **optional: Schema) -> Schema:
    """An object with these fields; others may be there."""
    return {"type": "object", "properties": {**required, **optional}, "required": list(required)}


def many(items: Schema) -> Schema:
    return {"type": "array", "items": items}


MESSAGE = obj({"id": TEXT, "role": {"enum": ["user", "assistant"]}, "parts": many(ANY)}, metadata=ANY)
PATH: Schema = {
    "type": "string", "minLength": 1, "pattern": r"^[^/\x00][^\x00]*$",
    "description": "relative to the workspace, inside it, and not git's own",
}  # fmt: skip
COMMIT: Schema = {"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}
BASE64 = "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
NEW_MESSAGES: Schema = {
    "type": "array",
    "minItems": 1,
    "contains": {
        "type": "object",
        "required": ["role", "parts"],
        "properties": {
            "role": {"const": "user"},
            "parts": {
                "type": "array",
                "contains": {
                    "type": "object",
                    "required": ["type", "text"],
                    "properties": {"type": {"const": "text"}, "text": {"type": "string", "minLength": 1}},
                },
            },
        },
    },
    "description": "UI messages, each with `role` and `parts`; the text of the last user's one is sent on",
    "examples": [[{"id": "1", "role": "user", "parts": [{"type": "text", "text": "hello"}]}]],
}
HOOK = obj(
    {
        "hookId": TEXT,
        "hookName": TEXT,
        "type": {"enum": ["session", "file", "pre-commit"]},
        "lastRunAt": TEXT,
        "lastResult": {"enum": ["success", "failure", "running", "pending"]},
        "lastExitCode": {"type": "integer"},
        "outputPath": TEXT,
        "runCount": COUNT,
        "failCount": COUNT,
        "consecutiveFailures": COUNT,
    },
    executionPaused=YES_NO,
    lastEnd={"enum": ["timed_out", "launch_failed", "bad_output", "cancelled"]},
)
STATUS = obj(
    {
        "hooks": {"type": "object", "additionalProperties": HOOK},
        "pendingHooks": many(TEXT),
        "lastEvaluatedAt": TEXT,
    },
    executionPaused=YES_NO,
)
OUTPUT = obj(
    {"output": TEXT, "sizeBytes": COUNT, "displayedBytes": COUNT, "firstLine": COUNT, "tooLarge": YES_NO}
)
STATE = obj(
    {
        "sessionId": TEXT,
        "status": STATUS,
        "executionPaused": YES_NO,
        "hooks": many(obj({"hookId": TEXT, "hookName": TEXT, "type": TEXT, "state": TEXT, "trust": TEXT})),
        "guards": many(ANY),
        "outputs": {"type": "object", "additionalProperties": OUTPUT},
    }
)
TURN = obj(
    {
        "completionId": TEXT,
        "origin": {"enum": ["user", "hook"]},
        "prompt": TEXT,
        "startedAt": TEXT,
        "endedAt": {"type": ["string", "null"]},
        "status": TEXT,
        "reason": TEXT,
        "evaluation": {"type": ["object", "null"]},
        "hooks": many(ANY),
    }
)
ERROR = obj({"error": TEXT}, completionId=TEXT, why=TEXT)
PAUSE = obj({"paused": YES_NO})
CHAT_BODY = obj(
    {"messages": NEW_MESSAGES},
    model={"type": ["string", "null"]},
    reasoning={"enum": ["enabled", "disabled", "", None]},
    mode={"enum": ["plan", "", None]},
    phase={"enum": [*PHASES, "", None]},
)
NAME_TEXT: Schema = {"type": "string", "pattern": "^[ -~]*$"}
CREDENTIAL = obj(
    {
        "envVar": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
        "value": {"type": "string", "pattern": r"^[^\x00]*$"},
    }
)
HEADERS: Mapping[str, Mapping[str, Any]] = {
    "X-Discobot-Credentials": {"content": {"application/json": {"schema": many(CREDENTIAL)}}},
    "X-Discobot-Git-User-Name": {"schema": NAME_TEXT},
    "X-Discobot-Git-User-Email": {"schema": NAME_TEXT},
}
STREAM = "text/event-stream"
QUERIES: Mapping[str, Schema] = {
    "limit": {"type": "integer", "minimum": 1, "maximum": 999_999_999},
    "format": {"enum": ["files", "full"]},
    "parent": COMMIT,
    "failed": {"enum": ["true", "false"]},
    **{
        name: {"type": "integer", "minimum": 0, "maximum": 999_999_999_999}
        for name in ("since", "until", "before", "after")
    },
    "path": {"type": "string", "pattern": r"^([^/\x00][^\x00]*)?$"},
}
WORDS = {
    0: "what the service answers", 202: "begun", 204: "nothing is under way", 307: "its page is elsewhere",
    400: "what was sent is not usable", 401: "the token is missing", 403: "a foreign host or origin",
    404: "there is no such thing", 409: "not now", 413: "the body is too large",
    502: "the service has ended, or makes no sense", 503: "it does not run, or does not listen",
    504: "it does not answer",
}  # fmt: skip


class Operation(Record):
    """One method of one path. `answers` maps a status to a schema, a media type, or None for no body.

    The status 0 stands for all others.
    """

    method: str
    path: str
    summary: str
    answers: Mapping[int, Schema | str | None]
    body: Schema | None = None
    takes_session: bool = False
    query: tuple[str, ...] = ()
    required: tuple[str, ...] = ()  # of the query
    headers: tuple[str, ...] = ()


def _chat(path: str) -> tuple[Operation, ...]:
    begun = obj(
        {"completionId": {"type": "string", "pattern": "^[0-9a-f]{8}$"}, "status": {"const": "started"}}
    )
    state = obj({"isRunning": YES_NO, "completionId": {"type": ["string", "null"]}, "evaluating": YES_NO})
    ended = obj({"success": YES_NO, "completionId": TEXT, "status": {"const": "cancelled"}})
    question = obj({"status": TEXT, "question": {"type": ["object", "null"]}})
    reply = obj({"toolUseID": TEXT, "answers": ANY})
    bad = {400: ERROR}
    return (
        Operation("post", path, "Begin a completion", {202: begun, 409: ERROR, **bad}, CHAT_BODY,
                  headers=tuple(HEADERS)),
        Operation("get", path, "The messages, or the completion under way as events",
                  {200: obj({"messages": many(MESSAGE)}), 204: None, **bad}),
        Operation("delete", path, "End the session", {200: obj({"success": YES_NO}), **bad}),
        Operation("get", f"{path}/stream", "Everything of the session as events", {200: STREAM, **bad}),
        Operation("get", f"{path}/status", "What is under way", {200: state, **bad}),
        Operation("post", f"{path}/cancel", "End what is under way", {200: ended, 409: ERROR, **bad}),
        Operation("get", f"{path}/question", "The pending question", {200: question, **bad}),
        Operation("post", f"{path}/answer", "Answer it", {404: ERROR, **bad}, reply),
    )  # fmt: skip


NEW_FILE: Schema = {
    "anyOf": [
        obj({"path": PATH, "content": TEXT}, encoding={"const": "utf8"}),
        obj(
            {"path": PATH, "content": {"type": "string", "pattern": BASE64}, "encoding": {"const": "base64"}}
        ),
    ]
}
FILE = obj({"path": TEXT, "status": {"enum": ["added", "modified", "deleted"]}}, patch=TEXT, binary=YES_NO)
BAD = {400: ERROR, 404: ERROR}
PATH_QUERY = ("path",)
WORKSPACE = (
    Operation("get", "/files", "A folder", {200: obj({"path": TEXT, "entries": many(ANY)}), **BAD},
              query=PATH_QUERY),
    Operation("get", "/files/search", "Files by name",
              {200: obj({"query": TEXT, "results": many(obj({"path": TEXT, "type": TEXT}))}), 400: ERROR},
              query=("q", "limit")),
    Operation("get", "/files/read", "A file",
              {200: obj({"path": TEXT, "content": TEXT, "encoding": TEXT, "size": COUNT}), **BAD},
              query=PATH_QUERY, required=PATH_QUERY),
    Operation("post", "/files/write", "Write a file", {200: obj({"path": TEXT, "size": COUNT}), 400: ERROR},
              NEW_FILE),
    Operation("post", "/files/delete", "Delete a file", {200: obj({"path": TEXT, "type": TEXT}), 409: ERROR, **BAD},
              obj({"path": PATH})),
    Operation("post", "/files/rename", "Move a file",
              {200: obj({"oldPath": TEXT, "newPath": TEXT}), 409: ERROR, **BAD},
              obj({"oldPath": PATH, "newPath": PATH})),
    Operation("get", "/diff", "What is not committed", {200: obj({"files": many(FILE), "stats": ANY}), **BAD},
              query=("path", "format")),
    Operation("get", "/commits", "Commits behind a parent as patches",
              {200: obj({"head": TEXT, "commitCount": COUNT, "patches": TEXT}), 409: ERROR, **BAD},
              query=("parent",), required=("parent",)),
    Operation("get", "/services", "The services", {200: obj({"services": many(ANY)})}),
    Operation("post", "/services/{service}/start", "Start a service",
              {202: obj({"status": TEXT, "serviceId": TEXT}), 409: ERROR, **BAD}),
    Operation("post", "/services/{service}/stop", "Stop it",
              {200: obj({"success": YES_NO, "serviceId": TEXT}), **BAD}),
    Operation("get", "/services/{service}/output", "What it prints, as events", {200: STREAM, 404: ERROR}),
)  # fmt: skip

RUN_HOOK = obj(
    {"hookId": TEXT, "workspace": TEXT, "state": {"enum": ["on", "off", "waits", "broken"]}, "why": TEXT}
)
RUN = obj(
    {"n": COUNT, "run": TEXT, "at": {"type": "number"}, "event": TEXT, "verdict": TEXT, "hooks": many(ANY)}
)
WAITING = obj({"waiting": many(obj({"hookId": TEXT, "fingerprint": TEXT, "diff": many(TEXT)}))})
WISHES = ("session", "event", "verdict", "agent", "tool", "workspace", "hook", "text", "failed", "since", "until",
          "before")  # fmt: skip
RECORDS = (
    Operation("get", "/records/hooks", "Every hook, its state and how it did",
              {200: obj({"workspaces": many(TEXT), "hooks": many(RUN_HOOK), "last": COUNT}), 404: ERROR}),
    Operation("get", "/records/problems", "What `hookline check` calls errors", {200: ANY, 404: ERROR}),
    Operation("get", "/records/decisions", "The newest decisions that fit",
              {200: obj({"decisions": many(RUN), "count": COUNT, "choices": ANY, "last": COUNT}), **BAD},
              query=(*WISHES, "limit")),
    Operation("get", "/records/decisions/{run}", "One decision in full", {200: ANY, 404: ERROR}),
    Operation("get", "/records/decisions/{run}/case", "Its recorded call as a case file",
              {200: "application/yaml", 404: ERROR, 409: ERROR}),
    Operation("get", "/records/decisions/{run}/output", "All that one of its hooks printed",
              {200: "text/plain", 404: ERROR}, query=("hook",)),
    Operation("post", "/records/decisions/{run}/rerun", "The recorded call once more, by today's hooks",
              {200: obj({"changed": {"type": ["boolean", "null"]}}), 404: ERROR, 409: ERROR}),
    Operation("get", "/records/trust", "What waits for a person", {200: WAITING, 404: ERROR}),
    Operation("post", "/records/decide", "Accept or refuse exactly that", {200: WAITING, 409: ERROR, **BAD},
              obj({"fingerprint": TEXT, "accept": YES_NO}, workspace=TEXT)),
    Operation("post", "/records/switch", "One hook on or off", {200: ANY, 400: ERROR, 404: ERROR, 409: ERROR},
              obj({"hook": TEXT, "on": YES_NO}, workspace=TEXT)),
    Operation("get", "/records/stream", "New decisions and changes as events", {200: STREAM, 400: ERROR, 404: ERROR},
              query=("after",)),
)  # fmt: skip

FORWARDED = ("get", "post", "put", "patch", "delete", "options")
FORWARDING = tuple(
    Operation(method, "/services/{service}/http/{path}", "Ask the service itself",
              {0: "*/*", 307: None, 502: ERROR, 503: ERROR, 504: ERROR, **BAD})
    for method in FORWARDED
)  # fmt: skip

OPERATIONS = (
    *WORKSPACE,
    *FORWARDING,
    Operation("get", "/", "A word of life", {200: obj({"status": TEXT, "service": TEXT})}),
    Operation("get", "/health", "Whether it works", {200: obj({"healthy": YES_NO, "connected": YES_NO})}),
    Operation("get", "/user", "Who tools run as", {200: obj({"username": TEXT, "uid": COUNT, "gid": COUNT})}),
    Operation("get", "/openapi.json", "This description", {200: ANY}),
    Operation("get", "/records", "The page on hooks and history", {200: "text/html", 404: ERROR}),
    *RECORDS,
    Operation("get", "/hooks/status", "status.json", {200: STATUS, 400: ERROR}, None, True),
    Operation("get", "/hooks/state", "Status, hooks and outputs", {200: STATE, 400: ERROR}, None, True),
    Operation(
        "get", "/hooks/timeline", "The last turns",
        {200: obj({"sessionId": TEXT, "turns": many(TURN)}), 400: ERROR}, None, True,
    ),
    Operation(
        "patch", "/hooks/execution", "Pause or resume all hooks", {200: STATUS, 400: ERROR}, PAUSE, True
    ),
    Operation(
        "get", "/hooks/{hook}/output", "The end of the last output",
        {200: OUTPUT, 400: ERROR, 404: ERROR}, None, True,
    ),
    Operation(
        "get", "/hooks/{hook}/output/download", "The whole output",
        {200: "text/plain", 400: ERROR, 404: ERROR}, None, True,
    ),
    Operation(
        "post", "/hooks/{hook}/rerun", "Run it now",
        {200: obj({"success": YES_NO, "exitCode": {"type": "integer"}}), 400: ERROR, 404: ERROR, 409: ERROR},
        None, True,
    ),
    Operation(
        "post", "/hooks/{hook}/stop", "End its run",
        {200: obj({"success": YES_NO}), 400: ERROR, 404: ERROR, 409: ERROR}, None, True,
    ),
    Operation(
        "patch", "/hooks/{hook}/execution", "Pause or resume one hook",
        {200: STATUS, 400: ERROR, 404: ERROR}, PAUSE, True,
    ),
    Operation(
        "get", "/{agent}/models", "The models", {200: obj({"models": many(obj({"id": TEXT, "name": TEXT}))})}
    ),
    *_chat("/{agent}/chat"),
    *_chat("/{agent}/sessions/{session}/chat"),
)  # fmt: skip


def document(wants_token: bool) -> dict[str, Any]:
    """The whole description; `wants_token` when requests must carry one."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method] = _described(operation)
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "hookline turn host", "version": __version__},
        "paths": paths,
    }
    if wants_token:
        found["components"] = {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}}
        found["security"] = [{"token": []}]
    return found


def _described(operation: Operation) -> dict[str, Any]:
    answers = {**operation.answers, 401: ERROR, 403: ERROR, **({413: ERROR} if operation.body else {})}
    found: dict[str, Any] = {
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": {
            str(status or "default"): _answer(status, answer) for status, answer in sorted(answers.items())
        },
    }
    if operation.body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": operation.body}}}
    return found


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    named = {
        **{each: {**TEXT, "minLength": 1} for each in ("{agent}", "{hook}", "{service}", "{run}")},
        "{session}": SESSION_ID,
    }
    found = [
        {"name": name.strip("{}"), "in": "path", "required": True, "schema": schema}
        for name, schema in named.items()
        if name in operation.path
    ]
    if "{path}" in operation.path:
        found.append({"name": "path", "in": "path", "required": True, "schema": TEXT})
    found += [
        {
            "name": name,
            "in": "query",
            "required": name in operation.required,
            "schema": PATH if name == "path" and name in operation.required else QUERIES.get(name, TEXT),
        }
        for name in operation.query
    ]
    found += [
        {"name": name, "in": "header", "required": False, **HEADERS[name]} for name in operation.headers
    ]
    if operation.takes_session:
        found.append({"name": "session", "in": "query", "required": False, "schema": SESSION_ID})
    return found


def _answer(status: int, answer: Schema | str | None) -> dict[str, Any]:
    found: dict[str, Any] = {"description": WORDS.get(status, "as asked")}
    if isinstance(answer, str):
        found["content"] = {answer: {"schema": TEXT}}
    elif answer is not None:
        found["content"] = {"application/json": {"schema": answer}}
    return found
