"""Hooks as data: what a rule says, what it needs to run, and which values it is given."""

from __future__ import annotations

from _operator import attrgetter  # `operator` itself adds Python code only

from hookline.model.events import EventKind
from hookline.model.record import Record, replace
from hookline.model.typing import Any, Callable, Mapping

Programs = Mapping[str, "Program"]  # by absolute path


class Command(Record):
    """A process: a shell `line` run by `shell`, or `argv` executed directly (no shell)."""

    line: str = ""
    argv: tuple[str, ...] = ()
    shell: tuple[str, ...] = ("sh", "-c")
    handler = "command"

    @property
    def shown(self) -> str:
        return self.line or " ".join(self.argv)


class Webhook(Record):
    """An HTTP request. `headers` may hold `${NAME}`, filled from `allowed_env` (None: any name)."""

    url: str
    method: str = "POST"
    headers: Mapping[str, str] = {}
    allowed_env: tuple[str, ...] | None = None
    handler = "webhook"

    @property
    def shown(self) -> str:
        return f"{self.method} {self.url}"


class Inline(Record):
    """A Python callable, sync or async. It is given the `Event`, or the dialect's own context object."""

    callback: Callable[..., Any]
    takes_context: bool = False
    handler = "inline"

    @property
    def shown(self) -> str:
        return getattr(self.callback, "__qualname__", repr(self.callback))


class PromptCheck(Record):
    """A question to a model. `agent` lets the model look around with read-only tools first."""

    prompt: str
    model: str = ""
    agent: bool = False
    continue_on_block: bool = False

    @property
    def handler(self) -> str:
        return "agent" if self.agent else "prompt"

    @property
    def shown(self) -> str:
        return self.prompt


class McpTool(Record):
    """A call to a tool of a connected MCP server."""

    server: str
    tool: str
    input: Mapping[str, Any] = {}
    handler = "mcp_tool"

    @property
    def shown(self) -> str:
        return f"{self.server}/{self.tool}"


class GitCommit(Record):
    """Commits what changed. `stage`: all, or staged (only what is in the index already)."""

    message: str
    no_verify: bool = False
    stage: str = "all"
    handler = "git-commit"

    @property
    def shown(self) -> str:
        return f"git commit ({self.message})"


class GitPush(Record):
    """Pushes `branch` (`current` or a name) to `remote`."""

    remote: str = "origin"
    branch: str = "current"
    no_verify: bool = False
    handler = "git-push"

    @property
    def shown(self) -> str:
        return f"git push {self.remote} {self.branch}"


class Answer(Record):
    """A fixed answer, without running anything: deny, ask, allow, halt, context or message, and its text."""

    verdict: str
    text: str
    handler = "answer"

    @property
    def shown(self) -> str:
        return f"{self.verdict}: {self.text}"


class Unusable(Record):
    """A handler that was configured but cannot run; `why` becomes the launch failure's words."""

    why: str
    handler = "unusable"

    @property
    def shown(self) -> str:
        return self.why


# Each says by `handler` what kind it is, and by `shown` what it runs, in one line for people.
Action = Command | Webhook | Inline | PromptCheck | McpTool | GitCommit | GitPush | Answer | Unusable


class Matcher(Record):
    """What a hook wants to see. `kind`: exact, names, prefix, regex (unanchored), fullregex, glob, never.

    `names` is a list separated by `|`. `text` is as the user wrote it.
    """

    kind: str
    text: str


class Origin(Record):
    """What is noted of a hook when it is read: where it came from, and why it does not count.

    `bridge`: it is our own entry in the settings of this agent, which stands for all hooks. `adopted`: it was moved
    behind that entry. `disabled_why`: what switched it off. `stand_in`: the code of the problem for which it stands.
    `flat`: it has no group around it. `plugin`: the plugin it came with, whose folders are `plugin_root` and
    `plugin_data`. `agent`: the one subagent it is for. `pack`: the pack whose rule it is. `aliases`: names it goes by
    as well. `speaks`: `dialect:event`, where it talks another dialect than that of its file.
    """

    bridge: str = ""
    adopted: bool = False
    disabled_why: str = ""
    stand_in: str = ""
    flat: bool = False
    plugin: str = ""
    plugin_root: str = ""
    plugin_data: str = ""
    agent: str = ""
    pack: str = ""
    aliases: tuple[str, ...] | None = None
    speaks: str = ""


class Conduct(Record):
    """How a hook behaves among others, and what its end leads to; None: its file says nothing about it.

    `group`: neighbours of one group run side by side. `needs`: hooks that must have succeeded before. `attempts`:
    how often it is tried. `phase`: the only phase of a turn it runs in. `continue_on_failure`: those behind it run
    all the same. `notify_llm`: the model hears of its failure. `rewake`: exit 2 in the background wakes the agent.
    `thread`: a callback that is given a thread of its own. `baseline`: what it fails on before
    a session is not asked of its agent.
    """

    group: str = ""
    needs: tuple[str, ...] = ()
    attempts: int | None = None
    phase: str | None = None
    continue_on_failure: bool | None = None
    notify_llm: bool | None = None
    rewake: bool | None = None
    thread: bool = False
    baseline: bool = False


class Means(Record):
    """What a hook is run with; None: its file says nothing about it.

    `cwd`: a folder of the workspace to start in. `env`: inherit or clean; `pass_env` are names it sees in a clean
    environment too. `shell_fallback`: what runs a line whose own shell is not there. `http_timeout_s`: the limit of
    an exchange itself, in seconds. `allow_hosts`: private addresses it may post to. `run_as`: user or root.
    """

    cwd: str | None = None
    env: str = ""
    pass_env: tuple[str, ...] = ()
    shell_fallback: tuple[str, ...] = ()
    http_timeout_s: float | None = None
    allow_hosts: tuple[str, ...] = ()
    run_as: str | None = None


