"""Agents whose hooks are programs inside of them: hookline is one of these, generated, and asks the bridge.

What that program sends and reads is ours: Claude Code's fields and answers. So such an agent has rows and tools like
any other, and no config. Here are two plugin interfaces, each with the fork that took it over.
"""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import (
    BLOCK,
    CONTEXT,
    MESSAGE,
    PERMISSIONS,
    REQUESTS,
    REWRITE,
    STOP,
    Agent,
    File,
    event,
)
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K
from hookline.model.record import replace

_PROMPT = Says("rewrite", "hookSpecificOutput.prompt", at=frozenset({K.UserPromptSubmit}))
_SAYS = (*REQUESTS[:2], BLOCK, STOP, REWRITE, _PROMPT, CONTEXT, MESSAGE)
_OUTPUT = ("updatedToolOutput",)


def plugin_files(user: str, project: str, *folders: str) -> tuple[File, ...]:
    """Our program in the first of these folders, and whatever lies in them: a user's and a project's."""
    return tuple(
        file
        for scope, root in (("user", user), ("project", project))
        for file in (
            File(scope, f"{root}/{folders[0]}/hookline.js", ours=True),
            *(File(scope, f"{root}/{folder}/*") for folder in folders),
        )
    )


OPENCODE = Agent(
    name="opencode",
    title="OpenCode",
    program="opencode",
    sources="OpenCode 1.18.33, its types and program; observed",
    files=(
        *plugin_files("{config}/opencode", "{ws}/.opencode", "plugin", "plugins"),
        File("user", "{home}/.opencode/plugin/*"), File("user", "{home}/.opencode/plugins/*"),
    ),
    rows=(
        event("session.created", "message", K.SessionStart),
        event("chat.message", "deny context rewrite message", K.UserPromptSubmit),
        event("tool.execute.before", "deny rewrite continue message", K.PreToolUse),
        event("permission.asked", "deny allow message", K.PermissionRequest),
        event("permission.replied", "message", K.PermissionDenied),
        event("tool.execute.after", "deny context continue message product", K.PostToolUse, products=_OUTPUT),
        event("experimental.session.compacting", "context message", K.PreCompact),
        event("session.compacted", "message", K.PostCompact),
        event("subagent.created", "message", K.SubagentStart),
        event("subagent.idle", "message", K.SubagentStop),
        event("session.idle", "deny reprompt message", K.Stop),
        event("session.error", "message", K.StopFailure),
        event("dispose", "message", K.SessionEnd),
    ),
    tools=Tools(
        names=(
            ("Bash", "bash"), ("Read", "read"), ("Write", "write"), ("Edit", "edit"), ("Edit", "apply_patch"),
            ("Glob", "glob"), ("Grep", "grep"), ("LS", "list"), ("WebFetch", "webfetch"), ("WebSearch", "websearch"),
            ("TodoWrite", "todowrite"), ("Task", "task"), ("Skill", "skill"), ("AskUserQuestion", "question"),
        ),
        fields={
            "Read": {"file_path": "filePath"}, "Write": {"file_path": "filePath"},
            "Edit": {
                "file_path": "filePath", "old_string": "oldString", "new_string": "newString",
                "replace_all": "replaceAll",
            },
        },
    ),
    timeout_s=600.0,
    matching="none",
    says=_SAYS,
    denies_by_exit=False,
    stop_limit=False,
    plugin="opencode.js",
)  # fmt: skip

KILO = replace(
    OPENCODE,
    name="kilo",
    title="Kilo",
    program="kilo",
    sources="Kilo 7.7.9, a fork of OpenCode; its server was run, the rest is as in OpenCode",
    files=plugin_files("{config}/kilo", "{ws}/.kilo", "plugin", "plugins"),
)
PI = Agent(
    name="pi",
    title="Pi",
    program="pi",
    sources="`@earendil-works/pi-coding-agent` 0.87.1, its types and program; observed",
    files=plugin_files("{home}/.pi/agent", "{ws}/.pi", "extensions"),
    rows=(
        event("session_start", "context message", K.SessionStart),
        event("input", "deny context rewrite message", K.UserPromptSubmit),
        event("tool_call", "deny ask rewrite continue message", K.PreToolUse),
        event("tool_result", "deny context message product", K.PostToolUse, products=_OUTPUT),
        event("tool_error", "deny context message", K.PostToolUseFailure),
        event("session_before_compact", "deny message", K.PreCompact),
        event("session_compact", "message", K.PostCompact),
        event("agent_before_settle", "deny reprompt message", K.Stop),
        event("agent_error", "message", K.StopFailure),
        event("session_shutdown", "message", K.SessionEnd),
    ),
    tools=Tools(
        names=(
            ("Bash", "bash"), ("PowerShell", "powershell"), ("Read", "read"), ("Write", "write"), ("Edit", "edit"),
            ("Grep", "grep"), ("Glob", "find"), ("LS", "ls"),
        ),
        fields={
            "Read": {"file_path": "path"}, "Write": {"file_path": "path"},
            "Edit": {"file_path": "path", "old_string": "oldText", "new_string": "newText"},
        },
    ),
    timeout_s=600.0,
    matching="none",
    says=(PERMISSIONS[1], *_SAYS),
    denies_by_exit=False,
    stop_limit=False,
    plugin="pi.js",
    needs=(
        "a running session reads its extensions again with `/reload`",
        "a project's extensions are loaded only once that project is trusted; `--scope user` needs no such answer",
    ),
)  # fmt: skip
OMP = replace(
    PI,
    name="omp",
    title="oh-my-pi",
    program="omp",
    knows="low",
    sources="an older version of it; the rest is taken to be as in Pi, of which it is a fork",
    files=plugin_files("{home}/.omp/agent", "{ws}/.omp", "extensions"),
)
