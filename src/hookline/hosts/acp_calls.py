"""Tool calls of ACP agents in canonical names, put together from all that an agent told of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hookline.model.events import ToolCall

# ACP's kinds of tools, in the canonical names hooks match on.
TOOL_NAMES = {
    "execute": "Bash",
    "edit": "Edit",
    "read": "Read",
    "search": "Grep",
    "fetch": "WebFetch",
    "delete": "Delete",
    "move": "Move",
    "think": "Think",
}
_PATH_KEYS = ("file_path", "filePath", "path", "absolute_path", "filename")
_COMMAND_KEYS = ("command", "cmd", "script")
_EDIT_KEYS = ("old_string", "new_string", "edits")
_CHANGES_FILES = frozenset({"Edit", "Write", "Delete", "Move"})


class KnownCalls:
    """What was told of each call so far: a request for permission may name no more than a call's id and input."""

    def __init__(self) -> None:
        self._told: dict[str, dict[str, Any]] = {}

    def told(self, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Everything known of a call, these fields included; what is null or empty says nothing."""
        name = str(given.get("toolCallId") or "")
        known = {} if given.get("sessionUpdate") == "tool_call" else self._told.get(name, {})
        fresh = {key: value for key, value in given.items() if value not in (None, {}, [])}
        if fresh.get("kind") == "other" and known.get("kind"):
            del fresh["kind"]
        if "content" in fresh and not any(_diffs(fresh)):
            fresh["content"] = [*_diffs(known), *_objects(fresh["content"])]  # a result, behind the change
        found = {**known, **fresh}
        if name:
            self._told[name] = found
        return found

    def forget(self, name: str) -> None:
        """The call is over; an agent may use its id for another one."""
        self._told.pop(name, None)


def tool_calls(given: Mapping[str, Any]) -> tuple[ToolCall, ...]:
    """One for each file that an ACP call changes, else just one; from `kind`, `rawInput`, `locations`, diffs."""
    raw = given.get("rawInput")
    wanted: dict[str, Any] = dict(raw) if isinstance(raw, dict) else {}
    found = [_of_diff(given, wanted, diff) for diff in _diffs(given)]
    call = _of_input(given, wanted)
    places = [str(call.tool_input.get("file_path") or ""), *_locations(given)]
    for path in dict.fromkeys(places) if call.tool_name in _CHANGES_FILES else ():
        if path and not any(_is_same(path, str(each.tool_input.get("file_path"))) for each in found):
            found.append(ToolCall(call.tool_name, {**call.tool_input, "file_path": path}, call.tool_use_id))
    return tuple(found) or (call,)


def gives(call: ToolCall, before: str, after: str) -> bool:
    """Whether a call that was allowed makes the one text of a file out of the other."""
    given = call.tool_input
    if call.tool_name == "Write":
        return bool(given.get("content") == after)
    old, new = given.get("old_string"), given.get("new_string")
    if call.tool_name != "Edit" or not isinstance(old, str) or not isinstance(new, str) or not old:
        return False
    return after in (before.replace(old, new, 1), before.replace(old, new))


def _of_diff(given: Mapping[str, Any], wanted: Mapping[str, Any], diff: Mapping[str, Any]) -> ToolCall:
    old, new = diff.get("oldText"), diff.get("newText")
    name = "Write" if old is None else TOOL_NAMES.get(str(given.get("kind")), "Edit")
    change = {"content": new} if old is None else {"old_string": old, "new_string": new}
    shown = {"file_path": str(diff.get("path") or ""), **change}
    if _is_same(str(wanted.get("file_path") or shown["file_path"]), shown["file_path"]):
        shown = {**shown, **wanted}
    return ToolCall(_whole(name, shown), shown, str(given.get("toolCallId") or ""))


def _of_input(given: Mapping[str, Any], wanted: dict[str, Any]) -> ToolCall:
    name = _name(given, wanted)
    command = next((wanted[key] for key in _COMMAND_KEYS if key in wanted), None)
    if name == "Bash" and "command" not in wanted:
        wanted = {**wanted, "command": command if command is not None else str(given.get("title") or "")}
    if isinstance(wanted.get("command"), list):
        wanted = {**wanted, "command": " ".join(map(str, wanted["command"]))}
    if name != "Bash" and "file_path" not in wanted:
        path = next((wanted[key] for key in _PATH_KEYS if key in wanted), None) or next(_locations(given), "")
        wanted = {**wanted, **({"file_path": path} if path else {})}
    return ToolCall(_whole(name, wanted), wanted, str(given.get("toolCallId") or ""))


def _name(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    kind = given.get("kind")
    if kind is None:  # told by its input alone
        if any(key in wanted for key in _COMMAND_KEYS):
            return "Bash"
        if any(key in wanted for key in (*_EDIT_KEYS, "content")) and any(
            key in wanted for key in _PATH_KEYS
        ):
            return "Edit"
    return TOOL_NAMES.get(str(kind or "")) or str(given.get("title") or "other")


def _whole(name: str, wanted: Mapping[str, Any]) -> str:
    """ACP has one kind for both; a guard of Write must see a whole file being written."""
    return "Write" if name == "Edit" and "content" in wanted and "old_string" not in wanted else name


def _is_same(one: str, other: str) -> bool:
    """Whether two paths name a file as far as they go: one may be relative."""
    shorter, longer = sorted((one.removeprefix("./"), other.removeprefix("./")), key=len)
    return longer == shorter or longer.endswith(f"/{shorter}")


def _locations(given: Mapping[str, Any]) -> Iterator[str]:
    return (str(place["path"]) for place in _objects(given.get("locations")) if place.get("path"))


def _diffs(given: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
    return [block for block in _objects(given.get("content")) if block.get("type") == "diff"]


def _objects(items: object) -> list[Mapping[str, Any]]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
