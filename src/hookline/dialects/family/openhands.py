"""OpenHands (CLI, GUI, Cloud): snake_case events, a closed schema. Read from its SDK's sources, 1.43."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.base import Source
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import COMMAND, DENY, TIMEOUT, Agent, File, event
from hookline.dialects.keys import BACKGROUND, PROMPT, Key
from hookline.dialects.reading.reader import Reader
from hookline.dialects.tools import Tools
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.record import replace
from hookline.model.short_json import value_at
from hookline.model.typing import Any, Mapping

ROWS = (
    event("pre_tool_use", "deny", K.PreToolUse),
    event("post_tool_use", "", K.PostToolUse, feedback=False),
    event("user_prompt_submit", "deny context", K.UserPromptSubmit),
    event("session_start", "", K.SessionStart),
    event("session_end", "", K.SessionEnd),
    event("stop", "deny reprompt", K.Stop, fields=""),
)
PASCAL = tuple(replace(row, native=row.kind.value) for row in ROWS)

STOP = frozenset({K.Stop})


class OpenHandsDialect(FamilyDialect):
    """What it sends names events as Claude Code does, however its file spells them, and why it stops in `metadata`."""

    def check_file(self, root: Reader, source: Source) -> None:
        """One event in both spellings, and it takes nothing of the file."""
        inner = root.members.get("hooks")
        events = inner if inner is not None and inner.kind == "object" else root.node
        first: dict[K, str] = {}
        for name, node in events.members.items():
            row = self.row(name)
            if row is not None and (other := first.setdefault(row.kind, name)) != name:
                words = f"`{name}` and `{other}` are one event, which may stand here once"
                root.report(node, "duplicate-key", words, "join the two")

    def written(self, native: str) -> str:
        """One spelling for all."""
        return next((row.native for row in ROWS if row.kind is self.kind_of(native)), native)

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        found = {**super().payload(event, rule), "event_type": rule.kind.value}
        reason = found.pop("reason", None)
        if rule.kind is K.Stop and reason and not found.get("metadata"):
            found["metadata"] = {"reason": reason}
        return found

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        reason = value_at(payload, "metadata.reason")
        return super().read_event(native, {**payload, "reason": reason} if reason else payload)


DIALECT = OpenHandsDialect(Agent(
    name="openhands",
    title="OpenHands",
    program="openhands",
    sources="openhands-sdk 1.43 (August 2026), its sources",
    files=(
        File("project", "{ws}/.openhands/hooks.json", ours=True, top=""),
        File("user", "{home}/.openhands/hooks.json", ours=True, top=""),
    ),
    levels="first",
    wrapped=True,
    drops=frozenset({"unknown-key", "unknown-event", "wrong-type", "missing-key", "duplicate-key"}),
    order="sequential",
    stop_at="deny",
    rows=(*ROWS, *PASCAL),
    never=frozenset(row.native for row in PASCAL),
    tools=Tools(
        names=(
            ("Bash", "terminal"), ("Read", "file_editor"), ("Write", "file_editor"), ("Edit", "file_editor"),
            ("Edit", "apply_patch"), ("Glob", "glob"), ("Grep", "grep"), ("Agent", "task"),
            ("TodoWrite", "task_tracker"),
        ),
        fields={
            "Read": {"file_path": "path"},
            "Write": {"file_path": "path", "content": "file_text"},
            "Edit": {"file_path": "path", "old_string": "old_str", "new_string": "new_str"},
        },
        split={
            "file_editor": (
                "command",
                {"view": "Read", "create": "Write", "str_replace": "Edit", "insert": "Edit", "undo_edit": "Edit"},
            )
        },
    ),
    keys=(
        Key("type", "command|prompt|agent", words="what kind of hook it is"),
        COMMAND,
        Key("name", "text", "name"),
        PROMPT,
        Key("system_prompt", handlers=frozenset({"prompt", "agent"})),
        Key("tools", "texts", handlers=frozenset({"agent"})),
        Key("max_iterations", "whole", handlers=frozenset({"agent"})),
        TIMEOUT, BACKGROUND,
    ),
    matching="exact_or_full",
    payload={
        "hook_event_name": "event_type", "cwd": "working_dir", "prompt": "message", "transcript_path": "",
        "tool_use_id": "", "permission_mode": "", "agent_id": "", "agent_type": "",
    },
    always=("tool_name", "tool_input", "tool_response", "prompt", "metadata"),
    environment={
        "OPENHANDS_PROJECT_DIR": "{cwd}", "OPENHANDS_SESSION_ID": "{session}",
        "OPENHANDS_EVENT_TYPE": "{kind}", "OPENHANDS_TOOL_NAME": "{tool}",
    },
    project_variable="OPENHANDS_PROJECT_DIR",
    says=(
        Says("deny", "decision", "deny", "additionalContext|reason", STOP),
        DENY,
        Says("deny", "continue", False, "additionalContext|reason", STOP),
        Says("deny", "continue", False, "reason"),
        Says("context", "additionalContext", at=frozenset({K.UserPromptSubmit})),
    ),
    json_counts="always",
    as_read=frozenset({"any_case", "printed_reason"}),
    needs=("OpenHands reads its hooks when a conversation starts; CLI, GUI and Cloud only those of the project",),
))  # fmt: skip
