"""Hooks as the JSON or TOML config of one dialect: what `parse` reads back as the same hooks.

Written are the hooks of the dialect itself, nothing is translated here. Keys that say what holds anyway are
left out, but for time limits, whose defaults differ most.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from hookline.dialects.actions import action_said, handler_type
from hookline.dialects.keys import Key, write_keys
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.typing import Any
from hookline.system.patterns.late import late

Entry = dict[str, Any]


class JsonForm(Record):
    """How one dialect writes its JSON: `handler` makes an entry.

    `shell` runs lines that name none; `version` is written at the top when not 0; `top` is where the events
    stand, empty for the top itself; `flat_events` are those whose entries stand in no group. Calling it with hooks
    gives a whole config file with them, in their order.
    """

    handler: Callable[[HookSpec, JsonForm], Entry]
    grouped: bool = True
    shell: tuple[str, ...] = ("sh", "-c")
    version: int | str = 0
    top: str = "hooks"
    flat_events: frozenset[str] = frozenset()

    def __call__(self, specs: Sequence[HookSpec]) -> str:
        events: dict[str, list[Entry]] = {}
        for spec in specs:
            self._add(events.setdefault(spec.native_event, []), spec)
        whole: Entry = {self.top: events} if self.top else dict(events)
        whole = {"version": self.version, **whole} if self.version else whole
        return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"

    def _add(self, listed: list[Entry], spec: HookSpec) -> None:
        handler = self.handler(spec, self)
        if not self.grouped or spec.native_event in self.flat_events:
            listed.append(handler)
            return
        group: Entry = {} if spec.matcher is None else {"matcher": spec.matcher.text}
        if spec.options.get("asks_sequence"):
            group["sequential"] = True
        if listed and {key: value for key, value in listed[-1].items() if key != "hooks"} == group:
            listed[-1]["hooks"].append(handler)
        else:
            listed.append({**group, "hooks": [handler]})


def entry_of(keys: Sequence[Key]) -> Callable[[HookSpec, JsonForm], Entry]:
    """The writer of an entry with these keys."""

    def entry(spec: HookSpec, form: JsonForm) -> Entry:
        kind = handler_type(spec)
        return {"type": kind, **write_keys(spec, keys, kind, action_said(spec, keys, form.shell))}

    return entry


_BARE = late(r"[A-Za-z0-9_-]+")


def hook_tables(tables: Sequence[Mapping[str, Any]]) -> str:
    """One `[[hooks]]` each."""
    return "\n".join(
        "[[hooks]]\n" + "".join(f"{toml_key(key)} = {toml_value(value)}\n" for key, value in table.items())
        for table in tables
    )


def toml_value(value: Any) -> str:
    """A value in TOML: tables and lists on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(item) for item in value) + "]"
    items = ", ".join(
        f"{toml_key(key)} = {toml_value(item)}" for key, item in value.items() if item is not None
    )
    return f"{{ {items} }}" if items else "{}"


def toml_key(key: str) -> str:
    return key if _BARE.fullmatch(key) else toml_value(key)
