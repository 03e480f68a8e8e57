"""When a hook runs within its event, in words."""

from __future__ import annotations

import json

from hookline.model.hooks import HookSpec
from hookline.model.rendering import plain


def when_words(spec: HookSpec) -> str:
    """Its matcher, its `if`, and its predicates such as `shell`."""
    words = [spec.matcher.text] if spec.matcher else []
    return ", ".join([*words, *condition_words(spec)])


def condition_words(spec: HookSpec) -> list[str]:
    """What stands beside the matcher: its `if`, and each predicate."""
    words = [f"if {plain_words(spec.condition)}"] if spec.condition else []
    return [*words, *(f"{name} {plain_words(value)}" for name, value in spec.rule.predicates.items())]


def plain_words(value: object) -> str:
    """A configured value as a person would write it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple):
        return " | ".join(map(plain_words, value))
    return json.dumps(plain(value), ensure_ascii=False)
