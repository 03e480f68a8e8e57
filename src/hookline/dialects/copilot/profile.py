"""GitHub Copilot beside its hooks: how its file is written, installed and told of."""

from __future__ import annotations

from hookline.dialects.actions import action_said, handler_type
from hookline.dialects.copilot import DIALECT
from hookline.dialects.family.profile import profile_of
from hookline.dialects.keys import write_keys
from hookline.dialects.profile import ANY_EXIT, EXIT, LAUNCH, Abilities, ConfigFiles, Words
from hookline.dialects.profile.forms import Entry, JsonForm
from hookline.dialects.profile.traps import TRIGGERS, Traps
from hookline.model.events import EventKind as K
from hookline.model.hooks import Command, HookSpec, Webhook
from hookline.model.record import replace


def entry(spec: HookSpec, form: JsonForm) -> Entry:
    action = spec.action
    entry: Entry
    if isinstance(action, Webhook):
        entry = {"type": "http"}
    elif isinstance(action, Command) and action.argv:
        entry = {"type": "command", "exec": action.argv[0]}
    else:
        line = action.line if isinstance(action, Command) else ""
        key = "powershell" if isinstance(action, Command) and action.shell[0] == "pwsh" else "bash"
        entry = {"type": "command", key: line}
    matcher = {"matcher": spec.matcher.text} if spec.matcher is not None else {}
    keys = DIALECT.agent.keys
    return {
        **entry,
        **matcher,
        **write_keys(spec, keys, handler_type(spec), action_said(spec, keys, form.shell)),
    }


BASH = ("bash", "-c")
_MADE = profile_of(DIALECT)
PROFILE = replace(
    _MADE,
    write=JsonForm(entry, grouped=False, shell=BASH, version=1),
    can=Abilities(frozenset({"command", "argv", "webhook"}), BASH, env=True, closes="exit"),
    words=Words(
        answers=_MADE.words.answers,
        variables=frozenset({"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "COPILOT_"}),
        fails_closed=frozenset({ANY_EXIT, EXIT, LAUNCH}),
        closed_at=frozenset({K.PreToolUse}),
    ),
    files=ConfigFiles(
        ".github/hooks/hookline.json", folder=".copilot", user="hooks/hookline.json", variable="COPILOT_HOME"
    ),
    style=replace(_MADE.style, command_key="bash", on_demand=frozenset({K.UserPromptExpansion})),
    traps=Traps(
        whole_paths=True,
        sent={
            "": "agentId agentType parentAgentId agent_id agent_type parent_agent_id",
            **dict.fromkeys(("sessionStart", "SessionStart"), "initialPrompt initial_prompt"),
            **dict.fromkeys(("sessionEnd", "SessionEnd"), "finalMessage final_message error"),
            **dict.fromkeys(("userPromptSubmitted", "UserPromptSubmit", "userPromptTransformed"), "prompt"),
            **dict.fromkeys(("preToolUse", "permissionRequest", "postToolUse"), "toolName toolArgs"),
            **dict.fromkeys(("PreToolUse", "PermissionRequest", "PostToolUse"), "tool_name tool_input"),
            "postToolUseFailure": "toolName toolArgs error", "PostToolUseFailure": "tool_name tool_input error",
            "preCompact": "customInstructions transcriptPath", "PreCompact": "custom_instructions transcript_path",
            "agentStop": "transcriptPath stopHookActive", "Stop": "transcript_path",
            "subagentStart": "agentName agentDisplayName agentDescription transcriptPath",
            "subagentStop": "agentName agentDisplayName response transcriptPath stopHookActive",
            "SubagentStop": "agent_name agent_display_name last_assistant_message response transcript_path",
            "notification": "message notification_type title notificationType",
        },
        sets=frozenset(
            {
                "CLAUDE_PROJECT_DIR", "COPILOT_PROJECT_DIR", "COPILOT_HOOK_DIR", "COPILOT_CLI", "COPILOT_HOME",
                "PLUGIN_ROOT", "COPILOT_PLUGIN_ROOT",
            }
        ),
        values={K.PreCompact: TRIGGERS},
        counter="stop_hook_active",
        no_text="toolArgs",
        documented=frozenset({
            "read_bash", "write_bash", "stop_bash", "list_bash", "read_powershell", "write_powershell",
            "stop_powershell", "list_powershell", "skill", "sql", "store_memory", "report_intent",
        }),
    ),
)  # fmt: skip
