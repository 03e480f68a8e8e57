"""Hooks that are Python callables of the program hookline is embedded in."""

from __future__ import annotations

from hookline.dialects import DIALECT_NAMES, dialect
from hookline.dialects.spelling import nearest
from hookline.model.errors import UsageError
from hookline.model.events import EventKind, event_from_payload, find_kind
from hookline.model.hooks import HookSpec, Inline, Matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from hookline.model.events import Event

_FOREVER = float("inf")


def make_event(name: str | EventKind, *, workspace: str = "", **payload: Any) -> Event:
    """An event by its name and the fields of its payload.

    >>> make_event("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}).get("tool_name")
    'Bash'

    Raises UsageError for an unknown name, PayloadError for a field of the wrong type.
    """
    from hookline.system.clock import now

    cwd = workspace or payload.get("cwd", "")
    return event_from_payload(kind_of(name), payload, workspace=workspace, cwd=cwd, at=now())


def callback_hook(
    callback: Callable[[Event], Any],
    event: str | EventKind,
    *,
    number: int = 1,
    matcher: str = "",
    name: str = "",
    timeout_s: float = 60.0,
    on_failure: str = "",
    background: bool = False,
) -> HookSpec:
    """The hook that calls `callback(event)`, sync or async, and takes None or an `Outcome` from it.

    `matcher`: names separated by `|`, else a regular expression that must fit as a whole; empty: all.
    `on_failure`: block, allow or ask; by default a guard that raises or is late blocks. Raises UsageError
    for what could never work: an unknown event, no callable, a broken pattern, a time that is none.
    """
    kind = kind_of(event)
    _check(callback, timeout_s, on_failure)
    shown = name or getattr(callback, "__name__", "callback")
    return HookSpec(
        f"hookline:{shown}" if number == 1 else f"hookline:{shown}:{number}",
        "hookline",
        kind,
        kind.value,
        Inline(callback),
        shown,
        source=getattr(callback, "__module__", "") or "code",
        scope="session",
        matcher=_matcher(matcher),
        timeout_s=timeout_s,
        on_failure=on_failure,
        background=background,
    )


def kind_of(name: str | EventKind) -> EventKind:
    """The event of a canonical name, or of `dialect:native`. Raises UsageError with the nearest name."""
    if isinstance(name, EventKind):
        return name
    speaker, colon, native = name.partition(":")
    found = dialect(speaker).kind_of(native) if colon and speaker in DIALECT_NAMES else find_kind(name)
    if found is None or found is EventKind.NoSuchEvent:
        guess = nearest(name, [kind.value for kind in EventKind])
        raise UsageError(f"no event `{name}`", f"did you mean `{guess}`?" if guess else None)
    return found


def _matcher(text: str) -> Matcher | None:
    if not isinstance(text, str):
        raise UsageError(f"`matcher`: expected a text, found {text!r:.60}")
    if not text:
        return None
    plain = all(letter.isalnum() or letter in "_-| ," for letter in text)
    if plain:
        return Matcher("names", text)
    from hookline.system.patterns import compile_pattern

    try:
        compile_pattern(text)
    except ValueError as error:
        raise UsageError(f"`matcher`: {error}", "write names with `|` between, or a valid pattern") from error
    return Matcher("fullregex", text)


def _check(callback: object, timeout_s: object, on_failure: object) -> None:
    if not callable(callback):
        raise UsageError(f"a hook is something to call, not {callback!r:.60}")
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float) or not 0 < timeout_s < _FOREVER:
        raise UsageError(f"`timeout_s`: expected seconds, more than 0, found {timeout_s!r:.60}")
    if on_failure not in ("", "block", "allow", "ask"):
        raise UsageError(f"`on_failure`: expected `block`, `allow` or `ask`, found {on_failure!r:.60}")
