"""hookline: one hooks engine for coding agents.

The names below are the public interface; each is imported when it is first used, because a command line
that answers a tool call cannot wait for all of them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hookline.agents.models import open_model
    from hookline.agents.scripted import ScriptedModel, script_from
    from hookline.engine.callbacks import callback_hook, make_event
    from hookline.engine.fire import Engine
    from hookline.engine.loading import load_hooks, places_for
    from hookline.engine.opening import Opened, open_engine, reopen_hooks
    from hookline.engine.services import Limits, Services
    from hookline.hosts.tool_loop.host import ToolLoop, TurnResult
    from hookline.hosts.tool_loop.permissions import Permissions
    from hookline.hosts.tool_loop.toolbox import Toolbox
    from hookline.hosts.tool_loop.tools import Tool, ToolContext, ToolOutput, tool
    from hookline.model.answers import allow, ask, context, deny, halt, rewrite
    from hookline.model.errors import HooklineError, PayloadError, Problem, UsageError
    from hookline.model.event_names import EventName
    from hookline.model.events import Event, EventKind, ToolCall
    from hookline.model.hooks import HookSpec, Matcher
    from hookline.model.results import Decision, HookResult, Outcome, Status, Verdict
    from hookline.shell import read_commands
    from hookline.shell.reading import Command, Hole, Reading, Redirection, Step, Word

__version__ = "0.1.0"

__all__ = [
    "Command", "Decision", "Engine", "Event", "EventKind", "EventName", "Hole", "HookResult", "HookSpec",
    "HooklineError", "Limits", "Matcher", "Opened", "Outcome", "PayloadError", "Permissions", "Problem",
    "Reading", "Redirection", "ScriptedModel", "Services", "Status", "Step", "Tool", "ToolCall", "ToolContext",
    "ToolLoop", "ToolOutput", "Toolbox", "TurnResult", "UsageError", "Verdict", "Word", "allow", "ask",
    "callback_hook", "context", "deny", "halt", "load_hooks", "make_event", "open_engine", "open_model",
    "places_for", "read_commands", "reopen_hooks", "rewrite", "script_from", "tool",
]  # fmt: skip

_HOMES = {
    "hookline.agents.models": ("open_model",),
    "hookline.agents.scripted": ("ScriptedModel", "script_from"),
    "hookline.engine.callbacks": ("callback_hook", "make_event"),
    "hookline.engine.fire": ("Engine",),
    "hookline.engine.loading": ("load_hooks", "places_for"),
    "hookline.engine.opening": ("Opened", "open_engine", "reopen_hooks"),
    "hookline.engine.services": ("Limits", "Services"),
    "hookline.hosts.tool_loop.permissions": ("Permissions",),
    "hookline.hosts.tool_loop.host": ("ToolLoop", "TurnResult"),
    "hookline.hosts.tool_loop.toolbox": ("Toolbox",),
    "hookline.hosts.tool_loop.tools": ("Tool", "ToolContext", "ToolOutput", "tool"),
    "hookline.model.answers": ("allow", "ask", "context", "deny", "halt", "rewrite"),
    "hookline.model.errors": ("HooklineError", "PayloadError", "Problem", "UsageError"),
    "hookline.model.event_names": ("EventName",),
    "hookline.model.events": ("Event", "EventKind", "ToolCall"),
    "hookline.model.hooks": ("HookSpec", "Matcher"),
    "hookline.shell": ("read_commands",),
    "hookline.shell.reading": ("Command", "Hole", "Reading", "Redirection", "Step", "Word"),
    "hookline.model.results": ("Decision", "HookResult", "Outcome", "Status", "Verdict"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            from hookline.system.modules import attribute

            found: object = attribute(module, name)
            globals()[name] = found
            return found
    raise AttributeError(f"module `hookline` has no attribute `{name}`")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING"})
