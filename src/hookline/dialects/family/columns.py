"""What can be said of an agent of the family: its columns, and the rows that most of them share."""

from __future__ import annotations

from hookline.dialects.answering import Says
from hookline.dialects.bridged.rules import AgentRule, Sharing, effects
from hookline.dialects.keys import COMMAND, MATCHER, TIMEOUT, TYPE, Key, Keys, Switch
from hookline.dialects.tools import SUBJECTS, Tools
from hookline.model.events import EventKind, find_kind
from hookline.model.record import Record
from hookline.model.typing import Any, Mapping

__all__ = ["COMMAND", "TIMEOUT", "TYPE"]

K = EventKind
_CALL = "tool_name tool_input tool_use_id?"
# What an event's payload holds and what its matcher is tested on, where an agent does as Claude Code does.
FIELDS: Mapping[EventKind, str] = {
    K.SessionStart: "source model? agent_type?", K.SessionEnd: "reason", K.UserPromptSubmit: "prompt",
    K.UserPromptExpansion: "command_name command_args? prompt?", K.PreToolUse: _CALL,
    K.PermissionRequest: "tool_name tool_input permission_suggestions?",
    K.PermissionDenied: f"{_CALL} reason?", K.PostToolUse: f"{_CALL} tool_response duration_ms?",
    K.PostToolUseFailure: f"{_CALL} error is_interrupt? duration_ms?", K.PostToolBatch: "tool_calls",
    K.Notification: "message notification_type? title?", K.Stop: "stop_hook_active last_assistant_message?",
    K.StopFailure: "error last_assistant_message?", K.SubagentStart: "agent_id agent_type",
    K.SubagentStop: "stop_hook_active agent_id? agent_type? last_assistant_message?",
    K.PreCompact: "trigger custom_instructions?", K.PostCompact: "trigger compact_summary?",
    K.InstructionsLoaded: "file_path memory_type? load_reason?",
}  # fmt: skip
_SUBJECTS: Mapping[EventKind, str] = {
    **SUBJECTS, K.StopFailure: "error", K.InstructionsLoaded: "load_reason", K.UserPromptExpansion: "command_name",
}  # fmt: skip
FEEDBACK = frozenset({K.PostToolUse, K.PostToolUseFailure})

# -- what an answer says, in Claude Code's keys --------------------------------------------------------------
_PRE = frozenset({K.PreToolUse})
_ASKED = frozenset({K.PermissionRequest})
_PERMISSION = "hookSpecificOutput.permissionDecision"
_BEHAVIOR = "hookSpecificOutput.decision"
BLOCK = Says("deny", "decision", "block", "reason")
DENY = Says("deny", "decision", "deny", "reason")
STOP = Says("continue", "continue", False, "stopReason")
CONTEXT = Says("context", "hookSpecificOutput.additionalContext")
MESSAGE = Says("message", "systemMessage")
PERMISSIONS = tuple(
    Says(word, _PERMISSION, word, f"{_PERMISSION}Reason", _PRE) for word in ("deny", "ask", "allow")
)
REWRITE = Says("rewrite", "hookSpecificOutput.updatedInput", at=_PRE)
REQUESTS = (
    Says("deny", f"{_BEHAVIOR}.behavior", "deny", f"{_BEHAVIOR}.message", _ASKED),
    Says("allow", f"{_BEHAVIOR}.behavior", "allow", "", _ASKED),
    Says("rewrite", f"{_BEHAVIOR}.updatedInput", at=_ASKED),
)
CLAUDE_SAYS = (*PERMISSIONS, *REQUESTS, BLOCK, STOP, REWRITE, CONTEXT, MESSAGE)


class File(Record):
    """One place of config. `{ws}` workspace, `{home}` home, `{config}` XDG; a `*` stands for any one name.

    `ours`: our entries are put into this one. `top`: the key under which the events stand, or empty. `unless`: it
    counts only where this other file is missing.
    """

    scope: str
    path: str
    ours: bool = False
    top: str = "hooks"
    unless: str = ""


