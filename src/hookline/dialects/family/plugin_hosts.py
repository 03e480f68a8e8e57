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
    dead_code=(
        (
            r"[\"']permission\.ask[\"']\s*:", "unknown-event", "`permission.ask` is never called",
            "throw in `tool.execute.before`, or set `permission` in the settings",
        ),
        (
            r"\A(?![\s\S]*\bevent\s*[:(])[\s\S]*?(?P<at>[\"'](?:session|message|file|todo|server|tui)\.[\w.]+[\"']"
            r"\s*:\s*(?:async\b|function\b|\())", "unknown-event",
            "an event of the bus is no hook, so the function is never called",
            "`event: async ({ event }) => { if (event.type === \"session.idle\") … }`",
        ),
        (
            r"\boutput\.args\s*=(?![=>])", "wrong-answer",
            "a new `output.args` is not looked at: the call stays as it was",
            "change what is in it: `output.args.command = …`",
        ),
        (
            r"\A(?![\s\S]*\bserver\b)[\s\S]*?(?P<at>export\s+default\s*\{)", "wrong-type",
            "an object that is exported needs `server`, a function that gives the hooks",
            "`{ id: \"…\", server: async () => ({ … }) }`",
        ),
        (
            r"\A(?![\s\S]*tool\.execute\.after)[\s\S]*?(?P<at>\binput\.args\b)", "unsent-field",
            "before a call `input` has no `args`, so reading what is in it fails", "read `output.args`",
        ),
        (
            r"\A(?![\s\S]*\bthrow\b)[\s\S]*?tool\.execute\.before[\s\S]*?"
            r"(?P<at>\breturn\s+(?:false|\{|\())", "wrong-answer",
            "what `tool.execute.before` returns is not looked at: the call goes on",
            "`throw new Error(reason)` denies it",
        ),
        (
            r"\A(?![\s\S]*tool\.execute\.before)[\s\S]*?(?P<at>tool\.execute\.after)"
            r"(?=[\s\S]*?\bargs\.command\b[\s\S]*?\bthrow\b)",
            "weak-answer", "`tool.execute.after` looks at a command that has run already, so it stops nothing",
            "look at it in `tool.execute.before`",
        ),
        (
            r"(?<!case )[\"'](?:tool\.(?:before|after|call|use|execute(?!\.(?:before|after)\b))[\w.]*"
            r"|(?:Pre|Post)ToolUse|(?:pre|post)_?[tT]ool_?[uU]se|before_?[tT]ool\w*|SessionStart|UserPromptSubmit|Stop)[\"']\s*:",
            "unknown-event", "`{found}`: no hook of a plugin has this name, so it is never called",
            "there are `tool.execute.before`, `tool.execute.after`, `chat.message`, `shell.env`, `event`",
        ),
        (
            r"\.?\btool\s*={2,3}\s*[\"'](?:Bash|Read|Write|Edit|Glob|Grep|WebFetch|Task)[\"']", "dead-name",
            "`{found}`: no tool is called so, their names are in small letters", "write `bash`, `edit`, …",
        ),
        (
            r"(?m)\A(?![\s\S]*^export\s+default\b)[\s\S]*?"
            r"(?P<at>^export\s+(?:const|let|var)\s+\w+(?:\s*:[^=\n]+)?\s*=\s*"
            r"(?:[\"'`\d\[{]|true\b|false\b|null\b|new\s))",
            "wrong-type", "every export has to be a plugin's function, so the whole file is refused",
            "take `export` away there",
        ),
    ),
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

PI = Agent(
    name="",
    title="",
    files=(),
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
    dead_code=(
        (
            r"\bpi\.on\(\s*[\"'](?:(?:pre|post|before|after)_?[tT]ool\w*|(?:Pre|Post)ToolUse|tool_use|tool_?[cC]alls|toolCall|tool\.\w+"
            r"|SessionStart|UserPromptSubmit|Stop|stop)[\"']",
            "unknown-event", "`{found}`: there is no event of this name, so it never comes",
            "there are `tool_call`, `tool_result`, `input`, `session_start`, `agent_before_settle`",
        ),
        (
            r"\btoolName\s*={2,3}\s*[\"'](?:Bash|Read|Write|Edit|Grep|Glob|LS)[\"']", "dead-name",
            "`{found}`: no tool is called so, their names are in small letters", "write `bash`, `edit`, …",
        ),
        (
            r"\A(?![\s\S]*\bblock\s*[:,}])[\s\S]*?[\"']tool_call[\"'][\s\S]*?"
            r"(?P<at>\breturn\s*(?:false\b|\{\s*"
            r"(?:deny|denied|blocked|allow|allowed|permission|decision|cancel|action)\s*:))",
            "wrong-answer", "an answer without `block` lets the call through",
            "`return { block: true, reason: \"…\" }`",
        ),
    ),
    needs=(
        "a running session reads its extensions again with `/reload`",
        "a project's extensions are loaded only once that project is trusted; `--scope user` needs no such answer",
    ),
    notes=(
        "There is no permission system: `ask` asks the user in a dialog, and denies where there is none (`-p`).",
        "An objection of a `Stop` hook goes to the model, and it goes on; without a terminal as well.",
        "`tool_error` is `tool_result` of a call that failed, a shell command that ended with an error too; "
        "`agent_error` is `agent_before_settle` of a run that failed. One that the user ended is not reported.",
        "A call of `edit` may hold several edits. Hooks see all their texts together; such a call can be denied, and "
        "when a hook changes it, it is denied too.",
        "A denied prompt ends there; the reason is shown, or printed on standard error.",
        "The core has no subagents.",
    ),
)  # fmt: skip
