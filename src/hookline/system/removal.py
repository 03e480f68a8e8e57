"""Removes folders with all that is in them."""

from __future__ import annotations

import os

FilePath = str | os.PathLike[str]

DEEPEST = 3  # of the folders we make ourselves; a deeper one is somebody else's
_AS_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_tree(path: FilePath) -> None:
    """Removes a folder and all in it, if it is there; never follows links, never raises."""
    if not os.path.isdir(path) or os.path.islink(path) or _removed_shallow(path):
        return
    from shutil import rmtree

    rmtree(path, ignore_errors=True)


def _removed_shallow(path: FilePath) -> bool:
    """Removes a folder that is not deep, as most are not, without the import of shutil (5 ms); False for others."""
    try:
        folder = os.open(path, _AS_FOLDER)
        try:
            _empty(folder, DEEPEST)
        finally:
            os.close(folder)
        os.rmdir(path)
    except OSError:
        return False
    return True


def _empty(folder: int, depth: int) -> None:
    """Removes what is in an open folder; OSError at the first thing that cannot be removed."""
    for name in os.listdir(folder):
        try:
            os.unlink(name, dir_fd=folder)
        except (IsADirectoryError, PermissionError):  # the second is what POSIX has for a folder
            if not depth:
                raise
            _remove_inner(folder, name, depth - 1)


def _remove_inner(folder: int, name: str, depth: int) -> None:
    inner = os.open(name, _AS_FOLDER, dir_fd=folder)
    try:
        _empty(inner, depth)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=folder)
