"""Qwen Code: Claude Code's events on Gemini CLI's engine. Read from the bundle of 0.24.4, and seen by running it."""

from __future__ import annotations

from hookline.dialects.family.columns import (
    BLOCK,
    COMMAND,
    CONTEXT,
    DENY,
    MESSAGE,
    PERMISSIONS,
    REQUESTS,
    STOP,
    TIMEOUT,
    Agent,
    File,
    event,
)
from hookline.dialects.keys import (
    ALLOWED_ENV,
    ARGS,
    BACKGROUND,
    HEADERS,
    MODEL,
    PROMPT,
    SHELL,
    STATUS,
    URL,
    Key,
    Switch,
)  # fmt: skip
from hookline.dialects.tools import Tools
from hookline.model.events import EventKind as K
from hookline.model.record import replace

HTTP = frozenset({"http"})
LINE = frozenset({"command"})
ALL = "deny context continue message"

DIALECT = Agent(
    name="qwen",
    title="Qwen Code",
    program="qwen",
    sends={
        "": "permission_mode prompt_id agent_id agent_type tool_call_id",
        **dict.fromkeys(
            ("Stop", "SubagentStop"),
            "agent_transcript_path background_tasks crons context_limit context_usage input_tokens output_tokens",
        ),
    },
    sources="Qwen Code 0.24.4, its bundle; observed",
    files=(
        File("project", "{ws}/.qwen/settings.json", ours=True),
        File("user", "{home}/.qwen/settings.json", ours=True),
        File("managed", "/etc/qwen-code/settings.json"),
    ),
    format="jsonc",
    rows=(
        event("SessionStart", "context message", plain_context=True),
        event("SessionEnd", "message"),
        event("UserPromptSubmit", ALL, plain_context=True, fields="prompt submitted_prompt?"),
        event("UserPromptExpansion", ALL, plain_context=True),
        event("PreToolUse", "deny ask continue message", fields="tool_name tool_input tool_use_id tool_call_id?"),
        event("PermissionRequest", "deny allow rewrite message", rewrite_allows=True),
        event("PermissionDenied", "message"),
        event("PostToolUse", "context continue message", exit_two="shown"),
        event("PostToolUseFailure", "context message", exit_two="shown"),
        event("PostToolBatch", "deny continue message"),
        event("Notification", "message"),
        event("Stop", "deny reprompt continue message"),
        event("StopFailure", "message"),
        event("SubagentStart", "context message"),
        event("SubagentStop", "deny reprompt continue message"),
        event("PreCompact", "message"),
        event("PostCompact", "message"),
        event("InstructionsLoaded", "message", subject="file_path"),
        event("CwdChanged", "message", fields="old_cwd new_cwd"),
        event("FileChanged", "message", fields="file_path event", subject="file_path"),
        event("MessageDisplay", "message", fields="message_id delta final"),
        event("TodoCreated", "deny message", K.TaskCreated, fields="phase?"),
        event("TodoCompleted", "deny message", K.TaskCompleted, fields="phase?"),
    ),
    tools=Tools(
        names=(
            ("Bash", "run_shell_command"), ("Read", "read_file"), ("Write", "write_file"), ("Edit", "edit"),
            ("Glob", "glob"), ("Grep", "grep_search"), ("LS", "list_directory"), ("WebFetch", "web_fetch"),
            ("WebSearch", "web_search"), ("Agent", "agent"), ("TodoWrite", "todo_write"), ("Skill", "skill"),
            ("AskUserQuestion", "ask_user_question"), ("ExitPlanMode", "exit_plan_mode"),
            ("NotebookEdit", "notebook_edit"), ("Monitor", "monitor"),
        ),
        aliases={
            "run_shell_command": ("Bash", "Shell"), "read_file": ("Read",), "write_file": ("Write",),
            "edit": ("Edit",), "glob": ("Glob",), "grep_search": ("Grep",), "list_directory": ("LS",),
            "web_fetch": ("WebFetch",), "web_search": ("WebSearch",), "agent": ("Agent", "Task", "task"),
            "todo_write": ("TodoWrite",),
        },
    ),
    keys=(
        Key("type", "command|http|prompt", words="what kind of hook it is"),
        COMMAND, ARGS,
        SHELL,
        BACKGROUND,
        Key("env", "map", "env", "further variables", handlers=LINE),
        URL, HEADERS, ALLOWED_ENV,
        Key("once", "flag", "once", "runs once a session", handlers=HTTP),
        Key("if", "text", "condition", "a permission rule", handlers=HTTP),
        PROMPT, MODEL,
        replace(TIMEOUT, type="either"),
        Key("name", "text", "name", "what it is called; with the command it tells duplicates"),
        Key("description", "text", "description"),
        STATUS,
    ),
    free=frozenset({"enabled", "disabled", "notifications"}),
    type_limits={"http": 600.0, "prompt": 30.0},
    apart=frozenset({"SessionDelete", "QueryEnd"}),
    dedupe=True,
    sequence_key="sequential",
    matching="names",
    shell=("bash", "-c"),
    payload={"delta": "displayed_text", "final": "is_final"},
    adds={"timestamp": "{time}"},
    result=("llmContent", "returnDisplay"),
    environment={
        "QWEN_PROJECT_DIR": "{cwd}", "CLAUDE_PROJECT_DIR": "{cwd}", "GEMINI_PROJECT_DIR": "{cwd}",
        "QWEN_CODE_SESSION_ID": "{session}",
    },
    project_variable="QWEN_PROJECT_DIR",
    says=(*PERMISSIONS[:2], *REQUESTS, BLOCK, DENY, STOP, CONTEXT, MESSAGE),
    json_counts="any",
    needs_words=True,
    stderr_json=True,
    plain_is="message",
    empty_prompt_is_none=True,
    switches=(Switch("disableAllHooks", True, "`disableAllHooks` is set", "remove it from the settings"),),
    needs=(
        "Qwen Code reads its settings when it starts; `/hooks` shows them",
        "with folder trust on, it runs a project's hooks only in a trusted folder",
    ),
)  # fmt: skip
