"""`hookline entrypoint`: the session hooks, then the parent of a command."""

from __future__ import annotations

from hookline.cli import common
from hookline.hosts.entrypoint import DEFAULT_USER, Start, run_session_hooks, session_hooks
from hookline.model.errors import HandlerError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from hookline.engine.opening import Opened

EXAMPLE = "hookline entrypoint -- hookline serve --model anthropic:NAME"
NOT_STARTED = 127


def run(arguments: list[str]) -> int:
    """Runs the session hooks, then the command as its parent; the command's exit status."""
    from hookline.engine.opening import open_engine
    from hookline.hosts.user_judge import give_judge
    from hookline.system.parent import run_as_parent

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
        return NOT_STARTED


def _run_hooks(opened: Opened, start: Start, beside: bool) -> None:
    from hookline.system.loop import run_asyncio

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
    from hookline.system.parent import own_command

    options = ("--session", start.session_id, "--user", start.user, "--workspace", opened.workspace)
    return (own_command("entrypoint", "--beside", *options),)


def _options(arguments: list[str]) -> Namespace:
    from argparse import SUPPRESS

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
