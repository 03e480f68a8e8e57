"""Variables that people believe an agent sets, and that it does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache

from hookline.checking.commands.assigned import assigned
from hookline.checking.entries import Entry
from hookline.checking.lines import PLUGIN_ROOTS
from hookline.checking.steps.here_documents import here_documents, without
from hookline.dialects import OWN, agent_names, is_agent, names, readable
from hookline.dialects.spelling import edits, nearest
from hookline.model.events import event_from_payload
from hookline.model.record import replace
from hookline.system.patterns.late import late

# Fields of what a hook is sent, in the words people make names of variables of.
FIELDS = {
    "SESSION_ID": "session_id", "TOOL_NAME": "tool_name", "TOOL_INPUT": "tool_input",
    **dict.fromkeys(("HOOK_EVENT", "HOOK_EVENT_NAME", "HOOK_TYPE", "HOOK_NAME"), "hook_event_name"),
}  # fmt: skip
# What a hook is about, in the words people make such names of.
_AGENTS = "CLAUDE|GEMINI|CODEX|CURSOR|COPILOT|QWEN|WINDSURF|FACTORY|DROID|KIRO|CLINE"
_INVENTED = late(
    rf"(?:(?:{_AGENTS})_(?:CODE_)?)(?:"
    r"FILES?|FILE_?PATHS?|FILENAME|TOOL(?:_\w+)?|INPUT(?:_\w+)?|OUTPUT|PROMPT|USER_PROMPT|USER_MESSAGE|USER_INPUT|COMMAND|"
    r"BASH_COMMAND|MESSAGE|NOTIFICATION(?:_\w+)?|EVENT(?:_\w+)?|HOOK_(?:EVENT|INPUT|NAME|TYPE|PAYLOAD|DATA|JSON|FILE)\w*|"
    r"SESSION_(?:ID|DURATION|NAME|START(?:_TIME)?)|TRANSCRIPT(?:_\w+)?|CWD|WORKING_DIR(?:ECTORY)?|WORK_?DIR|PROJECT_(?:DIR|DIRECTORY|ROOT|PATH|FOLDER|NAME|HOME)|PROJECT|"
    r"WORKSPACE(?:_\w+)?|PLUGIN_(?:ROOT|DIR|PATH|DATA)|(?:EDITED|MODIFIED|CHANGED)_FILES?(?:_\w+)?|RESPONSE|RESULT|"
    r"STOP_REASON|AGENT_(?:NAME|TYPE|ID))"
    r"|ERROR_(?:MESSAGE|NAME|CONTEXT)|USER_(?:PROMPT|MESSAGE|INPUT)|SESSION_SOURCE|TOOL_(?:INPUT|NAME|OUTPUT|ARGS|ARGUMENTS|RESULT|RESPONSE|PARAMS|COMMAND|FILES?|PATH)(?:_\w+)?"
    r"|HOOK_(?:INPUT|EVENT|EVENT_NAME|PAYLOAD|DATA|JSON)|(?:STDIN|INPUT|PAYLOAD|EVENT)_JSON|FILE_?PATHS?|filePath|file_path|tool_input|tool_name"
    r"|command|toolName|tool_output|user_prompt|filename|fileName|filepath|workspaceFolder(?:Basename)?|workspaceRoot|fileBasename\w*|fileDirname|relativeFile\w*|file|FILE|FILES|ARGUMENTS"
)
# The folder of the project, or of the plugin, in the words of whoever expects it to be set.
_FOLDER = late(
    r"(?:PROJECT|REPO|REPOSITORY|WORKSPACE|GIT|PLUGIN)_(?:DIR|DIRECTORY|ROOT|PATH|FOLDER)|WORKSPACE|PROJECT|REPO"
)
_OF_AN_AGENT = late(rf"(?:{_AGENTS})_\w+_(?:DIR|ROOT|CWD|ID)|(?:{_AGENTS})_\w*DIR")
_PLUGIN_ONLY = frozenset(PLUGIN_ROOTS) - {"extensionPath"}
_ABOUT_A_CALL = late(r"_(?:TOOL_)?(?:INPUT|ARGS|ARGUMENTS|COMMAND|FILE|FILES|FILE_PATH|PROMPT)$")
_USES = late(r"(?<!\\)\$(?:env:|Env:|ENV:)?(?:\{(?:env:)?(\w+)([^}]*)\}|(\w+))|%(\w+)%", needs=("$", "%"))
_NO_VALUE = late(r":?-(?:\$\{[A-Za-z_]\w*:?-)?[\"']?(?:(?:unknown|none|null|n/a)\b[\w-]*)?[\"']?")
_DEFAULT = late(r":?[-=+]")
_PLACEHOLDER = late(
    r"\{\{\s*(?:tool_?input\.)?(?:file|file_?path|path|files|command|prompt|tool|tool_name|args|input)\s*\}\}",
    needs=("{{",),
)
_ONE_BRACE = late(
    r"(?<=[\s\"'])\{(?:tool_?input\.)?(?:file|file_?path|filePath|files|command)\}(?=[\"']?(?:\s|$))",
    needs=("{",),
)
_OTHERS_BRACES = late(r"\s-I\s?|\s-\w*[ce]\s|\bpython|\bnode\b|\bfd\b")
_BRACES = late(r"\{\{(\w+)\}\}")
_SPACED = late(r"\{\{(?:\s+(\w+)\s*|(\w+)\s+)\}\}")
SAMPLE = {
    **dict.fromkeys(("issue_title", "issue_file", "plan_file", "provider", "output", "error", "reason"), "x"),
    **dict.fromkeys(("message", "task_id", "task_content", "commit_hash"), "x"),
    **dict.fromkeys(("issue_number", "iteration", "duration_ms", "issues_completed", "issues_total"), 1),
    "files_modified": ["x"], "staged_files": ["x"], "success": True,
}  # fmt: skip
# one that is always a word of the script's own, or the folder it was started in
_STANDS_IN = late(
    r":?-(?P<value>[^$`{}\"']+|\$\{?PWD\}?|\$\(pwd\)|\"\$PWD\"|\"\$\(pwd\)\"|\"[^$`\"]+\"|'[^']+')"
)
_FROM_CODE = r"(?P<value>\"[^\"\n]+\"|'[^'\n]+'|os\.getcwd\(\)|process\.cwd\(\))"
_STANDS_IN_CODE = late(
    rf"(?:os\.environ\.get|os\.getenv)\(\s*[\"'](?P<python>\w+)[\"']\s*,\s*{_FROM_CODE}\s*\)"
    rf"|process\.env\.(?P<node>\w+)\s*(?:\?\?|\|\|)\s*{_FROM_CODE.replace('value', 'other')}(?=\s*[;),\n])",
    needs=("environ", "getenv", "process.env"),
)
_OF_ONE_CALL = late(
    r"(?:CODE_)?(?:(?:FILE|TOOL|BASH|COMMAND|PROMPT|USER|TRANSCRIPT|NOTIFICATION|EDITED|MODIFIED|CHANGED)\w*"
    r"|INPUT|HOOK_(?:EVENT|INPUT|PAYLOAD)\w*|EVENT_\w+|SESSION_ID|CWD)"
)
_OF_THE_PROJECT = late(r"(?:CODE_)?(?:PROJECT|WORKSPACE)_(?:DIR|DIRECTORY|ROOT|PATH|FOLDER)")
_WHERE_IT_IS = late(r"\bPWD\b|cwd\(|pwd|^\.$", re.IGNORECASE)
_OF_THE_CALL = late(
    r"[A-Z]+_(?:CODE_)?(?:FILE|TOOL|INPUT|COMMAND|BASH|PROMPT|USER|WORKSPACE|PROJECT|EDITED|MODIFIED|CHANGED|TRANSCRIPT"
    r"|NOTIFICATION|HOOK_(?:EVENT|INPUT|PAYLOAD))"
)
_NOTHING = r"""\s*(?:,\s*(?:""|''|None)\s*)?"""
_IN_CODE = late(
    rf"os\.environ\.get\(\s*[\"'](\w+)[\"']{_NOTHING}\)(?!\s*or\b)|os\.environ\[\s*[\"'](\w+)[\"']\s*\](?!\s*=[^=])"
    rf"|os\.getenv\(\s*[\"'](\w+)[\"']{_NOTHING}\)(?!\s*or\b)|process\.env\.(\w+)\b(?!\s*(?:(?:\?\?|\|\|)(?!\s*(?:''|\"\"|null\b)\s*[;),\n])|=[^=]|&&|\?))"
)
_OTHERWISE = late(
    r"(?:(?:\bor|\?\?|\|\||\bif|&&|!)\s*\(?\s*|\bcatch\b[^{}\n]{0,40}\{[^{}]{0,200}|\bexcept\b[^\n]{0,80}:\s*[^\n]*)\Z"
)
# a command that reads what the script is given, as it stands first and is fed by nothing else
_READS_INPUT = late(
    r"(?m)(?:^|[;&{!]|(?<=[$<>])\((?!\()|\b(?:then|do|else|if|elif)\b)[ \t]*+(?:\((?!\()\s*)?"
    r"(?:(?:local|export|readonly)\s+)?"
    r"(?:\w+=[\"']?(?:\$\(|<)\s*)*"
    r"(?:IFS=\S*\s+)?(?:cat(?=\s*(?:[|)>;&]|2>|-\s|$))"
    r"|(?:jq(?!(?:\s+-[a-zA-Z]+)*\s+(?:''|\"[^\"\n]*\"|[\w.]+)\s+\"?(?:\$|[\w./~-]+\.json\b))"
    r"|tee|read|mapfile|readarray|hookline get)\b|\"?\$[\w/{}]+)"
    r"|stdin|/dev/fd/0|<&\s*0"
)
_CODE_READS_INPUT = late(r"stdin|readFileSync\(\s*0|/dev/fd/0|ReadToEnd|\$[iI]nput\b|hookline get")
_IS_CODE = late(
    r"(?m)^[ \t]*(?:import|from \w+ import|(?:const|let|var) )|ConvertFrom-Json|\$env:|^[ \t]*param\b"
)
_QUOTED = late(r"-\w*c\s+'[^']*'|'\$\{\w+\}'|('[^']*')", needs=("'",))


def never_set(text: str, entry: Entry, *, in_plugin: bool, folders: bool = False) -> tuple[str, ...]:
    """The variables a line uses that nobody sets: not the agent, not the line, not the settings.

    With `folders` also those that are only likely to be the project's folder, where a path begins with one.
    """
    if entry.speaker.name == OWN:
        return _not_ours(text, entry)
    open_text = _QUOTED.sub(lambda found: "''" if found[1] else found[0], text)
    found = dict.fromkeys(_used(open_text))
    theirs = frozenset() if is_agent(entry.speaker.name) or not found else _handed(entry)
    if not found or not (theirs or is_agent(entry.speaker.name)):
        return ()  # one that hands over no variables at all says so in its documentation
    given = given_to(entry)
    return tuple(
        name
        for name in found
        if (
            _INVENTED.fullmatch(name)
            or _is_translated(name, entry)
            or name in _PLUGIN_ONLY
            or meant_variable(name)
            or _alike(name, theirs)
            or (folders and _FOLDER.fullmatch(name) and re.search(rf"\$\{{?{name}\}}?\"?/", text))
        )
        and name not in theirs
        and not is_set(name, given, entry, in_plugin)
        and not assigned(name, text)
        and not _asked_for_another(name, text)
    )


def never_set_in_code(text: str, entry: Entry) -> tuple[str, ...]:
    """Variables by the agent's own name that Python or JavaScript looks for, with nothing to take in their place."""
    begins = f"{entry.speaker.name.upper()}_"
    found = (
        next(filter(None, each.groups()))
        for each in _IN_CODE.finditer(text)
        if not _OTHERWISE.search(text[max(0, each.start() - 300) : each.start()])
    )
    return tuple(
        name
        for name in dict.fromkeys(found)
        if (
            name.startswith(begins)
            or (name.startswith(("TOOL_", "HOOK_")) and not re.search(r"stdin|readFileSync\(\s*0", text))
        )
        and _OF_THE_CALL.match(name if name.startswith(begins) else f"X_{name}")
        and _INVENTED.fullmatch(name)
        and not is_set(name, given_to(entry), entry, True)
        and not assigned(name, text)  # by a shell around it
    )


