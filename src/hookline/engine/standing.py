"""What already failed before a session began, so that its agent is not asked to mend what it did not break.

Only for file hooks with `baseline: true`. Compared are the lines a hook prints, without what moves by itself: colours,
times, addresses and numbers that stand alone.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter

from hookline.dialects.file_hooks import matching_files, unusual_end
from hookline.engine.evaluation import has_failed
from hookline.engine.hookruns import HookRuns
from hookline.model.errors import StateError
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HookSpec
from hookline.model.results import HookResult
from hookline.model.short_json import read_json
from hookline.model.typing import Awaitable, Callable, Iterable
from hookline.state.paths import private_folder
from hookline.state.session_folder import hooks_folder
from hookline.system.files import read_bytes, write_atomic
from hookline.system.workspace.changes import Snapshot

FILE = ".failed-before.json"
LIMIT = 4 * 1024 * 1024
MOST_BYTES = 512 * 1024  # of an output; a longer one is compared with nothing
MOST_FILES = 1_000
MOST_LETTERS = 60_000  # of all names together: they are one variable of the hook
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MOVES = re.compile(r"0x[0-9a-fA-F]+|(?<![\w.])\d[\d.:,]*(?:[mnuµ]?s|min|h)?(?!\w)")


class Standing:
    """The failures of one session's beginning, in the folder of its hook state."""

    def __init__(self, runs: HookRuns, session_id: str) -> None:
        self._runs = runs
        self._session_id = session_id
        self._path = os.path.join(hooks_folder(runs.paths, session_id, runs.engine.workspace), FILE)

    async def begin(
        self,
        scan: Callable[[], Awaitable[Snapshot]],
        event_of: Callable[[str, tuple[str, ...], tuple[str, ...], int], Event],
    ) -> None:
        """Runs the hooks with a baseline on all the files they fit, and keeps what those say that fail."""
        paths = sorted(map(os.fsdecode, (await scan()).paths()))
        kept: dict[str, list[str]] = {}
        for spec in self._runs.engine.hooks.of_kind(EventKind.FilesChanged):
            if not spec.conduct.baseline:
                continue
            event = event_of(self._session_id, _files_of(spec, paths), (), 1)
            _, result = await self._runs.run(spec, event)
            if result.raw is not None and has_failed(result):
                kept[spec.id] = list(self._lines(spec).elements())
        try:
            private_folder(os.path.dirname(self._path))
            write_atomic(self._path, json.dumps(kept), mode=0o600, fsync=False)
        except StateError as error:
            self._runs.warn(f"what failed before this session is not kept: {error}")

    def covers(self, result: HookResult) -> bool:
        """Whether a hook that just failed said nothing that it did not say before.

        A failure without a word, or one that is no exit by itself, is never known.
        """
        lines = self._lines(result.spec)
        if not lines or result.raw is None or unusual_end(result.spec, result.raw):
            return False
        try:
            before = read_json(read_bytes(self._path, LIMIT).content or b"{}")[result.spec.id]
            return not lines - Counter(map(str, before))
        except (ValueError, KeyError, TypeError):
            return False

    def _lines(self, spec: HookSpec) -> Counter[str]:
        """How often it says what; nothing where not all that was printed can be looked at."""
        printed = self._runs.logs(self._session_id).read(spec.id)
        if len(printed) > MOST_BYTES:
            return Counter()
        text = printed.decode("utf-8", "replace")
        lines = (_MOVES.sub("#", _COLOUR.sub("", line)).strip() for line in text.splitlines())
        return Counter(line for line in lines if line)


def _files_of(spec: HookSpec, paths: Iterable[str]) -> tuple[str, ...]:
    """The files the hook is about, as many as can be named to it."""
    left = MOST_LETTERS
    found: list[str] = []
    for path in matching_files(spec, paths):
        left -= len(path) + 1
        if left < 0 or len(found) == MOST_FILES:
            break
        found.append(path)
    return tuple(found)
