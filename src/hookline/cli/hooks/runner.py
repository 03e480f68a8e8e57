"""Who runs a hook: we do, and of the hooks of agents that call us the agent itself too."""

from __future__ import annotations

from hookline.dialects import dialect, is_agent
from hookline.model.hooks import HookSpec


def agent_of(spec: HookSpec) -> str:
    """The agent that runs this hook by itself from its own settings, in people's words; empty when none does."""
    if not is_agent(spec.dialect) or spec.scope == "session" or spec.origin.bridge or spec.origin.adopted:
        return ""
    return dialect(spec.dialect).title


def runner_words(spec: HookSpec) -> str:
    """What to tell of a hook that its agent runs too; empty for all others."""
    agent = agent_of(spec)
    return f"{agent} runs it itself, whatever hookline says of it" if agent else ""
