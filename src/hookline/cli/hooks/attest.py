"""`hookline attest`: do the guards fire, for each agent that is used here?"""

from __future__ import annotations

import sys

from hookline.cli import common, flags
from hookline.cli.history.opened import opened_history
from hookline.cli.hooks.attest_fleet import attest_fleet
from hookline.cli.hooks.attest_views import as_json, sarif_of, text_of
from hookline.cli.hooks.listing import opened_for
from hookline.installing.attesting import attest
from hookline.system.loops.loop import run_asyncio

FORMATS = ("text", "json", "sarif")
EXAMPLE = "hookline attest --agent claude --output-format sarif"
_SUMMARY = (
    "Proves by canary calls, sent the way each agent sends its own, that guards are installed, trusted and fire.\n"
    "Nothing of a canary is carried out; guards are asked about it for real. Exits 1 when one would not fire."
)


def run(arguments: list[str]) -> int:
    """Prints each guard with what was seen of it; 1 when one would not fire."""
    parser = common.parser("attest", _SUMMARY, EXAMPLE)
    words = "that agent, whether it is used here or not; without it every one that is"
    flags.add_several(parser, "--agent", "A", words)
    flags.add_formats(parser, FORMATS)
    flags.add_bus(parser, "of all machines that hold a policy over this NATS server")
    parser.add_argument("--group", default="all", metavar="G", help="which machines (default: all)")
    flags.add_span(parser, "--wait", "how long to wait for them (20)", 20.0)
    options = parser.parse_args(arguments)
    form = options.output_format
    if options.bus:
        return attest_fleet(options.bus, options.group, options.wait, form)
    opened = opened_for(options)
    with opened_history() as history:
        found = run_asyncio(attest(opened, history, options.agent))
    sys.stdout.write(_WRITERS[form](found))
    return 1 if found.lapses else 0


_WRITERS = {
    "text": lambda found: text_of(as_json(found)),
    "json": lambda found: common.json_text(as_json(found)),
    "sarif": lambda found: sarif_of(found.lapses),
}
