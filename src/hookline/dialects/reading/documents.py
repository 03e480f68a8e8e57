"""A config text of any language as nodes, and a Reader on it; a text that cannot be read is a Problem."""

from __future__ import annotations

from hookline.dialects.base import Loaded, SourceText
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import Node, UnreadableConfig
from hookline.dialects.reading.reader import Reader
from hookline.model.errors import Problem
from hookline.model.hooks import HookSpec
from hookline.model.record import replace
from hookline.model.typing import Any, Callable, Mapping

MOST_KEPT = 4
LONGEST_KEPT = 1 << 18
_latest: dict[
    tuple[str, str, str], Node
] = {}  # a file of one agent may be another's too, which reads it next


def parse_text(language: str, text: str, source: str) -> Node:
    if language == "yaml":
        from hookline.dialects.reading.yaml_text import parse_yaml

        return parse_yaml(text, source)
    if language == "toml":
        from hookline.dialects.reading.toml_text import parse_toml

        return parse_toml(text, source)
    return parse_json(text, source, comments=language == "jsonc")


def read_source(
    given: SourceText, read: Callable[[Reader], tuple[tuple[HookSpec, ...], Mapping[str, Any]]]
) -> Loaded:
    """What a source of one document yields; `read` finds the hooks and the settings in it.

    A text that cannot be read at all may have held a guard, which is silent now: its problem says so.
    """
    found = Loaded(given.source, given.state)
    if given.state != "text":
        return found
    problems: list[Problem] = []
    root = read_document(given.source.format, given.text, given.shown or given.source.shown, problems)
    if root is None:
        return replace(found, problems=tuple(replace(problem, guard=True) for problem in problems))
    specs, settings = read(root)
    return replace(found, specs=specs, problems=tuple(problems), settings=settings)


def read_document(language: str, text: str, source: str, problems: list[Problem]) -> Reader | None:
    """A Reader on the whole document, or None once the reason is in `problems`."""
    try:
        node = parsed(language, text, source)
    except UnreadableConfig as error:
        problems.append(error.problem)
        return None
    reader = Reader(node, source, problems)
    return reader if reader.valid else None


def parsed(language: str, text: str, source: str) -> Node:
    """The document as nodes, `language` being json, jsonc, yaml or toml.

    Raises UnreadableConfig, whose `problem` has the place, when it does not parse.
    """
    given = (language, text, source)
    node = _latest.get(given)
    if node is None:
        node = parse_text(language, text, source)
        if len(text) <= LONGEST_KEPT:
            if len(_latest) >= MOST_KEPT:
                _latest.clear()
            _latest[given] = node
    return node
