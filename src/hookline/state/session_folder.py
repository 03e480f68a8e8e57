"""The folder of a session's hooks, which belongs to one workspace: what another one owes must not be mixed with it."""

from __future__ import annotations

import os

from hookline.model.errors import HooklineError
from hookline.state.paths import Paths, private_folder
from hookline.system.files import append_line, read_bytes, write_atomic

OWNER = ".workspace"


def hooks_folder(paths: Paths, session_id: str, workspace: str, *, claim: bool = False) -> str:
    """`~/.discobot/{sessionId}/hooks`, for the workspace that came first; any other one's has a mark behind the id.

    `claim` makes the folder this workspace's where it is nobody's yet, or that of one that is gone.
    """
    folder, place = paths.discobot_hooks(session_id), os.path.realpath(workspace)
    owner = _owner(folder)
    if not owner and claim:
        owner = _claimed(folder, place)
    if owner in ("", place):
        return folder
    from hashlib import sha256

    return paths.discobot_hooks(f"{session_id[:110]}-{sha256(os.fsencode(place)).hexdigest()[:8]}")


def evaluations_place(paths: Paths, workspace: str) -> str:
    """What the files are called that the evaluations of a workspace share, without their endings."""
    from hashlib import sha256

    place = os.fsencode(os.path.realpath(workspace))
    return os.path.join(paths.state_home, "evaluations", sha256(place).hexdigest()[:16])


def _owner(folder: str) -> str:
    """The workspace it belongs to; empty for nobody's, and where that is gone, or was never written to its end."""
    owner = os.fsdecode(read_bytes(os.path.join(folder, OWNER)).content.strip(b"\n"))
    return owner if os.path.isdir(owner) else ""


def _claimed(folder: str, place: str) -> str:
    """Whose it is now; where nothing can be written down it stays nobody's."""
    path = os.path.join(folder, OWNER)
    try:
        private_folder(folder)
        if os.path.exists(path):  # of a workspace that is gone
            write_atomic(path, place + "\n", mode=0o600, fsync=False)
        else:
            append_line(path, place, mode=0o600, anew=True)
    except (HooklineError, OSError):
        return ""
    return _owner(folder)
