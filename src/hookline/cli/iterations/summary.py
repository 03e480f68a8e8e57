"""What an iteration run leaves on the terminal at its end: each round, the hooks that failed in it, the tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hookline.cli.live import first_words, label_of
from hookline.cli.render import counted, duration, mark_of, visible
from hookline.hosts.iterations.state import SessionState
from hookline.model.results import FAILURES, OBJECTIONS, HookFinished, HookResult, fate
from hookline.system.clock import monotonic

Hear = Callable[[Mapping[str, Any]], None]


class Round:
    """One iteration as it went. What ran before the first is its number 0."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.began = monotonic()
        self.took = 0.0
        self.status = ""
        self.error = ""
        self.hooks = 0
        self.failed: list[HookResult] = []


class Summary:
    """Hears a run; `lines` afterwards."""

    def __init__(self) -> None:
        self._rounds = [Round(0)]

    def hook(self, news: Any) -> None:
        if isinstance(news, HookFinished):
            self._rounds[-1].hooks += 1
            if fate(news.result) in (*FAILURES, *OBJECTIONS):
                self._rounds[-1].failed.append(news.result)

    def event(self, fields: Mapping[str, Any]) -> None:
        if fields["type"] == "iteration.started":
            self._rounds.append(Round(fields["iteration"]))
        elif fields["type"] == "iteration.finished":
            newest = self._rounds[-1]
            newest.status, newest.error = fields["status"], fields["error"]
            newest.took = monotonic() - newest.began

    def beside(self, other: Hear) -> Hear:
        """A listener to a run's events that tells both."""

        def hear(fields: Mapping[str, Any]) -> None:
            self.event(fields)
            other(fields)

        return hear

    def lines(self, state: SessionState) -> Iterator[str]:
        """The rounds with the hooks that failed, then how many tasks stand where."""
        for each in self._rounds:
            if each.number:
                error = f": {visible(each.error)}" if each.error else ""
                took = f" in {duration(each.took)}" if each.took else ""
                failed = f", {len(each.failed)} failed" if each.failed else ""
                ended = each.status or "not finished"
                yield f"iteration {each.number}: {ended}{took}, {counted(each.hooks, 'hook')}{failed}{error}"
            for result in each.failed:
                words = f" — {told}" if (told := first_words(result)) else ""
                yield f"  {mark_of(result)} {result.spec.native_event}: {label_of(result.spec, 60)}{words}"
        found = Counter(task.status for task in state.tasks.values())
        if found:
            yield "tasks: " + ", ".join(
                f"{count} {status.replace('_', ' ')}" for status, count in found.items()
            )
