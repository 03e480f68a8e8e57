"""Calls of Python's packages that talk to a host, or take a file by its name, as the commands that do the same."""

from __future__ import annotations

import _ast as ast
from collections.abc import Callable, Iterator

from hookline.shell.code.python_calls import WEB
from hookline.shell.code.python_values import as_word, table_of
from hookline.shell.reading import Word
from hookline.system.patterns.late import late

Words = tuple[str | Word, ...]
_CHANGES = ("delete", "put", "patch")
_TAKES_FILES = late(
    r"\.(?:read|put|upload\w*|fput_object|send_file|storbinary|attach\w*|add_file|read_(?:csv|json|text|file|excel))$"
)


def _is_address(value: object) -> bool:
    return as_word(value).prefix.startswith(("http://", "https://"))


def to_hosts(name: str, node: ast.Call, value: Callable[[ast.expr], object]) -> Iterator[Words]:
    """The host that a call names, and what it changes there."""
    method = name.rpartition(".")[2]
    if name.startswith(WEB) or (method in _CHANGES and _is_address(value(node.args[0]))):
        url = as_word(value(node.args[-1 if method == "request" else 0]))
        if method == "request" and len(node.args) > 1:
            method = (as_word(value(node.args[0])).literal or "").lower()
        if method in _CHANGES:
            sent = [value(each.value) for each in node.keywords if each.arg in ("json", "data")]
            body = ", ".join(f'"{key}": {given}' for each in sent for key, given in table_of(each).items())
            yield ("curl", "-X", method.upper(), url, *(("-d", body.lower()) if body else ()))
        yield "python:connect", url
    elif name.endswith(".connect") and isinstance(node.args[0], ast.Tuple) and node.args[0].elts:
        yield "python:connect", as_word(value(node.args[0].elts[0]))
    elif _TAKES_FILES.search(name):
        yield ("python:given", *(as_word(value(each)) for each in node.args[:2]))
