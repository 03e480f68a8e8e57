"""The routes of the records: what hooks there are, what was decided, what waits for trust; and `hookline page`."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from hookline.dialects import is_agent
from hookline.dialects.profile.yaml_form import yaml_text
from hookline.model.asked import asked_again
from hookline.model.errors import HooklineError, StateError, UsageError
from hookline.model.short_json import json_or
from hookline.system import files
from hookline.system.clock import new_run_id
from hookline.system.processes.detached import own_command
from hookline.system.processes.process import run_process
from hookline.system.processes.process_request import ProcessRequest
from hookline.web.bodies import HEADERS, Answer, body_of, defect, event_lines, http_error, own_error, problem
from hookline.web.gate import Gate, Guarding
from hookline.web.listening import Place, guarding_of, listen
from hookline.web.operations import (
    ANY,
    BAD,
    COUNT,
    ERROR,
    STREAM,
    TEXT,
    YES_NO,
    Operation,
    many,
    obj,
    routes_of,
)
from hookline.web.pages import page, static
from hookline.web.records.decisions import FIELDS, PAGE, Wish
from hookline.web.records.records import Records, Unknown

MOST = 1_000
REPLAY_S = 600.0


def records_of(request: Request) -> Records:
    """What the server shows; 404 where it keeps no history."""
    found: Records | None = request.app.state.records
    if found is None:
        raise HTTPException(404, "no history is kept here")
    return found


async def hooks(request: Request) -> Response:
    """GET /records/hooks: every hook, with its state and how it did; `trouble` with the history, in words."""
    records = records_of(request)
    found, history = records.hooks(), records.decisions
    shown = {"workspaces": list(records.places), "hooks": found, "last": history.last}
    return Answer({**shown, "trouble": history.history.problem})


async def problems(request: Request) -> Response:
    """GET /records/problems: what `hookline check` calls errors, but for entries that stand among the hooks."""
    return Answer({"problems": await asyncio.to_thread(records_of(request).problems)})


async def decisions(request: Request) -> Response:
    """GET /records/decisions: the newest that fit the query, and how many fit."""
    records = records_of(request)
    records.decisions.refresh()
    found, count = records.decisions.find(_wish(request))
    choices = records.decisions.choices()
    return Answer({"decisions": found, "count": count, "choices": choices, "last": records.decisions.last})


async def decision(request: Request) -> Response:
    """GET /records/decisions/{run}: all that is kept of one, and whether its call is kept, or might have been."""
    found = _decision(request)
    found["workspace"] = records_of(request).decisions.history.workspace_of(found["run"])
    recorded = records_of(request).payload_of(found) is not None
    recordable = is_agent(found.get("host", ""))
    kept = [hook["id"] for hook in found["hooks"] if records_of(request).decisions.history.output_of(hook)]
    return Answer(
        {
            **found,
            "recorded": recorded,
            "recordable": recordable,
            "question": asked_again(found),
            "kept": kept,
        }
    )


async def output(request: Request) -> Response:
    """GET /records/decisions/{run}/output?hook=ID: all that this hook printed then, as a text file."""
    found, wanted = _decision(request), request.query_params.get("hook", "")
    history = records_of(request).decisions.history
    path = next((history.output_of(hook) for hook in found["hooks"] if hook["id"] == wanted), "")
    if not path:
        raise HTTPException(404, "no output of such a hook is kept")
    return FileResponse(path, media_type="text/plain; charset=utf-8", filename=f"{found['run'][-8:]}.log")


async def case(request: Request) -> Response:
    """GET /records/decisions/{run}/case: the recorded call as a case file."""
    found = _decision(request)
    call = records_of(request).payload_of(found)
    if call is None:
        return _not_recorded()
    headers = {"Content-Disposition": f'attachment; filename="{found["run"][-8:]}.hooktest.yml"'}
    return Response(case_text(found, call), 200, headers, "application/yaml; charset=utf-8")


async def rerun(request: Request) -> Response:
    """POST /records/decisions/{run}/rerun: the recorded call once more, by today's hooks."""
    call = records_of(request).payload_of(_decision(request))
    return _not_recorded() if call is None else Answer(await replayed(call))


async def waiting(request: Request) -> Response:
    """GET /records/trust: what waits for a person, with its difference to what was accepted."""
    return Answer({"waiting": await asyncio.to_thread(records_of(request).waiting)})


