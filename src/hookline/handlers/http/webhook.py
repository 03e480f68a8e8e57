"""Runs a hook that is an HTTP request.

On the standard library's client, in a thread: it lets us connect to the very address that was checked,
runs on either loop, costs a command hook nothing, and needs no extra to be installed.
"""

from __future__ import annotations

import re
import time
from base64 import b64encode
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from hookline.handlers.base import Around
from hookline.handlers.deadline import Ended, in_thread, within
from hookline.handlers.http.exchange import Answer, Exchange, Request, proxy_for, target_of
from hookline.handlers.payloads import payload_json
from hookline.model.errors import HandlerError
from hookline.model.hooks import HandlerInput, HookSpec, Webhook
from hookline.model.record import Record, replace
from hookline.model.results import RawResult, Timings
from hookline.model.short_json import json_or

ALLOW = "HOOKLINE_WEBHOOK_ALLOW"
HIDDEN = "***"
SHORTEST_SECRET = 6  # shorter values occur in ordinary text
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)")
_BREAKS = re.compile(r"[\r\n\0]")
_SECRET_HEADER = re.compile(
    r"authori[sz]|token|secret|passw|cookie|credential|signature|api-?key|(?:^|-)(?:auth|key|pass)(?:$|-)",
    re.IGNORECASE,
)
# They frame the request, so they are ours alone.
_OURS = frozenset({"content-length", "transfer-encoding", "connection", "host"})


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


class Headers(Record):
    """Header names and values to send, and the values in them that nobody may read afterwards."""

    values: Mapping[str, str]
    secrets: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Headers({', '.join(self.values)})"


def expand_headers(action: Webhook, env: Mapping[str, str], login: str = "") -> Headers:
    """The headers of `action` with `${NAME}` filled from `env`; `login` is the URL's own `user:password`.

    With a list of allowed names `$NAME` works too, and a name outside the list is empty (Claude Code).
    An allowed variable that is not set raises HandlerError: nothing is sent with half a credential.
    """
    values: dict[str, str] = {"Content-Type": "application/json", "User-Agent": "hookline"}
    secrets: list[str] = []
    notes: list[str] = []
    for name, template in action.headers.items():
        if name.lower() in _OURS:
            notes.append(f"the header `{name}` was left out: it is set by the request itself")
            continue
        if not _NAME.fullmatch(name):
            raise HandlerError(f"{name!r} is no name for a header")
        filled = _Filling(name, action, env)
        values = {key: value for key, value in values.items() if key.lower() != name.lower()}
        values[name] = _BREAKS.sub("", _VARIABLE.sub(filled.value, template)).strip()
        secrets += [*filled.secrets, *_literal_secrets(name, values[name])]
        notes += filled.notes
    if login and not any(name.lower() == "authorization" for name in values):
        values["Authorization"] = "Basic " + b64encode(login.encode()).decode()
        secrets += [*_literal_secrets("Authorization", values["Authorization"]), login]
    return Headers(values, tuple(dict.fromkeys(secrets)), tuple(notes))


def masked(text: str, secrets: Sequence[str]) -> str:
    """`text` without any of the secrets."""
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


class _Filling:
    """Fills the variables of one header and remembers what came in."""

    def __init__(self, header: str, action: Webhook, env: Mapping[str, str]) -> None:
        self.header = header
        self.allowed = action.allowed_env
        self.env = env
        self.secrets: list[str] = []
        self.notes: list[str] = []

    def value(self, match: re.Match[str]) -> str:
        name = match[1] or match[2]
        if self.allowed is not None and name not in self.allowed:
            self.notes.append(f"`{name}` is empty in the header `{self.header}`: it is not an allowed name")
            return ""
        if self.allowed is None and match[2]:
            return match[0]
        value = self.env.get(name, "")
        if not value.strip():
            state = "empty" if name in self.env else "not set"
            raise HandlerError(
                f"the header `{self.header}` needs the variable `{name}`, which is {state}; nothing was sent",
                f"set `{name}` where the agent is started",
            )
        clean = _BREAKS.sub("", value).strip()
        if len(clean) >= SHORTEST_SECRET and not clean.startswith("/"):
            self.secrets.append(clean)
        return value


def _literal_secrets(name: str, value: str) -> list[str]:
    """What a header of a telling name carries: its value, and the token after a scheme such as Bearer."""
    if not _SECRET_HEADER.search(name):
        return []
    return [part for part in (value, value.rpartition(" ")[2]) if len(part) >= SHORTEST_SECRET]
