"""Identities of contexts: SHA-256 over canonical JSON (RFC 8785), and what no identity can be made of."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from hookline.integrations.agent_hooks.contexts import Context, ContextInvalid, closed
from hookline.model.errors import UsageError

JCS = "jcs-sha256"
SAFE_INTEGER = 2**53 - 1
DEPTH = 128
SIZE = 5 * 1024 * 1024
Compute = Callable[[Context], str]
_NAME = re.compile(r"(?!jcs)[a-z][a-z0-9_-]*")


class Identity:
    """How a context gets its identity: by `jcs-sha256`, by a function of the host's own, or not at all (None)."""

    def __init__(self, name: str | None = JCS, compute: Compute | None = None) -> None:
        if compute is not None and not (name and _NAME.fullmatch(name)):
            raise UsageError(
                f"identity {name!r}: expected small letters, digits, `_`, `-`; `jcs` is reserved"
            )
        if compute is None and name not in (None, JCS):
            raise UsageError(f"identity {name!r}: needs the function that computes it")
        self.name = name
        self._compute = compute or (context_identity if name else None)

    def of(self, context: Context) -> str | None:
        """Raises ContextInvalid for values outside of the domain and for a function that fails."""
        canonical_json(context, any_integer=True)
        if self._compute is None:
            return None
        try:
            found = self._compute(context)
        except ContextInvalid:
            raise
        except Exception as error:
            raise ContextInvalid(f"the identity provider failed: {type(error).__name__}") from error
        if not isinstance(found, str):
            raise ContextInvalid("the identity provider returned no text")
        return found


def context_identity(context: Context) -> str:
    return f"sha256:{sha256(canonical_json(closed(context)).encode()).hexdigest()}"


def canonical_json(value: Any, *, any_integer: bool = False) -> str:
    """RFC 8785. Raises ContextInvalid for what it cannot write: NaN, lone surrogates, integers beyond 2^53 (unless
    `any_integer`), what is no JSON at all, and what is nested or long beyond the bounds.
    """
    text = _write(value, any_integer, 0)
    if len(text) > SIZE:
        raise ContextInvalid(f"more than {SIZE} characters")
    return text


def _write(value: Any, any_integer: bool, depth: int) -> str:
    if depth > DEPTH:
        raise ContextInvalid(f"nested deeper than {DEPTH}")
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int):
        if abs(value) > SAFE_INTEGER and not any_integer:
            raise ContextInvalid("an integer beyond 2^53; write such identifiers as texts")
        return str(int(value))
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list | tuple):
        return f"[{','.join(_write(item, any_integer, depth + 1) for item in value)}]"
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ContextInvalid("a key that is no text")
        keyed = sorted((_utf16(key), key) for key in value)
        members = (f"{_text(key)}:{_write(value[key], any_integer, depth + 1)}" for _, key in keyed)
        return f"{{{','.join(members)}}}"
    raise ContextInvalid(f"{type(value).__name__} is no JSON")


def _utf16(text: str) -> bytes:
    try:
        return text.encode("utf-16-be")
    except UnicodeEncodeError as error:
        raise ContextInvalid("a lone surrogate") from error


def _text(text: str) -> str:
    _utf16(text)
    return json.dumps(text, ensure_ascii=False)


def _number(value: float) -> str:
    """As ECMAScript's Number::toString."""
    if not math.isfinite(value):
        raise ContextInvalid("a number that is not finite")
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole.lstrip("0")) + int(exponent or 0)
    if not whole.strip("0"):
        point -= len(fraction) - len(fraction.lstrip("0"))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        return f"{sign}{digits}{'0' * (point - len(digits))}"
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    rest = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{rest}e{point - 1:+d}"
