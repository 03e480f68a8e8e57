"""Plan, run, merge, record."""

from hookline.engine.fire import Engine, Limits
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_hooks, places_for

__all__ = ["Engine", "HookSet", "Limits", "load_hooks", "places_for"]
