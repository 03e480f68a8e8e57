"""YAML as every reader takes it: a text that one of them would take for another value stands in quotes."""

from __future__ import annotations

import re

import yaml

from hookline.model.typing import Any


class _Dumper(yaml.SafeDumper):
    """Quotes what YAML 1.2 or another library takes for a value, and PyYAML for a text: `64e12`, `0o7`, `y`."""


_Dumper.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"[-+]?(?:(?:\.[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?|0[oObBxX][0-9a-fA-F_]+)\Z"
    ),
    list("-+.0123456789"),
)
_Dumper.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"[yYnN]\Z"), list("yYnN"))


def yaml_text(value: Any, width: int = 1000) -> str:
    """The value with its keys in their order."""
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=width)
    return text