def never_set_beside_input(text: str, entry: Entry) -> tuple[str, ...]:
    """Fields with the agent's name before them, in a script that could read them from what it is sent and does not."""
    begins = f"{entry.speaker.name.upper()}_"
    return tuple(
        f"{begins}{ends}"
        for ends, field in FIELDS.items()
        if begins + ends in text
        and not re.search(rf"\b{field}\b", text)
        and _is_read_in_vain(begins + ends, text, entry)
    )


def field_of(name: str) -> str:
    """The field of what a script is sent that a variable is named after; empty where it is none."""
    return next((field for ends, field in FIELDS.items() if name.endswith(f"_{ends}")), "")


def defaults_taken(text: str, entry: Entry, *, in_plugin: bool) -> Iterator[tuple[str, str, str]]:
    """Variables by the agent's own name for what it tells in another way: the name, the default it always has instead,
    and what to read. A script may well do with the folder where it stands; the line finds its script by it."""
    begins = begins_of(entry)
    in_shell = ((found[1], _STANDS_IN.fullmatch(found[2])) for found in _USES.finditer(text) if found[2])
    in_code = ((found["python"] or found["node"], found) for found in _STANDS_IN_CODE.finditer(text))
    folder = next((f"{each}PROJECT_DIR" for each in reversed(begins)), "")
    for name, default in dict((*in_code, *in_shell)).items() if is_agent(entry.speaker.name) else ():
        ends = name.removeprefix(next((each for each in begins if name.startswith(each)), begins[0]))
        value = (default.groupdict().get("value") or default["other"]).strip("\"'") if default else ""
        is_told = is_set(folder, frozenset(), entry, in_plugin)
        finds = text == entry.line and bool(_WHERE_IT_IS.search(value))
        of_project = bool(_OF_THE_PROJECT.fullmatch(ends)) and (is_told or finds)
        if (
            default
            and ends != name
            and _INVENTED.fullmatch(name)
            and (of_project or _OF_ONE_CALL.fullmatch(ends))
            and not is_set(name, given_to(entry), entry, in_plugin)
            and name not in told_to_hooks()
        ):
            root = f"it sets `{folder}`" if is_told else "begin at `$(git rev-parse --show-toplevel)`"
            yield name, value, root if of_project else "the call is JSON on standard input"