class Rule(Record):
    """What a rule of ours asks of a call.

    `predicates` by key, all of which must be met; `programs` and `tools` are its file's own rows for them. `unsure`,
    `unknown` and `opaque`: what doubt makes of it. `examples`: what it is held to, by kind.
    """

    predicates: Mapping[str, Any] = {}
    programs: str | None = None
    tools: Mapping[str, Any] | None = None
    unsure: str = ""
    unknown: str = ""
    opaque: str = ""
    examples: Mapping[str, Any] = {}


class HookSpec(Record):
    """One hook as configured. Immutable; everything a decision says of a hook comes from here.

    `id` is unique in a workspace and belongs to what the hook is; `place` is what its dialect calls it by
    counting, which a changed hook keeps. `source` is the file as people know it (relative to the workspace, or
    with `~`), `path` the absolute one. `scope`: managed, user, project, local, plugin, session.
    `timeout_s` and `grace_s` in seconds. `files` are the workspace files whose bytes belong to the
    hook's trust. `on_failure`: block, allow, ask, or empty for the dialect's own rule. `options` holds
    what the hook's own dialect reads, and nobody else. `digest` is that of its definition, once it was loaded.
    """

    id: str
    dialect: str
    kind: EventKind
    native_event: str
    action: Action
    name: str = ""
    source: str = ""
    path: str = ""
    line: int = 0
    scope: str = "project"
    matcher: Matcher | None = None
    condition: Any = None
    timeout_s: float = 60.0
    grace_s: float = 2.0
    blocking: bool | None = None
    background: bool = False
    once: bool = False
    enabled: bool = True
    on_failure: str = ""
    status_message: str = ""
    description: str = ""
    files: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    origin: Origin = Origin()
    conduct: Conduct = Conduct()
    means: Means = Means()
    rule: Rule = Rule()
    options: Mapping[str, Any] = {}
    place: str = ""
    digest: str = ""

    @property
    def handler(self) -> str:
        """The handler's name: command, webhook, inline, prompt, agent, git-commit, …"""
        return self.action.handler

    @property
    def command(self) -> str:
        """What it runs, in one line for people."""
        return self.action.shown

    @property
    def where(self) -> str:
        """Its file and line, as people are shown them."""
        return f"{self.source}:{self.line}" if self.line else self.source


_PARTS = {"origin": Origin, "conduct": Conduct, "means": Means, "rule": Rule}
_parts_of = attrgetter(*_PARTS)
_NO_PARTS = tuple(HookSpec._defaults[part] for part in _PARTS)
PART_OF = {name: part for part, kind in _PARTS.items() for name in kind._fields}


def parted(said: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `HookSpec` that hold what is said by these names; what no part has goes to `options`."""
    found: dict[str, Any] = {"options": {name: value for name, value in said.items() if name not in PART_OF}}
    if len(found["options"]) < len(said):
        for part, kind in _PARTS.items():
            if values := {name: said[name] for name in kind._fields if name in said}:
                found[part] = kind(**values)
    return found


def placed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `HookSpec` that hold these values, whose names are `FIELD`, `PART.FIELD` or `options.NAME`."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        part, _, field = name.partition(".")
        if field:
            found.setdefault(part, {})[field] = value
        else:
            found[part] = value
    for part in _PARTS:
        if part in found:
            found[part] = _PARTS[part](**found[part])
    return found


def said_of(spec: HookSpec) -> dict[str, Any]:
    """By name what a hook says in its parts and its options: the opposite of `parted`."""
    found: dict[str, Any] = {}
    records = _parts_of(spec)
    if records == _NO_PARTS:
        return {**spec.options}  # most hooks say nothing else
    for record in records:
        for name, default in record._defaults.items():
            if (value := getattr(record, name)) != default:
                found[name] = value
    return {**found, **spec.options}


def saying(spec: HookSpec, said: Mapping[str, Any]) -> HookSpec:
    """The hook with this in its parts and options, and nothing else in them."""
    return replace(spec, **{**{part: kind() for part, kind in _PARTS.items()}, **parted(said)})


def noted(spec: HookSpec, **marks: Any) -> HookSpec:
    """The hook with these notes of its `origin`."""
    return replace(spec, origin=replace(spec.origin, **marks))


def switched_off(spec: HookSpec, why: str) -> HookSpec:
    """The hook, listed but not run."""
    return replace(noted(spec, disabled_why=why), enabled=False)


class Program(Record):
    """The bytes of a file that a hook runs, as they were reviewed."""

    content: bytes
    executable: bool = False


class HandlerInput(Record):
    """Everything a dialect gives one hook for one event; handlers know no dialect.

    `payload` is the JSON object for stdin (when `stdin`), for a webhook's body and for inline contexts.
    `placeholders`: braces (`{{name}}`), dollar (`$NAME`), vars (`${NAME}` in arguments), or empty.
    `variables` are their values, `known` the names that become empty without one. `lists` and `texts`
    map a variable's name to what its file shall hold: NUL-separated paths, or a long text.
    `keep_git_env` leaves git's own location variables in place (githooks). `notes` tell what of it had to be left out.
    """

    payload: Mapping[str, Any] = {}
    stdin: bool = False
    env: Mapping[str, str] = {}
    unset: tuple[str, ...] = ()
    cwd: str = ""
    placeholders: str = ""
    variables: Mapping[str, str | tuple[str, ...]] = {}
    known: frozenset[str] = frozenset()
    lists: Mapping[str, tuple[str, ...]] = {}
    texts: Mapping[str, str] = {}
    merge_output: bool = False
    output_limit: int = 65536
    user: str = ""
    keep_git_env: bool = False
    notes: tuple[str, ...] = ()
    context: Any = None
