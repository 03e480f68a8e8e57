"""The moment of a hook that a person runs again and no turn is about: a session's start, or the next commit."""

from __future__ import annotations

from hookline.model.events import Event, EventKind, event_from_payload
from hookline.model.hooks import HookSpec
from hookline.system.repository.git import staged_files
from hookline.system.workspace.differences import staged_differences


async def lone_event(workspace: str, session_id: str, spec: HookSpec, diff_limit: int) -> Event:
    """For a commit with all that is staged, be it nothing, as at `git commit --allow-empty`."""
    if spec.kind != EventKind.PreCommit:
        return Event(spec.kind, session_id, workspace, workspace=workspace)
    staged = await staged_files(workspace)
    payload: dict[str, object] = {"files": list(staged.changed), "deleted_files": list(staged.deleted)}
    if spec.handler == "agent":  # a model judges the change itself
        paths = (*staged.deleted, *staged.changed)
        payload["diff"] = await staged_differences(workspace, paths, diff_limit)
    return event_from_payload(
        spec.kind, {**payload, "session_id": session_id}, workspace=workspace, cwd=workspace
    )
