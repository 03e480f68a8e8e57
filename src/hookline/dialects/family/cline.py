"""Cline: its hooks are executables named after their event. From its sources (August 2026), and runs of its CLI."""

from __future__ import annotations

from shlex import quote

from hookline.dialects.answering import Says
from hookline.dialects.bridged.payloads import (
    canonical_call,
    decoded,
    encoded,
    native_call,
    native_of,
    read_agent_event,
    require_object,
    result_text,
    with_extra,
)
from hookline.dialects.bridged.rules import AgentRule
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File, event
from hookline.dialects.tools import Tools, mcp_parts
from hookline.dialects.unlisted_tools import line_of_shell
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.typing import Any, Mapping

STARTS = {"TaskStart": "startup", "TaskResume": "resume"}
TOOL_EVENTS = ("PreToolUse", "PostToolUse")


class ClineDialect(FamilyDialect):
    """What an event is about stands in an object named after it; a call's arguments are texts."""

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        extra, field = event.extra, _field(rule.native)
        body = {**_object(extra.get(field)), **self._body(event, rule.native)}
        found: dict[str, Any] = {
            "clineVersion": extra.get("clineVersion", ""), "hookName": extra.get("hookName", rule.native),
            "timestamp": extra.get("timestamp", str(int(event.at * 1000))), "taskId": event.session_id,
            "workspaceRoots": extra.get("workspaceRoots") or [event.workspace or event.cwd],
            "userId": extra.get("userId", ""), **({"agent_id": event.agent_id} if event.agent_id else {}),
        }  # fmt: skip
        return with_extra({**found, field: body}, event)

    def _body(self, event: Event, native: str) -> dict[str, Any]:
        if native == "UserPromptSubmit":
            return {"prompt": event.prompt}
        if native not in TOOL_EVENTS:
            return {}
        name, given = self._call(event)
        found = {"toolName": name, "parameters": {key: _text(value) for key, value in given.items()}}
        if native == "PostToolUse":
            found["result"] = result_text(event.get("tool_response"))
        return found

    def _call(self, event: Event) -> tuple[str, Mapping[str, Any]]:
        sent, parts = native_of(event, self.name), mcp_parts(event.tool_name)
        if "call" in sent:
            return str(sent["tool_name"]), sent["call"]
        if parts is not None:
            given = {"server_name": parts[0], "tool_name": parts[1], "arguments": event.tool_input}
            return "use_mcp_tool", given
        called = native_call(self.tools, event)
        return called["tool_name"], called["tool_input"]

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Cline reports; the file it called says which."""
        given = dict(require_object(payload, self.title))
        row = self.reported_row(native, {})
        body, roots = _object(given.get(_field(row.native))), given.get("workspaceRoots")
        given["session_id"] = str(given.pop("taskId", "") or "")
        given["cwd"] = str(roots[0]) if isinstance(roots, list) and roots else ""
        words: dict[str, Any] = {"event": row.native}
        if row.native in TOOL_EVENTS:
            words.update(self._read_call(given, body))
        if row.native == "UserPromptSubmit":
            given["prompt"] = str(body.get("prompt") or "")
        if row.native in STARTS:
            given["source"] = STARTS[row.native]
        return read_agent_event(row.kind, self.name, given, words)

    def _read_call(self, given: dict[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
        """Puts the call in; the CLI sends it with arguments of every type beside their texts."""
        whole = _object(given.get("tool_call") or given.get("tool_result"))
        found = whole.get("name") or body.get("toolName")
        name = found if isinstance(found, str) else ""
        sent = _object(whole.get("input")) or _object(body.get("parameters"))
        given["tool_name"], given["tool_input"] = _one_call(name, sent)
        if whole.get("id"):
            given["tool_use_id"] = str(whole["id"])
        if "result" in body:
            given["tool_response"] = body["result"]
        canonical_call(self.tools, given)
        return {"tool_name": name, "call": sent}


def _one_call(name: str, sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call as one that hooks know: several commands are one text, several files stand in `paths`."""
    match name:
        case "use_mcp_tool":
            tool = f"mcp__{sent.get('server_name') or 'unknown'}__{sent.get('tool_name')}"
            return tool, _object(decoded(sent.get("arguments")))
        case "run_commands" | "execute_command" if sent.get("commands"):
            commands = [_line(each) for each in _list(decoded(sent["commands"]))]
            return name, {**sent, "command": "\n".join(commands)}
        case "read_files" if sent.get("files"):
            listed = [
                each.get("path") if isinstance(each, dict) else each for each in _list(decoded(sent["files"]))
            ]
            paths = [str(each) for each in listed if each]
            return name, {**sent, "path": paths[0] if paths else "", "paths": paths}
        case "editor":
            fields = EDITED if sent.get("old_text") else WRITTEN
            said = {fields.get(key, key): _text(sent[key]) if key in fields else sent[key] for key in sent}
            return "Edit" if fields is EDITED else "Write", said
    return name, dict(sent)


