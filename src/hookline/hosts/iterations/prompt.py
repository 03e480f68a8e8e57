"""The prompt of an iteration: a template and the session's own texts, put together in one pass."""

from __future__ import annotations

import re

from hookline.hosts.iterations.state import SessionState
from hookline.hosts.iterations.tasks import note_lines, task_lines

HISTORY = 5
# Names as in iteratr's templates; a value is never expanded again.
_PLACEHOLDER = re.compile(r"\{\{(session|iteration|spec|notes|tasks|history|extra)\}\}")

TEMPLATE = """\
This is iteration {{iteration}} of session {{session}}. Each iteration starts with a fresh context: what later
ones need to know belongs into tasks, notes and the summary.

# Specification
{{spec}}

# Tasks
{{tasks}}

# Notes
{{notes}}

# Earlier iterations
{{history}}

# How to work
1. When there are no tasks yet, break the specification into tasks with task-add.
2. Take one task: task-next names it; set it in_progress with task-update.
3. Do it and check it; then set it completed, or blocked with a note that says why.
4. Write one iteration-summary. When every task is done, call session-complete.
{{extra}}"""


def iteration_prompt(template: str, session: str, spec: str, extra: str, state: SessionState) -> str:
    """The prompt of the iteration that was started last."""
    recent = list(state.summaries.items())[-HISTORY:]
    values = {
        "session": session,
        "iteration": str(state.iteration),
        "spec": spec.strip() or "(none)",
        "notes": note_lines(state),
        "tasks": task_lines(state),
        "history": "\n".join(f"- iteration {number}: {text}" for number, text in recent) or "None",
        "extra": extra,
    }
    return _PLACEHOLDER.sub(lambda found: values[found[1]], template)
