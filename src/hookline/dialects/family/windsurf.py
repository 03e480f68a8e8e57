"""Windsurf (Cascade): an event for each kind of action, whose facts stand in `tool_info`. From its documentation."""

from __future__ import annotations

from hookline.dialects.bridged.payloads import require_object, with_extra
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import COMMAND, Agent, File, event
from hookline.dialects.keys import Key
from hookline.dialects.tools import mcp_parts
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.typing import Any, Mapping

INFO = "tool_info"
ACTIONS = {
    "read_code": ("Read",),
    "write_code": ("Write", "Edit", "MultiEdit", "NotebookEdit"),
    "run_command": ("Bash", "PowerShell"),
    "mcp_tool_use": ("mcp__*",),
}


class WindsurfDialect(FamilyDialect):
    """Windsurf names no tool: the event says which kind of action it is, and `tool_info` what it acts on."""

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        sent = event.extra.get(INFO)
        info = {**(sent if isinstance(sent, dict) else {}), **_info(rule.native, event)}
        found: dict[str, Any] = {"agent_action_name": rule.native, "trajectory_id": event.session_id}
        return with_extra({**found, INFO: info}, event)

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Windsurf reports; its own name of it wins over `native`."""
        given = dict(require_object(payload, self.title))
        row = self.reported_row(native, {"hook_event_name": given.pop("agent_action_name", "")})
        info = given.get(INFO)
        facts = _facts(row.native, info if isinstance(info, dict) else {})
        return super().read_event(row.native, {**given, **facts})


def _action(native: str) -> str:
    return native.partition("_")[2]


def _facts(native: str, info: Mapping[str, Any]) -> dict[str, Any]:
    """What `tool_info` says, in canonical fields."""
    match _action(native):
        case "run_command":
            line = info.get("command_line")
            # what is not said must not look like a line that runs nothing
            said = {"command": line} if isinstance(line, str) else {}
            return {"tool_name": "Bash", "tool_input": said, "cwd": str(info.get("cwd") or "")}
        case "read_code":
            return {"tool_name": "Read", "tool_input": {"file_path": _path(info)}}
        case "write_code":
            return _written(_path(info), info.get("edits"))
        case "mcp_tool_use":
            server, tool = info.get("mcp_server_name") or "unknown", info.get("mcp_tool_name")
            given = info.get("mcp_tool_arguments")
            result = {"tool_response": info["mcp_result"]} if "mcp_result" in info else {}
            return {
                "tool_name": f"mcp__{server}__{tool}",
                "tool_input": {} if given is None else given,
                **result,
            }
        case "user_prompt":
            return {"prompt": str(info.get("user_prompt") or "")}
        case "cascade_response":
            return {"last_assistant_message": str(info.get("response") or "")}
        case "setup_worktree":
            return {"cwd": str(info.get("worktree_path") or "")}
    return {}


def _path(info: Mapping[str, Any]) -> str:
    found = info.get("file_path")
    return found if isinstance(found, str) else ""


def _written(path: str, edits: object) -> dict[str, Any]:
    """A change of a file: a whole text where nothing is replaced, else all its edits together."""
    listed = [each for each in edits if isinstance(each, dict)] if isinstance(edits, list) else []
    old, new = (
        "\n".join(str(each.get(key) or "") for each in listed) for key in ("old_string", "new_string")
    )
    if len(listed) == 1 and not old:
        return {"tool_name": "Write", "tool_input": {"file_path": path, "content": new}}
    return {"tool_name": "Edit", "tool_input": {"file_path": path, "old_string": old, "new_string": new}}


def _info(native: str, event: Event) -> dict[str, Any]:
    """The `tool_info` of an event; of one that came from Windsurf itself, what it sent is kept."""
    given = event.tool_input
    path = given.get("file_path", given.get("notebook_path", ""))
    match _action(native):
        case "run_command":
            return {"command_line": given.get("command", ""), "cwd": event.cwd}
        case "read_code":
            return {"file_path": path}
        case "write_code" if isinstance(sent := event.extra.get(INFO), dict) and sent.get("edits"):
            return {"file_path": path}
        case "write_code":
            edits = given.get("edits") or [given]
            return {"file_path": path, "edits": [_edit(each) for each in edits if isinstance(each, dict)]}
        case "mcp_tool_use":
            server, tool = mcp_parts(event.tool_name) or ("", event.tool_name)
            found = {"mcp_server_name": server, "mcp_tool_name": tool, "mcp_tool_arguments": given}
            return {**found, **({"mcp_result": event.get("tool_response")} if native[:4] == "post" else {})}
        case "user_prompt":
            return {"user_prompt": event.prompt}
        case "cascade_response":
            return {"response": event.get("last_assistant_message") or ""}
        case "setup_worktree":
            return {"worktree_path": event.cwd, "root_workspace_path": event.workspace}
    return {}


def _edit(given: Mapping[str, Any]) -> dict[str, Any]:
    new = given.get("new_string", given.get("content", given.get("new_source", "")))
    return {"old_string": given.get("old_string", ""), "new_string": new}


DIALECT = WindsurfDialect(
    Agent(
        name="windsurf",
        title="Windsurf",
        program="windsurf",
        sends={"": "execution_id timestamp model_name"},
        knows="medium",
        sources="docs.windsurf.com/windsurf/cascade/hooks",
        files=(
            File("managed", "/etc/windsurf/hooks.json"),
            File("user", "{home}/.codeium/windsurf/hooks.json", ours=True),
            File("project", "{ws}/.windsurf/hooks.json", ours=True),
        ),
        rows=(
            event("pre_run_command", "deny", K.PreToolUse, subject=""),
            event("pre_write_code", "deny", K.PreToolUse, subject=""),
            event("pre_read_code", "deny", K.PreToolUse, subject=""),
            event("pre_mcp_tool_use", "deny", K.PreToolUse, subject=""),
            event("post_run_command", "", K.PostToolUse, subject="", feedback=False),
            event("post_write_code", "", K.PostToolUse, subject="", feedback=False),
            event("post_read_code", "", K.PostToolUse, subject="", feedback=False),
            event("post_mcp_tool_use", "", K.PostToolUse, subject="", feedback=False),
            event("pre_user_prompt", "deny", K.UserPromptSubmit),
            event("post_cascade_response", "", K.Stop, fields="last_assistant_message?"),
            event("post_cascade_response_with_transcript", "", K.Stop, fields=""),
            event("post_setup_worktree", "", K.Setup, fields=""),
        ),
        about={f"{when}_{action}": tools for when in ("pre", "post") for action, tools in ACTIONS.items()},
        never=frozenset({"post_cascade_response_with_transcript"}),
        flat=True,
        keys=(
            COMMAND,
            Key("powershell", words="the line on Windows"),
            Key("show_output", "flag", words="whether Cascade shows what it prints"),
            Key("working_directory", "text", "means.cwd", "where it runs; absent: the workspace"),
        ),
        shell=("bash", "-c"),
        matching="none",
        payload={"session_id": "trajectory_id"},
        says=(),
    )
)  # fmt: skip
