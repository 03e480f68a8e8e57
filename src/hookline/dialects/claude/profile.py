"""Claude Code beside its hooks: how its settings are written, installed and told of."""

from __future__ import annotations

from hookline.dialects.keys import CLAUDE_KEYS, Switch
from hookline.dialects.profile import (
    ALL_HANDLERS,
    CLAUDE_CODE,
    CLAUDE_SHAPES,
    Abilities,
    ConfigFiles,
    Matching,
    Profile,
    Style,
    Words,
)
from hookline.dialects.profile.forms import JsonForm, entry_of
from hookline.dialects.profile.traps import CONFUSED, SOURCES, TRIGGERS, Traps
from hookline.model.events import EventKind as K

# events at which these keys are thrown away, and what to write
_UNSHOWN = {
    **dict.fromkeys(
        (
            "Notification", "StopFailure", "InstructionsLoaded", "MessageDisplay", "PostCompact", "SessionEnd",
            "ConfigChange", "WorktreeCreate", "WorktreeRemove", "Elicitation", "ElicitationResult",
        ),
        "it at another event",
    ),
    "PreCompact": "the text alone, which goes into the summary, or end with 2 to stop it",
}  # fmt: skip

PROFILE = Profile(
    JsonForm(entry_of(CLAUDE_KEYS)),
    ("json", "settings"),
    Abilities(
        ALL_HANDLERS, shell_key=True, condition=True, background=True, rewake=True, status=True,
        closes="on_failure",
    ),
    Words(
        speaks=CLAUDE_CODE, hears=frozenset({CLAUDE_CODE}),
        variables=frozenset({"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"}),
        answers=CLAUDE_SHAPES,
    ),
    Matching("names"),
    plugin="plugin:{name}",
    program="claude",
    files=ConfigFiles(
        ".claude/settings.json", ".claude/settings.local.json", ".claude", "settings.json", "CLAUDE_CONFIG_DIR"
    ),
    style=Style(limits={K.SessionEnd: 60.0}),
    needs=(
        "Claude Code runs no hooks in a folder before its trust dialog is accepted (`claude -p` asks nothing)",
        "`/hooks` in Claude Code lists the entries; a running session picks them up by itself",
    ),
    switches=(
        Switch("disableAllHooks", True, "`disableAllHooks` is set", "remove it from the settings"),
    ),
    traps=Traps(
        whole_paths=True,
        sent={"": "prompt_id permission_mode agent_id agent_type effort scratchpad_dir mcp_server"},
        failures=dict.fromkeys(
            ("is_error", "isError"), "a call that fails comes at `PostToolUseFailure`, with `.error`"
        ),
        transcript="message",
        judged_by="ok",
        of_plugins={K.SessionEnd: 1.5},
        names_only=K.FileChanged,
        words=CONFUSED,
        sets=frozenset(
            {
                "CLAUDECODE", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_OPTION_", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE",
                "CLAUDE_CODE_", "CLAUDE_PID", "CLAUDE_CONFIG_DIR", "CLAUDE_CODE_REMOTE", "CLAUDE_CODE_ENTRYPOINT",
            }
        ),
        values={
            K.SessionStart: SOURCES,
            K.SessionEnd: ("clear", "resume", "logout", "prompt_input_exit", "bypass_permissions_disabled", "other"),
            K.Setup: ("init", "maintenance"),
            K.PreCompact: TRIGGERS,
            K.PostCompact: TRIGGERS,
            K.ConfigChange: (
                "user_settings", "project_settings", "local_settings", "policy_settings", "skills",
            ),
            K.DirectoryAdded: ("slash_command", "register_repo_root"),
            K.InstructionsLoaded: (
                "session_start", "nested_traversal", "path_glob_match", "include", "compact",
            ),
            K.Notification: (
                "permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog",
                "elicitation_url_dialog", "elicitation_complete", "elicitation_response", "agent_needs_input",
                "agent_completed", "quota_auto_resume_fired", "quota_auto_resume_stale",
                "quota_auto_resume_disabled",
            ),
        },
        gone=frozenset({"MultiEdit", "LS", "NotebookRead", "TodoRead"}),
        results={
            "output": "it is `.tool_response.stdout`",
            **dict.fromkeys(
                ("exit_code", "exitCode", "returncode"),
                "a command that fails comes at `PostToolUseFailure`, with `.error`",
            ),
        },
        of_tools={
            "Read": {
                **dict.fromkeys(("content", "text", "stdout", "output"), "there it is `.tool_response.file.content`"),
                **dict.fromkeys(("filePath", "file_path", "path"), "there it is `.tool_response.file.filePath`"),
            }
        },
        late="PreToolUse",
        asks_still=frozenset({"ExitPlanMode", "AskUserQuestion"}),
        closed={"permission_mode": ("default", "plan", "acceptEdits", "auto", "dontAsk", "bypassPermissions")},
        whole_input="updatedInput",
        hearsay={f"{event}.{key}": word for event, word in _UNSHOWN.items() for key in ("systemMessage", "continue")},
        moves=True,
        no_cmd=True,
        silent=True,
        needs={"permissionDecision": "hookSpecificOutput", "hookSpecificOutput": "hookEventName"},
        filled=frozenset({"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "user_config."}),
        root="CLAUDE_PROJECT_DIR",
    ),
)  # fmt: skip
