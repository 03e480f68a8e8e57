"""Hooks that are Python callables of the program hookline is embedded in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from os import PathLike, fspath

from hookline.dialects import dialect, is_known
from hookline.dialects.spelling import suggestion
from hookline.handlers.base import is_async
from hookline.model.errors import UsageError
from hookline.model.event_names import EventName
from hookline.model.events import BODIES, COMMON, Event, EventKind, event_from_payload, find_kind
from hookline.model.hooks import Conduct, HookSpec, Inline, Matcher
from hookline.model.results import Outcome
from hookline.model.typing import Any, Literal
from hookline.system.clock import now
from hookline.system.patterns.expressions import compile_pattern

_FOREVER = float("inf")


Callback = Callable[[Event], Outcome | Awaitable[Outcome | None] | None]
OnFailure = Literal["", "block", "allow", "ask"]
_NEEDS_A_TOOL = frozenset(
    {EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PostToolUseFailure, EventKind.PermissionRequest}
)


def make_event(
    name: EventName | EventKind,
    *,
    workspace: str | PathLike[str] = "",
    extra: Mapping[str, Any] | None = None,
    **payload: Any,
) -> Event:
    """An event by its name and the fields of its payload; `extra` are fields that only some agent knows.

    >>> make_event("PreToolUse", tool_name="Bash", tool_input={"command": "ls"}).get("tool_name")
    'Bash'

    Raises UsageError for an unknown name or field and for a tool event without `tool_name`, PayloadError for a
    field of the wrong type: a guard must not be missed over a slip of the pen.
    """
    kind = kind_of(name)
    known = (*BODIES[kind]._fields, *COMMON) if kind in BODIES else ()
    for field in payload if known else ():
        if field not in known:
            hint = suggestion(field, known, f"there are {', '.join(f'`{each}`' for each in known)}")
            raise UsageError(f"{kind.value} has no field `{field}`", hint)
    if kind in _NEEDS_A_TOOL and not payload.get("tool_name"):
        raise UsageError(f"{kind.value} needs a `tool_name`")
    folder = fspath(workspace)
    cwd = folder or payload.get("cwd", "")
    return event_from_payload(kind, {**(extra or {}), **payload}, workspace=folder, cwd=cwd, at=now())


def callback_hook(
    callback: Callback,
    event: EventName | EventKind,
    *,
    number: int = 1,
    matcher: str = "",
    name: str = "",
    timeout_s: float = 60.0,
    on_failure: OnFailure = "",
    background: bool = False,
    thread: bool = True,
) -> HookSpec:
    """The hook that calls `callback(event)`, sync or async, and takes None or an `Outcome` from it.

    `matcher`: names separated by `|`, else a regular expression that must fit as a whole; empty: all.
    `on_failure`: block, allow or ask; by default a guard that raises or is late blocks. A plain function runs in
    a thread, so that its time limit holds; with `thread=False` it is called directly, which saves a tenth of
    a millisecond and lets it hold up the program. Raises UsageError for what could never work: an unknown
    event, no callable, a broken pattern, a time that is none.
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
        conduct=Conduct(thread=thread and not is_async(callback)),
    )


def kind_of(name: str | EventKind) -> EventKind:
    """The event of a canonical name, or of `dialect:native`. Raises UsageError with the nearest name."""
    if isinstance(name, EventKind):
        return name
    speaker, colon, native = name.partition(":")
    found = dialect(speaker).kind_of(native) if colon and is_known(speaker) else find_kind(name)
    if found is None or found is EventKind.NoSuchEvent:
        raise UsageError(f"no event `{name}`", suggestion(name, [kind.value for kind in EventKind]) or None)
    return found


def _matcher(text: str) -> Matcher | None:
    if not isinstance(text, str):
        raise UsageError(f"`matcher`: expected a text, found {text!r:.60}")
    if not text:
        return None
    plain = all(letter.isalnum() or letter in "_-| ," for letter in text)
    if plain:
        return Matcher("names", text)

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
