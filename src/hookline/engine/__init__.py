"""Plan, run, merge, record."""

from hookline.engine.fire import Engine
from hookline.engine.hookset import HookSet
from hookline.engine.loading import load_hooks, places_for
from hookline.engine.services import Limits, Services

__all__ = ["Engine", "HookSet", "Limits", "Services", "load_hooks", "places_for"]
