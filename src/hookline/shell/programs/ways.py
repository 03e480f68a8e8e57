"""The ways by which a row says what a command runs besides itself: other commands, code, scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from hookline.shell.programs.arguments import Arguments
from hookline.shell.programs.table import Deed
from hookline.shell.reading import Command, Inner
from hookline.system.modules import attribute

Follow = Callable[[Command, Arguments, Deed, str], Iterator[Inner]]

# Deeds by which a program runs something, and what follows each, loaded where a line first asks for it.
WAYS = {
    "command": "followed:command_of", "command-as": "followed:command_as", "pythonmodule": "followed:module_of",
    "code": "runs_code:code_of", "script": "runs_code:script_of", "tasks": "runs_files:tasks_of",
    "modules": "runs_files:modules_of", "orders": "runs_code:orders_of",
    "stdin": "runs_code:input_of", "properties": "runs_code:properties_of",
    "injects": "injected:injected", "by-name": "injected:by_name", "find": "followed:find_of",
    "gitconfig": "git_settings:inner_of_settings", "gitconfig-set": "git_settings:inner_of_config",
    "gitremote": "git_settings:inner_of_remote", "manifests": "manifests:manifests",
}  # fmt: skip


@cache
def way_of(deed: str) -> Follow:
    module, _, name = WAYS[deed].partition(":")
    found: Follow = attribute(f"hookline.shell.programs.{module}", name)
    return found
