"""Secrets stay out of what is kept: known values of the environment and well-known key shapes."""

from __future__ import annotations

from hookline.model.short_json import write_json
from hookline.state.secret_shapes import (
    COMMAND_NAMES,
    IN_COMMAND,
    NAMED,
    SECRET_NAME,
    SECRET_NAMES,
    SECRET_VALUE,
    SHAPES,
    SIGNS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

SHORTEST_SECRET = 8
_WORDS = frozenset([
    "TOKEN", "TOKENS", "KEY", "KEYS", "APIKEY", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD",
    "CREDENTIAL", "CREDENTIALS", "AUTH", "AUTHORIZATION", "PAT", "COOKIE", "BEARER", "WEBHOOK",
])  # fmt: skip
_ENDS = ("TOKEN", "SECRET", "PASSWORD", "PASSWD", "APIKEY", "CREDENTIALS")
_PLACES = ("SOCK", "FILE", "PATH", "DIR", "HOME", "ID", "PID")
# PWD alone is the current folder, in every environment.
_HARMLESS = frozenset({"PWD", "OLDPWD"})


class Redactor:
    """Replaces secrets by their name: `[redacted:API_TOKEN]`, or `[redacted]` for a known shape.

    Values are those of variables whose names look secret, of 8 characters and more; longer ones first, so
    that a secret within another leaves nothing behind.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        found = {value: name for name, value in sorted(environment.items()) if _is_secret(name, value)}
        self._values = tuple(sorted(found.items(), key=lambda item: -len(item[0])))
        self._patterns: dict[str, Any] = {}
        self._in_json: tuple[str, ...] | None = None

    def learn(self, secrets: Mapping[str, str]) -> None:
        """Values that are secret whatever they are called; those of fewer than 8 characters stay readable."""
        known = dict(self._values)
        known.update((value, name) for name, value in secrets.items() if len(value) >= SHORTEST_SECRET)
        self._values = tuple(sorted(known.items(), key=lambda item: -len(item[0])))
        self._in_json = None

    def text(self, text: str) -> str:
        """`text` without secrets."""
        for value, name in self._values:
            if value in text:
                text = text.replace(value, f"[redacted:{name}]")
        return self._without_shapes(text)

    def command(self, text: str) -> str:
        """As `text`, and without what a command line names a secret: `--password X`, `TOKEN=X`, `-u NAME:X`."""
        text = self.text(text)
        return (
            self._pattern(IN_COMMAND).sub(r"\1[redacted]", text)
            if _holds(text.lower(), COMMAND_NAMES)
            else text
        )

    def value(self, value: Any) -> Any:
        """The same JSON value with every string in it cleaned, keys too; the value itself when it has none."""
        text = "\n".join(_strings(value))
        return value if self.text(text) == text else self._cleaned(value)

    def is_clean_json(self, text: str) -> bool:
        """Whether no string in this JSON text (not ASCII only) could hold a secret; quicker than `value`."""
        if self._in_json is None:
            self._in_json = tuple(write_json([value])[2:-2] for value, _ in self._values)
        return not _holds(text, self._in_json) and not _holds(text.lower(), SIGNS)

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(name): self._cleaned_at(name, item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._cleaned(item) for item in value]
        return value

    def _cleaned_at(self, name: str, value: Any) -> Any:
        """What stands under that name; nothing is left of a secret there that has no shape of its own."""
        cleaned = self._cleaned(value)
        if not isinstance(cleaned, str) or not _holds(name.lower(), SECRET_NAMES):
            return cleaned
        named = self._pattern(SECRET_NAME).fullmatch(name) and self._pattern(SECRET_VALUE).fullmatch(cleaned)
        return "[redacted]" if named and not cleaned.startswith("[redacted") else cleaned

    def _without_shapes(self, text: str) -> str:
        if len(text) < SHORTEST_SECRET:
            return text
        folded = text.lower()
        for words, shape in SHAPES:
            if _holds(folded, words) and (words is not SECRET_NAMES or self._pattern(NAMED).search(folded)):
                text = self._pattern(shape).sub(_kept, text)
        return text

    def _pattern(self, shape: str) -> Any:
        if shape not in self._patterns:
            import re

            self._patterns[shape] = re.compile(shape)
        return self._patterns[shape]


def _kept(found: Any) -> str:
    return f"{found[1]}[redacted]" if found.re.groups else "[redacted]"


def _holds(text: str, words: Iterable[str]) -> bool:
    return any(word in text for word in words)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, item in value.items():
            if item.__class__ is str:
                yield f"{name}: {item}"
            else:
                yield name
                yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _is_secret(name: str, value: str) -> bool:
    if len(value) < SHORTEST_SECRET or name.upper() in _HARMLESS:
        return False
    words = name.upper().split("_")
    return words[-1] not in _PLACES and (bool(_WORDS.intersection(words)) or name.upper().endswith(_ENDS))
