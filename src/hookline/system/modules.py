"""Imports by name and what packages offer, without `importlib`, whose own import costs more than most of ours."""

from __future__ import annotations

import _frozen_importlib as machinery  # what `importlib` is made of, and always loaded
import _frozen_importlib_external as machinery_of_files
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, ModuleType
    from typing import Any

_PACKAGES = "-packages"  # how the folders end that packages are installed into
_OURS = "hookline."
_LARGEST = 1 << 16  # of ours none is; more is slow to make room for
_HEAD = machinery_of_files.MAGIC_NUMBER + bytes(4)
_listings: dict[str, tuple[frozenset[str], str, str]] = {}


class _Module(type(sys)):  # type: ignore[misc]
    """A module whose attributes are looked up as any object's.

    Behind every `from a import b` Python asks `a` for a `__path__`; its own modules write a message to say no.
    """

    __getattribute__ = object.__getattribute__


class _Kept(machinery_of_files.SourceFileLoader):
    """Loads what Python keeps compiled of a module, where that is of the source as it is now; else as Python does."""

    kept = ""

    def create_module(self, spec: machinery.ModuleSpec) -> ModuleType:
        """With what Python would ask a new module for, by one failure after the other, and then give it."""
        module = _Module(spec.name)
        module.__dict__.update(
            __file__=self.path, __cached__=self.kept, __loader__=self, __package__=spec.parent
        )
        return module

    def get_code(self, fullname: str) -> CodeType | None:
        try:
            source, kept = os.stat(self.path), os.open(self.kept, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return super().get_code(fullname)
        try:
            text = os.read(kept, _LARGEST)
        finally:
            os.close(kept)
        if len(text) == _LARGEST or text[:8] != _HEAD:
            return super().get_code(fullname)
        marks = (int(source.st_mtime) & 0xFFFF_FFFF) | ((source.st_size & 0xFFFF_FFFF) << 32)
        if int.from_bytes(text[8:16], "little") != marks:
            return super().get_code(fullname)
        try:
            code: CodeType = marshal.loads(memoryview(text)[16:])
        except (EOFError, ValueError, TypeError):
            return super().get_code(fullname)
        return code if getattr(code, "co_filename", "") == self.path else super().get_code(fullname)


class QuickFinder:
    """Finds modules of ours, each folder listed once; what it does not find is left to Python.

    Python asks three finders before the one of files, looks for five names, and does as much again to load what it
    found: at a call from cold a tenth of all that is executed.
    """

    @staticmethod
    def find_spec(name: str, path: Iterable[str] | None, _: object = None) -> machinery.ModuleSpec | None:
        if path is None or not name.startswith(_OURS):
            return None
        folder, own = next(iter(path)), name.rpartition(".")[2]
        names, before, behind = _listing(folder)
        is_package = own in names
        if is_package:
            folder, own = f"{folder}/{own}", "__init__"
            names, before, behind = _listing(folder)
        if f"{own}.py" not in names:
            return None
        loader = _Kept(name, f"{folder}/{own}.py")
        loader.kept = f"{before}{own}{behind}"
        spec = machinery.ModuleSpec(name, loader, origin=loader.path, is_package=is_package)
        spec.cached, spec.has_location = loader.kept, True
        if is_package:
            spec.submodule_search_locations = [folder]
        return spec


def _listing(folder: str) -> tuple[frozenset[str], str, str]:
    """What is in a folder, and what stands before and behind a name of it that is kept compiled."""
    if folder not in _listings:
        try:
            names = frozenset(os.listdir(folder))
            before, _, behind = machinery_of_files.cache_from_source(f"{folder}/@.py").rpartition("@")
        except (OSError, NotImplementedError):
            names, before, behind = frozenset(), "", ""
        _listings[folder] = names, before, behind
    return _listings[folder]


def attribute(module: str, name: str) -> Any:
    """`name` of a module, which is imported if it was not yet. Raises ImportError and AttributeError."""
    __import__(module)
    return getattr(sys.modules[module], name)


def text_beside(module: str, name: str) -> str:
    """A file that came with a module, as text."""
    return data_beside(module, name).decode()


def data_beside(module: str, name: str) -> bytes:
    """The same by whatever has loaded the module; `importlib.resources` loads compressors for it."""
    found = sys.modules[module]
    place = os.path.join(os.path.dirname(found.__file__ or ""), name)
    loaded: bytes = found.__spec__.loader.get_data(place)  # type: ignore[union-attr]  # every loader of files has it
    return loaded


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
