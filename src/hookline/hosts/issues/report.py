"""What came of a run of issues: as rows for a table, as JSON, as Markdown."""

from __future__ import annotations

from typing import Any

from hookline.model.record import Record

INTERRUPTED = "interrupted"
WORDS = {False: ("completed", "failed"), True: ("would run", "would fail")}  # by whether the run is a dry one
HEAD = ("issue", "result", "provider", "files", "hooks", "time", "title")


class IssueResult(Record):
    """One issue: `files` were changed while its provider worked, `hooks` counts those that ran for it."""

    number: int
    title: str
    success: bool
    error: str = ""
    provider: str = ""
    files: tuple[str, ...] = ()
    hooks: int = 0
    seconds: float = 0.0

    @property
    def word(self) -> str:
        """`completed`, `failed` or `interrupted`."""
        if self.success:
            return "completed"
        return INTERRUPTED if self.error == INTERRUPTED else "failed"

    def as_json(self) -> dict[str, Any]:
        return {
            "issue": self.number,
            "title": self.title,
            "success": self.success,
            "error": self.error or None,
            "provider": self.provider or None,
            "files": list(self.files),
            "hooks": self.hooks,
            "duration_ms": round(self.seconds * 1000),
        }


class Report(Record):
    """A whole run. `status` is the session's; `words` say why it did not end as it should."""

    session_id: str
    status: str
    results: tuple[IssueResult, ...] = ()
    seconds: float = 0.0
    words: str = ""
    dry_run: bool = False

    @property
    def failed(self) -> int:
        return self.count("failed")

    @property
    def counts(self) -> str:
        """`2 completed, 1 failed`, of a dry run `2 would run, 1 would fail`; and how many were interrupted."""
        good, bad = WORDS[self.dry_run]
        words = f"{self.count('completed')} {good}, {self.failed} {bad}"
        interrupted = self.count(INTERRUPTED)
        return f"{words}, {interrupted} interrupted" if interrupted else words

    def count(self, word: str) -> int:
        return sum(result.word == word for result in self.results)

    def as_json(self) -> dict[str, Any]:
        return {
            "session": self.session_id,
            "status": self.status,
            "words": self.words or None,
            "dry_run": self.dry_run,
            **{word: self.count(word) for word in ("completed", "failed", INTERRUPTED)},
            "duration_ms": round(self.seconds * 1000),
            "results": [result.as_json() for result in self.results],
        }


def rows(report: Report) -> list[tuple[str, ...]]:
    """One row for each issue, under `HEAD`."""
    return [
        (
            f"#{result.number}",
            _word(report, result),
            result.provider or "-",
            str(len(result.files)),
            str(result.hooks),
            _time(result.seconds),
            result.title + (f": {result.error.splitlines()[0]}" if result.error else ""),
        )
        for result in report.results
    ]


def as_markdown(report: Report) -> str:
    """The report as a Markdown page; titles and errors are shown as they are, never as markup."""
    lines = [
        f"# Run {report.session_id}",
        "",
        f"Status: {report.status}{f' ({_cell(report.words)})' if report.words else ''}",
        f"Issues: {report.counts}, in {_time(report.seconds)}",
        "",
        f"| {' | '.join(HEAD)} |",
        f"|{'---|' * len(HEAD)}",
    ]
    lines += [f"| {' | '.join(map(_cell, row))} |" for row in rows(report)]
    for result in report.results:
        if result.files:
            lines += ["", f"## Files of issue {result.number}", ""]
            lines += [f"- {_cell(file)}" for file in result.files]
    return "\n".join(lines) + "\n"


def _word(report: Report, result: IssueResult) -> str:
    if report.dry_run:
        return WORDS[True][0 if result.success else 1]
    return result.word


def _time(seconds: float) -> str:
    seconds = round(seconds, 3)  # as the JSON has it, so that both round to the same tenth
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)}m {int(seconds % 60)}s"


def _cell(text: str) -> str:
    """Markup characters lose their meaning; a line break becomes a blank."""
    flat = " ".join(text.split())
    return "".join(f"\\{char}" if char in "\\`*_{}[]<>|#" else char for char in flat)
