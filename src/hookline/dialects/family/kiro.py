"""Kiro: one list of hooks in files of a folder (IDE 1.x, CLI 3), and the hooks in the files of its agents (CLI 2).

From its documentation, the open sources of Amazon Q's CLI, which Kiro's succeeded, and others' measurements.
"""

from __future__ import annotations

import os.path
import re

from hookline.dialects.base import Loaded, SourceText
from hookline.dialects.bridged.payloads import encoded, native_of, require_object
from hookline.dialects.bridged.rules import AgentRule, by_kind
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import COMMAND, TIMEOUT, Agent, File, event
from hookline.dialects.keys import Key
from hookline.dialects.matching.matchers import Compiled, exact
from hookline.dialects.reading.json_hooks import Entry
from hookline.dialects.tools import Tools
from hookline.model.errors import Problem
from hookline.model.events import Event
from hookline.model.events import EventKind as K
from hookline.model.hooks import Action, Matcher, noted
from hookline.model.record import replace
from hookline.model.short_json import read_json
from hookline.model.typing import Any, Mapping, Sequence
from hookline.system.modules import attribute

# What CLI 2 calls some arguments, and what CLI 3 calls them.
SPELLED = {"file_text": "text", "old_str": "oldStr", "new_str": "newStr"}
EDITS = ("str_replace", "insert", "append")  # what `fs_write` of CLI 2 does beside `create`
DROPPING = frozenset({"unknown-event", "wrong-type", "missing-key", "bad-value", "empty-value"})
BUILT_IN = ("kiro_default", "q_cli_default")  # the agents that run where nobody chose one
_LIST = re.compile(r"[|^$()\\+]|\.\*")


class KiroAgents(FamilyDialect):
    """The files of its agents: events by other names, milliseconds, globs."""

    def compiled(self, row: AgentRule | None, text: str | None) -> Compiled:
        """One name or a glob; `@server` stands for all its tools, `@builtin` for all that are of no server."""

        if text is None or text == "*":
            return Compiled()
        if not text or _LIST.search(text):
            why = "a matcher is one name or a glob here, no list and no regular expression; it never fits"
            return Compiled(Matcher("never", text), why, "write one hook for each tool, or a glob: `fs_*`")
        if text == "@builtin":
            return Compiled(Matcher("fullregex", "[^@].*"))
        whole = f"{text}/*" if text.startswith("@") and "/" not in text else text
        if not set("*?") & set(whole):
            return exact(whole)
        return Compiled(Matcher("fullregex", re.escape(whole).replace(r"\*", ".*").replace(r"\?", ".")))

    def action_of(self, entry: Entry) -> tuple[Action | None, str]:
        """What an entry runs; an answer that is kept lets the next call pass unseen."""
        kept = entry.reader.get("cache_ttl_seconds")
        if entry.kind is K.PreToolUse and kept is not None and kept.kind == "integer" and kept.value:
            words = f"a call that passed lets others pass for {kept.value} s without asking this hook again"
            entry.reader.report(kept, "cached-guard", words, "remove `cache_ttl_seconds`", severity="warning")
        return super().action_of(entry)


class KiroDialect(FamilyDialect):
    """Kiro with both kinds of files: `plain` are those of hooks, `agents` those of agents."""

    def __init__(self, agent: Agent, agents: KiroAgents) -> None:
        super().__init__(agent)
        self.plain = FamilyDialect(agent)
        self.agents = self.beside = agents
        self.rows = (*self.rows, *agents.rows)
        self.rules = by_kind(self.rows)

    # -- config ---------------------------------------------------------------------------------

    def schema(self) -> Mapping[str, Any]:
        """That of a file of hooks, or of an agent."""
        made = attribute("hookline.dialects.family.schema", "schema")
        found = {**made(self), "$schema": None}
        both = [{key: value for key, value in each.items() if value} for each in (found, made(self.beside))]
        return {"$schema": both[1].pop("$schema"), "title": "Kiro hooks", "anyOf": both}

    def parse(self, given: SourceText) -> Loaded:
        """The hooks of one file; those of an agent's run inside of that agent alone."""
        if given.path.endswith(".kiro.hook"):
            old: Loaded = attribute("hookline.dialects.family.kiro_ide", "read_old")(given)
            return old
        if not _is_agent(given.path):
            return self.plain.parse(given)

        found, name = self.agents.parse(given), _agent_name(given)
        specs = tuple(noted(spec, agent="" if name in BUILT_IN else name) for spec in found.specs)
        return replace(found, specs=specs)

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        """Of agents of one name Kiro takes the project's; what it leaves out is told."""
        found = super().combine(loaded)
        taken = {
            spec.origin.agent: spec.source for each in found for spec in each.specs if spec.scope == "project"
        }
        return [
            _with_rival(each, taken[name])
            if each.source.scope == "user" and (name := _owner(each)) in taken
            else each
            for each in found
        ]

    def drops_for(self, problem: Any) -> bool:
        """CLI 2 takes no agent at all from a file with a fault in its hooks."""
        return _is_agent(problem.source) and problem.severity == "error" and problem.code in DROPPING

    def written(self, native: str) -> str:
        """A file of hooks is written, whose events are Claude Code's."""
        row = self.agents.row(native)
        return row.kind.value if row is not None else native

    # -- one hook -----------------------------------------------------------------------------------

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        """What Kiro would send; of a call of its own, its own arguments."""
        found, sent = super().payload(event, rule), native_of(event, self.name)
        return {**found, "tool_input": sent["call"]} if "call" in sent else found

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Kiro reports, whatever its version calls a call's arguments."""
        given = dict(require_object(payload, self.title))
        found, sent = given.get("tool_name"), given.get("tool_input")
        name = found if isinstance(found, str) else ""
        if not isinstance(sent, dict):
            return super().read_event(native, given)
        given["tool_name"], given["tool_input"] = _call(name, sent)
        found = super().read_event(native, given)
        words = {**found.extra["native"], "tool_name": name, "call": sent}
        return replace(found, extra={**found.extra, "native": words})


