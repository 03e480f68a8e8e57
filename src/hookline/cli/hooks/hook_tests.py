"""`hookline test`: runs the case files that stand beside the hooks."""

from __future__ import annotations

import os
from collections.abc import Iterable

from hookline.cli import common
from hookline.cli.render import counted, one_line
from hookline.engine.opening import open_engine
from hookline.hosts.hook_cases import Verdicted, find_case_files, run_file
from hookline.model.errors import ConfigError, UsageError
from hookline.model.results import HookStarted


def run(arguments: list[str]) -> int:
    """Runs all case files of the workspace, or the ones named; exit code 1 when a case is not as expected."""
    parser = common.parser(
        "test",
        "Runs case files (*.hooktest.yml, *.hooktest.json): an event, and the decision it must come to.",
        "hookline test --json",
    )
    parser.add_argument("files", nargs="*", help="case files (default: all in the workspace)")
    parser.add_argument("--json", action="store_true", help="for programs: a list of cases")
    parser.add_argument("--coverage", action="store_true", help="name the rules that no case has met")
    options = parser.parse_args(arguments)
    workspace = common.workspace_of(options.workspace)

    paths = options.files or list(find_case_files(workspace))
    for path in options.files:
        if not os.path.isfile(path):
            raise UsageError(f"test: `{path}` is no file")
    if not paths:
        raise ConfigError("no case files here", "write one: `guards.hooktest.yml` with `cases:`")
    return _run(paths, workspace, options.json, options.coverage)


def _run(paths: Iterable[str], workspace: str, as_json: bool, coverage: bool) -> int:
    opened = open_engine(workspace, history=False, warn=common.warn)
    common.name_untrusted(opened)
    met: set[str] = set()
    opened.engine.listen(lambda news: met.add(news.spec.id) if isinstance(news, HookStarted) else None)
    done: list[Verdicted] = []
    for path in paths:
        for verdicted in run_file(path, opened):
            done.append(verdicted)
            if not as_json:
                _show(verdicted, workspace)
    failed = [verdicted for verdicted in done if verdicted.faults]
    unmet = [spec for spec in opened.hooks.specs if spec.enabled and spec.id not in met] if coverage else []
    if as_json:
        cases = [_as_json(each) for each in done]
        shown = {"cases": cases, "unmet": [spec.id for spec in unmet]} if coverage else cases
        common.print_json(shown)
    elif coverage:
        for spec in unmet:
            common.print_line(f"unmet  {spec.source}:{spec.line}: {one_line(spec.name or spec.id, 80)}")
        every = sum(spec.enabled for spec in opened.hooks.specs)
        common.say(f"{every - len(unmet)} of {counted(every, 'rule')} met by a case")
    common.say(f"{counted(len(done), 'case')}, {len(failed)} failed")
    return 1 if failed else 0


def _show(verdicted: Verdicted, workspace: str) -> None:
    case = verdicted.case
    shown = os.path.relpath(case.path, workspace)
    common.print_line(f"{'FAILED' if verdicted.faults else 'ok    '} {shown}: {case.name}")
    for fault in verdicted.faults:
        common.print_line(f"       {fault}")


def _as_json(verdicted: Verdicted) -> dict[str, object]:
    case = verdicted.case
    return {
        "file": case.path, "name": case.name, "ok": not verdicted.faults, "faults": list(verdicted.faults),
        "verdict": verdicted.verdict,
    }  # fmt: skip
