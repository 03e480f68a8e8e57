"""`hookline test`: runs the case files that stand beside the hooks."""

from __future__ import annotations

import json
import os
import sys

from hookline.cli import common
from hookline.cli.render import counted
from hookline.model.errors import ConfigError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hookline.hosts.hook_cases import Verdicted


def run(arguments: list[str]) -> int:
    """Runs all case files of the workspace, or the ones named; exit code 1 when a case is not as expected."""
    parser = common.parser(
        "test",
        "Runs case files (*.hooktest.yml, *.hooktest.json): an event, and the decision it must come to.",
        "hookline test --json",
    )
    parser.add_argument("files", nargs="*", help="case files (default: all in the workspace)")
    parser.add_argument("--json", action="store_true", help="for programs: a list of cases")
    options = parser.parse_args(arguments)
    workspace = common.workspace_of(options.workspace)
    from hookline.hosts.hook_cases import find_case_files

    paths = options.files or list(find_case_files(workspace))
    for path in options.files:
        if not os.path.isfile(path):
            raise UsageError(f"test: `{path}` is no file")
    if not paths:
        raise ConfigError("no case files here", "write one: `guards.hooktest.yml` with `cases:`")
    return _run(paths, workspace, options.json)


def _run(paths: Iterable[str], workspace: str, as_json: bool) -> int:
    from hookline.engine.opening import open_engine
    from hookline.hosts.hook_cases import run_file

    opened = open_engine(workspace, history=False, warn=common.warn)
    common.name_untrusted(opened)
    done: list[Verdicted] = []
    for path in paths:
        for verdicted in run_file(path, opened):
            done.append(verdicted)
            if not as_json:
                _show(verdicted, workspace)
    failed = [verdicted for verdicted in done if verdicted.faults]
    if as_json:
        sys.stdout.write(json.dumps([_as_json(each) for each in done], ensure_ascii=False, indent=2) + "\n")
    common.say(f"{counted(len(done), 'case')}, {len(failed)} failed")
    return 1 if failed else 0


def _show(verdicted: Verdicted, workspace: str) -> None:
    case = verdicted.case
    shown = os.path.relpath(case.path, workspace)
    sys.stdout.write(f"{'FAILED' if verdicted.faults else 'ok    '} {shown}: {case.name}\n")
    for fault in verdicted.faults:
        sys.stdout.write(f"       {fault}\n")


def _as_json(verdicted: Verdicted) -> dict[str, object]:
    case = verdicted.case
    return {
        "file": case.path, "name": case.name, "ok": not verdicted.faults, "faults": list(verdicted.faults),
        "verdict": verdicted.verdict,
    }  # fmt: skip
