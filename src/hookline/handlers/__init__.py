"""Carry out one hook and say what happened, without an opinion."""

from __future__ import annotations

from hookline.model.hooks import (
    Action,
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
from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Mapping
from hookline.system.modules import attribute

if TYPE_CHECKING:
    from hookline.handlers.base import Handler

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
    Unusable: ("answer", "run_unusable"),
}


def handler_for(action: Action) -> Handler:
    """The function that carries out an action of this kind."""
    module, function = HANDLERS[type(action)]
    found: Handler = attribute(f"hookline.handlers.{module}", function)
    return found
