"""Cursor beside its hooks: how its file is written, installed and told of."""

from __future__ import annotations

from hookline.dialects.cursor.config import KEYS
from hookline.dialects.profile import CLAUDE_CODE, Abilities, ConfigFiles, Matching, Profile, Style, Words
from hookline.dialects.profile.json_form import JsonForm, entry_of
from hookline.dialects.profile.traps import Traps
from hookline.model.events import EventKind as K

PROFILE = Profile(
    JsonForm(entry_of(KEYS), grouped=False, version=1),
    can=Abilities(frozenset({"command", "prompt"}), closes="on_failure", options={"loop_limit": 5}),
    words=Words(
        hears=frozenset({CLAUDE_CODE}),
        variables=frozenset({"CLAUDE_PROJECT_DIR", "CURSOR_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT"}),
        answers={"allow": lambda native, text: {"permission": "allow"}},
    ),
    matching=Matching("regex"),
    program="cursor-agent",
    files=ConfigFiles(".cursor/hooks.json", folder=".cursor", user="hooks.json"),
    style=Style(
        grouped=False, version=1, more={"type": "command"},
        on_demand=frozenset({K.Setup, K.PostModelResponse}),
        never=frozenset(
            {
                "beforeShellExecution", "afterShellExecution", "beforeMCPExecution", "afterMCPExecution",
                "beforeReadFile", "afterFileEdit", "beforeTabFileRead", "afterTabFileEdit",
                "afterAgentThought",
            }
        ),
    ),
    needs=(
        "Cursor runs project hooks in trusted workspaces only; its settings have a Hooks page that lists them",
        "Cursor reads `.claude/settings.json` as well: install for one of the two, or calls arrive twice",
    ),
    traps=Traps(
        sets=frozenset(
            {
                "CURSOR_VERSION", "CURSOR_USER_EMAIL", "CURSOR_TRANSCRIPT_PATH", "CURSOR_CODE_REMOTE",
                "CURSOR_PLUGIN_ROOT",
            }
        ),
        silent=True,
        answers={
            "userMessage": "user_message", "agentMessage": "agent_message", "followupMessage": "followup_message",
            "updatedInput": "updated_input", "additionalContext": "additional_context",
        },
        counter="loop_count",
    ),
)  # fmt: skip
