"""`hookline issues run`: works on issues until they are done, blocked, or somebody interrupts."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from functools import cache
from typing import Any

from hookline.agents.base import OnEvent
from hookline.agents.cli_process import PROGRAMS, program_from
from hookline.agents.models import open_model
from hookline.cli import common, flags
from hookline.cli.ending import hearing
from hookline.cli.live import LiveLines, first_words
from hookline.cli.render import one_line, table
from hookline.cli.session.printing import JsonPrinter, TextPrinter
from hookline.engine.opening import Opened, open_engine
from hookline.hosts.acp_client import AcpClient, HostedAgent
from hookline.hosts.issues.host import IssueHost, lock_of
from hookline.hosts.issues.providers import (
    AgentProvider,
    MockProvider,
    ModelProvider,
    Patience,
    ProgramProvider,
    Provider,
    ProviderChain,
)
from hookline.hosts.issues.report import HEAD, INTERRUPTED, WORDS, Report, as_markdown, rows
from hookline.hosts.issues.run_log import RateLimits
from hookline.hosts.issues.session_files import Session, SessionStore
from hookline.hosts.issues.settings import DIALECT, Settings, read_settings
from hookline.hosts.issues.targets import Selection, select
from hookline.hosts.tool_loop.permissions import read_permissions
from hookline.hosts.tool_loop.sessions import Wish
from hookline.hosts.user_judge import give_judge
from hookline.model.errors import ConfigError, UsageError
from hookline.model.results import HookResult, Verdict
from hookline.system import files
from hookline.system.repository.git import branch, head_commit

REMOVED = {
    "--commit": "run `hookline config set-auto-commit true`",
    "--no-commit": "run `hookline config set-auto-commit false`",
    "--push": "run `hookline config set-auto-push true`",
    "--no-push": "run `hookline config set-auto-push false`",
}
AUTOAGENT_FILE = ".autoagent/config.json"
PROBLEMS_SHOWN = 10


def run(parser: ArgumentParser, arguments: list[str]) -> int:
    """Exits 0 when every issue was completed, 1 when one was not, 128 and the signal's number after one."""
    for flag, hint in REMOVED.items():
        if flag in arguments:
            raise UsageError(f"issues run: `{flag}` was removed: git hooks do this now", hint)
    _add_options(parser)
    options = parser.parse_args(arguments)
    options.given = ["issues", "run", *arguments]
    return asyncio.run(_run_session(options))


