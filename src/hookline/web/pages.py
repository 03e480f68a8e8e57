"""The page's own files: HTML under a policy that lets no script run but its own, and what belongs to it."""

from __future__ import annotations

import os

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from hookline.system.files import list_dir, read_bytes

STATIC = os.path.join(os.path.dirname(__file__), "static")
LIMIT = 4 * 1024 * 1024
MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def page(name: str) -> Response:
    """One of our pages. 404 where the package came without its files."""
    found = read_bytes(os.path.join(STATIC, name), LIMIT)
    if found.state in ("missing", "unreadable"):
        raise HTTPException(404)
    headers = {"Content-Security-Policy": POLICY, "Cache-Control": "no-cache"}
    return Response(found.content, 200, headers, MEDIA[".html"])


async def static(request: Request) -> Response:
    """One of the page's own files; a name that is not in their folder is none."""
    name = request.path_params["name"]
    media = MEDIA.get(os.path.splitext(name)[1])
    if media is None or name not in [entry.name for entry in list_dir(STATIC).entries]:
        raise HTTPException(404)
    return Response(
        read_bytes(os.path.join(STATIC, name), LIMIT).content, 200, {"Cache-Control": "no-cache"}, media
    )
