"""Giving files to another user."""

from __future__ import annotations

import os


def give_tree(folder: str, user: int, group: int) -> None:
    """Makes a folder and all in it somebody's own; follows no link, and leaves what it may not change."""
    if not os.path.isdir(folder):
        return
    # By directory handles: whoever owns the folder could put a link in the place of a name meanwhile.
    for _, folders, names, handle in os.fwalk(folder, follow_symlinks=False):
        for name in (".", *folders, *names):
            try:
                os.chown(name, user, group, dir_fd=handle, follow_symlinks=False)
            except OSError:
                pass
