"""Hooks as data: what a rule says, what it needs to run, and which values it is given."""

from __future__ import annotations

from hookline.model.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from hookline.model.events import EventKind

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


class HookSpec(Record):
    """One hook as configured. Immutable; everything a decision says of a hook comes from here.

    `id` is unique in a workspace and belongs to what the hook is; `place` is what its dialect calls it by
    counting, which a changed hook keeps. `source` is the file as people know it (relative to the workspace, or
    with `~`), `path` the absolute one. `scope`: managed, user, project, local, plugin, session.
    `timeout_s` and `grace_s` in seconds. `files` are the workspace files whose bytes belong to the
    hook's trust. `on_failure`: block, allow, ask, or empty for the dialect's own rule. `options` holds
    what only the hook's own dialect reads. `digest` is that of its definition, once it was loaded.
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
    `keep_git_env` leaves git's own location variables in place (githooks).
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
    context: Any = None
