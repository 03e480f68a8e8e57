"""What a message to the turn host asks for besides its text: a mode, a model, and variables for its turn."""

from __future__ import annotations

import json

from hookline.model.errors import UsageError
from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hookline.agents.base import Model

GIT_USER = {
    "name": ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"),
    "email": ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"),
}
# They say who we are and what may run; no message changes that.
RESERVED = ("HOOKLINE_", "DISCOBOT_")


class TurnWish(Record):
    """Holds for the turn, its hooks, and the turns that its failed hooks begin; the next message has its own.

    `model` None is the host's. `environment` is added to what tools and hooks see, `secrets` are those of it
    that nothing may keep.
    """

    mode: str = ""
    phase: str = ""
    model: Model | None = None
    environment: Mapping[str, str] = {}
    secrets: Mapping[str, str] = {}


def git_identity(name: str, email: str) -> dict[str, str]:
    """The variables by which git takes somebody for author and committer; none for what is empty."""
    given = {"name": name.strip(), "email": email.strip()}
    for what, text in given.items():
        if not text.isprintable():
            raise UsageError(f"the git user's {what} holds characters that are no text")
    return {variable: text for what, text in given.items() if text for variable in GIT_USER[what]}


def credentials(text: str) -> dict[str, str]:
    """The variables of `X-Discobot-Credentials`, a JSON list of `{envVar, value}`; other fields are passed over.

    Raises UsageError, which names no value.
    """
    if not text:
        return {}
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError("the credentials are not JSON") from None
    if not isinstance(given, list):
        raise UsageError("the credentials must be a list of `{envVar, value}`")
    return dict(_variable(entry) for entry in given)


def _variable(entry: Any) -> tuple[str, str]:
    name, value = (entry.get("envVar"), entry.get("value")) if isinstance(entry, dict) else (None, None)
    if not isinstance(name, str) or not isinstance(value, str):
        raise UsageError("each of the credentials needs `envVar` and `value`, both text")
    if not (name.isascii() and name.isidentifier()) or name.upper().startswith(RESERVED):
        raise UsageError(f"the credentials cannot set `{name[:80]}`")
    if "\0" in value:
        raise UsageError(f"the value of `{name}` cannot be in an environment")
    return name, value