class Agent(Record):
    """One agent of the family, whole.

    `knows`: how sure the facts are: high, medium or low; `sources`: where they are from. What it gets wrong, or does in
    another way, its page says.
    `keys`: its entries' keys. `flat`: entries stand in an event's list without a group. `drops`: codes of problems
    for which it drops the whole file. `levels`: they add up, or: first (only the first file there is
    counts), event (of a scope's files the last that names an event has it), names (of hooks of one
    name that of the last file counts). `wrapped`: the
    events may stand in an object `hooks` too, and then nothing beside it counts. `about`: events that are of
    some canonical tools only. `never`: events that tell what another one tells, and are not installed. `matcher_key`
    of a flat entry; `group_filter`: a pattern on shell commands in a group;
    `free`: keys beside the events that are none; `any_case`: events in any letters, with or without `_`; `version`:
    what its files want at their top. `single`: a group may stand alone in place of a list. `sequence_key` of a group
    has all hooks of its event run in order, each seeing what the one before it made of the call. `names_off`: the
    (dotted) key of a list of hooks, by name or by command, that are switched off. `managed_only`: the key by which a
    managed file lets no other hooks run; where there is one, nothing switches managed hooks off. `moved`: a variable,
    and the folder that it moves. `sets`: the events stand in objects of any name, each with a switch `enabled`.
    `flat_events`: those whose entries stand in their list without a group.
    `infers_type`: an entry without a `type` is of that whose key it has. `reports_each`: of events that tell of the
    same, each is reported by itself, to hooks of that name alone.
    `event_key`: entries stand in one list `hooks` (in TOML `[[hooks]]`), and name their event under this key.
    `action_key`: what such an entry runs stands in an object of its own, with its type. `apart` are events and
    `apart_types` types of hooks that only the agent itself knows, `skipped_types` those that it skips: listed, and not
    run here.
    `shared`: another agent that reads the same files. `needs_beside`, `sends`,
    `documents` and `promises`: see `Traps`, there `needs`, `sent`, `documented` and `promises`.
    `matching`: list_or_regex, strict_list (a list of word characters and `|`, or a regex), regex, fullregex, names (an
    alias or a regex on the native name), exact_or_full, full_or_exact (a regex on the whole, the exact text where it is
    none), tool_regex (a regex on a tool's native name, elsewhere the
    exact text), glob (a regex after `re:`), none.
    `order`, `stop_at` (of events that can be denied) and `dedupe` are those of all its rows (see `EventRule`).
    `limits`: the usual and the longest time in seconds of events whose hooks get less than `timeout_s`.
    `type_limits`: the usual time of hooks of these types, in seconds.
    `waited`: events at which no hook runs in the background.
    `star`: a matcher `*` stands for everything. `mark_voids`: a file that begins with a byte order mark is left out.
    `payload`: canonical field to the agent's own, empty for one it does not send; `lists` are those sent as a
    list of one. `always` are fields sent as null when there is no value. `adds` are fields of one text each,
    made as `environment` is: of `{project}`, `{cwd}`, `{session}`, `{time}`, `{event}`, `{kind}` (our name of it),
    `{tool}`, `{subject}`, `{prompt}`, `{command}`, `{file}`, `{transcript}`, and in variables
    `{plugin}` and `{folder}` (of the hook's file). `own_environment`: variables that hold a field which only this agent
    sends. `runs_in`: where a hook runs that names no folder: cwd, project, or owner (its project, a user's hook in the
    folder of its file). `runs_beside`: the folder of the file was seen as well.
    `payload_in_environment`: plain values of the payload are variables too. `placeholders`:
    how variables are filled into a command line before a shell sees it (see `HandlerInput`).
    `result`: what a tool gave back is sent as a text under each of these keys; `text`: as nothing but a text.
    `says`: its answers; `no_reason` stands for one that is missing. `exits`: what exit codes mean: deny, continue
    (ends the turn); from `denies_from` on all deny. `denies_by_exit`: a denial is best told by exit 2 and a text on
    stderr; `ends_alone`: an answer that ends the turn needs no denial beside it.
    `json_counts`: zero, any (code but those of `exits`), or always. `needs_words`: exit 2 without a text on stderr
    does nothing. `stderr_json`: JSON on stderr counts where stdout is empty, and at exit 2. `plain_is`: what a plain
    text means: nothing, message. `named`: an answer's `hookSpecificOutput` must carry (always), may carry (where there
    is one, it must fit) its `hookEventName`; free: nobody looks.
    `merges_input`: a changed input is laid over the call's, key by key.
    `as_read`: any_case (words count in any case), specific_alone (beside a `hookSpecificOutput` nothing counts),
    text_input (a changed input may be JSON in a text), printed_reason (at exit 2 a JSON `reason` stands before stderr),
    a_decision (JSON without one decides nothing, nor does a yes of a hook that failed).
    `withheld`: effects that only some versions take from a hook; read, and answered by the next stricter one.
    `closes_at`: the events at which a hook's own failure can deny; empty: all.
    `words`: what a hook's `command` is is split into words and started, without a shell.
    `empty_prompt_is_none`: a prompt without text is reported though nobody spoke.
    `scripts`: its hooks are executables of the folders `files`, named after their event.
    `plugin`: its hooks are programs inside of it; we are one, made from this file of `plugins/`, and what `files` name
    beside it is code of others. What these say in vain stands in a file of the same name (see `Traps.dead_code`).
    """

    name: str
    title: str
    rows: tuple[AgentRule, ...]
    files: tuple[File, ...]
    places: tuple[str, ...] = ()
    program: str = ""
    knows: str = "high"
    sources: str = ""
    tools: Tools = Tools()
    # config
    keys: tuple[Key, ...] = (TYPE, COMMAND, TIMEOUT)
    flat: bool = False
    drops: frozenset[str] = frozenset()
    about: Mapping[str, tuple[str, ...]] = {}
    never: frozenset[str] = frozenset()
    matcher_key: str = "matcher"
    group_filter: str = ""
    free: frozenset[str] = frozenset()
    any_case: bool = False
    version: int | str = 0
    single: bool = False
    sequence_key: str = ""
    names_off: str = ""
    sets: bool = False
    flat_events: frozenset[str] = frozenset()
    managed_only: str = ""
    infers_type: bool = False
    reports_each: bool = False
    moved: tuple[str, str] = ("", "")
    event_key: str = ""
    action_key: str = ""
    apart: frozenset[str] = frozenset()
    shared: Sharing = Sharing()
    sends: Mapping[str, str] = {}
    documents: frozenset[str] = frozenset()
    promises: frozenset[EventKind] = frozenset()
    needs_beside: Mapping[str, str] = {}
    apart_types: frozenset[str] = frozenset()
    skipped_types: frozenset[str] = frozenset()
    levels: str = ""
    wrapped: bool = False
    format: str = "json"
    matching: str = "list_or_regex"
    star: bool = True
    mark_voids: bool = False
    timeout_s: float = 60.0
    limits: Mapping[EventKind, tuple[float, float]] = {}
    type_limits: Mapping[str, float] = {}
    waited: frozenset[EventKind] = frozenset()
    order: str = "parallel"
    stop_at: str = "never"
    dedupe: bool = False
    shell: tuple[str, ...] = ("sh", "-c")
    switches: tuple[Switch, ...] = ()
    # input
    payload: Mapping[str, str] = {}
    lists: frozenset[str] = frozenset()
    always: tuple[str, ...] = ()
    adds: Mapping[str, str] = {}
    environment: Mapping[str, str] = {}
    own_environment: Mapping[str, str] = {}
    payload_in_environment: bool = False
    placeholders: str = ""
    runs_in: str = "cwd"
    runs_beside: bool = False
    result: tuple[str, ...] = ()
    project_variable: str = ""
    # output
    says: tuple[Says, ...] = CLAUDE_SAYS
    no_reason: str = "Blocked by hook"
    exits: Mapping[int, str] = {2: "deny"}
    denies_from: int = 256
    denies_by_exit: bool = True
    ends_alone: bool = False
    json_counts: str = "zero"
    needs_words: bool = False
    stderr_json: bool = False
    plain_is: str = "nothing"
    named: str = "may"
    merges_input: bool = False
    as_read: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()
    closes_at: frozenset[EventKind] = frozenset()
    words: bool = False
    # as a host
    empty_prompt_is_none: bool = False
    stop_limit: bool = True
    # being installed
    plugin: str = ""
    scripts: bool = False
    needs: tuple[str, ...] = ()


