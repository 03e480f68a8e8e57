"""What programs read from variables: options, and the settings of git."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hookline.shell.programs.table import Deed, Row
from hookline.shell.reading import Hole, Word, glued

_FOLDERS = {"GIT_EXEC_PATH": "--exec-path=", "GIT_DIR": "--git-dir="}
_FILES = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG")


def options_of(row: Row, variables: Mapping[str, Word]) -> list[Word]:
    """The options that a program finds in variables before it."""
    return [word for deed in row.deeds for word in _added(deed, variables)]


def _added(deed: Deed, variables: Mapping[str, Word]) -> Iterator[Word]:
    if deed.name == "gitconfig":
        yield from _settings_of(variables)
    elif deed.name == "options-from":
        for value in (variables[name] for name in deed.targets if name in variables):
            text = value.literal
            yield from (value,) if text is None else (Word((word,)) for word in text.split())


def _settings_of(variables: Mapping[str, Word]) -> Iterator[Word]:
    """The settings that variables make, as the `-c` options that would make them."""
    for key, name in variables.items():
        if key.startswith("GIT_CONFIG_KEY_"):
            value = variables.get(key.replace("KEY", "VALUE"), Word(("",)))
            yield from _option((*name.parts, "=", *value.parts), name)
        elif key == "GIT_CONFIG_PARAMETERS":
            yield from _parameters(name)
        elif key in _FILES and name.literal not in ("", "/dev/null"):
            yield from _option((Hole("word", f"settings in the file of `{key}`", f"${key}"),), name)
        elif key in _FOLDERS:
            yield Word((_FOLDERS[key], *name.parts), name.start, name.end)


def _option(parts: tuple[str | Hole, ...], place: Word) -> Iterator[Word]:
    yield Word(("-c",), place.start, place.end)
    yield Word(glued(parts), place.start, place.end)


def _parameters(text: Word) -> Iterator[Word]:
    """`'name=value' 'name'='value'`, as git quotes them for itself."""
    from shlex import split

    try:
        words = split(text.literal or "")
    except ValueError:
        words = []
    for word in words:
        yield from _option((word,), text)
    if not words:
        yield from _option((Hole("word", "settings that the line does not tell"),), text)
