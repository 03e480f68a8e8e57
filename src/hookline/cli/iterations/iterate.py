"""`hookline iterate`: an agent in rounds, with tasks, notes and hooks around them."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookline.agents.base import Agent
from hookline.agents.models import open_model
from hookline.cli import common, flags
from hookline.cli.ending import until_signal
from hookline.cli.iterations.task import add_store_options, data_dir_of
from hookline.cli.iterations.view import LiveView
from hookline.cli.live import first_words, label_of
from hookline.cli.render import counted, duration, mark_of, visible
from hookline.cli.session.printing import JsonPrinter
from hookline.engine.opening import Opened, open_engine
from hookline.hosts.acp_client import AcpClient, HostedAgent
from hookline.hosts.bus_guards import RemoteGuards, subject_of
from hookline.hosts.iterations.host import Assignment, Iterations, RunResult
from hookline.hosts.iterations.mcp_server import McpHttp, McpServer
from hookline.hosts.iterations.state import SessionState
from hookline.hosts.iterations.task_tools import IN_LOOP, SERVER, task_tools
from hookline.hosts.iterations.tasks import TEMPLATE, TaskStore, name_from, open_log
from hookline.hosts.tool_loop.permissions import read_permissions
from hookline.hosts.tool_loop.sessions import ModelAgent
from hookline.hosts.tool_loop.toolbox import Toolbox
from hookline.hosts.user_judge import Judge, give_judge
from hookline.model.errors import HooklineError, UsageError
from hookline.model.hooks import HookSpec
from hookline.model.results import FAILURES, OBJECTIONS, HookFinished, HookResult, fate
from hookline.system import files
from hookline.system.clock import monotonic
from hookline.system.locks import file_lock
from hookline.system.processes.detached import own_command

DIRECTIONS = ("block", "allow", "ask")
EXAMPLE = 'hookline iterate --spec specs/SPEC.md --iterations 5 --agent "opencode acp"'
MODE = "bypassPermissions"
DEFAULT_SPEC = "specs/SPEC.md"

Hear = Callable[[Mapping[str, Any]], None]


def run(arguments: list[str]) -> int:
    """Runs iterations until the session is complete, the limit is reached or too many fail in a row."""
    options = _options(arguments)
    if options.agent is None and options.model is None:
        raise UsageError("iterate: give `--agent` or `--model`", "see `hookline iterate --help`")
    return asyncio.run(_run(options))


def _options(arguments: list[str]) -> Namespace:
    parser = common.parser("iterate", "Runs an agent in rounds, each with a fresh context.", EXAMPLE)
    add_store_options(parser, "the name of the spec file, or `default`")
    add = parser.add_argument
    add("--spec", metavar="FILE", help=f"what to build (default: {DEFAULT_SPEC} if there is one)")
    flags.add_count(parser, "--iterations", "iterations of this run (0: no limit)", 0)
    add("--agent", metavar="CMD", help="an ACP agent, such as `opencode acp`")
    flags.add_model(parser, or_agent=True)
    add("--template", metavar="FILE", help="the prompt of an iteration, with {{spec}}, {{tasks}}, …")
    add("--extra", default="", metavar="TEXT", help="words for {{extra}} of the template")
    flags.add_count(parser, "--max-failures", "failed iterations in a row that end it (3)", 3, least=1)
    flags.add_span(parser, "--backoff", "seconds between a failed iteration and the next (1); doubles", 1.0)
    flags.add_span(parser, "--turn-timeout", "seconds that an agent's turn may take (0: no limit)", 0)
    add("--guards", metavar="G", help="workers on the bus whose hooks guard this run, too")
    flags.add_span(parser, "--guards-timeout", "seconds to wait for them (10)", 10.0)
    add("--guards-failure", choices=DIRECTIONS, default="block", help="when they do not answer (block)")
    add("--reset", action="store_true", help="forget the session first")
    add("--restart", action="store_true", help="work on in a session that is complete")
    add("--headless", action="store_true", help="no live view, also on a terminal")
    add("--json", action="store_true", help="one JSON object per line")
    flags.add_untrusted(parser)
    return parser.parse_args(arguments)


async def _run(options: Namespace) -> int:
    workspace, place = common.workspace_of(options.workspace), common.place_of(options.workspace)
    assignment, name = _assignment(options, place)
    printer: Any = None
    log = open_log(
        data_dir_of(options), options.bus, lambda text: (printer.warn if printer else common.warn)(text)
    )
    try:
        store = TaskStore(log, options.name or name)
        with _alone(options, store.session):
            if not await _prepared(store, options):
                return 0
            printer = _printer(options, store)
            summary = Summary()
            extra = _remote_guards(options, log)
            opened = open_engine(
                workspace, listener=printer.hook, warn=printer.warn, extra=extra, place=place
            )
            opened.engine.listen(summary.hook)
            common.begin_guarded(opened, options.untrusted)
            common.say(f"nothing is asked here: permission mode `{MODE}` under deny rules and hooks")
            tools = McpHttp(McpServer(_agents_store(store)))
            await tools.start()
            try:
                hear = summary.beside(printer.event)
                iterations = _iterations(options, opened, store, assignment, printer, tools.url, hear)
                return await _to_the_end(iterations, printer, store, summary)
            finally:
                await tools.stop()
    finally:
        await log.close()


def _assignment(options: Namespace, workspace: str) -> tuple[Assignment, str]:
    path = options.spec or os.path.join(workspace, DEFAULT_SPEC)
    spec = _text_of(path) if options.spec or os.path.exists(path) else None
    template = _text_of(options.template) if options.template else TEMPLATE
    assignment = Assignment(
        spec or "",
        template,
        options.extra,
        options.iterations,
        options.max_failures,
        options.backoff,
        options.turn_timeout,
    )
    return assignment, "default" if spec is None else name_from(path)


def _text_of(path: str) -> str:
    found = files.read_text(path)
    if found.state not in ("text", "empty"):
        raise UsageError(f"`{path}` {found.reason or f'is {found.state}'}", "name a file with text in it")
    return found.text


def _alone(options: Namespace, session: str) -> Any:
    """Two runs of one session on a machine would do everything twice."""
    return file_lock(os.path.join(data_dir_of(options), session), timeout_s=0.5)


async def _prepared(store: TaskStore, options: Namespace) -> bool:
    """False when there is nothing left to do."""
    if options.reset:
        await store.write("control", "reset", {})
    state = await store.refresh()
    if state.complete and options.restart:
        await store.write("control", "session_restart", {})
    elif state.complete and not state.running and not state.pending:
        common.say(f"session `{store.session}` is complete; `--restart` works on, `--reset` begins anew")
        return False
    return True


def _iterations(
    options: Namespace,
    opened: Opened,
    store: TaskStore,
    assignment: Assignment,
    printer: Any,
    url: str,
    hear: Hear,
) -> Iterations:
    make = _model_agent if options.agent is None else _acp_agent
    return Iterations(
        opened.engine,
        make(options, opened, store, printer),
        store,
        opened.place,
        assignment,
        mcp_servers=_tool_servers(options, store.session, url),
        on_event=hear,
        warn=printer.warn,
    )


def _model_agent(options: Namespace, opened: Opened, store: TaskStore, printer: Any) -> Agent:
    model = open_model(options.model, opened.engine.environment, options.base_url, options.record)
    if opened.engine.services.complete is None:
        opened.engine.provide(complete=Judge(model, opened.place, opened.engine.environment, None))
    toolbox = Toolbox.standard().plus(*task_tools(_agents_store(store), IN_LOOP))
    permissions = read_permissions(opened, MODE, printer.warn)
    return ModelAgent(opened.engine, model, toolbox, store.session, permissions, printer.event)


def _acp_agent(options: Namespace, opened: Opened, store: TaskStore, printer: Any) -> Agent:
    give_judge(opened)
    argv = common.agent_argv(options.agent)
    permissions = read_permissions(opened, MODE, printer.warn)
    client = AcpClient(opened.engine, opened.place, store.session, printer.event, store.hold, permissions)
    return HostedAgent(argv, client, options.model or "", options.record, printer.warn)


def _tool_servers(options: Namespace, session: str, url: str) -> list[Mapping[str, Any]]:
    """Our task tools in both forms that ACP has; an agent takes the one it can reach."""
    bus = ["--bus", options.bus] if options.bus else []
    place = ("--name", session, "--data-dir", data_dir_of(options))
    program, *arguments = own_command("task", "mcp", *place, *bus)
    return [
        {"type": "http", "name": SERVER, "url": url, "headers": []},
        {"name": SERVER, "command": program, "args": arguments, "env": []},
    ]


def _remote_guards(options: Namespace, log: Any) -> tuple[HookSpec, ...]:
    if options.guards is None:
        return ()
    if options.bus is None:
        raise UsageError("iterate: `--guards` needs `--bus`")
    subject_of(options.guards)
    guards = RemoteGuards(options.guards, options.guards_timeout, options.guards_failure)
    return guards.hooks(log.ask)


def _agents_store(store: TaskStore) -> TaskStore:
    return TaskStore(store.log, store.session, by_agent=True)


async def _to_the_end(iterations: Iterations, printer: Any, store: TaskStore, summary: Summary) -> int:
    """The run and its end: the first signal stops the run, `session_end` hooks still run; a second quits."""
    heard: list[int] = []
    printer.event({"type": "session.started", "session_id": store.session})
    result, fault = None, None
    printer.open(iterations)
    try:
        result = await until_signal(iterations.run(), heard)
    except HooklineError as error:
        fault = error
    reason = "interrupted" if heard else "other" if result is not None and result.ok else "error"
    before = len(heard)
    try:
        await until_signal(iterations.end(reason), heard)
        if len(heard) > before:
            printer.warn("stopped at once; session_end hooks did not finish")
    finally:
        await printer.close()
    status = "interrupted" if heard else "failed" if result is None else result.status
    printer.event({"type": "session.ended", "session_id": store.session, "reason": reason, "status": status})
    for line in () if isinstance(printer, JsonLines) else summary.lines(store.state):
        common.say(line)
    if fault is not None:
        raise fault
    return _exit_code(result, heard)


def _exit_code(result: RunResult | None, heard: list[int]) -> int:
    if heard:
        return 128 + heard[0]
    if result is None or not result.ok:
        if result is not None and result.error:
            common.say(f"error: {result.error}")
        elif result is not None:
            common.say(f"error: {result.unrecovered} failed iterations were not made good")
        return 1
    words = "the session is complete" if result.status == "completed" else "the limit is reached"
    common.say(f"{words} after {result.iterations} iteration{'' if result.iterations == 1 else 's'}")
    return 0


def _printer(options: Namespace, store: TaskStore) -> Any:
    if options.json:
        return JsonLines()
    if (
        not options.headless
        and all(each.isatty() for each in (sys.stdin, sys.stdout, sys.stderr))
        and files.environment().get("TERM", "dumb") != "dumb"
    ):
        return LiveView(store)
    return LinePrinter()


class Printer:
    """Hears a run; `open` and `close` frame it."""

    def warn(self, text: str) -> None:
        common.warn(text)

    def open(self, run: Iterations) -> None:
        """The run is about to start."""

    async def close(self) -> None:
        """The run is over."""


class JsonLines(Printer, JsonPrinter):
    """The event stream."""


class LinePrinter(Printer):
    """Without a terminal to draw on: the agent's words on stdout, one line per hook and round on stderr."""

    def hook(self, news: Any) -> None:
        if not isinstance(news, HookFinished):
            return
        result = news.result
        took = f" ({duration(result.raw.timings.total)})" if result.raw is not None else ""
        words = f" — {told}" if (told := first_words(result)) else ""
        spec = result.spec
        common.say(f"  {mark_of(result)} {spec.native_event}: {label_of(spec, 80)}{took}{words}")

    def event(self, fields: Mapping[str, Any]) -> None:
        kind = fields["type"]
        if kind == "message" and fields["role"] == "assistant":
            text = fields["text"]
            sys.stdout.write((visible(text, keep="\n\t") if sys.stdout.isatty() else text) + "\n")
            sys.stdout.flush()
        elif kind == "message" and fields["role"] in ("hook", "notice"):
            common.say_words(fields["text"])
        elif kind == "iteration.started":
            common.say(f"iteration {fields['iteration']}")
        elif kind == "iteration.finished" and fields["error"]:
            common.say(f"iteration {fields['iteration']} failed: {fields['error']}")


