"""Agents whose hooks are programs inside of them: hookline is one of these, generated, and asks the bridge.

What that program sends and reads is ours: Claude Code's fields and answers. So such an agent has rows and tools like
any other, and no config. The Agents here have the same plugin interface under several names.
"""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.family.columns import (
    BLOCK,
    CONTEXT,
    MESSAGE,
    REQUESTS,
    REWRITE,
    STOP,
    Agent,
    event,
)
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K

_PROMPT = Says("rewrite", "hookSpecificOutput.prompt", at=frozenset({K.UserPromptSubmit}))
_SAYS = (*REQUESTS[:2], BLOCK, STOP, REWRITE, _PROMPT, CONTEXT, MESSAGE)
_OUTPUT = ("updatedToolOutput",)

OPENCODE = Agent(
    name="",
    title="",
    files=(),
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
    notes=(
        "A denial is the tool's result: the model reads the reason. `ask` is told as a denial, since a plugin cannot "
        "ask; set `permission` to `ask` there, and `PermissionRequest` hooks answer the question.",
        "A tool that fails is not reported after it ran; a shell command that ends with an error is.",
        "A denied prompt ends the request; in `run` the reason is on standard error.",
        "`session.idle` asks the `Stop` hooks, and their objection goes back as the next message. Not in `run`, which "
        "ends at the first idle.",
        "Text for the model at the start of a session goes to it with the first prompt.",
        "`subagent.created` and `subagent.idle` are `session.created` and `session.idle` of a subagent's session. Its "
        "calls count to the session that started it.",
        "The plugin is read when it starts; `--pure` switches it off. With no network, the start takes longer there as "
        "soon as there is any plugin, since it looks for a package first.",
    ),
)  # fmt: skip
