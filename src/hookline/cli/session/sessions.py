"""`hookline sessions`: what ran, when, and how it ended."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from hookline.cli import common, flags
from hookline.cli.actions import Action, run_action
from hookline.cli.render import one_line, table
from hookline.cli.session.session_list import every_session
from hookline.hosts.issues.session_files import MONTH_S, Session, SessionStore, session_as_json
from hookline.model.errors import ConfigError, UsageError
from hookline.state.paths import Paths
from hookline.state.since import span_s
from hookline.state.transcripts import TranscriptStore
from hookline.system import files

LIST_LIMIT = 10
ABOUT_LIMIT = 40


def _list(parser: ArgumentParser, arguments: list[str]) -> int:
    flags.add_count(parser, "--limit", "0: all (default: 10)", LIST_LIMIT)
    parser.add_argument(
        "--status", choices=("active", "completed", "interrupted", "failed", "kept"), help="only those"
    )
    parser.add_argument("--json", action="store_true", help="a list of objects as in the files")
    options = parser.parse_args(arguments)
    every = [
        s for s in _every(options.workspace) if options.status in (None, s.status) and _is_meant(options, s)
    ]
    shown = every[: options.limit or None]
    if options.json:
        common.print_json([session_as_json(session) for session in shown])
        return 0
    if not shown:
        common.say("no sessions yet")
        return 0
    head = ("session", "by", "status", "started", "about", "provider", "workspace")
    sys.stdout.write(table(head, [_row(session) for session in shown]))
    if len(shown) < len(every):
        common.say(f"{len(every) - len(shown)} more; `--limit 0` shows all")
    return 0


def _show(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("id", metavar="ID", help="the id, or enough of its beginning")
    parser.add_argument("--json", action="store_true", help="an object as in the file")
    options = parser.parse_args(arguments)
    found = [session for session in _every(options.workspace) if session.id.startswith(options.id)]
    exact = [session for session in found if session.id == options.id] or found
    if len(exact) != 1:
        words = f"{len(exact)} sessions begin with" if exact else "no session"
        raise ConfigError(f"{words} `{options.id}`", "`hookline sessions list` shows them")
    _tell(options, exact[0])
    return 0


def _current(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("--json", action="store_true", help="an object, or null")
    options = parser.parse_args(arguments)
    session = _current_of(options)
    if session is not None or options.json:
        _tell(options, session)
    else:
        common.say("no session is active")
    return 0


def _current_of(options: Namespace) -> Session | None:
    store = _store()
    if options.workspace is None:
        return store.current()
    common.place_of(options.workspace)  # a folder that is not there is wrong usage, sessions or none
    return next((s for s in store.list() if s.status == "active" and _is_meant(options, s)), None)


def _prune(parser: ArgumentParser, arguments: list[str]) -> int:
    parser.add_argument("--older-than", metavar="SPAN", help="`12h`, `7d`, `4w`; 0 is any age (default: 30d)")
    flags.add_count(parser, "--keep", "never the newest N, runs and conversations each", 0)
    parser.add_argument("--json", action="store_true", help="the ids removed")
    options = parser.parse_args(arguments)
    age_s = MONTH_S if options.older_than is None else _span_s(options.older_than)
    workspace = None if options.workspace is None else common.place_of(options.workspace)
    chats = TranscriptStore(_paths().transcripts).prune(age_s, options.keep, workspace)
    # a run of issues keeps a conversation under its own id
    gone = tuple(dict.fromkeys((*_store().prune(age_s, options.keep, workspace), *chats)))
    if options.json:
        common.print_json(list(gone))
    else:
        sys.stdout.write(f"✓ Removed {len(gone)} session{'' if len(gone) == 1 else 's'}\n")
    return 0


def _store() -> SessionStore:
    """The user's sessions, those of dead processes put right first."""
    store = SessionStore(_paths().autoagent_sessions, common.warn)
    store.recover()
    return store


def _paths() -> Paths:
    return Paths.from_environment(files.environment())


def _every(workspace: str | None) -> list[Session]:
    return every_session(_store(), _paths(), common.place_of(workspace), common.warn)


def _is_meant(options: Namespace, session: Session) -> bool:
    """With `--workspace` only the sessions of that one."""
    return options.workspace is None or session.workspace == common.place_of(options.workspace)


def _row(session: Session) -> tuple[str, ...]:
    started = session.start_time[:19].replace("T", " ")
    by = next(iter(session.args), "-")
    return (
        session.id,
        by,
        session.status,
        started,
        _about(session),
        session.provider or "-",
        session.workspace,
    )


def _about(session: Session) -> str:
    """The first prompt of a conversation; how much of its work another session has done."""
    if session.issues_planned:
        return f"{len(session.issues_completed)}/{len(session.issues_planned)} issues"
    if "tasks" in session.extra:
        return f"{session.extra.get('tasksCompleted', 0)}/{session.extra['tasks']} tasks"
    title = _flat(session.extra.get("title") or "-")
    return title if len(title) <= ABOUT_LIMIT else title[: ABOUT_LIMIT - 1] + "…"


def _tell(options: Namespace, session: Session | None) -> None:
    if options.json:
        common.print_json(None if session is None else session_as_json(session))
        return
    for name, value in session_as_json(session).items() if session is not None else ():
        shown = ", ".join(map(str, value)) if isinstance(value, list) else value
        sys.stdout.write(f"{name:<16} {_flat(shown)}\n")


def _flat(value: object) -> str:
    if isinstance(value, dict):
        value = ", ".join(f"{key} {entry}" for key, entry in value.items())
    return one_line(str(value), 500)


def _span_s(text: str) -> float:
    found = span_s(f"{text}d" if text.isdecimal() else text)
    if found is None:
        raise UsageError(f"--older-than: `{text}` is no span", "write `12h`, `7d` or `4w`")
    return found


ACTIONS = {
    "list": Action("the newest sessions, each with its status", "hookline sessions list --limit 20", _list),
    "show": Action("one session in full", "hookline sessions show session-1704067200000-abc123", _show, "ID"),
    "current": Action(
        "the session that started last and is not over", "hookline sessions current --json", _current
    ),
    "prune": Action(
        "remove ended sessions and conversations (older than 30 days)",
        "hookline sessions prune --older-than 7d --keep 5",
        _prune,
    ),
}


def run(arguments: list[str]) -> int:
    """Finds the action and runs it."""
    place = "only sessions of that project (default: of every one)"
    return run_action("sessions", ACTIONS, arguments, workspace=place)