async def decide(request: Request) -> Response:
    """POST /records/decide `{workspace, fingerprint, accept}`: 409 when it is not what was shown any more."""
    records, body = records_of(request), await body_of(request)
    fingerprint, accept = body.get("fingerprint"), body.get("accept")
    if not isinstance(fingerprint, str) or not isinstance(accept, bool):
        return problem(400, "fingerprint and accept required")
    refused = _refusal("changed", lambda: records.decide(_place(body), fingerprint, accept))
    return refused or Answer({"waiting": records.waiting()})


async def switch(request: Request) -> Response:
    """POST /records/switch `{workspace, hook, on}`: one hook on or off for every host, by name and time."""
    records, body = records_of(request), await body_of(request)
    hook, on = body.get("hook"), body.get("on")
    if not isinstance(hook, str) or not isinstance(on, bool):
        return problem(400, "hook and on required")
    refused = _refusal("cannot_switch", lambda: records.switch(_place(body), hook, on))
    return refused or Answer({"hooks": records.hooks()})


def _refusal(word: str, act: Callable[[], None]) -> Response | None:
    """Does what a person asks for; 404 for what is not shown here, 409 with that word where it cannot be done."""
    try:
        act()
    except Unknown as error:
        return problem(404, error.message)
    except StateError as error:
        return problem(409, word, why=error.message)
    return None


async def stream(request: Request) -> Response:
    """GET /records/stream: what is decided and what changes from now on."""
    records = records_of(request)
    given = request.headers.get("last-event-id") or request.query_params.get("after", "0")
    number = _number(given)
    records.decisions.refresh()
    after = min(
        number or records.decisions.last, records.decisions.last
    )  # a higher one is of another history

    async def lines() -> AsyncIterator[str]:
        yield event_lines({}, name="ping")
        async for name, data in records.follow(after):
            yield event_lines(data, str(data.get("n", "")), name)

    return StreamingResponse(lines(), 200, HEADERS, "text/event-stream")


RUN_HOOK = obj(
    {"hookId": TEXT, "workspace": TEXT, "state": {"enum": ["on", "off", "waits", "broken"]}, "why": TEXT}
)
RUN = obj(
    {"n": COUNT, "run": TEXT, "at": {"type": "number"}, "event": TEXT, "verdict": TEXT, "hooks": many(ANY)}
)
WAITING = obj({"waiting": many(obj({"hookId": TEXT, "fingerprint": TEXT, "diff": many(TEXT)}))})
WISHES = ("session", "event", "verdict", "agent", "tool", "workspace", "hook", "text", "failed", "since", "until",
          "before")  # fmt: skip
OPERATIONS = (
    Operation("get", "/records/hooks", hooks, "Every hook, its state and how it did",
              {200: obj({"workspaces": many(TEXT), "hooks": many(RUN_HOOK), "last": COUNT}), 404: ERROR}),
    Operation("get", "/records/problems", problems, "What `hookline check` calls errors", {200: ANY, 404: ERROR}),
    Operation("get", "/records/decisions", decisions, "The newest decisions that fit",
              {200: obj({"decisions": many(RUN), "count": COUNT, "choices": ANY, "last": COUNT}), **BAD},
              query=(*WISHES, "limit")),
    Operation("get", "/records/decisions/{run}", decision, "One decision in full", {200: ANY, 404: ERROR}),
    Operation("get", "/records/decisions/{run}/case", case, "Its recorded call as a case file",
              {200: "application/yaml", 404: ERROR, 409: ERROR}),
    Operation("get", "/records/decisions/{run}/output", output, "All that one of its hooks printed",
              {200: "text/plain", 404: ERROR}, query=("hook",)),
    Operation("post", "/records/decisions/{run}/rerun", rerun, "The recorded call once more, by today's hooks",
              {200: obj({"changed": {"type": ["boolean", "null"]}}), 404: ERROR, 409: ERROR}),
    Operation("get", "/records/trust", waiting, "What waits for a person", {200: WAITING, 404: ERROR}),
    Operation("post", "/records/decide", decide, "Accept or refuse exactly that", {200: WAITING, 409: ERROR, **BAD},
              obj({"fingerprint": TEXT, "accept": YES_NO}, workspace=TEXT)),
    Operation("post", "/records/switch", switch, "One hook on or off", {200: ANY, 409: ERROR, **BAD},
              obj({"hook": TEXT, "on": YES_NO}, workspace=TEXT)),
    Operation("get", "/records/stream", stream, "New decisions and changes as events", {200: STREAM, **BAD},
              query=("after",)),
)  # fmt: skip


