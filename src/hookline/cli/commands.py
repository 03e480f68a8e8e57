"""The table of commands: a row each, imported only when called."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.system.modules import attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class CommandRow(Record):
    """`module` has a function `run(arguments: list[str]) -> int`, or the one `function` names."""

    group: str
    module: str
    summary: str
    function: str = "run"

    def load(self) -> Callable[[list[str]], int]:
        found: Callable[[list[str]], int] = attribute(self.module, self.function)
        return found


_AGENTS = "run agents"
_HOOKS = "see and check hooks"
_TRUST = "decide what may run"
_PAST = "see what ran"
_WRITE = "write hooks"
_INSTALL = "stand in other programs' hooks"

COMMANDS: dict[str, CommandRow] = {
    "demo": CommandRow(_AGENTS, "hookline.cli.demo", "a real agent turn with hooks in five dialects, live"),
    "run": CommandRow(_AGENTS, "hookline.cli.run", "the tool loop: a prompt, a model, tools and every hook"),
    "iterate": CommandRow(_AGENTS, "hookline.cli.iterate", "an agent in rounds, with tasks and notes"),
    "task": CommandRow(_AGENTS, "hookline.cli.task", "the tasks of an iteration session", "run_task"),
    "note": CommandRow(_AGENTS, "hookline.cli.task", "the notes of an iteration session", "run_note"),
    "worker": CommandRow(_AGENTS, "hookline.cli.worker", "answer other hosts' guards over a bus"),
    "scripted-agent": CommandRow(_AGENTS, "hookline.cli.scripted_agent", "an ACP agent that plays a script"),
    "serve": CommandRow(_AGENTS, "hookline.cli.serve", "the turn host: HTTP, event streams and the web page"),
    "issues": CommandRow(_AGENTS, "hookline.cli.issues", "create issues and work on them, one after another"),
    "bridge": CommandRow(_AGENTS, "hookline.cli.bridge", "answer a coding agent as its hook"),
    "entrypoint": CommandRow(
        _AGENTS, "hookline.cli.entrypoint", "container start: session hooks, then a command"
    ),
    "config": CommandRow(
        _AGENTS, "hookline.cli.config", "settings of issue runs; commit and push after each issue"
    ),
    "sessions": CommandRow(_AGENTS, "hookline.cli.sessions", "what ran, when, and how it ended"),
    "resident": CommandRow(
        _AGENTS, "hookline.cli.resident", "answer bridged calls faster, from a process that stays"
    ),
    "fire": CommandRow(_HOOKS, "hookline.cli.fire", "fire one event at the workspace's hooks", "fire"),
    "explain": CommandRow(_HOOKS, "hookline.cli.fire", "say what `fire` would do, and why", "explain"),
    "list": CommandRow(_HOOKS, "hookline.cli.listing", "all hooks found, of every agent", "list_hooks"),
    "check": CommandRow(_HOOKS, "hookline.cli.listing", "every problem of every hook config", "check"),
    "test": CommandRow(_HOOKS, "hookline.cli.hook_tests", "run the case files beside the hooks"),
    "doctor": CommandRow(_HOOKS, "hookline.cli.doctor", "can the hooks run here, and what to do if not"),
    "schema": CommandRow(_HOOKS, "hookline.cli.schema", "the JSON Schema of a dialect's config"),
    "trust": CommandRow(_TRUST, "hookline.cli.trust", "review and accept the workspace's hooks", "trust"),
    "disable": CommandRow(_TRUST, "hookline.cli.trust", "switch one hook off", "disable"),
    "enable": CommandRow(_TRUST, "hookline.cli.trust", "switch it on again", "enable"),
    "history": CommandRow(_PAST, "hookline.cli.past", "what ran", "history"),
    "show": CommandRow(_PAST, "hookline.cli.past", "one decision with all its hooks said", "show"),
    "tail": CommandRow(_PAST, "hookline.cli.past", "decisions as they are made", "tail"),
    "stats": CommandRow(_PAST, "hookline.cli.past", "each hook's runs, failures and times", "stats"),
    "record": CommandRow(_PAST, "hookline.cli.record", "keep the calls of agents, to replay them", "record"),
    "replay": CommandRow(_PAST, "hookline.cli.record", "run recorded calls again: what changed?", "replay"),
    "bench": CommandRow(_PAST, "hookline.cli.bench", "what hookline costs, measured here"),
    "install": CommandRow(_INSTALL, "hookline.cli.install", "let git or an agent call hookline", "install"),
    "uninstall": CommandRow(_INSTALL, "hookline.cli.install", "put back what was there", "uninstall"),
    "init": CommandRow(_WRITE, "hookline.cli.init", "write a first hooks file for this repository"),
    "get": CommandRow(_WRITE, "hookline.cli.get", "print one field of a hook's payload"),
    "convert": CommandRow(
        _WRITE, "hookline.cli.convert", "one dialect's hooks as another's, and what is lost"
    ),
}
