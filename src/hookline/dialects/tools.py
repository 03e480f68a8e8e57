"""Tool names and the input fields that matter, from each agent's words to Claude Code's and back.

Claude Code's names are the canonical ones. Several native tools may stand for one canonical tool; the first
one listed is written when the call does not come from that agent. Names nobody lists pass through.
The rows for shell, read and write are documented or observed; the others are from third-party notes.
"""

from __future__ import annotations

from hookline.model.events import Event, EventKind
from hookline.model.record import Record
from hookline.model.typing import Any, Callable, Iterable, Iterator, Mapping

CANONICAL = (
    "Agent", "Artifact", "AskUserQuestion", "Bash", "BashOutput", "CronCreate", "CronDelete",
    "CronList", "Edit", "EndConversation", "EnterPlanMode", "EnterWorktree", "ExitPlanMode",
    "ExitWorktree", "Glob", "Grep", "KillShell", "LS", "LSP", "ListMcpResourcesTool", "Monitor",
    "MultiEdit", "NotebookEdit", "PowerShell", "PushNotification", "Read", "ReadMcpResourceTool",
    "ScheduleWakeup", "SendMessage", "SetGoal", "Skill", "SlashCommand", "Task", "TaskCreate",
    "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoWrite",
    "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",
)  # fmt: skip
Rows = Mapping[str, Mapping[str, tuple[str, ...]]]  # of tools: which arguments are read, written, run, …
SHELLS = frozenset({"Bash", "PowerShell"})
RULE_LISTS = ("allow", "ask", "deny")  # in `permissions` of settings files
BESIDE_RULES = ("additionalDirectories", "defaultMode", "disableBypassPermissionsMode")
ARGUMENTS = frozenset({"args", "arguments", "argv"})  # of a program in a field of its own: a list, or a text
TOOL_EVENTS = frozenset(
    {EventKind.PreToolUse, EventKind.PostToolUse, EventKind.PostToolUseFailure, EventKind.PermissionRequest,
     EventKind.PermissionDenied}
)  # fmt: skip
# What matchers are tested on where an agent took that over from Claude Code
SUBJECTS: Mapping[EventKind, str] = {
    **dict.fromkeys(TOOL_EVENTS, "tool_name"),
    EventKind.SessionStart: "source", EventKind.SessionEnd: "reason",
    EventKind.Notification: "notification_type",
    EventKind.SubagentStart: "agent_type", EventKind.SubagentStop: "agent_type",
    EventKind.PreCompact: "trigger", EventKind.PostCompact: "trigger",
}  # fmt: skip
FILE_TOOLS = frozenset({"Read", "Write", "Edit", "Delete"})
FILE_SPELLINGS = ("path", "filePath", "absolute_path", "target_file")


