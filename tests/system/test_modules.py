"""Our own way of finding modules gives what Python's gives, only sooner."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import pkgutil
import py_compile
from pathlib import Path
from types import ModuleType

import pytest

import hookline
from hookline.system.modules import QuickFinder, _listings

SOURCE = "def place():\n    return place.__code__.co_filename\n\nVALUE = {value!r}\n"


def loaded(folder: Path, name: str = "hookline.some") -> ModuleType:
    _listings.pop(str(folder), None)
    spec = QuickFinder.find_spec(name, [str(folder)])
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_every_module_of_ours_is_found_as_python_finds_it() -> None:
    folders = {"hookline": [os.fspath(each) for each in hookline.__path__]}
    count = 0
    for _, name, is_package in pkgutil.walk_packages(hookline.__path__, "hookline."):
        path = folders[name.rpartition(".")[0]]
        wanted, found = (
            importlib.machinery.PathFinder.find_spec(name, path),
            QuickFinder.find_spec(name, path),
        )
        assert wanted is not None and found is not None, name
        assert (found.origin, found.cached) == (wanted.origin, wanted.cached)
        assert found.has_location and found.submodule_search_locations == wanted.submodule_search_locations
        if is_package:
            folders[name] = list(found.submodule_search_locations or ())
        count += 1
    assert count > 500


def test_a_module_says_no_to_what_it_has_not_without_a_message(tmp_path: Path) -> None:
    (tmp_path / "some.py").write_text(SOURCE.format(value="first"))
    found = loaded(tmp_path)
    assert type(found).__getattribute__ is object.__getattribute__  # that of modules writes one
    assert isinstance(found, ModuleType) and not hasattr(found, "__path__") and found.VALUE == "first"


def test_what_is_kept_compiled_counts_only_while_it_is_of_the_source(tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text(SOURCE.format(value="first"))
    kept = py_compile.compile(str(source), doraise=True, dfile="/built/elsewhere/some.py")
    assert kept is not None
    with_kept = loaded(tmp_path)
    assert (with_kept.VALUE, with_kept.place()) == ("first", str(source))
    os.utime(kept, (1, 1))
    assert loaded(tmp_path).VALUE == "first" and Path(kept).stat().st_mtime == 1  # not written anew

    source.write_text(SOURCE.format(value="second one"))
    assert loaded(tmp_path).VALUE == "second one"


@pytest.mark.parametrize("kept", [b"", b"no code at all", b"\0" * 64])
def test_a_spoilt_copy_is_as_good_as_none(kept: bytes, tmp_path: Path) -> None:
    source = tmp_path / "some.py"
    source.write_text(SOURCE.format(value="right"))
    place = Path(importlib.util.cache_from_source(str(source)))
    place.parent.mkdir()
    place.write_bytes(kept)
    assert loaded(tmp_path).VALUE == "right"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("hookline", None),
        ("json.decoder", ["/nowhere"]),
        ("hookline.none", ["/nowhere"]),
        ("hookline.none", list(hookline.__path__)),
    ],
)
def test_what_it_does_not_find_is_left_to_python(name: str, path: list[str] | None) -> None:
    assert QuickFinder.find_spec(name, path) is None
