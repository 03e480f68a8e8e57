"""`hookline page`: the web page on the hooks and the history of a workspace, or of all."""

from __future__ import annotations

from hookline.cli import access, common
from hookline.cli.history.opened import opened_history
from hookline.engine.opening import open_engine

EXAMPLE = "hookline page --port 0"
DEFAULT_PORT = 8138


def run(arguments: list[str]) -> int:
    """Serves until interrupted; the first line on stdout names the address, the second how a browser gets in."""
    parser = common.parser("page", "The hooks and the history of a workspace as a page, live.", EXAMPLE)
    parser.add_argument("--all", action="store_true", help="of every workspace that has a history")
    access.add_options(parser, DEFAULT_PORT)
    options = parser.parse_args(arguments)
    workspace = common.workspace_of(options.workspace)
    place = access.place_of("page", options)
    from hookline.web.records.records import Records
    from hookline.web.records.views import serve_records

    opened = open_engine(workspace, history=False, warn=common.warn)
    with opened_history() as kept:
        serve_records(Records(opened, kept, all_workspaces=options.all), place)
    return 0
