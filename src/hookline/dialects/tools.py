"""Tool names and the input fields that matter, from each agent's words to Claude Code's and back.

Claude Code's names are the canonical ones. Several native tools may stand for one canonical tool; the first
one listed is written when the call does not come from that agent. Names nobody lists pass through.
The rows for shell, read and write are documented or observed; the others are from third-party notes.
"""

from __future__ import annotations

from hookline.dialects.patches import call_of_patch, is_patch, patch_of_call, patch_targets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from hookline.model.events import Event

CANONICAL = (
    "Agent", "Artifact", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete",
    "CronList", "Edit", "EndConversation", "EnterPlanMode", "EnterWorktree", "ExitPlanMode",
    "ExitWorktree", "Glob", "Grep", "KillShell", "LS", "LSP", "ListMcpResourcesTool", "Monitor",
    "MultiEdit", "NotebookEdit", "PowerShell", "PushNotification", "Read", "ReadMcpResourceTool",
    "ScheduleWakeup", "SendMessage", "SetGoal", "Skill", "SlashCommand", "Task", "TaskCreate",
    "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch",
    "WebFetch", "WebSearch", "Workflow", "Write",
)  # fmt: skip
NATIVE: Mapping[str, tuple[tuple[str, str], ...]] = {
    "codex": (
        ("Bash", "Bash"), ("Edit", "apply_patch"), ("Write", "apply_patch"), ("Agent", "spawn_agent"),
        ("TodoWrite", "update_plan"),
    ),
    "gemini": (
        ("Bash", "run_shell_command"), ("Read", "read_file"), ("Read", "read_many_files"),
        ("Write", "write_file"), ("Edit", "replace"), ("Glob", "glob"), ("Grep", "grep_search"),
        ("LS", "list_directory"), ("WebFetch", "web_fetch"), ("WebSearch", "google_web_search"),
        ("TodoWrite", "write_todos"), ("Agent", "invoke_agent"), ("AskUserQuestion", "ask_user"),
        ("EnterPlanMode", "enter_plan_mode"), ("ExitPlanMode", "exit_plan_mode"),
        ("Skill", "activate_skill"),
    ),
    "cursor": (
        ("Bash", "Shell"), ("Read", "Read"), ("Write", "Write"), ("Edit", "Write"), ("Grep", "Grep"),
        ("Delete", "Delete"), ("Agent", "Task"),
    ),
    "copilot": (
        ("Bash", "bash"), ("Bash", "powershell"), ("Read", "view"), ("Write", "create"), ("Edit", "edit"),
        ("Edit", "str_replace_editor"), ("Edit", "apply_patch"), ("Grep", "grep"), ("Grep", "rg"),
        ("Glob", "glob"), ("WebFetch", "web_fetch"), ("WebSearch", "web_search"),
        ("AskUserQuestion", "ask_user"), ("TodoWrite", "update_todo"), ("Agent", "task"),
    ),
}  # fmt: skip

# canonical field -> native field; `path` of `view` is documented, the others were seen in third-party code
FIELDS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("copilot", "Read"): {"file_path": "path"},
    ("copilot", "Write"): {"file_path": "path", "content": "file_text"},
    ("copilot", "Edit"): {"file_path": "path", "old_string": "old_str", "new_string": "new_str"},
}
FILE_TOOLS = frozenset({"Read", "Write", "Edit", "Delete"})
FILE_SPELLINGS = ("path", "filePath", "absolute_path", "target_file")


def to_canonical_tool(agent: str, name: str, server: str = "") -> str:
    """The canonical name of an agent's tool; an MCP tool becomes `mcp__server__tool`.

    `server` is what the payload says of the MCP server. Without it a Gemini or Copilot name that is no
    built-in tool cannot be taken apart for certain and is left as it is.
    """
    for canonical, native in NATIVE.get(agent, ()):
        if native == name:
            return canonical
    return _mcp_to_canonical(agent, name, server)


def from_canonical_tool(agent: str, name: str) -> str:
    """The name an agent has for a canonical tool."""
    return native_tools(agent, name)[0]


def native_tools(agent: str, name: str) -> tuple[str, ...]:
    """Every name an agent has for a canonical tool, the usual one first."""
    found = tuple(native for canonical, native in NATIVE.get(agent, ()) if canonical == name)
    if agent == "codex" and "apply_patch" in found:
        return "apply_patch", "Edit", "Write"  # Codex's own aliases in matchers
    return found or (_mcp_from_canonical(agent, name),)


def known_tools(agent: str) -> tuple[str, ...]:
    """The tool names an agent is known to have, and those its matchers accept instead."""
    found = [native for _, native in NATIVE[agent]] + (["Edit", "Write", "Agent"] if agent == "codex" else [])
    return tuple(dict.fromkeys(found))


