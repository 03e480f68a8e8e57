"""Settings for every test: the same from wherever they are started, and no test fails for another one.

Property tests are repeatable and not judged by the clock.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import warnings
from collections.abc import Generator

import pytest
from hypothesis import settings
from tests.issue_project import project
from tests.limits import limit_once
from tests.program import program
from tests.resident_process import c_client, hasty_client, resident, small_client

__all__ = ["c_client", "hasty_client", "limit_once", "program", "project", "resident", "small_client"]

settings.register_profile("hookline", deadline=None, derandomize=True, database=None)
settings.load_profile("hookline")

# What a git hook, `nohup` or a shell's background leaves us, and our children would inherit.
OURS = ("HOOKLINE_PICTURES", "HOOKLINE_REAL_AGENTS", "HOOKLINE_WRITE_DOCS")
for name in set(os.environ) - set(OURS):
    if name.startswith(("HOOKLINE_", "GIT_")):
        del os.environ[name]
os.umask(0o022)
signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGCHLD):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Eleven thousand tests stay until the end: looking for garbage among them, again and again, finds none."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """What a failed test held open goes with it, unheard: found later, it would fail another test."""
    try:
        return (yield)
    finally:
        if getattr(sys, "last_traceback", None) is not None:
            sys.last_value = sys.last_traceback = None
            sys.last_exc = None
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                gc.collect()