def begins_of(entry: Entry) -> tuple[str, ...]:
    """What the variables of an agent begin with: its name, or that of who makes it: `FACTORY_PROJECT_DIR`."""
    own = f"{entry.speaker.name.upper()}_"
    others = {
        each.removesuffix("PROJECT_DIR")
        for each in entry.speaker.profile.words.variables
        if each.endswith("_PROJECT_DIR")
    }
    return (own, *sorted(others - {own, "CLAUDE_"}))


def _is_read_in_vain(name: str, text: str, entry: Entry) -> bool:
    uses = [found for found in _USES.finditer(text) if name in (found[1], found[3])]
    taken = any(not _NO_VALUE.fullmatch(found[2] or "") for found in uses if found[2])
    known = not is_agent(entry.speaker.name) or is_set(name, given_to(entry), entry, True)
    return bool(uses) and not (taken or known or assigned(name, text))


def _is_translated(name: str, entry: Entry) -> bool:
    """Whether it is another agent's variable with this one's name before it: `GEMINI_ENV_FILE`."""
    begins = f"{entry.speaker.name.upper()}_"
    ends = name.removeprefix(begins)
    return name != ends and any(
        each.partition("_")[2] == ends and not each.startswith(begins) for each in told_to_hooks()
    )


def _not_ours(text: str, entry: Entry) -> tuple[str, ...]:
    """Variables that begin as ours do, and that we do not set."""
    used = dict.fromkeys(name for name in _used(text) if name.startswith("HOOK_"))
    known = _handed(entry) | {"HOOK_REPLY", "HOOK_UNSURE", "HOOK_FILES_LIST"} if used else ()
    return tuple(name for name in used if name not in known and not assigned(name, text))


