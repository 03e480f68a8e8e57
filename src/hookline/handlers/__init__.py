"""Carry out one hook and say what happened, without an opinion."""

from __future__ import annotations

from hookline.model.hooks import (
    Answer,
    Command,
    GitCommit,
    GitPush,
    Inline,
    McpTool,
    PromptCheck,
    Unusable,
    Webhook,
)
from hookline.system.modules import attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from hookline.handlers.base import Handler
    from hookline.model.hooks import Action
    from hookline.model.record import Record

# Imported at the first use, so that a command hook never pays for HTTP.
HANDLERS: Mapping[type[Record], tuple[str, str]] = {
    Command: ("command", "run_command"),
    Inline: ("inline", "run_inline"),
    Webhook: ("http.webhook", "run_webhook"),
    PromptCheck: ("prompt", "run_prompt"),
    McpTool: ("mcp_tool", "run_mcp_tool"),
    GitCommit: ("git", "run_git_commit"),
    GitPush: ("git", "run_git_push"),
    Answer: ("answer", "run_answer"),
    Unusable: ("unusable", "run_unusable"),
}


def handler_for(action: Action) -> Handler:
    """The function that carries out an action of this kind."""
    module, function = HANDLERS[type(action)]
    found: Handler = attribute(f"hookline.handlers.{module}", function)
    return found