def event(
    native: str, can: str = "", kind: EventKind | None = None, *, fields: str | None = None,
    subject: str | None = None, **more: Any,
) -> AgentRule:  # fmt: skip
    """A row: the agent's name of an event and what hooks of it can do; the rest as Claude Code has it.

    `more` are further columns of `AgentRule`.
    """
    kind = kind or find_kind(native)
    assert kind is not None, native
    fields = FIELDS.get(kind, "") if fields is None else fields
    more.setdefault("feedback", kind in FEEDBACK)
    if kind is K.PermissionRequest:  # no answer leaves the agent asking; there only JSON decides
        can += " ask"
        more.setdefault("exit_two", "ignored")
    return AgentRule(
        native=native, kind=kind, subject=_SUBJECTS.get(kind, "") if subject is None else subject,
        effects=effects(can), fields=tuple(fields.split()), **more,
    )  # fmt: skip


def handler_types(agent: Agent) -> frozenset[str]:
    """The types of hooks its entries can be."""
    if agent.event_key:
        return frozenset({"command"})
    kind = next((key for key in agent.keys if key.name == "type"), TYPE)
    return frozenset(kind.type.split("|"))


def entry_keys(agent: Agent) -> Keys:
    """Those of an entry without a group; a matcher may stand in it, and some agents never look at it."""
    if agent.matching != "none":
        return Keys((*agent.keys, MATCHER))
    words = f"{agent.title} has no matchers; the hook runs whatever it says"
    return Keys((*agent.keys, Key("matcher", "ignored", words=words)))


class EntryShape(Record):
    """What is the same for all entries of an agent: their keys, their types, whether the type must be said, and the
    keys by which it is told where it is not."""

    keys: Keys
    types: tuple[str, ...]
    says_type: bool
    telling: tuple[Key, ...]


def entry_shape(agent: Agent) -> EntryShape:
    return EntryShape(
        entry_keys(agent) if agent.flat else Keys(agent.keys),
        tuple(sorted(handler_types(agent) | agent.apart_types | agent.skipped_types)),
        any(key.name == "type" and key.required for key in agent.keys),
        tuple(key for key in agent.keys if key.required and key.handlers) if agent.infers_type else (),
    )