def empty_here(text: str, entry: Entry) -> tuple[str, ...]:
    """The variables of a dialect that have no value at this event, where others have one."""
    used = dict.fromkeys(_used(text))
    if not used or is_agent(entry.speaker.name) or entry.rule is None:
        return ()
    if sum(each.line == entry.line and each.spec.line == entry.spec.line for each in entry.file.entries) > 1:
        return ()  # it has several events
    call = {"tool_name": "Bash", "tool_input": {"command": "ls", "file_path": "x"}}
    given = {**SAMPLE, **(call if entry.rule.subject == "tool_name" else {})}
    event = event_from_payload(entry.spec.kind, given, session_id="s", cwd="/", workspace="/", at=0.0)
    sent = entry.speaker.hook_input(event, entry.spec)
    values = {**dict.fromkeys(sent.unset, ""), **sent.env, **sent.variables}
    return tuple(name for name in used if values.get(name) == "" and not assigned(name, text))


def meant_by(name: str, entry: Entry) -> str:
    """The variable of a dialect, or of an agent, that a name stands for by mistake; empty where it is none."""
    if entry.speaker.name == OWN:
        return nearest(name, sorted(_handed(entry))) or ""
    theirs = () if is_agent(entry.speaker.name) else _handed(entry)
    return meant_variable(name) or _short_for(name, theirs)


