"""Settings for every test: property tests are repeatable and not judged by the clock."""

from __future__ import annotations

from hypothesis import settings
from tests.issue_project import project
from tests.program import program

__all__ = ["program", "project"]

settings.register_profile("hookline", deadline=None, derandomize=True, database=None)
settings.load_profile("hookline")
