"""What people trip over with an agent: facts about it that a config does not show, for `check` to judge by."""

from __future__ import annotations

from collections.abc import Mapping

from hookline.model.events import EventKind
from hookline.model.record import Record

SOURCES = ("startup", "resume", "clear", "compact", "fork")
TRIGGERS = ("manual", "auto")


# Claude Code's old answer says `block`, its newer one `deny`; each is taken for the other.
CONFUSED = {
    ("decision", "deny"): "block",
    ("decision", "reject"): "block",
    ("permissionDecision", "block"): "deny",
    ("permissionDecision", "reject"): "deny",
}


class Traps(Record):
    """`sets`: further variables its hooks get (ending in `_`: all that begin so). `values`: all that a matcher of
    an event can meet, where that is a closed list. `moves`: hooks start where the session stands, not in the
    project; `starts_below`: where the agent was started, which may be a folder of the project.
    `silent`: plain output is read by nobody, but at events whose row says so. `json_only`: plain output
    there makes the hook fail. `needs_reason`: a denial by exit code needs words on standard error; `needs_words`:
    on either. `filled`: the placeholders it fills in where no shell is. `answers`: misspelt answer keys and the
    right ones. `needs`: answer keys and the key they need around or beside them. `words`: values of answer keys
    that mean nothing, and what was meant. `counter`: the field by which a stop hook sees that it went on already.
    `endless`: nothing else ends a stop hook that always blocks. `root`: the variable to begin a path with.
    `hearsay`: answer keys (`EVENT.KEY` of one event) that are read here and that the agent's documentation does not
    name, and what to write. `names_only`: the event whose matcher is tested on a file's name without its folder.
    `beside_file`: the user's own hooks start in the folder of their file; `starts_beside`: all may, in some versions.
    `closed`: fields with all the values they have. `late`: the event at which `continue: false` counts after the call
    alone. `whole_input`: the answer's key whose value replaces the whole input. `no_text`: a field that was a text of
    JSON once and is an object now. `gone`: tools it had once. `results`: what people look for in a tool's result that
    is not there, and where it is (`failures`: of any tool; `of_tools`: by the one tool that has it elsewhere).
    `dead_code`: the TOML file with what plugins say in vain, if it has one.
    `transcript`: the part of a line of its transcript that has the role and the words of a message.
    `arguments`: what no call of its tools has, and people read, with what they mean.
    `whole_paths`: the files of a call always come by their full path. `judged_by`: the key that the model's answer
    to a prompt hook must have. `of_plugins`: the seconds that the hooks of plugins get at an event, whatever they say.
    `sent`: what its payloads have beside what its rows name, by event, under no name at any, and of an object
    (`NAME.`); without it not all is known that it sends. `documented`: tools by names that only its documentation
    has. `promises`: events whose plain words the model reads by its documentation, where its program was not seen to.
    `asks_still`: tools whose call a person is asked about after an `allow` too, unless the answer has their input anew.
    `lacks`: tools that others have and it has not, nor by another name.
    `no_cmd`: no line of it ever runs in the `cmd` of Windows.
    """

    sets: frozenset[str] = frozenset()
    values: Mapping[EventKind, tuple[str, ...]] = {}
    moves: bool = False
    starts_below: bool = False
    silent: bool = False
    json_only: frozenset[EventKind] = frozenset()
    needs_reason: bool = False
    needs_words: bool = False
    filled: frozenset[str] = frozenset()
    answers: Mapping[str, str] = {}
    needs: Mapping[str, str] = {}
    words: Mapping[tuple[str, str], str] = {}
    counter: str = "stop_hook_active"
    endless: bool = False
    root: str = ""
    hearsay: Mapping[str, str] = {}
    names_only: EventKind | None = None
    beside_file: bool = False
    starts_beside: bool = False
    closed: Mapping[str, tuple[str, ...]] = {}
    late: str = ""
    whole_input: str = ""
    no_text: str = ""
    gone: frozenset[str] = frozenset()
    results: Mapping[str, str] = {}
    failures: Mapping[str, str] = {}
    of_tools: Mapping[str, Mapping[str, str]] = {}
    transcript: str = ""
    whole_paths: bool = False
    judged_by: str = ""
    arguments: Mapping[str, str] = {}
    of_plugins: Mapping[EventKind, float] = {}
    sent: Mapping[str, str] = {}
    documented: frozenset[str] = frozenset()
    promises: frozenset[EventKind] = frozenset()
    dead_code: str = ""
    lacks: frozenset[str] = frozenset()
    asks_still: frozenset[str] = frozenset()
    no_cmd: bool = False
