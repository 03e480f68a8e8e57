"""Does a matcher fit a value, and if not, why."""

from __future__ import annotations

from hookline.model.hooks import Matcher
from hookline.model.typing import Callable


def mismatch(matcher: Matcher, value: object, subject: str) -> str | None:
    """Why `matcher` does not fit `value`, in words; None if it fits or that cannot be told.

    `value` is a string, or a sequence of strings of which one must fit (file lists).
    """
    if matcher.kind == "never":
        return f"matcher `{matcher.text}` can never match this event"
    test = _TESTS[matcher.kind]
    values = [value] if isinstance(value, str) else list(value) if isinstance(value, tuple | list) else []
    try:
        if any(test(matcher.text, item) for item in values):
            return None
    except ValueError:  # a value too long for its pattern must not slip past a guard
        return None
    words = _WORDS[matcher.kind]
    if not values or values == [""]:
        return f"matcher `{matcher.text}` ({words}) needs a {subject}, and this event has none"
    shown = ", ".join(f"`{item}`" for item in values[:3]) + (", …" if len(values) > 3 else "")
    return f"matcher `{matcher.text}` ({words}) does not fit {subject} {shown}"


def _names(text: str, value: str) -> bool:
    return value in (name.strip() for name in text.replace(",", "|").split("|"))


def _regex(text: str, value: str, *, whole: bool = False) -> bool:
    from hookline.system.patterns import fits

    return fits(text, value, whole=whole)


def _glob(text: str, value: str) -> bool:
    from hookline.system.patterns.globs import match_workspace_glob

    return match_workspace_glob(text).matches(value)


_TESTS: dict[str, Callable[[str, str], bool]] = {
    "any": lambda _text, _value: True,
    "exact": lambda text, value: text == value,
    "names": _names,
    "prefix": lambda text, value: value.startswith(text.removesuffix("*")),
    "regex": _regex,
    "fullregex": lambda text, value: _regex(text, value, whole=True),
    "glob": _glob,
}
_WORDS = {
    "any": "anything",
    "exact": "exact",
    "names": "list of exact names",
    "prefix": "prefix",
    "regex": "regular expression",
    "fullregex": "anchored regular expression",
    "glob": "glob",
}
