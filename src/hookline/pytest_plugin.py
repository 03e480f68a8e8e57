"""Collects `*.hooktest.yml` and `*.hooktest.json` as tests, one per case."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hookline.engine.opening import open_engine, project_of
from hookline.hosts.hook_cases import ENDINGS, Case, read_cases, run_case
from hookline.model.errors import HooklineError


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A case file becomes a file of tests."""

    if not file_path.name.endswith(ENDINGS):
        return None
    found: pytest.Collector = CaseFile.from_parent(parent, path=file_path)
    return found


class CaseFile(pytest.File):
    """One case file."""

    def collect(self) -> Iterator[CaseItem]:
        """Its cases by name; a file that cannot be read is an error of the collection."""

        try:
            cases = read_cases(str(self.path))
        except HooklineError as error:
            raise self.CollectError(
                f"{error.message}; {error.hint}" if error.hint else error.message
            ) from error
        for case in cases:
            item: CaseItem = CaseItem.from_parent(self, name=case.name, case=case)
            yield item


class CaseItem(pytest.Item):
    """One case; fails with every difference."""

    def __init__(self, *, case: Case, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # pytest's own keywords
        self.case = case

    def runtest(self) -> None:
        """Fires the event at the hooks of the workspace the file is in."""

        workspace = project_of(os.path.dirname(self.case.path)).path
        found = run_case(self.case, open_engine(workspace, history=False))
        if found.faults:
            pytest.fail("\n".join(found.faults), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands, for pytest's lines."""
        return self.path, None, f"{self.path.name}: {self.name}"
