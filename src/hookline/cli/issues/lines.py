"""What a person sees of a run of issues: a line for each issue's start and end, between those of its hooks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from hookline.cli import common
from hookline.cli.live import LiveLines, first_words
from hookline.cli.render import one_line
from hookline.cli.session.printing import JsonPrinter, TextPrinter
from hookline.hosts.issues.report import INTERRUPTED, WORDS
from hookline.hosts.issues.settings import DIALECT
from hookline.model.results import HookResult, Verdict


class IssuePrinter(TextPrinter):
    """The lines of `hookline run`, and the issues'. `quiet` leaves out the hooks that run well."""

    def __init__(self, level: str) -> None:
        super().__init__()
        self._lines = LiveLines(sys.stderr, words=_words)
        self._quiet = level in ("warn", "error")

    def hook(self, news: Any) -> None:
        if not self._quiet:
            super().hook(news)

    def event(self, fields: Mapping[str, Any]) -> None:
        kind = fields["type"]
        if kind == "issue.started":
            common.say(f"issue #{fields['issue']}: {one_line(fields['title'], 100)}")
        elif kind == "issue.finished":
            good, bad = WORDS[fields["dry_run"]]
            error = one_line(fields["error"] or "", 400)
            cut = f"✗ {error}" if error == INTERRUPTED else f"✗ {bad}: {error}"
            common.say(f"issue #{fields['issue']} {f'✓ {good}' if fields['success'] else cut}")
        elif kind == "message" and fields["role"] == "error":
            common.say(f"error: {fields['text'].rstrip()}")
        else:
            super().event(fields)


def _words(result: HookResult) -> str:
    """AutoAgent's hooks are shown with all they print, once: their line says only what they decided."""
    shown_whole = result.spec.dialect == DIALECT and result.outcome.verdict == Verdict.NONE
    return "" if shown_whole and result.raw is not None else first_words(result)


def printer_for(as_json: bool, level: str) -> JsonPrinter | IssuePrinter:
    """The event stream, or lines for a person at this log level."""
    return JsonPrinter() if as_json else IssuePrinter(level)
