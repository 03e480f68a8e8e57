"""Imports by name and what packages offer, without `importlib`, whose own import costs more than most of ours."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PACKAGES = "-packages"  # how the folders end that packages are installed into


def attribute(module: str, name: str) -> Any:
    """`name` of a module, which is imported if it was not yet. Raises ImportError and AttributeError."""
    __import__(module)
    return getattr(sys.modules[module], name)


def text_beside(module: str, name: str) -> str:
    """A file that came with a module, by whatever has loaded that; `importlib.resources` loads compressors for it."""
    found = sys.modules[module]
    place = os.path.join(os.path.dirname(found.__file__ or ""), name)
    loaded: bytes = found.__spec__.loader.get_data(place)  # type: ignore[union-attr]  # every loader of files has it
    return loaded.decode()


def entry_points(group: str) -> dict[str, str]:
    """What installed packages offer in a group, as `module:attribute` by name.

    Read from the packages' own lists in a millisecond; `importlib.metadata` takes a hundred. A package that
    cannot be read offers nothing. Where Python leaves PYTHONPATH out (`-I`), the folders there that are in no project
    are looked at last, and become importable when something is offered there.
    """
    found: dict[str, str] = {}
    for folder in sys.path:
        found.update(_listed(folder, group))
    for folder in _left_out() if sys.flags.isolated else ():
        offered = _listed(folder, group)
        if offered:
            sys.path.append(folder)
            found = {**offered, **found}
    return found


def names_packages(python_path: str) -> bool:
    """Whether a PYTHONPATH leads to installed packages that this process does not look at."""
    return any(
        folder.endswith(_PACKAGES) and folder not in sys.path for folder in python_path.split(os.pathsep)
    )


def _left_out() -> list[str]:
    """What of PYTHONPATH no project can have put there."""
    from hookline.system.workspace.roots import find_root

    folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return [
        folder for folder in folders
        if os.path.isabs(folder) and folder not in sys.path and find_root(folder).kind == "none"
    ]  # fmt: skip


def _listed(folder: str, group: str) -> dict[str, str]:
    found: dict[str, str] = {}
    try:
        listed = os.listdir(folder) if folder.endswith(_PACKAGES) else []
    except OSError:
        return found
    for name in sorted(listed):
        if name.endswith((".dist-info", ".egg-info")):
            found.update(_offered(f"{folder}/{name}/entry_points.txt", group))
    return found


def _offered(path: str, group: str) -> dict[str, str]:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError:
        return {}
    try:
        text = os.read(descriptor, 1 << 20).decode("utf-8", "replace")
    finally:
        os.close(descriptor)
    if f"[{group}]" not in text:
        return {}
    section = text.partition(f"[{group}]")[2].partition("\n[")[0]
    pairs = (line.partition("=") for line in section.splitlines() if "=" in line)
    return {name.strip(): where.strip() for name, _, where in pairs}