class Round:
    """One iteration as it went. What ran before the first is its number 0."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.began = monotonic()
        self.took = 0.0
        self.status = ""
        self.error = ""
        self.hooks = 0
        self.failed: list[HookResult] = []


class Summary:
    """Hears a run; `lines` afterwards."""

    def __init__(self) -> None:
        self._rounds = [Round(0)]

    def hook(self, news: Any) -> None:
        if isinstance(news, HookFinished):
            self._rounds[-1].hooks += 1
            if fate(news.result) in (*FAILURES, *OBJECTIONS):
                self._rounds[-1].failed.append(news.result)

    def event(self, fields: Mapping[str, Any]) -> None:
        if fields["type"] == "iteration.started":
            self._rounds.append(Round(fields["iteration"]))
        elif fields["type"] == "iteration.finished":
            newest = self._rounds[-1]
            newest.status, newest.error = fields["status"], fields["error"]
            newest.took = monotonic() - newest.began

    def beside(self, other: Hear) -> Hear:
        """A listener to a run's events that tells both."""

        def hear(fields: Mapping[str, Any]) -> None:
            self.event(fields)
            other(fields)

        return hear

    def lines(self, state: SessionState) -> Iterator[str]:
        """The rounds with the hooks that failed, then how many tasks stand where."""
        for each in self._rounds:
            if each.number:
                error = f": {visible(each.error)}" if each.error else ""
                took = f" in {duration(each.took)}" if each.took else ""
                failed = f", {len(each.failed)} failed" if each.failed else ""
                ended = each.status or "not finished"
                yield f"iteration {each.number}: {ended}{took}, {counted(each.hooks, 'hook')}{failed}{error}"
            for result in each.failed:
                words = f" — {told}" if (told := first_words(result)) else ""
                yield f"  {mark_of(result)} {result.spec.native_event}: {label_of(result.spec, 60)}{words}"
        found = Counter(task.status for task in state.tasks.values())
        if found:
            yield "tasks: " + ", ".join(
                f"{count} {status.replace('_', ' ')}" for status, count in found.items()
            )
