"""A decision as the JSON text that history keeps, without looking again at what is always the same.

Most hooks have nothing to do with most events, and plans hand out the very same results for them each time.
"""

from __future__ import annotations

from hookline.model.rendering import result_as_json
from hookline.model.results import HookResult, Status
from hookline.model.short_json import write_json
from hookline.model.typing import Any, Mapping, Sequence
from hookline.state.redaction import Redactor

TEXT_LIMIT = 64 * 1024
# Hooks an event has nothing to do with are in the object, but are not looked for by their names.
UNCONCERNED = (Status.not_matched, Status.no_such_event, Status.duplicate)
MOST_KEPT = 4096  # where hooks look at more than their subject, such results are new at each event


class RunTexts:
    """Makes the texts of decisions in which `redactor` finds nothing; keeps those of unconcerned hooks."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._kept: dict[int, tuple[HookResult, str]] = {}  # the result too, so that its number stays its own

    def text(
        self,
        shown: Mapping[str, Any],
        results: Sequence[HookResult],
        concerned: Sequence[Mapping[str, Any]],
    ) -> str | None:
        """`shown` with all hooks, of which `concerned` are rendered; None when it is long or not surely clean."""
        head, *own = parts = [write_json(shown), *map(write_json, concerned)]
        if not self._redactor.is_clean_json("\n".join(parts)):
            return None
        left = iter(own)
        hooks = [self._unconcerned(each) if each.status in UNCONCERNED else next(left) for each in results]
        if not all(hooks):
            return None
        text = f'{head[:-1]},"hooks":[{",".join(hooks)}]}}'
        return text if len(text) <= TEXT_LIMIT else None

    def forget(self) -> None:
        """To be called when there are more secrets than before."""
        self._kept.clear()

    def _unconcerned(self, result: HookResult) -> str:
        """One hook's part; empty when it could hold a secret."""
        kept = self._kept.get(id(result))
        if kept is not None:
            return kept[1]
        text = write_json(result_as_json(result))
        if not self._redactor.is_clean_json(text):
            text = ""
        if len(self._kept) >= MOST_KEPT:
            self._kept.clear()
        self._kept[id(result)] = (result, text)
        return text
