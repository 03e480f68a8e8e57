"""One workspace, or several, as the page asks about them: hooks with their counts, decisions, what waits for trust."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from typing import Any

from hookline.dialects.plain_text import telling_line
from hookline.engine.opening import Opened, open_engine
from hookline.engine.when_words import when_words
from hookline.model.errors import HooklineError, StateError
from hookline.model.hooks import HookSpec
from hookline.state.history import History
from hookline.state.recordings import Recordings
from hookline.state.trust.requests import TrustRequests
from hookline.state.trust.review import ReviewItem
from hookline.web.records.decisions import Decisions
from hookline.web.records.hook_rows import Standing

LOOK_S = 0.5
PING_S = 15.0
DIFF_LINES = 2_000
MOST_WORKSPACES = 50
MOST_WORDS = 300


class Unknown(HooklineError):
    """There is no such hook or workspace here."""


class Place:
    """A workspace and how it stands; read again when something of it has changed on disk."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.changes = 0
        self._standing = Standing(opened)

    @property
    def standing(self) -> Standing:
        self.look()
        return self._standing

    def look(self) -> int:
        """How often it has changed so far."""
        if not self._standing.is_so():
            self._standing = Standing(self.opened)
            self.changes += 1
        return self.changes

    def find(self, hook_id: str) -> HookSpec:
        """The hook with this id, as it is on disk. Raises Unknown."""
        for spec in self.standing.hooks.specs:
            if spec.id == hook_id:
                return spec
        raise Unknown(f"no hook `{hook_id[:200]}`")

    def waiting(self) -> tuple[ReviewItem, ...]:
        """What a person has to look at before it runs."""
        return self.opened.store.review(self.standing.waiting())


class Records:
    """The workspaces that are shown. The first one is the one asked for; `all` adds those of the history.

    Nothing here runs a hook or changes one, but for `decide` and `switch`, which a person asks for.
    """

    def __init__(self, opened: Opened, history: History, *, all_workspaces: bool = False) -> None:
        self.decisions = Decisions(history, "" if all_workspaces else opened.workspace)
        self.is_all = all_workspaces
        self._environment = opened.engine.environment
        self._places = {opened.workspace: Place(opened)}
        self._first = opened.workspace
        self._is_closed = False
        self._ends: dict[tuple[str, str], dict[str, Any]] = {}

    def close(self) -> None:
        """Lets go of everybody who follows."""
        self._is_closed = True

    @property
    def places(self) -> Mapping[str, Place]:
        """By path; with `all` every folder that is still there."""
        if self.is_all:
            self.decisions.refresh()
            for path in self.decisions.workspaces()[:MOST_WORKSPACES]:
                if path not in self._places and os.path.isdir(path):
                    self._places[path] = Place(
                        open_engine(path, environment=self._environment, history=False)
                    )
        return self._places

    def place(self, path: str) -> Place:
        """The workspace of that path, the first one for an empty one. Raises Unknown for one not shown."""
        found = self.places.get(path or self._first)
        if found is None:
            raise Unknown(f"workspace `{path[:200]}` is not shown here")
        return found

    def hooks(self) -> list[dict[str, Any]]:
        """Every hook of every workspace, with how it did."""
        self.decisions.refresh()
        found = [
            {"workspace": path, **row, **self.decisions.counts(path, row["hookId"])}
            for path, place in self.places.items()
            for row in place.standing.rows()
        ]
        failed = {(row["lastRun"], row["hookId"]) for row in found if row["lastState"] == "failed"}
        self._ends = {which: self._ends.get(which) or self._end_of(*which) for which in failed}
        return [{**row, "lastEnd": self._ends.get((row["lastRun"], row["hookId"]))} for row in found]

    def _end_of(self, run: str, hook_id: str) -> dict[str, Any]:
        """How a hook failed: its status, its exit code, and why in a line of words."""
        kept = self.decisions.history.get(run) or {}
        hook: Mapping[str, Any] = next((each for each in kept.get("hooks", ()) if each["id"] == hook_id), {})
        words = hook.get("why") or telling_line(hook.get("stdout") or "", hook.get("stderr") or "")
        return {"status": hook.get("status"), "exitCode": hook.get("exit_code"), "words": words[:MOST_WORDS]}

    def problems(self) -> list[dict[str, Any]]:
        """What keeps a hook from running, or makes it weaker than it reads, as far as its files tell."""
        return [
            {
                "workspace": path,
                "source": each.source,
                "line": each.line,
                "path": each.path,
                "message": each.message,
                "hint": each.hint,
            }
            for path, place in self.places.items()
            for each in place.standing.errors
        ]

    def waiting(self) -> list[dict[str, Any]]:
        return [
            {"workspace": path, **_review_row(item)}
            for path, place in self.places.items()
            for item in place.waiting()
        ]

    def decide(self, path: str, fingerprint: str, accept: bool) -> None:
        """A person's answer to exactly what they were shown. Raises StateError when it is another by now."""
        place = self.place(path)
        item = next((each for each in place.waiting() if each.fingerprint == fingerprint), None)
        if item is None:
            raise StateError("it has changed, or was answered already: look at it again")
        requests = TrustRequests(place.opened.paths, place.opened.workspace)
        if accept:
            place.opened.store.accept([item.spec], self._person)
            requests.settle([fingerprint])
        else:
            requests.refuse([fingerprint])

    def switch(self, path: str, hook_id: str, on: bool) -> None:
        """Switches one hook on or off in this repository, for every host; who and when is in the trust log."""
        place = self.place(path)
        spec = place.find(hook_id)
        store = place.opened.store
        store.enable(spec, self._person) if on else store.disable(spec, self._person)

    def payload_of(self, run: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """The recorded call that a decision answered; None when calls were not recorded then."""
        kept = Recordings(self._places[self._first].opened.paths.recordings)
        return kept.answered_by(str(run["run"]))

    async def follow(self, after: int) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
        """`decision` for each new one, `hooks` when something changed on disk, `ping` now and then; until `close`."""
        changes, quiet = self._changes(), 0.0
        while not self._is_closed:
            self.decisions.refresh()
            fresh = self.decisions.after(after if after <= self.decisions.last else 0)  # a history begun anew
            for row in fresh:
                after = row["n"]
                yield "decision", row
            if changes != (now := self._changes()):
                changes = now
                yield "hooks", {}
            quiet = 0.0 if fresh else quiet + LOOK_S
            if quiet >= PING_S:
                quiet = 0.0
                yield "ping", {}
            await asyncio.sleep(LOOK_S)

    def _changes(self) -> int:
        return sum(place.look() for place in self.places.values())

    @property
    def _person(self) -> str:
        name = self._environment.get("USER") or self._environment.get("LOGNAME") or f"uid {os.getuid()}"
        return f"{name} on the page"


def _review_row(item: ReviewItem) -> dict[str, Any]:
    spec = item.spec
    return {
        "hookId": spec.id, "hookName": spec.name or spec.id, "dialect": spec.dialect, "event": spec.kind.value,
        "matcher": when_words(spec), "command": spec.command, "source": spec.source,
        "line": spec.line, "change": item.change, "why": item.why, "fingerprint": item.fingerprint,
        "definition": item.definition, "diff": list(item.diff[:DIFF_LINES]), "touches": list(item.touches),
        "risks": list(item.risks),
    }  # fmt: skip
