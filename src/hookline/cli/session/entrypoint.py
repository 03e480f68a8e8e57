"""`hookline entrypoint`: the session hooks, then the parent of a command."""

from __future__ import annotations

from argparse import SUPPRESS, Namespace

from hookline.cli import common
from hookline.engine.opening import Opened, open_engine
from hookline.hosts.entrypoint import DEFAULT_USER, Start, run_session_hooks, session_hooks
from hookline.hosts.user_judge import give_judge
from hookline.model.errors import HandlerError, UsageError
from hookline.system.loops.loop import run_asyncio
from hookline.system.processes.as_init import run_as_parent
from hookline.system.processes.detached import own_command

EXAMPLE = "hookline entrypoint -- hookline serve --model anthropic:NAME"
NOT_FOUND, NOT_RUNNABLE = 127, 126


def run(arguments: list[str]) -> int:
    """Runs the session hooks, then the command as its parent; the command's exit status."""
    cut = arguments.index("--") if "--" in arguments else len(arguments)
    options, command = _options(arguments[:cut]), arguments[cut + 1 :]
    if not command and not options.beside:
        raise UsageError("entrypoint: no command to start", "put it behind `--`")
    opened = open_engine(common.workspace_of(options.workspace), warn=common.warn)
    give_judge(opened)
    session = options.session or opened.engine.environment.get("SESSION_ID") or "default"
    start = Start(session, options.user)
    opened.paths.discobot_hooks(session)
    _run_hooks(opened, start, options.beside)
    if options.beside:
        return 0
    try:
        return run_as_parent(command, opened.engine.environment, _beside(opened, start))
    except HandlerError as error:
        common.say(f"error: {error.message}")
        return NOT_FOUND if isinstance(error.__cause__, FileNotFoundError | ValueError) else NOT_RUNNABLE


def _run_hooks(opened: Opened, start: Start, beside: bool) -> None:
    if not beside:
        for problem in opened.hooks.problems:
            if problem.severity == "error":
                common.say(str(problem))
    if not session_hooks(opened, beside):
        return
    if not beside:
        common.name_untrusted(opened)
    summary = run_asyncio(run_session_hooks(opened, start, beside, common.say))
    common.say(f"{summary.words} (in the background)" if beside else summary.words)


def _beside(opened: Opened, start: Start) -> tuple[tuple[str, ...], ...]:
    """Hooks that do not hold up the start run in a process of their own, which we reap like any other."""
    if not session_hooks(opened, background=True):
        return ()

    options = ("--session", start.session_id, "--user", start.user, "--workspace", opened.workspace)
    return (own_command("entrypoint", "--beside", *options),)


def _options(arguments: list[str]) -> Namespace:
    parser = common.parser("entrypoint", "Runs the session hooks, then CMD as its parent.", EXAMPLE)
    parser.usage = "hookline entrypoint [options] -- CMD..."
    parser.add_argument(
        "--user",
        default=DEFAULT_USER,
        metavar="NAME",
        help=f"who `run_as: user` is (default: {DEFAULT_USER})",
    )
    parser.add_argument(
        "--session", metavar="ID", help="the session id (default: $SESSION_ID, else `default`)"
    )
    parser.add_argument("--beside", action="store_true", help=SUPPRESS)
    return parser.parse_args(arguments)
