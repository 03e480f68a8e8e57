"""What a hook of `hooks.toml` may run, by the key that says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hookline.dialects.actions import read_action
from hookline.dialects.keys import (
    ALLOWED_ENV,
    ASKS,
    HEADERS,
    HTTP,
    LINE,
    MCP,
    MODEL,
    PROMPT,
    URL,
    Key,
    Keys,
)  # fmt: skip
from hookline.dialects.reading.nodes import to_plain
from hookline.dialects.reading.reader import Reader
from hookline.model.hooks import Action, Answer, Command, McpTool
from hookline.model.record import replace

ANSWERS = ("deny", "ask", "allow", "halt", "context", "message")
HANDLERS = ("run", "post", "prompt", "mcp", "commit", "push", *ANSWERS)
# By the key, its kind and the rows of that kind.
KINDS: Mapping[str, str] = {
    "run": "command", "post": "http", "prompt": "prompt", "mcp": "mcp_tool", "commit": "git-commit", "push": "git-push",
    **{verdict: verdict for verdict in ANSWERS},
}  # fmt: skip
COMMIT, PUSH = frozenset({"git-commit"}), frozenset({"git-push"})
METHODS = {"POST": "POST", "PUT": "PUT", "post": "POST", "put": "PUT"}
ACTIONS = Keys((
    Key("run", "names", words="a shell line, or a program and its arguments", handlers=LINE),
    Key("shell_program", "names", handlers=LINE),
    replace(URL, name="post"),
    Key("method", "|".join(METHODS), "action.method", "", "POST", HTTP, means=METHODS),
    HEADERS,
    replace(ALLOWED_ENV, name="allowed_env"),
    replace(PROMPT, words="a question to a model"), MODEL, Key("agent", "flag", "action.agent", handlers=ASKS),
    Key("continue_on_block", "flag", "action.continue_on_block", handlers=ASKS),
    Key("mcp", "line", words="`server/tool`", handlers=MCP), Key("input", "object", "action.input", handlers=MCP),
    Key("commit", "line", "action.message", "commit what changed, with this message", None, COMMIT, wanted="a message"),
    Key("stage", "all|staged", "action.stage", "", "all", COMMIT),
    Key("no_verify", "flag", "action.no_verify", handlers=COMMIT | PUSH),
    Key("push", "line", "action.remote", "push to this remote", None, PUSH, wanted="a remote"),
    Key("branch", "line", "action.branch", "", "current", PUSH),
    *(
        Key(verdict, "line", "action.text", f"{verdict}, with this text, and run nothing", None, frozenset({verdict}))
        for verdict in ANSWERS
    ),
))  # fmt: skip


def read_run(entry: Reader) -> Action | None:
    """What the one key among `HANDLERS` says; None, and told, where there is none, several, or a wrong value."""
    given = [key for key in HANDLERS if entry.has(key)]
    if len(given) != 1:
        found = " and ".join(f"`{key}`" for key in given) or "none"
        hint = 'write for example `run = "./check.sh"` or `deny = "reason"`'
        entry.report(
            entry.node, "handler-count", f"expected one of `run`, `deny`, `post`, …, found {found}", hint
        )
        return None
    own = _OWN_WAYS.get(given[0])
    return own(entry) if own else read_action(entry, ACTIONS, KINDS[given[0]])


def _run(entry: Reader) -> Action | None:
    node = entry.get("run")
    if node is not None and node.kind == "array":
        argv = entry.string_list("run") or ()
        if not argv or not argv[0].strip():
            entry.report(node, "bad-value", "expected a program and its arguments, found none")
        return Command(argv=argv)
    line = entry.string("run", blank=False, wanted="a command")
    program = entry.string_list("shell_program", single=True)
    shell = ((*program, "-c") if len(program) == 1 else program) if program else ("sh", "-c")
    return None if line is None else Command(line, shell=shell)


def _mcp(entry: Reader) -> Action | None:
    text = entry.string("mcp", blank=False, wanted="`server/tool`") or ""
    server, slash, tool = text.rpartition("/")
    if text and not (server and slash and tool):
        entry.report(entry.members["mcp"], "bad-value", f"expected `server/tool`, found `{text}`")
    table = entry.object("input")
    return McpTool(server, tool, to_plain(table.node) if table else {}) if server and tool else None


def _answer(verdict: str) -> Callable[[Reader], Action | None]:
    def read(entry: Reader) -> Action | None:
        text = entry.string(verdict, blank=False, wanted="a text")
        instead = entry.string("instead", blank=False, wanted="what to do")
        return None if text is None else Answer(verdict, f"{text}; instead: {instead}" if instead else text)

    return read


_OWN_WAYS: Mapping[str, Callable[[Reader], Action | None]] = {
    "run": _run, "mcp": _mcp, **{verdict: _answer(verdict) for verdict in ANSWERS},
}  # fmt: skip
