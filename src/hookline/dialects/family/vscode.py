"""VS Code's agent: Copilot's folder, Claude Code's names, no matchers. Read from its sources."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import (
    BLOCK,
    CONTEXT,
    MESSAGE,
    PERMISSIONS,
    REWRITE,
    STOP,
    TIMEOUT,
    Agent,
    File,
    event,
)
from hookline.dialects.keys import COMMAND, Key
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K
from hookline.model.record import replace

STOPS = frozenset({K.Stop, K.SubagentStop})
FILES = {"file_path": "filePath"}

DIALECT = Agent(
    name="vscode",
    title="VS Code",
    program="code",
    documents=frozenset({"editFiles", "createFile", "runTerminalCommand"}),
    sends={"": "model permission_mode agent_id agent_type sessionId hookEventName toolName toolInput toolResponse"},
    knows="medium",
    sources="microsoft/vscode 01272b92 and 33be5f5c, and its documentation of July 2026",
    files=(File("project", "{ws}/.github/hooks/hookline-vscode.json", ours=True),),
    order="sequential",
    stop_at="halt",
    rows=(
        event("SessionStart", "context message", exit_two="shown"),
        event("UserPromptSubmit", "deny context continue message"),
        event("PreToolUse", "deny ask allow rewrite context continue message"),
        event("PostToolUse", "deny context continue message"),
        event("PreCompact", exit_two="shown"),
        event("Stop", "deny reprompt continue message"),
        event("SubagentStart", "context message", exit_two="shown"),
        event("SubagentStop", "deny reprompt continue message"),
    ),
    tools=Tools(
        names=(
            ("Bash", "run_in_terminal"), ("Read", "read_file"), ("Write", "create_file"),
            ("Edit", "replace_string_in_file"), ("LS", "list_dir"), ("Glob", "file_search"),
            ("Grep", "grep_search"),
            ("WebFetch", "fetch_webpage"), ("Agent", "runSubagent"), ("TodoWrite", "manage_todo_list"),
        ),
        fields={
            "Read": FILES, "Write": FILES,
            "Edit": {**FILES, "old_string": "oldString", "new_string": "newString"},
        },
    ),
    version=1,
    flat=True,
    keys=(
        Key("type", "command", words="what kind of hook it is"),
        COMMAND,
        Key("windows", words="the line on Windows"), Key("linux", words="the line on Linux"),
        Key("osx", words="the line on macOS"),
        Key("bash", words="the line on Linux and macOS, where there is none for the system itself"),
        Key("powershell", words="the same on Windows"),
        Key("cwd", "text", "means.cwd", "where it runs"),
        Key("env", "map", "env", "further variables"),
        TIMEOUT, replace(TIMEOUT, name="timeoutSec", words="the same, where there is no `timeout`"),
    ),
    timeout_s=30.0,
    matching="none",
    adds={"timestamp": "{time}"},
    result=("text",),
    says=(
        *PERMISSIONS, BLOCK,
        Says("deny", "hookSpecificOutput.decision", "block", "hookSpecificOutput.reason", STOPS),
        STOP, REWRITE, CONTEXT, MESSAGE,
    ),
    needs=(
        "Copilot CLI and Copilot's cloud agent read `.github/hooks` too: install for one of the two",
        "the setting `chat.useHooks`, or a policy, can keep VS Code from running any hook",
    ),
)  # fmt: skip
