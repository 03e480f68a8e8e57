"""Sends exported records to a server over HTTP, again where it is busy."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from hookline.model.errors import StateError, UsageError
from hookline.state.exports.formats import MEDIA

TIMEOUT_S = 10.0
PATIENCE_S = 60.0
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 10.0
BUSY = (408, 429, 500, 502, 503, 504)
OTLP_PATH = "/v1/traces"


class Sender:
    """Posts to one address. Where it does not answer, `warn` hears so, and it is tried for `PATIENCE_S` seconds."""

    def __init__(
        self, url: str, form: str, headers: Mapping[str, str], warn: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._url = _address(url, form)
        self._form = form
        self._headers = dict(headers)
        self._warn = warn
        self._opener = build_opener(_NoRedirects())

    def send(self, lines: Sequence[str]) -> None:
        """Raises StateError when the server refuses, or does not answer in time."""
        body, media = _body(self._form, lines)
        request = Request(self._url, body, {**self._headers, "Content-Type": media}, method="POST")
        end, wait, told = time.monotonic() + PATIENCE_S, FIRST_WAIT_S, False
        while True:
            why = self._attempt(request)
            if why is None:
                return
            if time.monotonic() + wait > end:
                raise StateError(f"`{self.shown}` does not take the records: {why}")
            if not told:
                told = True
                self._warn(f"`{self.shown}` does not take the records ({why}); trying again")
            time.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT_S)

    @property
    def shown(self) -> str:
        """The address without a login and a query in it."""
        found = urlsplit(self._url)
        return urlunsplit((found.scheme, found.netloc.rpartition("@")[2], found.path, "", ""))

    def _attempt(self, request: Request) -> str | None:
        """Why it has to be tried again; None when it was taken."""
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as answer:
                answer.read(65536)
            return None
        except HTTPError as error:
            if error.code in BUSY:
                return f"HTTP {error.code}"
            said = error.read(300).decode("utf-8", "replace").strip()
            raise StateError(f"`{self.shown}` refuses the records: HTTP {error.code} {said}") from error
        except (OSError, HTTPException) as error:
            return str(error) or type(error).__name__


class _NoRedirects(HTTPRedirectHandler):
    """Records, and the headers with them, go to the address that was given and to no other."""

    def redirect_request(self, *_: object) -> None:
        return None


def _address(url: str, form: str) -> str:
    found = urlsplit(url)
    if found.scheme not in ("http", "https") or not found.hostname:
        raise UsageError(f"--to: `{url}` is no address", "as in `http://127.0.0.1:4318`")
    path = OTLP_PATH if form == "otel" and found.path in ("", "/") else found.path
    return urlunsplit((found.scheme, found.netloc, path, found.query, ""))


def _body(form: str, lines: Sequence[str]) -> tuple[bytes, str]:
    text = f"[{','.join(lines)}]" if form == "cloudevents" else "\n".join(lines)
    return text.encode(), MEDIA[form]
