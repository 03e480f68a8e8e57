"""What installers ask a person to trust: wishes with the content they mean, which grant nothing."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hookline.model.errors import StateError
from hookline.model.record import Record, fields_of, replace
from hookline.model.short_json import read_json
from hookline.state.paths import Paths
from hookline.state.trust.fingerprint import canonical, sha256
from hookline.state.trust.repository import find_repository
from hookline.system.files import ensure_dir, read_bytes, write_atomic
from hookline.system.locks import file_lock

Content = dict[str, list[dict[str, Any]]]

SCHEMA = 1
FILE_LIMIT = 4 * 1024 * 1024
OPEN_FOR_S = 7 * 86400.0
REFUSED_FOR_S = 30 * 86400.0
MOST_OPEN = 16  # of one repository: what is more than a person reads is a flood
MOST_OPEN_IN_ALL = 256
MOST_REFUSED = 1024
MOST_HOOKS = 64
NAME_LETTERS = 80
WHY_LETTERS = 300


class TrustRequest(Record):
    """One wish. `by` and `why` are the asker's own words, `programs` the processes it was asked from.

    `hooks` are hook ids with the fingerprints they had then; `at` and `until` are seconds since 1970.
    """

    id: str
    source: str
    by: str
    why: str
    programs: tuple[str, ...]
    at: float
    until: float
    hooks: Mapping[str, str]


class TrustRequests:
    """The wishes about one repository's hooks; a file of its own, which no decision about trust reads.

    Reading never raises: a file that cannot be read holds no wishes. Changing raises StateError.
    """

    def __init__(self, paths: Paths, workspace: str) -> None:
        self._path = paths.trust_requests
        self._place = find_repository(workspace).place

    def open(self) -> tuple[TrustRequest, ...]:
        """What is asked for now, oldest first."""
        rows = self._read(time.time())["requests"]
        return tuple(_request(row) for row in rows if row.get("place") == self._place)

    def refused(self) -> frozenset[str]:
        """The fingerprints a person refused lately."""
        rows = self._read(time.time())["refused"]
        return frozenset(str(row["fingerprint"]) for row in rows if row.get("place") == self._place)

    def ask(
        self, source: str, by: str, why: str, programs: Sequence[str], hooks: Mapping[str, str]
    ) -> TrustRequest:
        """Keeps a wish for a week, in place of an older one of the same asker for the same file.

        StateError when there are too many already, or it names too many hooks.
        """
        if len(hooks) > MOST_HOOKS:
            raise StateError(f"one request names at most {MOST_HOOKS} hooks, this one {len(hooks)}")
        name, now = plain(by, NAME_LETTERS), time.time()
        number = sha256(canonical([self._place, source, name]))[:8]
        names = tuple(plain(each, 32) for each in programs)
        asked = TrustRequest(
            number, source, name, plain(why, WHY_LETTERS), names, now, now + OPEN_FOR_S, hooks
        )

        def add(content: Content) -> None:
            rows = [row for row in content["requests"] if row["id"] != number]
            mine = [row for row in rows if row.get("place") == self._place]
            if len(mine) >= MOST_OPEN or len(rows) >= MOST_OPEN_IN_ALL:
                waiting = len(mine) if len(mine) >= MOST_OPEN else len(rows)
                raise StateError(
                    f"{waiting} requests wait already", "review them with `hookline trust`, then ask again"
                )
            content["requests"] = [*rows, {"place": self._place, **_row(asked)}]

        self._change(add)
        return asked

    def settle(self, fingerprints: Iterable[str]) -> None:
        """A person has accepted this content: nothing needs asking for it any more."""
        done = frozenset(fingerprints)
        if any(done.intersection(request.hooks.values()) for request in self.open()):
            self._change(lambda content: self._drop(content, done))

    def refuse(self, fingerprints: Iterable[str]) -> None:
        """A person does not want this content: it cannot be asked for again for 30 days."""
        given = frozenset(fingerprints)

        def note(content: Content) -> None:
            self._drop(content, given)
            until = time.time() + REFUSED_FOR_S
            rows = [{"place": self._place, "fingerprint": each, "until": until} for each in sorted(given)]
            kept = [row for row in content["refused"] if row not in rows]
            content["refused"] = [*kept, *rows][-MOST_REFUSED:]

        self._change(note)

    def _drop(self, content: Content, fingerprints: frozenset[str]) -> None:
        for row in content["requests"]:
            if row.get("place") == self._place:
                hooks = row.get("hooks", {}).items()
                row["hooks"] = {name: pinned for name, pinned in hooks if pinned not in fingerprints}
        content["requests"] = [row for row in content["requests"] if row["hooks"]]

    def _change(self, change: Callable[[Content], None]) -> None:
        ensure_dir(os.path.dirname(self._path), 0o700)
        with file_lock(self._path):
            content = self._read(time.time())
            change(content)
            text = json.dumps({"schema": SCHEMA, **content}, indent=2) + "\n"
            write_atomic(self._path, text, mode=0o600)

    def _read(self, now: float) -> Content:
        """The rows that have not run out; a broken file has none, and the next change replaces it."""
        try:
            found = read_json(read_bytes(self._path, FILE_LIMIT).content or b"{}")
        except ValueError:
            found = {}
        kept = found if isinstance(found, dict) and found.get("schema") == SCHEMA else {}
        return {name: _rows(kept.get(name), words, now) for name, words in _ROWS.items()}


def plain(text: str, limit: int) -> str:
    """Words of a program for a person: one line without control characters, cut at `limit`."""
    flat = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


_ROWS: dict[str, tuple[str, ...]] = {
    "requests": ("place", "id", "source", "by", "why"),
    "refused": ("place", "fingerprint"),
}


def _rows(found: object, words: Sequence[str], now: float) -> list[dict[str, Any]]:
    rows = found if isinstance(found, list) else []
    return [row for row in rows if _is_row(row, words) and float(row["until"]) > now]


def _is_row(row: object, words: Sequence[str]) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("until"), int | float):
        return False
    hooks = row.get("hooks", {})
    whole = isinstance(hooks, dict) and all(isinstance(each, str) for each in hooks.values())
    return whole and all(isinstance(row.get(word), str) for word in words)


def _row(request: TrustRequest) -> dict[str, Any]:
    return {**fields_of(request), "programs": list(request.programs), "hooks": dict(request.hooks)}


def _request(row: Mapping[str, Any]) -> TrustRequest:
    programs = row.get("programs")
    at = row.get("at")
    made = TrustRequest(
        row["id"],
        row["source"],
        row["by"],
        row["why"],
        tuple(str(each) for each in programs) if isinstance(programs, list) else (),
        float(at) if isinstance(at, int | float) else 0.0,
        float(row["until"]),
        dict(row.get("hooks", {})),
    )
    return replace(made, by=plain(made.by, NAME_LETTERS), why=plain(made.why, WHY_LETTERS))
