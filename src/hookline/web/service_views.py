"""The service routes: list, start, stop, and listen to what a service prints."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from hookline.web.bodies import Answer, host_of
from hookline.web.sse import completion_stream


async def listed(request: Request) -> Response:
    """GET /services"""
    return Answer({"services": host_of(request).services.shown()})


async def start(request: Request) -> Response:
    """POST /services/{id}/start: 202, 404, 409 while it runs, 400 for a passive one."""
    name = request.path_params["service"]
    host_of(request).services.start(name)
    return Answer({"status": "starting", "serviceId": name}, 202)


async def stop(request: Request) -> Response:
    """POST /services/{id}/stop: 200, 404, 400 when it does not run."""
    name = request.path_params["service"]
    host_of(request).services.stop(name)
    return Answer({"success": True, "serviceId": name})


async def output(request: Request) -> Response:
    """GET /services/{id}/output: what its last start printed and prints, as events, then `[DONE]`."""
    run = host_of(request).services.run_of(request.path_params["service"])
    if run is None:
        return Response("data: [DONE]\n\n", media_type="text/event-stream")
    known = run.log.number_of(request.headers.get("last-event-id", ""))
    return completion_stream(run.log, known or 0)
