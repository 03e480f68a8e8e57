"""The tables of this folder, which are data beside the code that reads them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from hookline.system.modules import text_beside


@cache
def forms() -> Mapping[str, Any]:
    """`forms.toml`: the forms by class, and the code of other languages that runs a command."""
    return _read("forms.toml")


@cache
def commands() -> Mapping[str, Any]:
    """`commands.toml`: what guards are written against, and what programs accept for the same."""
    return _read("commands.toml")


def _read(name: str) -> Mapping[str, Any]:
    return tomllib.loads(text_beside(__name__, name))
