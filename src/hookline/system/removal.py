"""Removes folders with all that is in them."""

from __future__ import annotations

import os

FilePath = str | os.PathLike[str]

DEEPEST = 3  # of the folders we make ourselves; a deeper one is somebody else's
_AS_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: FilePath) -> None:
    """Removes a folder and all in it, if it is there; never follows links, never raises."""
    if not os.path.isdir(path) or os.path.islink(path):
        return
    try:
        _remove(path, DEEPEST)  # most are not deep, and importing shutil takes 5 ms
    except OSError:
        from shutil import rmtree

        rmtree(path, ignore_errors=True)


def _remove(name: FilePath, depth: int, above: int | None = None) -> None:
    """Removes a folder within an open one; OSError at the first thing that cannot be removed."""
    folder = os.open(name, _AS_FOLDER, dir_fd=above)
    try:
        for each in os.listdir(folder):
            try:
                os.unlink(each, dir_fd=folder)
            except (IsADirectoryError, PermissionError):  # the second is what POSIX has for a folder
                if not depth:
                    raise
                _remove(each, depth - 1, folder)
    finally:
        os.close(folder)
    os.rmdir(name, dir_fd=above)