def _is_agent(path: str) -> bool:
    """Whether a file is that of an agent, and not one of hooks."""
    return os.path.basename(os.path.dirname(path)) in ("agents", "cli-agents")


def _owner(entry: Loaded) -> str | None:
    """The agent whose hooks a file has; None for a file of hooks."""
    return (entry.specs[0].origin.agent or None) if entry.specs else None


def _agent_name(given: SourceText) -> str:
    """What an agent is called: as its file says, else as the file is."""
    stem = os.path.basename(given.path).removesuffix(".json")
    try:
        said = read_json(given.text)["name"] if given.state == "text" else stem
    except (ValueError, KeyError, TypeError, RecursionError):
        return stem
    return said if isinstance(said, str) and said else stem


def _with_rival(entry: Loaded, shown: str) -> Loaded:
    words = f"Kiro takes the agent of this name from `{shown}`, so that these hooks do not run there"
    hint = "give one of the two agents another name"
    line = entry.specs[0].line
    told = Problem(entry.source.shown, line, 0, "", "hidden-hooks", words, hint, "warning")
    return replace(entry, problems=(*entry.problems, told))


def _call(name: str, sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A call as CLI 3 would send it: of several files the first stands alone too, and a tool does one thing."""
    given = {SPELLED.get(key, key): value for key, value in sent.items()}
    listed = sent.get("operations", sent.get("ops", sent.get("paths")))
    if isinstance(listed, list):
        named = [
            each.get("path", each.get("image_paths")) if isinstance(each, dict) else each for each in listed
        ]
        flat = [path for each in named for path in (each if isinstance(each, list) else [each])]
        paths = [path for path in flat if isinstance(path, str) and path]
        given.update({"path": paths[0], "paths": paths} if paths else {})
    if name in ("fs_write", "write") and given.get("command") in EDITS:
        name = "str_replace"
    if name in ("use_aws", "aws") and "operation_name" in given:
        return "execute_bash", {"command": _aws_line(given)}
    if name == "fs_append" and "text" in given:
        given["newStr"] = given.pop("text")
    return name, given


def _aws_line(given: Mapping[str, Any]) -> str:
    """The line of AWS' own program that `use_aws` comes to."""
    from shlex import join

    words = ["aws", str(given.get("service_name") or ""), str(given["operation_name"])]
    sent = given.get("parameters")
    for key, value in (sent if isinstance(sent, dict) else {}).items():
        words += [f"--{key.replace('_', '-')}", *([encoded(value)] if value != "" else [])]
    for key in ("region", "profile_name"):
        words += [f"--{key.removesuffix('_name')}", str(given[key])] if given.get(key) else []
    return join(words)


TOOLS = Tools(
    names=(
        ("Bash", "execute_bash"), ("Bash", "shell"), ("Read", "read_file"), ("Read", "read_files"), ("Read", "fs_read"),
        ("Read", "read"), ("Write", "fs_write"), ("Write", "write"), ("Write", "fsWrite"), ("Edit", "str_replace"),
        ("Edit", "fs_append"), ("Delete", "delete_file"), ("LS", "list_directory"), ("Glob", "file_search"),
        ("Glob", "glob"), ("Grep", "grep"), ("Grep", "grep_search"), ("TodoWrite", "todo_list"),
        ("Agent", "invoke_sub_agent"), ("Agent", "subagent"), ("Agent", "use_subagent"), ("Agent", "delegate"),
        ("WebFetch", "web_fetch"), ("WebSearch", "web_search"), ("AskUserQuestion", "user_input"),
        ("Bash", "use_aws"), ("Bash", "aws"),
        *((name, name) for name in ("knowledge", "introspect", "thinking", "report_issue", "code")),
    ),
    fields={
        "Read": {"file_path": "path"}, "Write": {"file_path": "path", "content": "text"},
        "Edit": {"file_path": "path", "old_string": "oldStr", "new_string": "newStr"},
        "Delete": {"file_path": "targetFile"},
    },
    aliases={
        one: (other,)
        for pair in (("execute_bash", "shell"), ("fs_read", "read"), ("fs_write", "write"), ("use_aws", "aws"))
        for one, other in (pair, pair[::-1])
    },
    mcp="@{server}/{tool}",
)  # fmt: skip
SENT = {
    "transcript_path": "", "permission_mode": "", "agent_id": "", "agent_type": "",
    "last_assistant_message": "assistant_response",
}  # fmt: skip
AGENT_FILES = (
    File("user", "{home}/.aws/amazonq/cli-agents/*.json"),
    File("user", "{home}/.kiro/agents/*.json"),
    File("project", "{ws}/.amazonq/cli-agents/*.json"),
    File("project", "{ws}/.kiro/agents/*.json"),
)

AGENTS = KiroAgents(
    Agent(
        name="kiro",
        title="Kiro",
        files=AGENT_FILES,
        rows=(
            event("agentSpawn", "context", K.SessionStart, plain_context=True, fields="", subject="", exit_two="fails"),
            event("userPromptSubmit", "context", K.UserPromptSubmit, plain_context=True, exit_two="fails"),
            event("preToolUse", "deny", K.PreToolUse, fields="tool_name tool_input"),
            event("postToolUse", "", K.PostToolUse, fields="tool_name tool_input tool_response", feedback=False,
                  exit_two="fails"),
            event("stop", "", K.Stop, fields="last_assistant_message?", exit_two="fails"),
        ),
        tools=TOOLS,
        flat=True,
        keys=(
            COMMAND,
            Key("timeout_ms", "milliseconds", "timeout_s", "how long it may run"),
            Key("max_output_size", "whole", words="how many bytes of its output are kept; 10240 without it"),
            Key("cache_ttl_seconds", "whole", words="for how long its answer with exit 0 holds, without another run"),
        ),
        shell=("bash", "-c"),
        timeout_s=30.0,
    )
)  # fmt: skip

DIALECT = KiroDialect(
    Agent(
        name="kiro",
        title="Kiro",
        program="kiro-cli",
        knows="low",
        sources="its documentation of autumn 2026, the open sources of Amazon Q's CLI, and others' measurements of "
        "IDE 1.0 and CLI 2.21",
        files=(
            File("user", "{home}/.kiro/hooks/*.kiro.hook"),
            File("user", "{home}/.kiro/hooks/*.json"),
            File("user", "{home}/.kiro/hooks/hookline.json", ours=True),
            *AGENT_FILES[:2],
            File("project", "{ws}/.kiro/hooks/*.kiro.hook"),
            File("project", "{ws}/.kiro/hooks/*.json"),
            File("project", "{ws}/.kiro/hooks/hookline.json", ours=True),
            *AGENT_FILES[2:],
        ),
        rows=(
            event("SessionStart", "context", plain_context=True, fields="", subject=""),
            event("UserPromptSubmit", "deny context", plain_context=True, subject="prompt"),
            event("PreToolUse", "deny", fields="tool_name tool_input"),
            event("PostToolUse", fields="tool_name tool_input tool_response", feedback=False),
            event("Stop", fields="last_assistant_message?"),
        ),
        never=frozenset(row.native for row in AGENTS.rows),
        apart=frozenset(
            {"PostFileCreate", "PostFileSave", "PostFileDelete", "PreTaskExec", "PostTaskExec", "Manual"}
        ),
        apart_types=frozenset({"agent"}),
        tools=TOOLS,
        version="v1",
        event_key="trigger",
        action_key="action",
        keys=(
            Key("name", "text", "name", "what it is called", required=True),
            Key("description", "text", "description"),
            Key("trigger", words="when it runs", required=True),
            Key("matcher", words="names of tools, or what the prompt says, as a pattern; absent: all"),
            Key("action", "object", words='`{"type": "command", "command": …}`', required=True),
            replace(TIMEOUT, zero=True),
            Key("enabled", "tristate", "enabled", "a no turns it off", default=True),
        ),
        matching="regex",
        payload=SENT,
        environment={"USER_PROMPT": "{prompt}"},
        says=(),
        needs=(
            "Kiro reads these files from IDE 1.0 and CLI 3 on (`kiro-cli --v3`); in CLI 2 hooks stand in an agent's "
            "file: see `hookline docs kiro`",
        ),
    ),
    AGENTS,
)  # fmt: skip
