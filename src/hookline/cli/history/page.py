"""`hookline page`: the web page on the hooks and the history of a workspace, or of all."""

from __future__ import annotations

from hookline.cli import access, common
from hookline.cli.history.opened import opened_history
from hookline.engine.opening import open_engine
from hookline.model.errors import UsageError

EXAMPLE = "hookline page --port 0"
DEFAULT_PORT = 8138


def run(arguments: list[str]) -> int:
    """Serves until interrupted; the first line on stdout names the address, the second how a browser gets in."""
    parser = common.parser("page", "The hooks and the history of a workspace as a page, live.", EXAMPLE)
    parser.add_argument("--all", action="store_true", help="of every workspace that has a history")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="default: 8138; 0 picks a free one")
    access.add_options(parser)
    options = parser.parse_args(arguments)
    workspace = common.workspace_of(options.workspace)
    try:
        from hookline.web.listening import Place, guarding_of
        from hookline.web.records.app import serve_records
        from hookline.web.records.records import Records
    except ModuleNotFoundError as error:
        hint = "install it with `pip install 'hookline[serve]'`"
        raise UsageError(f"page needs the package `{error.name}`", hint) from error

    token = access.token_of(options)
    place = Place(options.host, options.port, token.text, token.is_new)
    guarding_of(place)
    opened = open_engine(workspace, history=False, warn=common.warn)
    with opened_history() as kept:
        serve_records(Records(opened, kept, all_workspaces=options.all), place)
    return 0