def _alike(name: str, known: Collection[str]) -> bool:
    """Whether a name is like those of a dialect: one of them without its beginning, or one that begins as they do."""
    begins = any(name.startswith(f"{each.partition('_')[0]}_") for each in known if "_" in each)
    return bool(_short_for(name, known)) or (begins and bool(_ABOUT_A_CALL.search(name)))


def _short_for(name: str, known: Iterable[str]) -> str:
    """The variable whose name ends in this one: `CHANGED_FILES` for `DISCOBOT_CHANGED_FILES`."""
    return next((each for each in sorted(known) if "_" in name and each.endswith(f"_{name}")), "")


def placeholders(text: str, entry: Entry) -> tuple[str, ...]:
    """Placeholders in braces, which no agent fills in."""
    single = [each for each in _ONE_BRACE.findall(text) if not _OTHERS_BRACES.search(text)]
    found = [*_PLACEHOLDER.findall(text), *single]
    return tuple(dict.fromkeys(found)) if is_agent(entry.speaker.name) else ()


def unfilled(text: str, entry: Entry) -> Iterator[tuple[str, str]]:
    """Placeholders that stay as they are or become empty at this event, where the dialect fills some in, and why."""
    speaker, spec = entry.speaker, entry.spec
    if "{{" not in text or is_agent(speaker.name):
        return
    event = event_from_payload(spec.kind, SAMPLE, session_id="s", cwd="/", workspace="/", at=0.0)
    given = speaker.hook_input(event, spec)
    if given.placeholders != "braces":
        return
    for spaced in _SPACED.finditer(text):
        if (name := spaced[1] or spaced[2]) in given.variables:
            yield (
                f"nobody fills in `{spaced[0]}`: it stays as it is",
                f"write `{{{{{name}}}}}`, without blanks",
            )
    for name in dict.fromkeys(_BRACES.findall(text)):
        if name in given.known and not given.variables.get(name):
            yield f"`{{{{{name}}}}}` is empty at `{spec.native_event}`", "use a value that this event has"
        elif name not in given.variables and (meant := nearest(name, given.variables)):
            yield f"nobody fills in `{{{{{name}}}}}`: it stays as it is", f"did you mean `{{{{{meant}}}}}`?"
        elif name not in given.variables and _is_filled_elsewhere(entry, name):
            words = f"`{spec.native_event}` has no `{{{{{name}}}}}`: it stays as it is"
            yield words, f"`hookline docs {speaker.name}` has what each event fills in"