class Tools(Record):
    """What one agent calls its tools and their arguments.

    `names`: canonical and native name, the usual native first. `fields`: canonical argument to native one,
    by canonical tool. `aliases`: further names that matchers accept for a native tool. `mcp`: how a tool of
    a server is spelled; empty: as Claude Code does. `patches`: edits are sent as patches.
    `split`: a native tool that is several of ours, by the value of one of its arguments.
    """

    agent: str = ""
    names: tuple[tuple[str, str], ...] = ()
    fields: Mapping[str, Mapping[str, str]] = {}
    aliases: Mapping[str, tuple[str, ...]] = {}
    mcp: str = ""
    patches: bool = False
    split: Mapping[str, tuple[str, Mapping[str, str]]] = {}

    def canonical(self, name: str, server: str = "") -> str:
        """The canonical name of a tool; an MCP tool becomes `mcp__server__tool`.

        `server` is what the payload says of the MCP server. Without it a name that is no built-in tool
        often cannot be taken apart for certain and is left as it is.
        """
        for canonical, native in self.names:
            if native == name:
                return canonical
        return _mcp_to_canonical(self.mcp, name, server) if self.mcp else name

    def native(self, name: str) -> tuple[str, ...]:
        """Every name the agent has for a canonical tool, the usual one first; what its matchers accept too."""
        found = tuple(native for canonical, native in self.names if canonical == name)
        if not found:
            return (_mcp_from_canonical(self.mcp, name),)
        return tuple(dict.fromkeys(word for each in found for word in (each, *self.aliases.get(each, ()))))

    def known(self) -> tuple[str, ...]:
        """The tool names the agent is known to have, and those its matchers accept instead."""
        if not self.names:
            return CANONICAL
        found = dict.fromkeys(native for _, native in self.names)
        return tuple(
            dict.fromkeys((*found, *(word for each in found for word in self.aliases.get(each, ()))))
        )

    def read(self, native: str, given: Mapping[str, Any], server: str = "") -> tuple[str, dict[str, Any]]:
        """The canonical name and input of a call. A patch gets the `file_path` of the first file it touches."""
        name = self.canonical(native, server)
        if native in self.split:
            field, meant = self.split[native]
            otherwise = "Edit" if "Edit" in meant.values() else name  # what is not said may be the worst
            name = meant.get(str(given.get(field)), otherwise)
            given = {key: value for key, value in given.items() if key != field}
        if is_patch_tool(native) and (field := patch_field(given)):
            targets = patch_targets(given[field])
            name = "Write" if targets and all(verb == "Add" for verb, _ in targets) else "Edit"
            patch = {"command" if key == field else key: value for key, value in given.items()}
            return name, {**patch, **({"file_path": targets[0][1]} if targets else {})}
        renamed = {native_field: field for field, native_field in self.fields.get(name, {}).items()}
        if (
            name in FILE_TOOLS
            and not {"file_path", self.fields.get(name, {}).get("file_path")} & given.keys()
        ):
            renamed = {**dict.fromkeys(FILE_SPELLINGS, "file_path"), **renamed}
        return name, _renamed(given, renamed)

    def write(
        self, name: str, given: Mapping[str, Any], native: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """The input of a canonical call in the agent's fields; `native` is the input as the agent sent it."""
        if native is not None and (field := patch_field(native)):
            patched = _patched(name, given, native)
            return {field if key == "command" else key: value for key, value in patched.items()}
        if self.patches and name in ("Edit", "Write"):
            return {"command": patch_of_call(name, given)}
        chosen = self._chosen(name, native)
        fields = dict(self.fields.get(name, {}))
        if native is not None:
            fields = {field: spelled for field, spelled in fields.items() if field not in native}
            if name in FILE_TOOLS and "file_path" not in native:
                used = [spelling for spelling in FILE_SPELLINGS if spelling in native]
                fields.update({"file_path": used[0]} if used else {})
        return {**chosen, **_renamed(given, fields)}

    def _chosen(self, name: str, native: Mapping[str, Any] | None) -> dict[str, Any]:
        """The argument by which a split tool is this one of ours, as the agent sent it."""
        for field, meant in self.split.values():
            if native is not None and field in native:
                return {field: native[field]}
            for value, canonical in meant.items():
                if canonical == name:
                    return {field: value}
        return {}

    def rewritten(self, name: str, updated: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """An input that a hook of the agent wrote for a canonical call; None if it is no call of that tool."""
        if self.patches and name in ("Edit", "Write") and is_patch(updated.get("command")):
            return call_of_patch(name, updated["command"])
        return _renamed(updated, {native: field for field, native in self.fields.get(name, {}).items()})


def native_for(name: str, known: Iterable[str], others: Callable[[], Iterable[Tools]]) -> str:
    """What a tool that `others` know by this name is called by an agent that knows `known`; else empty."""
    words = frozenset(known)
    for meant in meant_by(name, others):
        own = (native for tools in others() for canonical, native in tools.names if canonical == meant)
        if found := next((native for native in own if native in words), ""):
            return found
    return ""


def meant_by(name: str, others: Callable[[], Iterable[Tools]]) -> list[str]:
    """The canonical tools that `others` know by this name, the one whose name is in it first."""
    wanted = {
        canonical for tools in others() for canonical, native in tools.names if name in (canonical, native)
    }
    return sorted(wanted, key=lambda each: (each.lower() not in name.lower(), each))


def _patched(name: str, given: Mapping[str, Any], native: Mapping[str, Any]) -> dict[str, Any]:
    """A changed call for an agent that sent a patch: the patch, under the changed path, or a new one."""
    if not is_patch(given.get("command")):
        return {"command": patch_of_call(name, given)}
    kept = {field: value for field, value in given.items() if field != "file_path" or field in native}
    targets, path = patch_targets(given["command"]), given.get("file_path")
    if targets and isinstance(path, str) and path != targets[0][1]:
        kept["command"] = given["command"].replace(f" File: {targets[0][1]}\n", f" File: {path}\n")
    return kept


def call_names(event: Event) -> tuple[str, ...]:
    """The canonical names a call answers to: a patch that adds and changes files is both Write and Edit."""
    name, command = event.tool_name, event.tool_input.get("command")
    if name not in ("Edit", "Write") or not isinstance(command, str) or not is_patch(command):
        return (name,)
    verbs = {verb for verb, _ in patch_targets(command)}
    both = ("Write",) if "Add" in verbs else ()
    return (*both, *(("Edit",) if verbs - {"Add"} or not verbs else ()))


def is_about(tool: str, tools: Iterable[str]) -> bool:
    """Whether a canonical tool is one of those; `mcp__*` are all of MCP servers."""
    return any(tool.startswith(each[:-1]) if each.endswith("*") else tool == each for each in tools)


def mcp_parts(name: str) -> tuple[str, str] | None:
    """Server and tool of `mcp__server__tool`."""
    if not name.startswith("mcp__"):
        return None
    server, separator, tool = name[5:].partition("__")
    return (server, tool) if separator and tool else None


def _mcp_to_canonical(spelling: str, name: str, server: str) -> str:
    start, _, _ = spelling.partition("{tool}")
    if "{server}" not in spelling:
        named = name.startswith(start)
        return f"mcp__{server or 'unknown'}__{name.removeprefix(start)}" if named or server else name
    before, _, rest = spelling.partition("{server}")
    if not server and rest in ("__{tool}", "/{tool}") and name.startswith(before):
        first, found, _ = name.removeprefix(before).partition(rest.removesuffix("{tool}"))
        server = first if found else ""
    prefix = start.format(server=server)
    return f"mcp__{server}__{name.removeprefix(prefix)}" if server and name.startswith(prefix) else name


def _mcp_from_canonical(spelling: str, name: str) -> str:
    parts = mcp_parts(name)
    return spelling.format(server=parts[0], tool=parts[1]) if spelling and parts else name


def _renamed(given: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """In other fields; the field that the agent reads counts, not one that a model put beside it."""
    taken = {fields[field] for field in given if field in fields}
    return {
        fields.get(field, field): value
        for field, value in given.items()
        if field in fields or field not in taken
    }


# What tools that are no shells do to which of their arguments; of one that is not here its words tell.
TOOL_EFFECTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Write": {"write": ("file_path",)}, "Edit": {"write": ("file_path",)}, "MultiEdit": {"write": ("file_path",)},
    "NotebookEdit": {"write": ("notebook_path", "file_path")}, "Delete": {"delete": ("file_path", "path", "paths")},
    "Read": {"read": ("file_path", "path", "paths", "include")}, "NotebookRead": {"read": ("notebook_path",)},
    "Grep": {"read": ("path", "glob", "include", "includePattern")},
    "Glob": {"read": ("path",)}, "LS": {"read": ("path",)},
    "ReadMcpResourceTool": {"read": ("uri",)},
    "WebFetch": {"connect": ("url",)}, "Monitor": {"shell": ("command",)},
}  # fmt: skip


# -- patches, as Codex writes them -----------------------------------------------------------------


BEGIN = "*** Begin Patch"
END = "*** End Patch"
VERBS = ("Add", "Update", "Delete")


def is_patch(text: object) -> bool:
    """Whether a tool's `command` is a patch."""
    return isinstance(text, str) and text.lstrip().startswith(BEGIN)


def patch_field(given: Mapping[str, Any]) -> str:
    """The argument that holds a patch: `command`, `input`, `patch` or what else an agent calls it; empty for none."""
    return next((field for field, text in given.items() if is_patch(text)), "")


def is_patch_tool(name: str) -> bool:
    """Whether a tool is the one for patches, however an agent spells it."""
    return name.replace("_", "").lower() == "applypatch"


def patch_targets(text: str) -> tuple[tuple[str, str], ...]:
    """`(verb, path)` of every file header: Add, Update, Delete, and Move for an update's new name."""
    return tuple(_headers(text))


def patch_of_call(name: str, given: Mapping[str, Any]) -> str:
    """A Write or Edit as a patch, for hooks written for Codex."""
    path = str(given.get("file_path", ""))
    if name == "Write":
        lines = [f"+{line}" for line in str(given.get("content", "")).splitlines()]
        return "\n".join((BEGIN, f"*** Add File: {path}", *lines, END, ""))
    removed = [f"-{line}" for line in str(given.get("old_string", "")).splitlines()]
    added = [f"+{line}" for line in str(given.get("new_string", "")).splitlines()]
    return "\n".join((BEGIN, f"*** Update File: {path}", "@@", *removed, *added, END, ""))


def call_of_patch(name: str, text: str) -> Mapping[str, Any] | None:
    """The Write or Edit a patch of one file stands for; None when it is something else."""
    targets = patch_targets(text)
    wanted = "Add" if name == "Write" else "Update"
    if len(targets) != 1 or targets[0][0] != wanted:
        return None
    body = [line for line in text.splitlines() if not line.startswith(("***", "@@"))]
    added = "\n".join(line[1:] for line in body if line[:1] in ("+", " "))
    if name == "Write":
        return {"file_path": targets[0][1], "content": added + "\n"}
    if text.count("\n@@") > 1:
        return None
    removed = "\n".join(line[1:] for line in body if line[:1] in ("-", " "))
    return {"file_path": targets[0][1], "old_string": removed, "new_string": added}


def _headers(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        for verb in VERBS:
            if line.startswith(f"*** {verb} File: "):
                yield verb, line.partition(": ")[2].strip()
        if line.startswith("*** Move to: "):
            yield "Move", line.partition(": ")[2].strip()
