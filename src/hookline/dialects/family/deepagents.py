"""deepagents (dcode): Claude Code's hooks, with Claude Code's tool names. Read in its sources, and driven."""

from __future__ import annotations

from hookline.dialects.family.columns import TIMEOUT, Agent, File, event
from hookline.dialects.keys import COMMAND, LINE, PROMPT, Key
from hookline.model.events import EventKind as K

DIALECT = Agent(
    name="deepagents",
    title="deepagents",
    program="dcode",
    sources="deepagents-code 0.1.5x, its sources and documentation; 0.1.57 driven with hookline in front",
    files=(
        File("user", "{home}/.deepagents/hooks.json", ours=True),
        File("project", "{ws}/.deepagents/hooks.json", ours=True),
    ),
    rows=(
        event("SessionStart", "context message", plain_context=True),
        event("SessionEnd"),
        event("UserPromptSubmit", "deny context continue message", plain_context=True),
        event("PreToolUse", "deny ask allow continue message"),
        event("PermissionRequest", "deny allow message"),
        event("PostToolUse", "deny context continue message"),
        event("PostToolUseFailure", "context message", exit_two="shown"),
        event("Notification"),
        event("Stop", "deny reprompt continue message"),
        event("SubagentStart", "context", exit_two="shown"),
        event("SubagentStop", "deny reprompt continue message"),
        event("PreCompact", "deny", K.PreCompact),
    ),
    keys=(
        Key("type", "command|prompt", words="what kind of hook it is"),
        Key("argv", "texts", "action.argv", "a program and its arguments, without a shell", handlers=LINE),
        COMMAND,
        PROMPT, TIMEOUT,
    ),
    timeout_s=600.0,
    type_limits={"prompt": 30.0},
    environment={"CLAUDE_PROJECT_DIR": "{project}"},
    project_variable="CLAUDE_PROJECT_DIR",
    needs=("deepagents asks for trust in a project's hooks; without a terminal it wants `--trust-project-hooks`",),
)  # fmt: skip
