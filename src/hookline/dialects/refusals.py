"""A no in whatever words: what a hook printed that was surely to keep something from happening, and kept nothing.

Whether it did is for its dialect to say; here is only what it looks like: a letter or a level beside the right one,
in another agent's words, within other text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from hookline.dialects.spelling import edits, folded
from hookline.model.results import RawResult
from hookline.model.typing import Any
from hookline.system.patterns.late import late

REFUSES = {
    "decision": ("deny", "block", "reject", "ask"),
    "permission": ("deny", "ask"),
    "permissionDecision": ("deny", "ask"),
    "behavior": ("deny",),
    "continue": (False, "false"),
    "shouldContinue": (False,),
    "cancel": (True, "true"),
}
# what other programs, and people, say for no; in a text that is only sent somewhere they may mean anything
SAYS_NO = {
    "allowed": (False,), "allow": (False,), "approved": (False,), "approve": (False,), "proceed": (False,),
    "block": (True,), "blocked": (True,), "deny": (True,), "denied": (True,), "reject": (True,),
    "ok": (False,), "halt": (True,), "action": ("block", "deny", "reject"), "verdict": ("block", "deny", "reject"),
}  # fmt: skip
REJECTS = "Reject"  # a refusal by this name has its reason inside
# and for yes: words, under keys that hold words, and switches
_AGREES = frozenset(
    {
        "allow", "allowed", "approve", "approved", "accept", "accepted", "ok", "pass", "passed", "continue", "proceed",
        "none", "success",
    }
)  # fmt: skip
_ANSWERS = frozenset(
    {"decision", "permission", "permissionDecision", "behavior", "verdict", "action", "status", "result"}
)
_GOES_ON = {
    "continue": True, "shouldContinue": True, "ok": True, "allowed": True, "allow": True, "approved": True,
    "approve": True, "proceed": True, "success": True, "cancel": False, "block": False, "blocked": False, "deny": False,
    "denied": False, "reject": False, "halt": False,
}  # fmt: skip
_KEYS = (*REFUSES, "verdict", "followup_message")  # the last sends a stopped agent on
_MEANT = (
    "deny", "denied", "block", "blocked", "reject", "rejected", "ask", "refuse", "forbid", "disallow", "no", "stop",
    "halt", "prompt", "confirm", "force_ask",
)  # fmt: skip
_SWITCHES: dict[str, tuple[object, ...]] = {
    "continue": (False, "no", "false"), "shouldContinue": (False, "false"), "cancel": (True, "yes", "true"),
}  # fmt: skip
# of another type these can be nothing but a mistake
_TYPES = {
    "decision": str, "permissionDecision": str, "behavior": str, "followup_message": str, "continue": bool | str,
    "hookSpecificOutput": dict,
}  # fmt: skip
_BESIDE = (
    "reason", "message", "stopReason", "permissionDecisionReason", "hookSpecificOutput", "hookEventName",
    "systemMessage", "suppressOutput", "user_message", "agent_message", "errorMessage", "feedback", "why",
    *REFUSES, *SAYS_NO,
)  # fmt: skip
_HOLDERS = ("hookSpecificOutput", "decision")
_YES = ("allow", "approve", "defer", "none", "")
_CLOSED = {"permissionDecision": _YES, "behavior": _YES}  # and no other word that is no refusal
# what may be around an answer: colours, a mark of the encoding, quotes, the other bytes of wide letters
_AROUND = late(r"\x1b\[[0-9;]*[A-Za-z]|[\ufeff\0]")
_PAIR = late(r"[\"']([A-Za-z_-]{2,40})[\"']\s*:\s*(?:[\"']([^\"'\n]{0,20})|([tT]rue|[fF]alse)\b)")
_LONGEST = 65_536
_DEEPEST = 3


class _Pairs(list[tuple[str, Any]]):
    """An object with all that it says, also what a later key of the same name takes back."""


# what is lost beside a verdict: the effect, its key and what stands there
_FURTHER = {"context": ("additionalContext", str), "rewrite": ("updatedInput", _Pairs | dict)}
_Further = tuple[tuple[str, Any], ...]


def lost_in(raw: RawResult, effects: frozenset[str], text_counts: bool) -> str:
    """The part of what a hook printed by which it says no, and where; empty where it says none.

    `effects`: `context` and `rewrite` where a text for the model, and another input, are lost as well. `text_counts`:
    the agent takes its text for what it is, so that it may well be one that tells of answers.
    """
    further = tuple(_FURTHER[each] for each in effects if each in _FURTHER)
    if isinstance(raw.value, dict):
        return _of_object(raw.value.items(), further)
    text = _AROUND.sub("", raw.answer or raw.stdout).strip(" \t\r\n\"'")
    if not text:
        found = _read(raw.stderr.strip())
        alone = isinstance(found, _Pairs) and all(key in _BESIDE or _near(key, _KEYS) for key, _ in found)
        said = _of_object(found, ()) if alone else ""
        return said and f"{said} on standard error"
    found = _read(text)
    return (
        _in_text(text[:_LONGEST].replace('\\"', '"'), text_counts)
        if found is None
        else _of_object(_members(found), further)
    )


def says_no(key: Any, value: Any, printed: bool = True) -> bool:
    """Whether that is a no, in words that some agent knows or, where it is `printed`, people use."""
    words: tuple[object, ...] = REFUSES.get(key) or (SAYS_NO.get(key, ()) if printed else ())
    return any(value is each or (isinstance(each, str) and value == each) for each in words)


def goes_on(answer: Any) -> bool:
    """Whether an answer is nothing but a yes, in words that some agent knows or people use."""
    if not isinstance(answer, dict):
        return False
    agrees = False
    for key, value in answer.items():
        if isinstance(value, dict) and key in _HOLDERS:
            agrees = goes_on(value)
        elif key in _ANSWERS and isinstance(value, str):
            agrees = value.lower() in _AGREES
        elif key in _GOES_ON:
            agrees = value is _GOES_ON[key]
        elif key in _BESIDE:
            continue
        else:
            return False
        if not agrees:
            return False
    return agrees


def _read(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_Pairs) if text[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        return None


def _members(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    return value if isinstance(value, _Pairs) else enumerate(value) if isinstance(value, list) else ()


def _of_object(pairs: Iterable[tuple[Any, Any]], further: _Further, depth: int = 0) -> str:
    pairs = list(pairs)
    alone = all(key in _BESIDE for key, _ in pairs)
    for key, value in pairs:
        if key == REJECTS or _refuses(key, value) or (alone and says_no(key, value)):
            return _told(key, value, _KEYS)
        for name, wanted in further:
            if value and isinstance(value, wanted) and _near(key, (name,)):
                return _told(key, value, (name,))
        if depth < _DEEPEST and (found := _of_object(_members(value), further, depth + 1)):
            return found
    return ""


def _refuses(key: Any, value: Any) -> bool:
    """Whether a key, or what is nearly one, holds a no, or what is nearly one, or what can be nothing there."""
    if value is None:
        return False
    of_object = isinstance(value, _Pairs | dict)
    if key in _TYPES and not isinstance({} if of_object else value, _TYPES[key]):
        return not (of_object and key == "decision")  # of a request for a permission
    name = _near(key, _KEYS)
    if name is None or not isinstance(value, str | bool):
        return False
    if name in _SWITCHES:
        return (value.lower() if isinstance(value, str) else value) in _SWITCHES[name]
    if name == "followup_message":
        return bool(value)
    if not isinstance(value, str) or value.lower() in _MEANT:
        return isinstance(value, str)
    strange = name in _CLOSED and value not in _CLOSED[name]
    return name == key and (strange or _near(value, _MEANT) is not None)


def _in_text(text: str, text_counts: bool) -> str:
    start = text.find("{")
    if text_counts and " " in text[: max(start, 0)]:
        start = text.find("\n{")
    for found in _PAIR.finditer(text, start) if start >= 0 else ():
        value = found[3].lower() == "true" if found[3] else found[2]
        if _refuses(found[1], value):
            return f"{_told(found[1], value, _KEYS)} within other text"
    return ""


def _told(key: str, value: Any, known: tuple[str, ...]) -> str:
    name = _near(key, known)
    meant = f" (did you mean `{name}`?)" if name not in (key, None) else ""
    shown = "{…}" if isinstance(value, _Pairs | dict) else json.dumps(value)[:40]
    return f'`"{key}": {shown}`{meant}'


def _near(word: Any, known: Iterable[str]) -> str | None:
    """The known word that it is, or is but for letter case, separators and a slip or two; of a short one, none."""
    if not isinstance(word, str) or word in known:
        return word if isinstance(word, str) else None
    asked = folded(word)
    found = (each for each in known if edits(asked, folded(each), 2) <= min(2, len(each) // 4))
    return next(found, None)
