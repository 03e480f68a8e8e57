"""`hookline scripted-agent`: an ACP agent on standard input and output that plays a script."""

from __future__ import annotations

from hookline.agents.scripted import load_script
from hookline.cli import common
from hookline.hosts.scripted_agent import ScriptedAgent
from hookline.system import files
from hookline.system.loops.loop import run_asyncio

EXAMPLE = 'hookline iterate --iterations 1 --agent "hookline scripted-agent turns.yml"'


def run(arguments: list[str]) -> int:
    """Serves one client until its input ends."""
    parser = common.parser("scripted-agent", "An ACP agent on stdio that plays a script.", EXAMPLE)
    parser.add_argument("script", metavar="FILE", help="the script (YAML or JSON)")
    parser.add_argument("--record", metavar="FILE", help="append one JSON line per prompt")
    options = parser.parse_args(arguments)
    agent = ScriptedAgent(load_script(options.script), files.environment(), options.record)
    run_asyncio(agent.serve())
    return 0
