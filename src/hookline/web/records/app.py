"""The page on a workspace's hooks and history, without an agent: `hookline page`."""

from __future__ import annotations

import asyncio

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hookline.model.errors import HooklineError
from hookline.web.bodies import Answer, defect, http_error, own_error
from hookline.web.gate import Gate, Guarding
from hookline.web.listening import Place, guarding_of, listen
from hookline.web.operations import routes_of
from hookline.web.pages import page, static
from hookline.web.records.records import Records
from hookline.web.records.views import OPERATIONS


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
