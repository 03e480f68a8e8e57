"""Text as Unicode has it: JSON may hold half a surrogate pair, which nothing can write and no process takes."""

from __future__ import annotations

from hookline.model.typing import Any


def whole_json(text: str, value: Any) -> Any:
    """The value that was read from a JSON text, each half of a pair replaced as other programs do."""
    return whole(value) if "\\ud" in text or "\\uD" in text else value


def whole(value: Any) -> Any:
    """A JSON value, or a text, with U+FFFD in place of every lone surrogate; as it is when it has none."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {whole(key): whole(each) for key, each in value.items()}
    return [whole(each) for each in value] if isinstance(value, list) else value


def on_one_line(text: str) -> str:
    """A path or name for a line that is shown: its line breaks are written out."""
    return text.replace("\r", "\\r").replace("\n", "\\n")


def whole_text(text: str) -> str:
    """The text with U+FFFD in place of every lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
