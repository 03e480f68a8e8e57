"""What an agent is beside its hooks: how its config is written, installed, converted, and told of.

Each agent's `profile` module has one; it is read by commands about config, never while an agent waits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hookline.dialects.keys import Switch
from hookline.dialects.profile.traps import Traps
from hookline.model.events import EventKind
from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.typing import Any

K = EventKind
ALL_HANDLERS = frozenset({"command", "argv", "webhook", "prompt", "agent", "mcp_tool"})
ANY_EXIT, EXIT, TIME_OUT, LAUNCH = "exit 1", "exit 3 and more", "time-out", "not starting"
SCRIPTS = "scripts"  # its hooks are files by themselves
CLAUDE_CODE = "Claude Code's hook input and output"
EVERY_FAILURE = frozenset({ANY_EXIT, EXIT, TIME_OUT, LAUNCH})


class Abilities(Record):
    """What an entry can say.

    `handlers` it has (`argv`: a program without a shell). `shell` runs its lines; `shell_key`: an entry may
    name bash. `closes`: the key by which a guard's own failure blocks: on_failure, blocking, always, exit, or
    empty. `options` are the reader's own defaults of an entry. `slow`: what to write so that a time-out
    blocks as well. `pattern`: a file hook must say which files it is about.
    """

    handlers: frozenset[str] = frozenset({"command"})
    shell: tuple[str, ...] = ("sh", "-c")
    shell_key: bool = False
    condition: bool = False
    background: bool = False
    rewake: bool = False
    once: bool = False
    env: bool = False
    status: bool = False
    whole_seconds: bool = False
    longest_s: float = 86400.0
    closes: str = ""
    options: Mapping[str, Any] = {}
    slow: Mapping[str, Any] = {}
    pattern: bool = False


class Words(Record):
    """In whose words its scripts are answered.

    `speaks`: the protocol of its scripts, where others have it too; `hears`: those it can run as they are.
    `exit_only`: its scripts answer by exit code alone. `heard_by`: the option of an entry without which nobody
    reads what its script prints. `variables` it sets, by name or (ending in
    `_`) by beginning. `fails_closed`: the ways of failing by which a guard still stops the action, at
    `closed_at` alone where that is not empty. `answers`: shapes of fixed answers by their verdict, each made
    of the native event's name and a text. `denial`: what of a denial still counts elsewhere; empty: exit 2.
    """

    speaks: str = ""
    hears: frozenset[str] = frozenset()
    exit_only: bool = False
    heard_by: str = ""
    variables: frozenset[str] = frozenset()
    fails_closed: frozenset[str] = frozenset()
    closed_at: frozenset[EventKind] = frozenset()
    answers: Mapping[str, Callable[[str, str], Mapping[str, Any]]] = {}
    denial: str = ""

    def hear(self, spec: HookSpec) -> bool:
        """Whether somebody reads what the script of a hook prints."""
        return not self.heard_by or bool(spec.options.get(self.heard_by))


class Matching(Record):
    """How a matcher of tool events is written: names, regex, fullregex, prefix, any; empty: there is none.

    `plain`: what a list of names may consist of, as a pattern. `listed`: a `fullregex` may be a bare list.
    """

    form: str = ""
    plain: str = r"[A-Za-z0-9_-]+"
    listed: bool = False


class ConfigFiles(Record):
    """The file our entries are put into, in each scope: below the project, or below the user's folder.

    `variable` moves the user's folder. An empty text: the agent has no such scope.
    """

    project: str
    local: str = ""
    folder: str = ""
    user: str = ""
    variable: str = ""


# A WorktreeCreate hook replaces the agent's own way of making one; a FileChanged matcher is the list of watched files;
# a slow PreModelSwitch blocks; the others come with every line or batch, or silence at them changes something.
ON_DEMAND = frozenset(
    {
        K.WorktreeCreate, K.WorktreeRemove, K.FileChanged, K.PreModelSwitch, K.PostModelSwitch, K.MessageDisplay,
        K.PostToolBatch, K.InstructionsLoaded, K.Elicitation, K.ElicitationResult, K.PreModelRequest,
        K.PostModelResponse, K.PreToolSelection,
    }
)  # fmt: skip


class Style(Record):
    """How our entries are written into the agent's config.

    `grouped`: handlers stand in groups, as Claude Code has them, but for those of `flat_events`. `command_key` and
    `timeout_key` name those of a handler, whose time limits are in 1/`unit` seconds (an empty `timeout_key`: there
    are none). `version`: what the format wants as its `version`.
    `more` are further keys of an entry. `limits` are time limits in seconds to ask for where the agent gives
    us little time by itself. `on_demand` are kinds at which even silence costs or changes something: installed
    where a hook for them exists. `never` are native events that report what another one reports too. `top`:
    where the events stand, `hooks` or at the top of the file; `wrapped`: in `hooks` all the same where there is one.
    `one_spelling`: an event that stands there already under another of its names is written under that one.
    `program`: the file is a program of ours with this text, and none of the above is said. `event_key`: the
    entries of a list `hooks` name their event under this key, and a text of `more` may have `{event}` in it; with an
    `action_key` what they run stands in an object there. `scripts`: our program is an
    executable for each event, all of the same text, and the file of the agent's `files` is one of them.
    """

    grouped: bool = True
    command_key: str = "command"
    timeout_key: str = "timeout"
    unit: int = 1
    version: int | str = 0
    more: Mapping[str, Any] = {}
    limits: Mapping[EventKind, float] = {}
    on_demand: frozenset[EventKind] = ON_DEMAND
    never: frozenset[str] = frozenset()
    top: str = "hooks"
    wrapped: bool = False
    one_spelling: bool = False
    flat_events: frozenset[str] = frozenset()
    program: Callable[[], str] | None = None
    event_key: str = ""
    action_key: str = ""
    scripts: bool = False


class Migration(Record):
    """A text with what it needs added; every other byte is as it was.

    `added` are the lines (from 1, in the old text) of the hooks it was added to, `left` of those that must
    be changed by hand.
    """

    text: str
    added: tuple[int, ...] = ()
    left: tuple[int, ...] = ()


class Renewal(Record):
    """A habit of an older version of its format, written out so that today's version means the same.

    `file` has it, below the workspace; the reader marks such hooks with the problem `code`, which stands for
    `options`. `renewed` takes a text and its name; `added` and `left` tell of the lines of its answer.
    """

    file: str
    code: str
    options: Mapping[str, Any]
    renewed: Callable[[str, str], Migration]
    added: str
    left: str


class Profile(Record):
    """All of it. `write` makes a whole config file of hooks; `read_as` is the format and label to read it by.

    `files`, `style`, `needs` (what a person has yet to do, a sentence each) and `switches` are about being
    installed in front of it; `program` is what it is called on a command line; `traps` is what `check` judges by.
    `plugin`: the label by which hooks of its plugins are read. `clears_git_hooks`: it starts every shell with an
    empty `core.hooksPath`, so that its commits call no hooks of git.
    """

    write: Callable[[Sequence[HookSpec]], str]
    read_as: tuple[str, str] = ("json", "")
    can: Abilities = Abilities()
    words: Words = Words()
    matching: Matching = Matching()
    program: str = ""
    files: ConfigFiles | None = None
    style: Style = Style()
    needs: tuple[str, ...] = ()
    switches: tuple[Switch, ...] = ()
    traps: Traps = Traps()
    plugin: str = "extension"
    clears_git_hooks: bool = False
    renewal: Renewal | None = None


def decision_shape(verdict: str) -> Callable[[str, str], Mapping[str, Any]]:
    """Claude Code's answer about a call, for the agents that took it over."""
    return lambda native, text: {
        "hookSpecificOutput": {
            "hookEventName": native, "permissionDecision": verdict, "permissionDecisionReason": text,
        }
    }  # fmt: skip


def context_shape(native: str, text: str) -> Mapping[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": native, "additionalContext": text}}


TEXT_SHAPES: Mapping[str, Callable[[str, str], Mapping[str, Any]]] = {
    "context": context_shape, "message": lambda native, text: {"systemMessage": text},
}  # fmt: skip
CLAUDE_SHAPES = {"ask": decision_shape("ask"), "allow": decision_shape("allow"), **TEXT_SHAPES}
