"""What a tool loop and its subagents have in common."""

from __future__ import annotations

from hookline.hosts.tool_loop.permissions import Permissions


class Shared:
    """Requests made, tokens used (sent and received), and the permissions."""

    def __init__(self, max_turns: int, permissions: Permissions) -> None:
        self.max_turns = max_turns
        self.permissions = permissions
        self.requests = 0
        self.usage = [0, 0]
        self.agents = 0

    def use(self, permissions: Permissions) -> None:
        self.permissions = permissions
