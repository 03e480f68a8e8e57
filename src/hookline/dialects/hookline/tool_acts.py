"""What a tool does that is no shell: the lines that it runs, and its effects, by the tables of tools or its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from hookline.dialects.tools import CANONICAL, SHELLS, TOOL_EFFECTS, Rows, is_patch, patch_targets
from hookline.dialects.unlisted_tools import calls_inside, shell_line
from hookline.dialects.unlisted_tools import effects as effects_by_words
from hookline.model.typing import Any
from hookline.shell.effects.acts import Effect
from hookline.shell.effects.loosened import loosens, speaks_of_settings
from hookline.shell.reading import Word

_CHANGES = frozenset(
    ("content", "contents", "new_string", "edits", "new_source")
)  # else a patch is all there is
_PLACES = ("read", "write", "delete", "connect")
_READERS = frozenset(("Read", "Grep", "Glob", "LS", "NotebookRead", "ReadMcpResourceTool"))


def lines_of_tool(name: str, given: Mapping[str, Any], tools: Rows) -> Iterator[str]:
    rows = list(_rows_of(name, tools, "shell"))
    found = [text for fields in rows for field in fields if isinstance(text := given.get(field), str)]
    yield from found
    if not is_listed(name, tools):
        for inner, arguments in calls_inside(name, given):
            yield from lines_of_tool(inner.lower() if inner in SHELLS else inner, arguments, tools)
    if not found and (rows or not is_listed(name, tools)) and (line := shell_line(name, given)):
        yield line


def is_listed(name: str, tools: Rows) -> bool:
    """Whether a table says what a tool does, ours or that of the user."""
    return name in CANONICAL or any(
        pattern == name or ("*" in pattern and fnmatchcase(name, pattern))
        for rows in (tools, TOOL_EFFECTS)
        for pattern in rows
    )


def _rows_of(name: str, tools: Rows, effect: str) -> Iterator[tuple[str, ...]]:
    for rows in (tools, TOOL_EFFECTS):
        for pattern, effects in rows.items():
            if effect in effects and (pattern == name or ("*" in pattern and fnmatchcase(name, pattern))):
                yield effects[effect]
                return


def effects_of_tool(names: tuple[str, ...], given: Mapping[str, Any], tools: Rows) -> Iterator[Effect]:
    for effect in _effects_of_tool(names, given, tools):
        yield effect
        if effect.name == "write" and effect.target is not None and speaks_of_settings(text := str(given)):
            yield from loosens(text, effect.target.literal or "")


def _effects_of_tool(names: tuple[str, ...], given: Mapping[str, Any], tools: Rows) -> Iterator[Effect]:
    listed = is_listed(names[0], tools)
    texts = [text for value in given.values() for text in (value if isinstance(value, list) else [value])]
    patches = [given.get("command")] if listed else filter(is_patch, texts)
    found = [target for patch in patches if isinstance(patch, str) for target in patch_targets(patch)]
    for inner, arguments in () if listed else calls_inside(names[0], given):
        yield from effects_of_tool((inner,), arguments, tools)
    for verb, path in found:
        yield Effect("delete" if verb == "Delete" else "write", Word((path,)))
    if found and not _CHANGES & given.keys():
        return
    for name in names:
        for effect, text in () if listed else effects_by_words(name, given):
            if text is None:
                yield Effect(effect, None, effect not in _PLACES)  # what is done at a service has no path
            else:
                yield Effect(effect, Word((_host(text) if effect == "connect" else text,)))
        for effect in _PLACES:
            for fields in _rows_of(name, tools, effect):
                yield from _of_fields(name, effect, fields, given)


def _of_fields(name: str, effect: str, fields: tuple[str, ...], given: Mapping[str, Any]) -> Iterator[Effect]:
    values = [given[field] for field in fields if field in given]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    found = [text for text in texts if isinstance(text, str) and text]
    if name in _READERS:  # what a search leaves out
        found = [text for text in found if not text.startswith("!") and _is_path(text)]
    if not found:  # under no name that the tool's argument has: by what they are called
        found = [text for each, text in effects_by_words(name, given) if each == effect and text is not None]
    for text in found:
        if effect == "connect" and text.startswith("file://"):
            yield Effect("read", Word((text.removeprefix("file://"),)))
        yield Effect(effect, Word((_host(text) if effect == "connect" else text,)))
    if not found and name not in _READERS:
        yield Effect(effect, None, False)  # a call that does not say what it is about


def _is_path(text: str) -> bool:
    return "://" not in text or text.startswith("file://")


def _host(url: str) -> str:
    from urllib.parse import urlsplit

    try:
        return urlsplit(url if "://" in url else f"//{url}").hostname or url
    except ValueError:
        return url