def _not_recorded() -> Response:
    return problem(409, "not_recorded", why="its payload was not kept; `hookline record start` keeps them")


def _decision(request: Request) -> dict[str, Any]:
    try:
        found = records_of(request).decisions.history.get(request.path_params["run"])
    except UsageError as error:
        raise HTTPException(404, error.message) from error
    if found is None:
        raise HTTPException(404, "no such decision")
    return found


def _place(body: dict[str, Any]) -> str:
    place = body.get("workspace", "")
    if not isinstance(place, str):
        raise HTTPException(400, "workspace must be a path")
    return place


def _wish(request: Request) -> Wish:
    query = request.query_params
    fields = {name: query[name] for name in FIELDS if query.get(name)}
    return Wish(
        fields,
        query.get("hook", ""),
        query.get("text", "")[:200],
        _choice(query.get("failed", "false")),
        _number(query.get("since", "0")),
        _number(query.get("until", "0")),
        _number(query.get("before", "0")),
        min(_number(query.get("limit", str(PAGE)), 9, 1), MOST),
    )


def _number(text: str, digits: int = 12, least: int = 0) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > digits or int(text) < least:
        raise HTTPException(400, "since, until, before, after and limit are whole numbers")
    return int(text)


def _choice(text: str) -> bool:
    if text not in ("true", "false"):
        raise HTTPException(400, "failed is true or false")
    return text == "true"


def case_text(run: Mapping[str, Any], call: Mapping[str, Any]) -> str:
    """A `.hooktest.yml` with one case: this call, answered as it was."""
    tool = (call.get("payload") or {}).get("tool_name") or run["event"]
    case = {
        "name": f"{tool} as of {run['at']}: {run['verdict']}",
        "agent": call["agent"],
        "event": call["event"],
        "payload": call.get("payload") or {},
        "expect": {"answer": _answer(call)},
    }
    return yaml_text({"cases": [case]}, width=110)


def _answer(call: Mapping[str, Any]) -> Any:
    text = str((call.get("answer") or {}).get("stdout") or "")
    return json_or(text, text) if text.strip() else {}


async def replayed(call: Mapping[str, Any]) -> dict[str, Any]:
    """What `hookline replay` makes of the call: `changed`, `before`, `now` and `notes`.

    In a process of its own, since hooks run for real and this one has readers to serve.
    """
    environment = files.environment()
    folder = files.ensure_dir(os.path.join(files.temporary_dir(), f"hookline-again-{new_run_id()}"), 0o700)
    try:
        path = os.path.join(folder, "call.jsonl")
        files.write_atomic(path, json.dumps(call) + "\n", mode=0o600, fsync=False)
        argv = own_command("replay", path, "--json")
        cwd = str(call.get("workspace") or folder)
        done = await run_process(ProcessRequest(argv, cwd, environment, timeout_s=REPLAY_S))
    finally:
        files.remove_tree(folder)
    found = json_or(done.stdout.text)
    if found is None:
        return {"changed": None, "notes": [done.stderr.text[-2000:] or "it could not be run again"]}
    return {name: found.get(name) for name in ("changed", "before", "now", "notes")}


def serve_records(records: Records, place: Place) -> None:
    """Serves until a signal. Raises ConfigError when the address cannot be had, SystemExit on TERM."""
    asyncio.run(listen(make_app(records, guarding_of(place)), place, records.close))


def make_app(records: Records, guarding: Guarding) -> Starlette:
    """The application over records; every request passes the gate."""
    app = Starlette(
        routes=[
            Route("/", root),
            Route("/health", health),
            Route("/static/{name}", static),
            *routes_of(OPERATIONS),
        ],
        middleware=[Middleware(Gate, guarding=guarding)],
        exception_handlers={HTTPException: http_error, HooklineError: own_error, Exception: defect},
    )
    app.router.redirect_slashes = False
    app.state.records = records
    return app


async def root(request: Request) -> Response:
    """The page for a browser, a word of life for programs."""
    if "text/html" in request.headers.get("accept", ""):
        return page("records.html")
    return Answer({"status": "ok", "service": "page"})


async def health(request: Request) -> Response:
    """Whether it works."""
    return Answer({"healthy": True})