def _add_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "target", nargs="?", help="a number, a range `2-5`, a name, an issue file, a specification (.md)"
    )
    parser.add_argument("--all", action="store_true", help="every pending issue, new ones included")
    parser.add_argument(
        "--resume", nargs="?", const="", metavar="ID", help="what an interrupted session left"
    )
    parser.add_argument("--wait", action="store_true", help="let a run that works here already end first")
    parser.add_argument("--dry-run", action="store_true", help="no provider, no change; guards are asked")
    parser.add_argument("-p", "--provider", metavar="NAME", help="this provider only")
    flags.add_model(parser, or_agent=True)
    parser.add_argument("--agent", metavar="CMD", help="an ACP agent, started for this run")
    flags.add_count(parser, "--max-turns", "with --model: requests to it per issue (50)", 50, least=1)
    flags.add_several(
        parser, "--add-dir", "DIR", "a further folder that a configured provider may read", flags.folder
    )
    flags.add_several(
        parser, "--report", "FILE", "write the report, as JSON where FILE ends so, else as Markdown"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    flags.add_untrusted(parser)


async def _run_session(options: Namespace) -> int:
    place = common.place_of(options.workspace)
    settings = read_settings(place, files.home(), files.environment())
    printer = printer_for(options.json, settings["logLevel"])
    workspace = common.workspace_of(options.workspace)
    opened = open_engine(workspace, listener=printer.hook, warn=common.warn, place=place)
    _name_problems(settings, opened)
    common.begin_guarded(opened, options.untrusted)
    lock = await lock_of(place, opened.paths.state_home)
    if not options.dry_run:
        await lock.take(options.wait, common.say)
    try:
        return await _run_locked(options, opened, settings, printer)
    finally:
        lock.release()


async def _run_locked(
    options: Namespace, opened: Opened, settings: Settings, printer: JsonPrinter | IssuePrinter
) -> int:
    workspace, store = opened.place, _store(opened)
    selection = _selection(options, workspace, store)
    chain = _chain(options, opened, settings, printer.event)  # a model that does not exist is told of first
    if not selection.numbers:
        common.say("no pending issues")
        return 0
    common.say("permissions: bypassPermissions under deny rules and hooks; nothing is asked")
    host = IssueHost(
        opened.engine, chain, store, await _begun(options, store, workspace, selection, chain.name),
        instructions=_instructions(workspace, settings), on_event=printer.event, dry_run=options.dry_run,
    )  # fmt: skip
    report, signalled = await _until_done(host, selection)
    _show(options, report)
    if signalled:
        if not options.dry_run and store.get(report.session_id) is not None:
            common.say(f"`hookline issues run --resume {report.session_id}` goes on with what is left")
        return 128 + signalled
    return 0 if report.status == "completed" and not report.failed else 1


def _name_problems(settings: Settings, opened: Opened) -> None:
    """What is wrong with the settings, and with the hooks of all configs; nobody finds out by silence.

    The settings' reader has told already what keeps AutoAgent's file as a whole from being read.
    """
    for words in settings.problems:
        common.warn(words)
    told = [
        problem
        for problem in opened.hooks.problems
        if problem.code != "old-key" and (problem.path or not problem.source.endswith(AUTOAGENT_FILE))
    ]
    for problem in told[:PROBLEMS_SHOWN]:
        if problem.severity != "error":  # errors are told with the guards
            common.say_problem(problem)
    if len(told) > PROBLEMS_SHOWN:
        common.warn(f"{len(told) - PROBLEMS_SHOWN} more problems; `hookline check` shows all")


async def _begun(
    options: Namespace, store: SessionStore, workspace: str, selection: Selection, provider: str
) -> Session:
    """The session, on disk before any hook runs."""
    return store.create(
        workspace=workspace,
        command="hookline",
        args=tuple(options.given),
        issues_planned=selection.numbers,
        provider=provider,
        metadata=await _git_state(workspace),
    )


def _store(opened: Opened) -> SessionStore:
    """The session files, with those of dead processes put right."""
    store = SessionStore(opened.paths.autoagent_sessions, common.warn)
    for session in store.recover():
        common.say(f"session {session.id} had been left active; it is interrupted now")
    return store


def _selection(options: Namespace, workspace: str, store: SessionStore) -> Selection:
    if options.resume is None:
        return select(workspace, options.target, options.all)
    if options.target is not None or options.all:
        raise UsageError("--resume takes no target", "leave one of them out")
    session = _interrupted(store, workspace, options.resume)
    left = [number for number in session.issues_planned if number not in session.issues_completed]
    return Selection(tuple(left))


def _interrupted(store: SessionStore, workspace: str, session_id: str) -> Session:
    if session_id:
        found = store.get(session_id)
        if found is None or found.workspace != workspace:
            raise ConfigError(f"no session `{session_id}` in this workspace", "see `hookline sessions list`")
        return found
    for session in store.list():
        if session.status == "interrupted" and session.workspace == workspace:
            return session
    raise ConfigError("no session of this workspace was interrupted", "see `hookline sessions list`")


def _chain(options: Namespace, opened: Opened, settings: Settings, on_event: OnEvent) -> ProviderChain:
    """Who works: the model or agent given, else the configured providers. Raises UsageError early."""
    given = [name for name in ("model", "agent") if getattr(options, name) is not None]
    if given and options.provider:
        raise UsageError(f"--{given[0]} and --provider exclude each other", "leave one of them out")
    if given:
        return ProviderChain([_given_provider(options, opened, settings, on_event)])
    patience = Patience(settings["retryAttempts"], settings["failoverDelay"], settings["rateLimitCooldown"])
    limits = RateLimits(opened.paths.home)
    return ProviderChain(_configured(options, opened, settings, on_event), patience, limits, common.warn)


def _given_provider(options: Namespace, opened: Opened, settings: Settings, on_event: OnEvent) -> Provider:
    if options.agent is not None:
        return _agent_provider(options, opened, on_event)
    model = open_model(options.model, opened.engine.environment, options.base_url, options.record)
    limits = {"max_turns": options.max_turns, "context_tokens": settings["maxTokens"]}
    return ModelProvider(
        opened, model, on_event, Wish(mode="bypassPermissions", **limits), cache(common.warn)
    )


def _agent_provider(options: Namespace, opened: Opened, on_event: OnEvent) -> Provider:
    """An ACP agent by its command line, its tool calls judged by our hooks."""
    give_judge(opened)
    argv = common.agent_argv(options.agent)
    permissions = read_permissions(opened, "bypassPermissions", common.warn)

    def make(session_id: str) -> HostedAgent:
        client = AcpClient(opened.engine, opened.place, session_id, on_event, permissions=permissions)
        return HostedAgent(argv, client, options.model or "", options.record, common.warn)

    return AgentProvider(make, argv[0], opened.place)


def _configured(options: Namespace, opened: Opened, settings: Settings, on_event: OnEvent) -> list[Provider]:
    give_judge(opened)
    environment = opened.engine.environment
    names = [options.provider] if options.provider else list(settings["providers"])
    if environment.get("AUTOAGENT_MOCK_PROVIDER") == "true" and options.provider in (None, "mock"):
        return [MockProvider(environment)]
    own = {name: program_from(name, entry) for name, entry in settings.programs.items()}
    known = {**PROGRAMS, **own}
    unknown = [name for name in names if name not in known]
    if unknown:
        hint = f"known: {', '.join(known)}; `programs` in your own config adds others"
        raise ConfigError(f"no provider `{unknown[0]}`", hint)
    folders = (*settings["additionalDirectories"], *options.add_dir)
    limit_s = settings["providerTimeout"] / 1000
    return [
        ProgramProvider(known[name], opened.place, environment, on_event, folders, limit_s) for name in names
    ]


def _instructions(workspace: str, settings: Settings) -> str:
    """What every provider is told: the project's own rules, the user's, and what we do ourselves."""
    texts = [
        "Work on the issue below, following its plan. Do not commit or push, and leave TODO.md to the "
        "program that runs you.",
        files.read_text(os.path.join(workspace, "AGENT.md")).text.strip(),
        settings["customInstructions"],
        "" if settings["includeCoAuthoredBy"] else "Never name yourself as a co-author.",
    ]
    return "\n\n".join(text for text in texts if text)


async def _git_state(workspace: str) -> Mapping[str, Any] | None:
    found = {"gitBranch": await branch(workspace), "gitCommit": await head_commit(workspace)}
    return {key: value for key, value in found.items() if value} or None


async def _until_done(host: IssueHost, selection: Selection) -> tuple[Report, int]:
    """The report, and the signal that interrupted the run (0: none)."""
    heard: list[int] = []

    def interrupt(number: int) -> None:
        heard.append(number)
        host.interrupt()

    with hearing(interrupt):
        report = await host.run(selection)
    return report, heard[0] if heard else 0


def _show(options: Namespace, report: Report) -> None:
    """The table, unless the stream has said it all, and the files asked for."""
    for path in options.report:
        as_json = common.json_text(report.as_json())
        files.write_atomic(path, as_json if path.endswith(".json") else as_markdown(report))
    if options.json:
        return
    sys.stdout.write(table(HEAD, rows(report)))
    words = f" ({report.words})" if report.words else ""
    sys.stdout.write(f"{report.counts}; session {report.status}{words}\n")


class IssuePrinter(TextPrinter):
    """The lines of `hookline run`, and the issues'. `quiet` leaves out the hooks that run well."""

    def __init__(self, level: str) -> None:
        super().__init__()
        self._lines = LiveLines(sys.stderr, words=_words)
        self._quiet = level in ("warn", "error")

    def hook(self, news: Any) -> None:
        if not self._quiet:
            super().hook(news)

    def event(self, fields: Mapping[str, Any]) -> None:
        kind = fields["type"]
        if kind == "issue.started":
            common.say(f"issue #{fields['issue']}: {one_line(fields['title'], 100)}")
        elif kind == "issue.finished":
            good, bad = WORDS[fields["dry_run"]]
            error = one_line(fields["error"] or "", 400)
            cut = f"✗ {error}" if error == INTERRUPTED else f"✗ {bad}: {error}"
            common.say(f"issue #{fields['issue']} {f'✓ {good}' if fields['success'] else cut}")
        elif kind == "message" and fields["role"] == "error":
            common.say(f"error: {fields['text'].rstrip()}")
        else:
            super().event(fields)


def _words(result: HookResult) -> str:
    """AutoAgent's hooks are shown with all they print, once: their line says only what they decided."""
    shown_whole = result.spec.dialect == DIALECT and result.outcome.verdict == Verdict.NONE
    return "" if shown_whole and result.raw is not None else first_words(result)


def printer_for(as_json: bool, level: str) -> JsonPrinter | IssuePrinter:
    """The event stream, or lines for a person at this log level."""
    return JsonPrinter() if as_json else IssuePrinter(level)
