"""What the agents call their events and tools, of all agents at once.

A name that one agent does not know may be another's. To tell so from their own tables would load every dialect, so they
stand in two files. A test compares them:
`HOOKLINE_WRITE_DOCS=1 python3 do.py test tests/dialects/test_every_agent.py -k are_those_of_the_agents`.
"""

from __future__ import annotations

from hookline.dialects.tools import Tools
from hookline.system.modules import text_beside

ALL_EVENTS = frozenset(text_beside(__name__, "all_events.txt").split())
_PAIRS = (word.partition(":") for word in text_beside(__name__, "all_tools.txt").split())
ALL_TOOLS = Tools(names=tuple((pair[0], pair[2]) for pair in _PAIRS))
