"""Full outputs of hooks on disk: capped, private, and gone with the run they belong to."""

from __future__ import annotations

import os

from hookline.model.typing import Callable
from hookline.state.paths import private_folder
from hookline.system.files import ensure_dir, list_dir, read_bytes, remove, write_atomic

OUTPUT_LIMIT = 10 * 1024 * 1024
CLEAN_LIMIT = 128 * 1024 * 1024


class Outputs:
    """`<folder>/<run>/<hook>.txt`, one folder for each run."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def path(self, run: str, hook_id: str) -> str:
        """Where the full output of a hook in a run goes; the folder is not made yet."""
        return os.path.join(self._folder, run, safe_name(hook_id) + ".txt")

    def save(self, run: str, hook_id: str, output: bytes | str) -> str:
        """Keeps at most 10 MiB, head and tail; returns the path. StateError when it cannot be written."""
        path = self.path(run, hook_id)
        ensure_dir(os.path.dirname(path), 0o700)
        write_atomic(path, capped(output), mode=0o600, fsync=False)
        return path

    def clean(self, path: str, cleaned: Callable[[str], str]) -> None:
        """Rewrites a kept output without its secrets; one too large to look through is removed.

        A path outside the folder is somebody else's and left alone.
        """
        if self._is_ours(path):
            _clean(path, cleaned)

    def keeps(self, path: str) -> bool:
        """Whether it is a kept output that is still there."""
        return self._is_ours(path) and os.path.isfile(path)

    def _is_ours(self, path: str) -> bool:
        return os.path.normpath(path).startswith(self._folder + os.sep)

    def remove(self, run: str) -> None:
        """Removes the outputs of a run, if there are any."""
        folder = os.path.join(self._folder, run)
        for entry in list_dir(folder).entries:
            remove(entry.path)
        try:
            os.rmdir(folder)
        except OSError:
            pass  # never there, or somebody keeps a file of their own in it


class HookLogs:
    """`<folder>/output/<hookId>.log`: the output of a hook's last run (Discobot)."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(folder, "output")

    def path(self, hook_id: str) -> str:
        return os.path.join(self._folder, safe_name(hook_id) + ".log")

    def save(self, hook_id: str, output: bytes | str) -> str:
        """Takes the place of the log of the run before; returns the path."""
        private_folder(os.path.dirname(self._folder))
        ensure_dir(self._folder, 0o700)
        write_atomic(self.path(hook_id), capped(output), mode=0o600, fsync=False)
        return self.path(hook_id)

    def clean(self, hook_id: str, cleaned: Callable[[str], str]) -> None:
        """Rewrites the log without its secrets; one too large to look through is removed."""
        _clean(self.path(hook_id), cleaned)

    def read(self, hook_id: str) -> bytes:
        """The log's bytes; empty when the hook never ran."""
        return read_bytes(self.path(hook_id), 2 * OUTPUT_LIMIT).content


def _clean(path: str, cleaned: Callable[[str], str]) -> None:
    found = read_bytes(path, CLEAN_LIMIT)
    if found.state == "unreadable":
        remove(path)
    text = found.content.decode("utf-8", "surrogateescape")
    clean = cleaned(text)
    if clean != text:
        write_atomic(path, clean, mode=0o600, fsync=False)


def capped(output: bytes | str, limit: int = OUTPUT_LIMIT) -> bytes:
    """Head and tail within `limit` bytes, with a note of what was left out between them."""
    content = output.encode("utf-8", "surrogateescape") if isinstance(output, str) else output
    if len(content) <= limit:
        return content
    half = limit // 2
    note = f"\n[{len(content) - 2 * half} of {len(content)} bytes left out]\n".encode()
    return content[:half] + note + content[-half:]


def safe_name(hook_id: str) -> str:
    """A file name for any hook id: what is not `A-Za-z0-9._-` becomes `%` and its bytes in hexadecimal."""
    letters = [
        letter if letter.isascii() and (letter.isalnum() or letter in "._-") else _escaped(letter)
        for letter in hook_id
    ]
    name = "".join(letters)[:200]
    return name if name.strip(".") else f"%{name}"


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02x}" for byte in letter.encode("utf-8", "surrogateescape"))
