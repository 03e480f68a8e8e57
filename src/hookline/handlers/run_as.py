"""The user a hook runs as."""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping

from hookline.model.errors import HandlerError
from hookline.model.record import Record


class Account(Record):
    """Who a process becomes: `ids` for the system (None stays who we are), `env`, and a `note`."""

    ids: tuple[int, int, tuple[int, ...] | None] | None = None
    env: Mapping[str, str] = {}
    note: str = ""


OURS = Account()


def account_of(user: str) -> Account:
    """What it takes to run as `user`.

    Only root can become somebody else: without it another user's hook runs as us, with a note, and a
    hook for root is refused. Raises HandlerError for that and for a user who does not exist.
    """
    if os.geteuid() != 0:
        return _unprivileged(user)
    return OURS if user == "root" else _privileged(user)


def _unprivileged(user: str) -> Account:
    own = _own_name()
    if user == "root":
        raise HandlerError(
            f"the hook wants to run as root, but this process runs as `{own}`",
            "start it as root, or set `run_as: user`",
        )
    return OURS if user == own else Account(note=f"ran as `{own}`: only root can run it as `{user}`")


def _privileged(user: str) -> Account:
    try:
        found = pwd.getpwnam(user)
    except KeyError:
        raise HandlerError(
            f"the user `{user}`, as whom the hook shall run, does not exist",
            "create that user, or name another one; it is not run as root instead",
        ) from None
    groups = tuple(os.getgrouplist(user, found.pw_gid))
    env = {"HOME": found.pw_dir, "USER": user, "LOGNAME": user}
    return Account((found.pw_uid, found.pw_gid, groups), env)


def _own_name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid {os.geteuid()}"
