"""JSON through the interpreter's own C code, without `json` around it, which with its `re` costs 4 ms at every start.

What the C code refuses (by a SystemError where `json`, whose error it raises, is not loaded), or an interpreter does
not have, is left to `json`: results and errors are its own.
"""

from __future__ import annotations

from hookline.model.typing import Any, Callable

try:
    import _json as own
except ImportError:
    own = None  # type: ignore[assignment]  # another interpreter


_BLANKS = " \t\n\r"
_LEFT_OUT = r"\n\[\.\.\. ([0-9]{1,18}) bytes omitted \.\.\.\]\n"


class _Reading:
    """What `json.loads` tells its scanner."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


def read_json(given: str | bytes) -> Any:
    """As `json.loads`, also of what is nested too deep a ValueError; bytes that are no UTF-8 are told by it."""
    try:
        text = given.decode("utf-8") if isinstance(given, bytes) else given
        start = len(text) - len(text.lstrip(_BLANKS))
        value, end = own.make_scanner(_Reading)(text, start)  # type: ignore[arg-type]  # only read by name
        if not text[end:].strip(_BLANKS):
            return value
    except (AttributeError, StopIteration, SystemError, TypeError, ValueError):
        pass
    except RecursionError:
        raise ValueError("nested too deep") from None
    import json

    return json.loads(given)


def json_or(given: str | bytes, otherwise: Any = None) -> Any:
    """What a text that may be anything says, in whole letters; `otherwise` when it is no JSON or nested too deep."""
    try:
        return whole(read_json(given))
    except (ValueError, RecursionError):  # deep enough to read, and not for `whole`
        return otherwise


def write_json(
    value: object,
    *,
    ascii_only: bool = False,
    sort_keys: bool = False,
    allow_nan: bool = True,
    default: Callable[[Any], object] | None = None,
) -> str:
    """As `json.dumps` without blanks, and with non-ASCII text as it is."""
    if isinstance(value, str) or own is None:
        return _by_library(value, ascii_only, sort_keys, allow_nan, default)
    text = own.encode_basestring_ascii if ascii_only else own.encode_basestring
    encode = own.make_encoder({}, default or _refuse, text, None, ":", ",", sort_keys, False, allow_nan)
    return "".join(encode(value, 0))


def as_written(value: object, most: int = 60) -> str:
    """A value of a file or an answer for a message: a text in quotes, all else as JSON has it."""
    try:
        shown = repr(value) if isinstance(value, str) else write_json(value)
    except (TypeError, ValueError, RecursionError):  # of YAML: a date, an object within itself
        shown = repr(value)
    return shown[:most]


def write_lines(
    value: object, indent: str = "\t", *, default: Callable[[Any], object] | None = None, outer: str = "\n"
) -> str:
    """As `json.dumps` with an indent, for objects whose keys are texts; no line break at the end."""
    inner = outer + indent
    if isinstance(value, dict) and value:
        rows = [
            f"{_text(key)}: {write_lines(item, indent, default=default, outer=inner)}"
            for key, item in value.items()
        ]
        brackets = "{}"
    elif isinstance(value, list | tuple) and value:
        rows = [write_lines(item, indent, default=default, outer=inner) for item in value]
        brackets = "[]"
    else:
        return _text(value) if isinstance(value, str) else write_json([value], default=default)[1:-1]
    return brackets[0] + inner + f",{inner}".join(rows) + outer + brackets[1]


def ascii_text(value: str) -> str:
    """As `write_json` has a text in ASCII."""
    return _by_library(value, True, False, True, None) if own is None else own.encode_basestring_ascii(value)


def _text(value: str) -> str:
    return _by_library(value, False, False, True, None) if own is None else own.encode_basestring(value)


def _by_library(
    value: object, ascii_only: bool, sort_keys: bool, allow_nan: bool, default: Callable[[Any], object] | None
) -> str:
    import json

    return json.dumps(
        value, ensure_ascii=ascii_only, sort_keys=sort_keys, allow_nan=allow_nan, default=default,
        separators=(",", ":"),
    )  # fmt: skip


def _refuse(value: object) -> object:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


# -- text as Unicode has it ------------------------------------------------------------------------


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


def cut_to(text: str, limit: int) -> str:
    """As much of a text as fits into so many bytes of UTF-8, cut between characters."""
    if len(text) * 4 <= limit:
        return text
    octets = text.encode("utf-8", "surrogateescape")
    if len(octets) <= limit:
        return text
    while octets[limit] & 0xC0 == 0x80:
        limit -= 1
    return octets[:limit].decode("utf-8", "surrogateescape")


def without_middle(text: str, head: int, tail: int) -> str:
    """The first and last so many letters, and how many bytes are missing between them, counted from the whole output.

    What stands for a part that was left out before is never cut through, and what it says is added.
    """
    import re

    end = len(text) - tail
    marks = list(re.finditer(_LEFT_OUT, text))
    for mark in marks:
        if mark.start() < head < mark.end():
            head = mark.start()
        if mark.start() < end < mark.end():
            end = mark.end()
    missing = len(text[head:end].encode("utf-8", "replace"))
    for mark in marks:
        if head <= mark.start() < end:
            missing += int(mark[1]) - len(mark[0])
    return f"{text[:head]}\n[... {missing} bytes omitted ...]\n{text[end:]}"


def value_at(value: Any, path: str) -> Any:
    """The value at `tool_input.edits.0.path` in a payload; None where there is none."""
    for step in path.strip(".").split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return value
