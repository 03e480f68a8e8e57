"""`hookline serve`: the turn host behind HTTP, with its page."""

from __future__ import annotations

from argparse import Namespace

from hookline.agents.base import Model
from hookline.agents.llm import LlmModel
from hookline.agents.models import PROVIDERS, open_model
from hookline.cli import access, common, flags
from hookline.engine.opening import open_engine
from hookline.hosts.tool_loop.permissions import MODES
from hookline.hosts.turns.host import TurnHost
from hookline.model.errors import UsageError

EXAMPLE = "hookline serve --model scripted:turns.yml --port 0"
DEFAULT_PORT = 8137


def run(arguments: list[str]) -> int:
    """Serves until interrupted; the first line on stdout names the address, the second how a browser gets in."""
    options = _options(arguments)
    workspace = common.workspace_of(options.workspace)
    place = access.place_of("serve", options)
    from hookline.web.app import serve

    opened = open_engine(workspace, warn=common.warn, place=common.place_of(options.workspace))
    environment = opened.engine.environment
    provider = options.model.partition(":")[0]

    def other(name: str) -> Model:
        prefix, colon, _ = name.partition(":")
        if colon and prefix in PROVIDERS and prefix != provider:
            raise UsageError(f"unknown model `{name[:200]}`", f"this server talks to {provider} only")
        named = name if prefix == provider else f"{provider}:{name}"
        return open_model(named, environment, options.base_url, options.record)

    model = open_model(options.model, environment, options.base_url, options.record)
    if isinstance(model, LlmModel):
        model.prepare()
    common.begin_guarded(opened, options.untrusted)
    mode = options.permission_mode or "bypassPermissions"
    common.say(f"nothing is asked here: permission mode {mode}, under deny rules and hooks")
    session = environment.get("SESSION_ID") or "default"
    host = TurnHost(
        opened,
        model,
        mode=mode,
        warn=common.warn,
        default_session=session,
        other_model=None if provider == "scripted" else other,
    )
    host.hide({access.VARIABLE: place.token})
    serve(host, place)
    return 0


def _options(arguments: list[str]) -> Namespace:
    parser = common.parser("serve", "Serves the turn host: HTTP API, event streams and the page.", EXAMPLE)
    access.add_options(parser, DEFAULT_PORT)
    flags.add_model(parser)
    parser.add_argument("--permission-mode", choices=MODES, help="default: bypassPermissions")
    flags.add_untrusted(parser)
    return parser.parse_args(arguments)
