"""Our own format beside its hooks: how a file of it is written, and that it can say everything."""

from __future__ import annotations

from collections.abc import Sequence

from hookline.dialects.actions import action_said, handler_type
from hookline.dialects.hookline.actions import ACTIONS
from hookline.dialects.hookline.config import MATCHERS, OPTIONS, ROWS
from hookline.dialects.keys import write_keys
from hookline.dialects.profile import ALL_HANDLERS, EVERY_FAILURE, Abilities, Matching, Profile, Words
from hookline.dialects.profile.forms import hook_tables
from hookline.dialects.tools import TOOL_EVENTS
from hookline.model.events import find_kind
from hookline.model.hooks import PART_OF, Command, HookSpec, McpTool, said_of
from hookline.model.typing import Any

# Options that have a key of their own.
OWN_OPTIONS = frozenset(
    {row.field.partition(".")[2] for row in ROWS if "." in row.field}
    | PART_OF.keys() - {row.name for row in OPTIONS}
)


def write(specs: Sequence[HookSpec]) -> str:
    """A `.hookline/hooks.toml`."""
    return "version = 1\n\n" + hook_tables([_table(spec) for spec in specs])


def _table(spec: HookSpec) -> dict[str, Any]:
    said = write_keys(spec, ROWS, "")
    table: dict[str, Any] = {"name": said.pop("name", None), "event": spec.native_event}
    table["description"] = said.pop("description", None)
    if spec.matcher is not None:
        ending = next(end for end, kind in MATCHERS.items() if kind == spec.matcher.kind)
        word = "tool" if find_kind(spec.kind.value) in TOOL_EVENTS else "match"
        table[f"{word}{ending}"] = spec.matcher.text
    table.update(spec.rule.predicates)
    table.update(_action(spec))
    table.update(said)
    further: dict[str, Any] = {key: getattr(spec.rule, key) for key in ("unsure", "opaque", "examples")}
    further["options"] = {key: value for key, value in said_of(spec).items() if key not in OWN_OPTIONS}
    table.update({key: value for key, value in further.items() if value})
    return {key: value for key, value in table.items() if value is not None}


def _action(spec: HookSpec) -> dict[str, Any]:
    action = spec.action
    if isinstance(action, Command):
        if action.argv:
            return {"run": list(action.argv)}
        shell = {} if action.shell == ("sh", "-c") else {"shell_program": _shell(action.shell)}
        return {"run": action.line, **shell}
    found = write_keys(spec, ACTIONS, handler_type(spec), action_said(spec, ACTIONS))
    return {"mcp": f"{action.server}/{action.tool}", **found} if isinstance(action, McpTool) else found


def _shell(shell: tuple[str, ...]) -> str | list[str]:
    return shell[0] if shell == (shell[0], "-c") else list(shell)


PROFILE = Profile(
    write,
    ("toml", ""),
    Abilities(ALL_HANDLERS | {"git-commit", "git-push", "answer"}, closes="on_failure"),
    Words(variables=frozenset({"HOOK_"}), fails_closed=EVERY_FAILURE),
    Matching("any"),
)