def _field(native: str) -> str:
    return native[:1].lower() + native[1:]


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _line(command: object) -> str:
    """One command as a line: a text, or a program and its arguments apart."""
    if isinstance(command, list) or (isinstance(command, dict) and "command" not in command):
        return line_of_shell("Bash", {"command": command} if isinstance(command, list) else command)
    if not isinstance(command, dict):
        return _text(command)
    rest = command.get("args")
    return " ".join(
        (_text(command["command"]), *(quote(_text(each)) for each in _list(rest if rest else [])))
    )


def _text(value: object) -> str:
    return "" if value is None else encoded(value)


PATH = {"file_path": "path"}
WRITTEN = {"path": "file_path", "new_text": "content"}
EDITED = {"path": "file_path", "old_text": "old_string", "new_text": "new_string"}
DIALECT = ClineDialect(
    Agent(
        name="cline",
        title="Cline",
        program="cline",
        needs_beside={"errorMessage": "cancel"},
        sends={
            "": "model agent_id parent_agent_id sessionContext workspaceInfo iteration tool_call tool_result turn "
            "reason error",
            "preToolUse.": "", "postToolUse.": "success executionTimeMs", "userPromptSubmit.": "attachments",
        },
        sources="cline/cline of August 2026, its sources; the CLI 3.0.65 was run",
        files=(
            File("user", "{home}/Documents/Cline/Hooks", ours=True),
            File("user", "{home}/.cline/hooks"),
            File("project", "{ws}/.clinerules/hooks", ours=True),
            File("project", "{ws}/.cline/hooks"),
        ),
        rows=(
            event("PostToolUse", "deny context", feedback=False),
            event("PreCompact", fields=""),
            event("PreToolUse", "deny context"),
            event("SessionShutdown", "", K.SessionEnd, fields=""),
            event("TaskCancel", "", K.Interrupt, fields=""),
            event("TaskComplete", "", K.Stop, fields=""),
            event("TaskError", "", K.StopFailure, fields=""),
            event("TaskResume", "context", K.SessionStart, subject=""),
            event("TaskStart", "context", K.SessionStart, subject=""),
            event("UserPromptSubmit", "deny context"),
        ),
        tools=Tools(
            names=(
                ("Bash", "execute_command"), ("Bash", "run_commands"), ("Read", "read_file"), ("Read", "read_files"),
                ("Write", "write_to_file"), ("Edit", "replace_in_file"), ("LS", "list_files"),
                ("Grep", "search_files"), ("Grep", "search_codebase"), ("WebFetch", "fetch_web_content"),
                ("Agent", "spawn_agent"), ("Agent", "new_task"), ("AskUserQuestion", "ask_followup_question"),
                ("AskUserQuestion", "ask_question"),
            ),
            fields={"Read": PATH, "Write": PATH, "Edit": {**PATH, "new_string": "diff"}},
        ),
        scripts=True,
        format="scripts",
        matching="none",
        timeout_s=30.0,
        says=(Says("deny", "cancel", True, "errorMessage"), Says("context", "contextModification")),
        exits={},
        denies_by_exit=False,
        json_counts="always",
        needs=(
            "a denial at `PreToolUse` ends Cline's whole run, not only that call",
            "hooks are on by default (`hooksEnabled`); single ones can be switched off in Cline's own list",
        ),
    )
)  # fmt: skip
