"""The table of commands: a row each, imported only when called; and how those called most often read their words."""

from __future__ import annotations

from hookline.model.record import Record
from hookline.system.modules import attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class CommandRow(Record):
    """`module` of this package has a function `run(arguments: list[str]) -> int`, or the one `function` names."""

    group: str
    module: str
    summary: str
    function: str = "run"

    def load(self) -> Callable[[list[str]], int]:
        found: Callable[[list[str]], int] = attribute(f"hookline.cli.{self.module}", self.function)
        return found


def read_words(
    command: str, words: Iterable[str], switches: Iterable[str], valued: Iterable[str]
) -> tuple[list[str], dict[str, list[str]]]:
    """The words that are no options, and every option that was given with its values (a switch has none).

    By hand, for commands to which argparse costs as much as all they do. Raises UsageError.
    """
    from hookline.model.errors import UsageError

    plain: list[str] = []
    said: dict[str, list[str]] = {}
    rest = list(words)
    hint = f"see `hookline {command} --help`"
    while rest:
        word = rest.pop(0)
        name, joined, value = word.partition("=")
        if name in switches:
            said[name] = []
        elif name in valued:
            if not joined and not rest:
                raise UsageError(f"{command}: `{name}` needs a value", hint)
            said.setdefault(name, []).append(value if joined else rest.pop(0))
        elif word.startswith("-") and word != "-":
            raise UsageError(f"{command}: unknown option `{word}`", hint)
        else:
            plain.append(word)
    return plain, said


_AGENTS = "run agents"
_HOOKS = "see and check hooks"
_TRUST = "decide what may run"
_PAST = "see what ran"
_WRITE = "write hooks"
_INSTALL = "stand in other programs' hooks"

COMMANDS: dict[str, CommandRow] = {
    "demo": CommandRow(_AGENTS, "session.demo", "a real agent turn with hooks in five dialects, live"),
    "run": CommandRow(_AGENTS, "session.run", "the tool loop: a prompt, a model, tools and every hook"),
    "iterate": CommandRow(_AGENTS, "iterations.iterate", "an agent in rounds, with tasks and notes"),
    "task": CommandRow(_AGENTS, "iterations.task", "the tasks of an iteration session", "run_task"),
    "note": CommandRow(_AGENTS, "iterations.task", "the notes of an iteration session", "run_note"),
    "worker": CommandRow(_AGENTS, "session.worker", "answer other hosts' guards over a bus"),
    "scripted-agent": CommandRow(_AGENTS, "session.scripted_agent", "an ACP agent that plays a script"),
    "serve": CommandRow(_AGENTS, "session.serve", "the turn host: HTTP, event streams and the web page"),
    "issues": CommandRow(_AGENTS, "issues.issues", "create issues and work on them, one after another"),
    "bridge": CommandRow(_AGENTS, "agents.bridge", "answer a coding agent as its hook"),
    "entrypoint": CommandRow(_AGENTS, "session.entrypoint", "container start: session hooks, then a command"),
    "config": CommandRow(
        _AGENTS, "issues.config", "settings of issue runs; commit and push after each issue"
    ),
    "sessions": CommandRow(_AGENTS, "session.sessions", "what ran, when, and how it ended"),
    "resident": CommandRow(
        _AGENTS, "agents.resident", "answer bridged calls faster, from a process that stays"
    ),
    "fire": CommandRow(_HOOKS, "hooks.fire", "fire one event at the workspace's hooks", "fire"),
    "explain": CommandRow(_HOOKS, "hooks.fire", "say what `fire` would do, and why", "explain"),
    "why": CommandRow(_HOOKS, "hooks.why", "one hook: what it is, whether it runs", "why"),
    "list": CommandRow(_HOOKS, "hooks.listing", "all hooks found, of every agent", "list_hooks"),
    "check": CommandRow(_HOOKS, "hooks.check", "every problem of every hook config", "check"),
    "rule": CommandRow(_HOOKS, "hooks.check", "what a code of `check` means", "rule"),
    "test": CommandRow(_HOOKS, "hooks.hook_tests", "run the case files beside the hooks"),
    "doctor": CommandRow(_HOOKS, "hooks.doctor", "can the hooks run here, and what to do if not"),
    "attest": CommandRow(_HOOKS, "hooks.attest", "prove by canary calls that guards fire"),
    "packs": CommandRow(_HOOKS, "hooks.packs", "ready rules, our own and those of others"),
    "probe": CommandRow(_HOOKS, "hooks.probe", "attack your own guards before an agent does"),
    "schema": CommandRow(_HOOKS, "hooks.schema", "the JSON Schema of a dialect's config"),
    "trust": CommandRow(_TRUST, "trust.trust", "review and accept the workspace's hooks", "trust"),
    "fleet": CommandRow(_TRUST, "trust.fleet", "one policy for many machines, over a bus"),
    "disable": CommandRow(_TRUST, "trust.trust", "switch one hook off", "disable"),
    "enable": CommandRow(_TRUST, "trust.trust", "switch it on again", "enable"),
    "history": CommandRow(_PAST, "history.history", "what ran", "history"),
    "show": CommandRow(_PAST, "history.history", "one decision with all its hooks said", "show"),
    "tail": CommandRow(_PAST, "history.history", "decisions as they are made", "tail"),
    "stats": CommandRow(_PAST, "history.history", "each hook's runs, failures and times", "stats"),
    "page": CommandRow(_PAST, "history.page", "the web page on hooks and history, whoever runs the agent"),
    "record": CommandRow(_PAST, "history.record", "keep the calls of agents, to replay them", "record"),
    "replay": CommandRow(_PAST, "history.record", "run recorded calls again: what changed?", "replay"),
    "docs": CommandRow(_PAST, "docs", "the documentation, in the terminal"),
    "bench": CommandRow(_PAST, "bench", "what hookline costs, measured here"),
    "install": CommandRow(_INSTALL, "agents.install", "let git or an agent call hookline", "install"),
    "uninstall": CommandRow(_INSTALL, "agents.install", "put back what was there", "uninstall"),
    "completion": CommandRow(_INSTALL, "completion", "what bash, zsh or fish needs to complete commands"),
    "init": CommandRow(_WRITE, "hooks.init", "write a first hooks file for this repository"),
    "get": CommandRow(_WRITE, "hooks.get", "print one field of a hook's payload"),
    "convert": CommandRow(_WRITE, "hooks.convert", "one dialect's hooks as another's, and what is lost"),
}
