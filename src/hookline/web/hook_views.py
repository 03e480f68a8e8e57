"""The hook routes: what each hook last did, its output, running it again, and pausing."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from hookline.dialects.file_hooks import exit_number
from hookline.engine.evaluation import has_failed
from hookline.engine.hookruns import HOOK_TYPES
from hookline.hosts.turns.host import TurnHost
from hookline.hosts.turns.turn_options import SWITCH
from hookline.model.hooks import HookSpec
from hookline.web.bodies import Answer, body_of, host_of, problem, session_of
from hookline.web.operations import ANY, COUNT, ERROR, TEXT, YES_NO, Operation, Schema, View, many, obj
from hookline.web.records.hook_rows import Standing
from hookline.web.records.records import Records

VIEWER_LIMIT = 200 * 1024
EMPTY: dict[str, Any] = {"hooks": {}, "pendingHooks": [], "lastEvaluatedAt": ""}


async def status(request: Request) -> Response:
    """GET /hooks/status: status.json as it is; empty when hooks are off."""
    host = host_of(request)
    return Answer(host.hooks.status(session_of(request)).read() if _is_on(host) else EMPTY)


async def state(request: Request) -> Response:
    """GET /hooks/state: status.json, every known hook, and the end of each output."""
    host, session = host_of(request), session_of(request)
    kept = host.hooks.status(session).read() if _is_on(host) else EMPTY
    standing: Standing = request.app.state.place.standing
    specs = [spec for spec in standing.hooks.specs if spec.kind in HOOK_TYPES] if _is_on(host) else []
    names = dict.fromkeys([*(spec.id for spec in specs), *kept["hooks"]])
    return Answer(
        {
            "sessionId": session,
            "status": kept,
            "executionPaused": bool(kept.get("executionPaused")),
            "hooks": [_known(spec, standing, kept) for spec in specs],
            "guards": _others(request, standing),
            "outputs": {name: _output(host, session, name) for name in names},
        }
    )


async def timeline(request: Request) -> Response:
    """GET /hooks/timeline: the last turns, and what ran in them when, how long and to what end."""
    session = session_of(request)
    found = host_of(request).find(session)
    return Answer({"sessionId": session, "turns": found.timeline.shown() if found is not None else []})


async def output(request: Request) -> Response:
    """GET /hooks/{id}/output: the last 200 KiB; an empty text when it has not run, 404 for no such hook."""
    host, session = _enabled(request)
    return Answer(_output(host, session, _id_of(request, host, session)))


async def download(request: Request) -> Response:
    """GET /hooks/{id}/output/download: the whole log as a text file."""
    host, session = _enabled(request)
    hook_id = _id_of(request, host, session)
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in hook_id)[:80]
    headers = {"Content-Disposition": f'attachment; filename="{name or "hook"}.log"'}
    return Response(host.hooks.logs(session).read(hook_id), 200, headers, "text/plain; charset=utf-8")


async def rerun(request: Request) -> Response:
    """POST /hooks/{id}/rerun: runs a file, session or pre-commit hook now and answers when it has ended."""
    host, session = _enabled(request)
    spec = _spec_of(request, host)
    if _is_paused(host, session, spec):
        return problem(409, "hooks_paused")
    result = await host.hooks.rerun(spec.id, session)
    if result is None:
        raise HTTPException(404, "Hook not found")
    if result.raw is None:
        return problem(409, "not_run", why=result.why)
    return Answer({"success": not has_failed(result), "exitCode": exit_number(result.raw)})


async def stop(request: Request) -> Response:
    """POST /hooks/{id}/stop: ends its run, with all it started; 409 when it does not run."""
    host, session = _enabled(request)
    spec = _spec_of(request, host)
    return Answer({"success": True}) if host.hooks.stop(session, spec.id) else problem(409, "not_running")


async def pause_all(request: Request) -> Response:
    """PATCH /hooks/execution `{"paused": bool}`: the status object; resuming judges what is owed."""
    return await _pause(request, None)


async def pause_one(request: Request) -> Response:
    """PATCH /hooks/{id}/execution: the same for one hook."""
    session_of(request)
    return await _pause(request, _spec_of(request, host_of(request)))


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
PAUSE = obj({"paused": YES_NO})


def _row(
    method: str, path: str, view: View, summary: str, answer: Schema | str, body: Schema | None = None
) -> Operation:
    refusals = (400, *((404,) if "{hook}" in path else ()), *((409,) if method == "post" else ()))
    return Operation(method, path, view, summary, {200: answer, **dict.fromkeys(refusals, ERROR)}, body, True)


OPERATIONS = (
    _row("get", "/hooks/status", status, "status.json", STATUS),
    _row("get", "/hooks/state", state, "Status, hooks and outputs", STATE),
    _row("get", "/hooks/timeline", timeline, "The last turns", obj({"sessionId": TEXT, "turns": many(TURN)})),
    _row("patch", "/hooks/execution", pause_all, "Pause or resume all hooks", STATUS, PAUSE),
    _row("get", "/hooks/{hook}/output", output, "The end of the last output", OUTPUT),
    _row("get", "/hooks/{hook}/output/download", download, "The whole output", "text/plain"),
    _row(
        "post", "/hooks/{hook}/rerun", rerun, "Run it now",
        obj({"success": YES_NO, "exitCode": {"type": "integer"}}),
    ),
    _row("post", "/hooks/{hook}/stop", stop, "End its run", obj({"success": YES_NO})),
    _row("patch", "/hooks/{hook}/execution", pause_one, "Pause or resume one hook", STATUS, PAUSE),
)  # fmt: skip


async def _pause(request: Request, spec: HookSpec | None) -> Response:
    host, session = host_of(request), session_of(request)
    paused = (await body_of(request)).get("paused")
    if not isinstance(paused, bool):
        return problem(400, "paused must be true or false")
    store = host.hooks.status(session)
    if spec is None:
        kept = store.pause(paused, by=_asker(request))
    else:
        kept = store.pause(paused, spec.id, spec.name or spec.id, HOOK_TYPES[spec.kind], _asker(request))
    host.status_changed(session)
    if not paused:
        host.evaluate_soon(session)
    return Answer({**kept, "executionPaused": bool(kept.get("executionPaused"))})


def _asker(request: Request) -> str:
    """Who paused: only browsers say where a request comes from."""
    return "the page" if request.headers.get("sec-fetch-site") else "a program, over HTTP"


def _enabled(request: Request) -> tuple[TurnHost, str]:
    """The host and the session; 404 when hooks are off."""
    host, session = host_of(request), session_of(request)
    if not _is_on(host):
        raise HTTPException(404, "Hooks not enabled")
    return host, session


def _is_on(host: TurnHost) -> bool:
    return host.engine.environment.get(SWITCH, "true") == "true"


def _is_paused(host: TurnHost, session: str, spec: HookSpec) -> bool:
    kept = host.hooks.status(session).read()
    return bool(kept.get("executionPaused") or kept["hooks"].get(spec.id, {}).get("executionPaused"))


def _spec_of(request: Request, host: TurnHost) -> HookSpec:
    """The hook of the path, which can be run by itself; 404 for no such hook."""
    spec = host.hooks.find(request.path_params["hook"])
    if spec is None:
        raise HTTPException(404, "Hook not found")
    if spec.kind not in HOOK_TYPES:
        words = (
            f"Hook not found: `{spec.id}` is asked about each {spec.kind.value}, and cannot be run by itself"
        )
        raise HTTPException(404, words)
    return spec


def _id_of(request: Request, host: TurnHost, session: str) -> str:
    """A hook's id; 404 for one that neither is nor has been there."""
    given: str = request.path_params["hook"]
    spec = host.hooks.find(given)
    if spec is not None:
        return spec.id
    if given in host.hooks.status(session).read()["hooks"]:
        return given
    raise HTTPException(404, "Hook not found")


