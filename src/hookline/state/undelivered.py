"""Texts that wait for an agent's next event: what a hook said when nobody could take it."""

from __future__ import annotations

import os

from hookline.model.errors import StateError
from hookline.model.short_json import json_or
from hookline.system.files import append_line, ensure_dir, read_text, remove

MOST_BYTES = 256 * 1024


class Waiting:
    """The texts of all sessions, in `folder`: one file a session, one JSON string a line.

    `take` is atomic: each text is handed out once, whoever asks.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def put(self, session: str, texts: tuple[str, ...], waking: bool = False) -> None:
        """Keeps texts for the session's next event; `waking` ones shall also keep its agent from stopping.

        Raises StateError when they cannot be kept.
        """
        if not texts:
            return
        import json

        ensure_dir(self._folder, 0o700)
        append_line(self._path(session, waking), "\n".join(json.dumps(text) for text in texts), 0o600)

    def take(self, session: str, waking: bool = False) -> tuple[str, ...]:
        """What waits for the session, oldest first; nothing of it waits any longer."""
        path = self._path(session, waking)
        mine = f"{path}.{os.getpid()}"
        try:
            os.rename(path, mine)
        except OSError:
            return ()
        found = read_text(mine, MOST_BYTES)
        remove(mine)
        if found.state != "text":
            raise StateError(f"`{mine}` is {found.state}; the texts in it are lost")
        return tuple(str(json_or(line, line)) for line in found.text.splitlines() if line)

    def _path(self, session: str, waking: bool) -> str:
        from urllib.parse import quote

        ending = ".wake.jsonl" if waking else ".jsonl"
        return os.path.join(self._folder, quote(session, safe="")[:200] + ending)
