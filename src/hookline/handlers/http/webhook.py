"""Runs a hook that is an HTTP request.

On the standard library's client, in a thread: it lets us connect to the very address that was checked,
runs on either loop, costs a command hook nothing, and needs no extra to be installed.
"""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from hookline.handlers.base import Around
from hookline.handlers.deadline import Ended, in_thread, within
from hookline.handlers.http.exchange import Answer, Exchange, Request, target_of
from hookline.handlers.http.headers import Headers, expand_headers, masked
from hookline.handlers.http.proxies import proxy_for
from hookline.handlers.payloads import payload_json
from hookline.model.errors import HandlerError
from hookline.model.hooks import HandlerInput, HookSpec, Webhook
from hookline.model.record import replace
from hookline.model.results import RawResult, Timings
from hookline.model.short_json import json_or

ALLOW = "HOOKLINE_WEBHOOK_ALLOW"


async def run_webhook(action: Webhook, spec: HookSpec, given: HandlerInput, around: Around) -> RawResult:
    """Sends the payload as JSON; the answer's status, text and (when it is JSON) value come back.

    Redirects are not followed. Past the hook's own time it is `timed_out`; where the dialect has a shorter
    limit for the exchange itself (the option `http_timeout_s`), a server silent past that did not answer,
    which is `launch_error`. Values of headers occur nowhere in the result.
    """
    started_at, began = time.time(), time.monotonic()
    raw = RawResult(command=f"{action.method} {shown_url(action.url)}", started_at=started_at)
    limit_s = _limit_s(spec, around)
    try:
        target = target_of(action.url)
        headers = expand_headers(action, around.env, target.login)
        request = Request(
            target=target,
            method=action.method.upper(),
            headers=headers.values,
            body=payload_json(given.payload),
            allowed=(
                *spec.means.allow_hosts,
                *filter(None, (entry.strip() for entry in around.env.get(ALLOW, "").split(","))),
            ),
            proxy=proxy_for(target.scheme, target.host, target.port, around.env),
            authorities=around.env.get("SSL_CERT_FILE", ""),
        )
    except HandlerError as error:
        return _unsent(raw, error)
    ended = await _exchanged(Exchange(request), around.timeout_s if limit_s is None else limit_s)
    command = masked(raw.command, headers.secrets)
    raw = replace(raw, command=command, timings=Timings(run=time.monotonic() - began), notes=headers.notes)
    if ended.timed_out and limit_s is None:
        return replace(raw, timed_out=True, status_code=124)
    if ended.timed_out:
        ended = replace(ended, error=HandlerError(f"no answer within {limit_s:g} s"))
    if isinstance(ended.error, HandlerError):
        return _unsent(raw, HandlerError(masked(ended.error.message, headers.secrets), ended.error.hint))
    if ended.error is not None:
        return _unsent(raw, HandlerError(f"the request failed: {type(ended.error).__name__}"))
    return _answered(raw, ended.value, headers)


def _limit_s(spec: HookSpec, around: Around) -> float | None:
    """The dialect's limit for the exchange, where that ends before the hook's own time."""
    limit = spec.means.http_timeout_s
    if limit is None or (around.timeout_s is not None and around.timeout_s <= limit):
        return None
    return float(limit)


def shown_url(url: str) -> str:
    """The URL without what may be secret in it: login, query, and path parts that look like tokens."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "a URL that cannot be read"
    host = parts.netloc.rpartition("@")[2]
    path = "/".join("…" if _looks_secret(part) else part for part in parts.path.split("/"))
    return f"{parts.scheme}://{host}{path}{'?…' if parts.query else ''}"


def _looks_secret(part: str) -> bool:
    return len(part) >= 16 and any(c.isdigit() for c in part) and any(c.isalpha() for c in part)


async def _exchanged(exchange: Exchange, timeout_s: float | None) -> Ended:
    try:
        return await within(in_thread(exchange.run), timeout_s, 0.0)
    finally:
        exchange.close()


def _unsent(raw: RawResult, error: HandlerError) -> RawResult:
    words = f"{error.message}; {error.hint}" if error.hint else error.message
    return replace(raw, launch_error=words, status_code=126)


def _answered(raw: RawResult, answer: Answer, headers: Headers) -> RawResult:
    text = masked(answer.body.decode("utf-8", "replace"), headers.secrets)
    notes = list(raw.notes)
    if answer.truncated:
        notes.append(f"only the first {len(answer.body)} bytes of the answer were read")
    if 300 <= answer.status < 400:
        notes.append("the redirect was not followed")
    succeeded = 200 <= answer.status < 300
    reason = "".join(c for c in masked(answer.reason, headers.secrets)[:100] if c.isprintable())
    return replace(
        raw,
        http_status=answer.status,
        stdout=text,
        stderr="" if succeeded else f"{answer.status} {reason}".strip(),
        value=None if answer.truncated else json_or(text),
        answer_cut=answer.truncated and text.lstrip().startswith("{"),
        truncated=answer.truncated,
        status_code=0 if succeeded else 1,
        notes=tuple(notes),
    )
