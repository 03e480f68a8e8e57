"""AGENT-HOOKS-0.1, the forming standard of hooks: hookline as its host, and as an interceptor of other hosts.

What is declared and tested is in docs/agent-hooks.md.
"""

from hookline.integrations.agent_hooks.composing import Composition, Emission, Emitter
from hookline.integrations.agent_hooks.host import Host
from hookline.integrations.agent_hooks.identity import Identity
from hookline.integrations.agent_hooks.interceptor import Hooks
from hookline.integrations.agent_hooks.tool_loop import MediatedLoop

__all__ = ["Composition", "Emission", "Emitter", "Hooks", "Host", "Identity", "MediatedLoop"]
