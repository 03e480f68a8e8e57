"""The JSON text that a hook is given, on stdin or as the body of a request."""

from __future__ import annotations

from hookline.model.errors import HandlerError
from hookline.model.record import Record, fields_of
from hookline.model.short_json import write_json
from hookline.model.typing import Any, Mapping

_latest: tuple[Mapping[str, Any] | None, bytes] = (None, b"")


def payload_json(payload: Mapping[str, Any]) -> bytes:
    """One JSON object in UTF-8 on one line, valid everywhere: non-ASCII text as it is, nothing after it.

    NaN and the infinities, which JSON does not have, become null; half a surrogate pair is written
    `\\udXXX`; a value of no JSON type is written as its text. The same object given again is not encoded
    again. Raises HandlerError when the payload contains itself.
    """
    global _latest
    if _latest[0] is not payload:
        # hooks of one event share their payload, and a payload is never changed once made
        _latest = (payload, _encoded(payload))
    return _latest[1]


def payload_text(payload: Mapping[str, Any]) -> str:
    """The same as text, for a prompt."""
    return payload_json(payload).decode("utf-8")


def _encoded(payload: Mapping[str, Any]) -> bytes:
    try:
        text = _dumped(payload)
    except (ValueError, TypeError, RecursionError):
        try:
            text = _dumped(_plain(payload))
        except (ValueError, RecursionError) as error:
            raise HandlerError("the event's payload contains itself, so it has no JSON form") from error
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        import re

        half = re.compile("[\ud800-\udfff]")
        return half.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode("utf-8")


def _dumped(payload: object) -> str:
    return write_json(payload, allow_nan=False)


def _plain(value: object) -> object:
    """The same value out of JSON's own types."""
    match value:
        case float():
            return value if value - value == 0 else None
        case bool() | int() | None:
            return value
        case str():
            return str(value)
        case Record():
            return _plain(fields_of(value))
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
        case bytes():
            return value.decode("utf-8", "replace")
    if hasattr(value, "items"):
        return {str(name): _plain(item) for name, item in value.items()}
    return str(value)