def _output(host: TurnHost, session: str, hook_id: str) -> dict[str, Any]:
    content = host.hooks.logs(session).read(hook_id)
    start = max(0, len(content) - VIEWER_LIMIT)
    if start:
        start = (content.find(b"\n", start) + 1) or start  # whole lines, unless there is but one
    shown = content[start:]
    return {
        "output": shown.decode("utf-8", "replace"),
        "sizeBytes": len(content),
        "displayedBytes": len(shown),
        "firstLine": content.count(b"\n", 0, start) + 1,
        "tooLarge": start > 0,
    }


def _others(request: Request, standing: Standing) -> list[dict[str, Any]]:
    """The hooks that have no line in status.json: of other events, of every agent, and how they did."""
    records: Records | None = request.app.state.records
    rows = standing.rows() if records is None else records.hooks()
    return [row for row in rows if not row["type"]]


def _known(spec: HookSpec, standing: Standing, kept: dict[str, Any]) -> dict[str, Any]:
    """The hook's row of the records, and how it stands with this session."""
    row, entry = standing.row(spec), kept["hooks"].get(spec.id, {})
    is_pending = spec.id in kept["pendingHooks"]
    state = "running" if entry.get("lastResult") == "running" else "pending" if is_pending else ""
    return {
        **row,
        "pattern": row["matcher"],
        "enabled": spec.enabled and standing.trust.disabled_by(spec) is None,
        "runs": row["state"],
        "notifyLlm": spec.conduct.notify_llm is not False,
        "phase": spec.conduct.phase or "",
        "executionPaused": bool(entry.get("executionPaused")),
        "pending": is_pending,
        "state": state or {"success": "passed", "failure": "failed"}.get(entry.get("lastResult", ""), "idle"),
    }
