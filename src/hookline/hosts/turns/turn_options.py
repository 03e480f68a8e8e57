"""What a message to the turn host asks for besides its text: a mode, a model, and variables for its turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hookline.agents.base import Model
from hookline.dialects.discobot import SWITCH
from hookline.dialects.discobot.fields import PHASES
from hookline.model.errors import UsageError
from hookline.model.record import Record

__all__ = ["PHASES", "SWITCH", "TurnWish", "credentials", "git_identity"]

GIT_USER = {
    "name": ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"),
    "email": ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"),
}
# They say who we are, what may run, and which code or config other programs load as they start; no message
# changes that, for the turn's guards start with the same environment.
RESERVED = (
    "HOOKLINE_", "DISCOBOT_", "LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG", "XDG_", "PYTHON", "PERL5",
)  # fmt: skip
RESERVED_NAMES = frozenset(
    (
        "PATH", "HOME", "SHELL", "ENV", "BASH_ENV", "ZDOTDIR", "IFS", "CDPATH", "PS4", "SHELLOPTS", "BASHOPTS",
        "PROMPT_COMMAND", "TMPDIR", "USER", "LOGNAME", "EDITOR", "VISUAL", "PAGER", "GIT_DIR", "GIT_WORK_TREE",
        "GIT_INDEX_FILE", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND",
        "GIT_PROXY_COMMAND", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_OBJECT_DIRECTORY",
        "GIT_COMMON_DIR", "GIT_ATTR_SOURCE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_CEILING_DIRECTORIES", "SESSION_ID",
        "RUBYOPT", "RUBYLIB", "NODE_OPTIONS", "NODE_PATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS",
        "LUA_PATH", "LUA_CPATH", "LUA_INIT", "GCONV_PATH", "LOCPATH",
    )
)  # fmt: skip


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
    if not (name.isascii() and name.isidentifier()) or _is_reserved(name.upper()):
        raise UsageError(f"the credentials cannot set `{name[:80]}`")
    if "\0" in value or not _is_whole(value):
        raise UsageError(f"the value of `{name}` cannot be in an environment")
    return name, value


def _is_reserved(name: str) -> bool:
    return name in RESERVED_NAMES or name.startswith(RESERVED)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a character
        return False
    return True