def _is_filled_elsewhere(entry: Entry, name: str) -> bool:
    """Whether another event of the dialect has a value for a placeholder."""
    for row in entry.speaker.rules.values():
        event = event_from_payload(row.kind, SAMPLE, session_id="s", cwd="/", workspace="/", at=0.0)
        spec = replace(entry.spec, kind=row.kind, native_event=row.native)
        if name in entry.speaker.hook_input(event, spec).variables:
            return True
    return False


@cache
def meant_variable(name: str) -> str:
    """The variable of an agent that a name is a misspelling of; empty where it is none."""
    if not _OF_AN_AGENT.match(name) or name in variables_of_agents():
        return ""
    meant = nearest(name, sorted(variables_of_agents()))
    return meant if meant and edits(name, meant, 2) <= 2 else ""


def _asked_for_another(name: str, text: str) -> bool:
    """Whether a text that serves several agents looks first if the one that sets this variable started it."""
    asks = re.search(rf"-[nz]\s+\"?\$\{{?{re.escape(name)}\b|\$\{{{re.escape(name)}:?[-=+]", text)
    begins = any(name.lower().startswith(f"{each}_") for each in agent_names())
    return bool(asks) and begins and name in variables_of_agents()


@cache
def told_to_hooks() -> frozenset[str]:
    """All variables that an agent, or another dialect, is known to set."""
    return variables_of_agents().union(*(speaker.profile.traps.sets for speaker in readable(names(), True)))


@cache
def variables_of_agents() -> frozenset[str]:
    return frozenset(each for speaker in readable(names(), True) for each in speaker.profile.words.variables)


def _handed(entry: Entry) -> frozenset[str]:
    """The variables a hook is given at its event, by a dialect that tells what happened in variables."""
    call = {
        "tool_name": "Bash",
        "tool_input": {"command": "ls", "file_path": "x"},
        "files": ["x"],
        "deleted_files": ["x"],
    }
    event = event_from_payload(
        entry.spec.kind, {**SAMPLE, **call}, session_id="s", cwd="/", workspace="/", at=0.0
    )
    given = entry.speaker.hook_input(event, entry.spec)
    return frozenset((*given.env, *given.lists, *given.texts, *given.unset, *given.variables))


def reads_input(text: str) -> bool:
    """Whether a script looks at what it is given on standard input; what a pipe or a file feeds does not."""
    documents = list(here_documents(text))
    if _IS_CODE.search(without(text, [(each.mark, each.end) for each in documents])):
        return bool(_CODE_READS_INPUT.search(text))
    bare = without(text, [(each.cat, each.end) for each in documents if each.cat >= 0])
    return bool(_READS_INPUT.search(re.sub(r"'[^'\n]*'|\[\[ [^\n]*? \]\]", "''", bare)))


def _used(text: str) -> Iterator[str]:
    for found in _USES.finditer(text):
        name = found[1] or found[3] or found[4] or ""
        # with an empty default it is empty, and what is written for an unknown value is as good
        nothing = _NO_VALUE.fullmatch(found[2] or "") and not reads_input(text)
        if name and (nothing or not _DEFAULT.match(found[2] or "")):
            yield name


def given_to(entry: Entry) -> frozenset[str]:
    """Names that the entry's own `env`, or the settings', give a value."""
    nodes = [entry.node, entry.group, entry.file.root]
    found = [node.get("env") for node in nodes if node is not None]
    return frozenset(name for node in found if node is not None for name in node.members)


def is_set(name: str, given: frozenset[str], entry: Entry, in_plugin: bool) -> bool:
    if name in given or name in entry.spec.env:
        return True
    if name in _PLUGIN_ONLY:
        return in_plugin or entry.file.loaded.source.label == "skill"
    profile = entry.speaker.profile
    known = {*(each for each in profile.words.variables if not each.endswith("_")), *profile.traps.sets}
    return name in known or any(each.endswith("_") and name.startswith(each) for each in known)
