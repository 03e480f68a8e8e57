"""The steps of a script in whatever language it is written."""

from __future__ import annotations

from functools import lru_cache

from hookline.checking.steps.brace_steps import steps_in_braces
from hookline.checking.steps.languages import is_python, is_shell
from hookline.checking.steps.python_steps import steps_of_python
from hookline.checking.steps.shell_steps import steps_of_shell
from hookline.checking.steps.steps import Steps


@lru_cache(maxsize=16)
def steps_of(shown: str, text: str) -> Steps | None:
    """The steps of a script; None where it is not clear what it says."""
    try:
        return _read(shown, text)
    except RecursionError:
        return None


def _read(shown: str, text: str) -> Steps | None:
    if shown.endswith((".js", ".mjs", ".cjs", ".ts", ".mts")):
        return steps_in_braces(text, "js")
    if shown.endswith(".ps1"):
        return steps_in_braces(text, "ps1")
    if is_python(shown, text):
        return steps_of_python(text)
    return steps_of_shell(text) if is_shell(shown, text) else None
