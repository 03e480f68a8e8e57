"""Discobot's status.json: what each hook last did and which hooks are owed, valid at every instant."""

from __future__ import annotations

import os

from hookline.model.errors import StateError, Warn, unheard
from hookline.model.rendering import iso_time
from hookline.model.short_json import read_json, write_json, write_lines
from hookline.model.typing import Any, Callable, Iterable, Mapping
from hookline.state.paths import private_folder
from hookline.system.files import read_bytes, set_aside, write_atomic
from hookline.system.locks import file_lock
from hookline.system.processes.tags import is_alive, process_mark

STATUS_LIMIT = 16 * 1024 * 1024
RUNNING = "runningProcess"
PLACES = "hookPlaces"


class StatusStore:
    """`<folder>/status.json` with its three keys `hooks`, `pendingHooks`, `lastEvaluatedAt` (Discobot).

    Keys it does not know are kept. Every change is read, made and written under one lock, so writers in
    several processes lose nothing. Where the folder cannot be written `warn` hears it once and the store
    goes on in memory: a hook never suffers from its bookkeeping.
    """

    def __init__(self, folder: str, warn: Warn = unheard) -> None:
        self.path = os.path.join(folder, "status.json")
        self._folder = folder
        self._warn = warn
        self._memory: dict[str, Any] | None = None

    def read(self) -> dict[str, Any]:
        """The status object; empty when there is none. A broken file is set aside and reported."""
        if self._memory is not None:
            return _copy(self._memory)
        content, fault = _parsed(self.path)
        if fault:
            return self.update(lambda status: None)
        return content

    def update(self, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Lets `change` alter the status object in place; returns the result. Never raises for the disk."""
        if self._memory is None:
            try:
                return self._write(change)
            except StateError as error:
                self._memory = _parsed(self.path)[0]
                self._warn(f"hook status is not kept: {error.message}")
        change(self._memory)
        return _copy(self._memory)

    def add_pending(self, hook_ids: Iterable[str]) -> dict[str, Any]:
        """Owes these hooks a run; one that is owed already keeps its place."""
        wanted = tuple(hook_ids)

        def change(status: dict[str, Any]) -> None:
            pending = status["pendingHooks"]
            pending.extend(hook for hook in dict.fromkeys(wanted) if hook not in pending)

        return self.update(change)

    def clear(self, hook_id: str) -> dict[str, Any]:
        """The hook is owed no run any more."""
        return self.update(lambda status: _remove(status["pendingHooks"], hook_id))

    def keep_pending(
        self, known_ids: Iterable[str], places: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Forgets pending hooks whose file is gone.

        `places` are the places in their files of hooks that get another id when they are edited; an edited
        hook that was owed a run is owed it still.
        """
        known = {hook: hook for hook in known_ids}
        known = {**{place: hook for hook, place in (places or {}).items()}, **known}

        def change(status: dict[str, Any]) -> None:
            before = status.pop(PLACES, {})
            kept = (known.get(hook) or known.get(before.get(hook, "")) for hook in status["pendingHooks"])
            status["pendingHooks"] = [hook for hook in dict.fromkeys(kept) if hook is not None]
            if places:
                status[PLACES] = dict(places)

        return self.update(change)

    def mark_evaluated(self, at: float | None = None) -> dict[str, Any]:
        """Sets `lastEvaluatedAt`."""
        return self.update(lambda status: status.update(lastEvaluatedAt=iso_time(at)))

    def mark_running(self, hook_id: str, hook_name: str, hook_type: str) -> dict[str, Any]:
        """The hook has started, in this process."""

        def change(status: dict[str, Any]) -> None:
            entry = _entry(status, hook_id, hook_name, hook_type)
            entry.update({"lastResult": "running", RUNNING: process_mark()})

        return self.update(change)

    def mark_interrupted(self, hook_id: str) -> dict[str, Any]:
        """The run came to nothing; its counters stay as they were."""

        def change(status: dict[str, Any]) -> None:
            entry = status["hooks"].get(hook_id)
            if entry is not None and entry.pop(RUNNING, None) is not None:
                entry["lastResult"] = "pending"

        return self.update(change)

    def pause(
        self, paused: bool, hook_id: str = "", hook_name: str = "", hook_type: str = "file", by: str = ""
    ) -> dict[str, Any]:
        """Stops the running of all hooks, or of one, until resumed; what changes meanwhile stays owed.

        Resuming one hook ends the pause of all; resuming all keeps the pauses of single hooks. `by` is who
        paused, kept with the time.
        """
        note = {"pausedBy": by, "pausedAt": iso_time() if by else ""}

        def change(status: dict[str, Any]) -> None:
            if not hook_id or not paused:
                _note_pause(status, paused, note)
            if hook_id:
                _note_pause(_entry(status, hook_id, hook_name, hook_type), paused, note)

        return self.update(change)

    def record_run(
        self,
        hook_id: str,
        hook_name: str,
        hook_type: str,
        exit_code: int,
        output_path: str,
        at: float | None = None,
        ended: str = "ran",
    ) -> dict[str, Any]:
        """Counts a finished run: a success clears the hook and its consecutive failures only.

        `exit_code` is the conventional one: 124 for a time-out, 126 or 127 for a launch failure, 128 + n for
        a signal. `at` is when the run began; `ended` how it ended when not by itself (`timed_out`, …).
        """
        failed = exit_code != 0

        def change(status: dict[str, Any]) -> None:
            entry = _entry(status, hook_id, hook_name, hook_type)
            entry.pop(RUNNING, None)
            entry["lastRunAt"] = iso_time(at)
            entry["lastResult"] = "failure" if failed else "success"
            entry["lastExitCode"] = exit_code
            entry["outputPath"] = output_path
            if ended == "ran":
                entry.pop("lastEnd", None)
            else:
                entry["lastEnd"] = ended
            entry["runCount"] += 1
            entry["failCount"] += failed
            entry["consecutiveFailures"] = entry["consecutiveFailures"] + 1 if failed else 0
            if not failed:
                _remove(status["pendingHooks"], hook_id)

        return self.update(change)

    def recover(self) -> tuple[str, ...]:
        """Hooks whose process died under them become pending, with their counters as they were.

        Returns the file hooks owed a run again; a second call finds nothing.
        """
        dead = [hook for hook, entry in self.read()["hooks"].items() if _is_orphan(entry)]
        if not dead:
            return ()
        requeued: list[str] = []

        def change(status: dict[str, Any]) -> None:
            requeued.clear()
            for hook_id, entry in status["hooks"].items():
                if _is_orphan(entry):
                    entry.pop(RUNNING, None)
                    entry["lastResult"] = "pending"
                    if entry.get("type") == "file":
                        requeued.append(hook_id)
            pending = status["pendingHooks"]
            pending.extend(hook for hook in requeued if hook not in pending)

        self.update(change)
        return tuple(requeued)

    def count_attempt(self) -> int:
        """One more completion asked for by hooks since the user last spoke; survives a restart."""
        status = self.update(lambda status: status.update(attempts=_number(status.get("attempts")) + 1))
        return int(status["attempts"])

    def reset_attempts(self) -> None:
        """The user spoke."""
        if "attempts" in self.read():
            self.update(lambda status: status.pop("attempts", None))

    def _write(self, change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        private_folder(self._folder)
        with file_lock(self.path):
            status, fault = _parsed(self.path)
            if fault:
                self._set_aside(fault)
            change(status)
            text = write_lines(status) + "\n"
            # A lost count is no harm, a lost file would be, but for one that says nothing yet.
            fsync = any(value for key, value in status.items() if key != "lastEvaluatedAt")
            write_atomic(self.path, text, mode=0o600, fsync=fsync, sync_folder=False)
        return status

    def _set_aside(self, fault: str) -> None:
        self._warn(f"`{self.path}` {fault}; it is kept as `{set_aside(self.path)}` and a new one was begun")


def _parsed(path: str) -> tuple[dict[str, Any], str]:
    found = read_bytes(path, STATUS_LIMIT)
    if found.state == "missing":
        return _sound({}), ""
    if found.state == "unreadable":
        return _sound({}), found.reason
    try:
        content = read_json(found.content)
    except ValueError:
        return _sound({}), "is not JSON"
    if not isinstance(content, dict):
        return _sound({}), "is no status object"
    return _sound(content), ""


def _sound(content: dict[str, Any]) -> dict[str, Any]:
    hooks, pending, evaluated = (content.get(key) for key in ("hooks", "pendingHooks", "lastEvaluatedAt"))
    entries = hooks.items() if isinstance(hooks, dict) else ()
    names = pending if isinstance(pending, list) else ()
    sound = {
        "hooks": {hook: entry for hook, entry in entries if isinstance(entry, dict)},
        "pendingHooks": list(dict.fromkeys(name for name in names if isinstance(name, str))),
        "lastEvaluatedAt": evaluated if isinstance(evaluated, str) else "",
    }
    return {**sound, **{key: value for key, value in content.items() if key not in sound}}


def _entry(status: dict[str, Any], hook_id: str, hook_name: str, hook_type: str) -> dict[str, Any]:
    before = status["hooks"].get(hook_id, {})
    entry = {
        "hookId": hook_id,
        "hookName": hook_name,
        "type": hook_type,
        "lastRunAt": before.get("lastRunAt", ""),
        "lastResult": before.get("lastResult", "pending"),
        "lastExitCode": before.get("lastExitCode", 0),
        "outputPath": before.get("outputPath", ""),
        "runCount": _number(before.get("runCount")),
        "failCount": _number(before.get("failCount")),
        "consecutiveFailures": _number(before.get("consecutiveFailures")),
    }
    status["hooks"][hook_id] = {**entry, **{key: before[key] for key in before if key not in entry}}
    found: dict[str, Any] = status["hooks"][hook_id]
    return found


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_orphan(entry: dict[str, Any]) -> bool:
    return entry.get("lastResult") == "running" and not is_alive(entry.get(RUNNING))


def _note_pause(place: dict[str, Any], paused: bool, note: dict[str, str]) -> None:
    place["executionPaused"] = paused
    for name, value in note.items():
        if paused and value:
            place[name] = value
        else:
            place.pop(name, None)


def _remove(names: list[str], name: str) -> None:
    if name in names:
        names.remove(name)


def _copy(status: dict[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = read_json(write_json(status))
    return copied
