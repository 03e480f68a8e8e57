"""The headers of a webhook: filled from the environment, harmless on the wire, and never shown."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence

from hookline.model.errors import HandlerError
from hookline.model.hooks import Webhook
from hookline.model.record import Record

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