def native_for(name: str, known: Iterable[str]) -> str:
    """What another agent's tool name is called by an agent that knows `known`; empty if nothing is."""
    words = frozenset(known)
    wanted = {
        canonical for rows in NATIVE.values() for canonical, native in rows if name in (canonical, native)
    }
    for rows in NATIVE.values():
        for canonical, native in rows:
            if canonical in wanted and native in words:
                return native
    return ""


def tool_table(agent: str) -> dict[str, str]:
    """Canonical to native names, for `Dialect.tool_names`."""
    table: dict[str, str] = {}
    for canonical, native in NATIVE.get(agent, ()):
        table.setdefault(canonical, native)
    return table


def to_canonical_input(
    agent: str, native: str, given: Mapping[str, Any], server: str = ""
) -> tuple[str, dict[str, Any]]:
    """The canonical name and input of a call. A patch gets the `file_path` of the first file it touches."""
    name = to_canonical_tool(agent, native, server)
    if is_patch(given.get("command")) and native == "apply_patch":
        targets = patch_targets(given["command"])
        name = "Write" if targets and all(verb == "Add" for verb, _ in targets) else "Edit"
        return name, {**given, **({"file_path": targets[0][1]} if targets else {})}
    renamed = {native_field: field for field, native_field in FIELDS.get((agent, name), {}).items()}
    if name in FILE_TOOLS and "file_path" not in given:
        renamed = {**dict.fromkeys(FILE_SPELLINGS, "file_path"), **renamed}
    return name, _renamed(given, renamed)


def from_canonical_input(
    agent: str, name: str, given: Mapping[str, Any], native: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The input of a canonical call in the agent's fields; `native` is the input as the agent sent it."""
    if native is not None and is_patch(native.get("command")):
        return _patched(name, given, native)
    if agent == "codex" and name in ("Edit", "Write"):
        return {"command": patch_of_call(name, given)}
    fields = dict(FIELDS.get((agent, name), {}))
    if native is not None:
        fields = {field: spelled for field, spelled in fields.items() if field not in native}
        if name in FILE_TOOLS and "file_path" not in native:
            used = [spelling for spelling in FILE_SPELLINGS if spelling in native]
            fields.update({"file_path": used[0]} if used else {})
    return _renamed(given, fields)


def _patched(name: str, given: Mapping[str, Any], native: Mapping[str, Any]) -> dict[str, Any]:
    """A changed call for an agent that sent a patch: the patch, under the changed path, or a new one."""
    if not is_patch(given.get("command")):
        return {"command": patch_of_call(name, given)}
    kept = {field: value for field, value in given.items() if field != "file_path" or field in native}
    targets, path = patch_targets(given["command"]), given.get("file_path")
    if targets and isinstance(path, str) and path != targets[0][1]:
        kept["command"] = given["command"].replace(f" File: {targets[0][1]}\n", f" File: {path}\n")
    return kept


def canonical_rewrite(agent: str, name: str, updated: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """An input that a hook of `agent` wrote for a canonical call; None if it is no call of that tool."""
    if agent == "codex" and name in ("Edit", "Write") and is_patch(updated.get("command")):
        return call_of_patch(name, updated["command"])
    back = {native: field for field, native in FIELDS.get((agent, name), {}).items()}
    return _renamed(updated, back)


def call_names(event: Event) -> tuple[str, ...]:
    """The canonical names a call answers to: a patch that adds and changes files is both Write and Edit."""
    name = event.get("tool_name") or ""
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if name not in ("Edit", "Write") or not isinstance(command, str) or not is_patch(command):
        return (name,)
    verbs = {verb for verb, _ in patch_targets(command)}
    both = ("Write",) if "Add" in verbs else ()
    return (*both, *(("Edit",) if verbs - {"Add"} or not verbs else ()))


def mcp_parts(name: str) -> tuple[str, str] | None:
    """Server and tool of `mcp__server__tool`."""
    if not name.startswith("mcp__"):
        return None
    server, separator, tool = name[5:].partition("__")
    return (server, tool) if separator and tool else None


def _mcp_to_canonical(agent: str, name: str, server: str) -> str:
    if agent == "cursor":
        named = name.startswith("MCP:")
        return f"mcp__{server or 'unknown'}__{name.removeprefix('MCP:')}" if named or server else name
    prefixes = {"gemini": f"mcp_{server}_", "copilot": f"{server}-"}
    prefix = prefixes.get(agent, "") if server else ""
    return f"mcp__{server}__{name.removeprefix(prefix)}" if prefix and name.startswith(prefix) else name


def _mcp_from_canonical(agent: str, name: str) -> str:
    parts = mcp_parts(name)
    if parts is None:
        return name
    server, tool = parts
    spelled = {"gemini": f"mcp_{server}_{tool}", "cursor": f"MCP:{tool}", "copilot": f"{server}-{tool}"}
    return spelled.get(agent, name)


def _renamed(given: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    return {fields.get(field, field): value for field, value in given.items()}
