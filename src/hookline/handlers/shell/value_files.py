"""Values too long for an environment: lists of files and long texts, handed to a hook as files."""

from __future__ import annotations

import os

from hookline.model.errors import HandlerError, StateError
from hookline.model.hooks import HandlerInput, HookSpec
from hookline.system.files import ensure_dir, write_atomic


def write_value_files(spec: HookSpec, given: HandlerInput, run_dir: str) -> dict[str, str]:
    """Writes `given.lists` and `given.texts`; returns each variable with the absolute path it names.

    Every item of a list ends with a NUL, so that `xargs -0` and `read -d ''` see the last one too.
    The files are private to the user, unless the hook runs as another one. Raises HandlerError.
    """
    if not run_dir:
        raise HandlerError("there is no folder for the files that carry the hook's long values")
    contents = {name: "".join(f"{item}\0" for item in items) for name, items in given.lists.items()}
    contents.update(given.texts)
    try:
        ensure_dir(run_dir, 0o711 if given.user else 0o700)
        return {name: _written(run_dir, spec, name, text, given.user) for name, text in contents.items()}
    except StateError as error:
        raise HandlerError(error.message, error.hint) from error


def _written(run_dir: str, spec: HookSpec, name: str, text: str, user: str) -> str:
    path = os.path.abspath(os.path.join(run_dir, f"{_file_name(spec.id)}.{_file_name(name)}"))
    content = text.encode("utf-8", "surrogateescape") if _encodable(text) else _repaired(text)
    write_atomic(path, content, mode=0o644 if user else 0o600, fsync=False)
    return path


def _file_name(text: str) -> str:
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "_" for c in text)[:80]


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _repaired(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")
