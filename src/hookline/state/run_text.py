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


def parts_of(shown: Mapping[str, Any], concerned: Sequence[Mapping[str, Any]]) -> list[str]:
    """The JSON texts of a decision without its hooks, and of each hook that it concerned."""
    return [write_json(shown), *map(write_json, concerned)]


class RunTexts:
    """Makes the texts of decisions without what `redactor` finds; keeps those of unconcerned hooks."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._kept: dict[int, tuple[HookResult, str]] = {}  # the result too, so that its number stays its own

    def may_stay(self, parts: Sequence[str]) -> bool:
        """Whether parts of a decision can be kept as they are: short, and surely without a secret."""
        text = "\n".join(parts)
        return len(text) <= TEXT_LIMIT and self._redactor.is_clean_json(text)

    def text(self, parts: Sequence[str], results: Sequence[HookResult]) -> str:
        """The whole decision, of whose `results` the concerned ones are in `parts`."""
        head, *own = parts
        left = iter(own)
        self._keep([each for each in results if each.status in UNCONCERNED])
        hooks = [self._kept[id(each)][1] if each.status in UNCONCERNED else next(left) for each in results]
        return f'{head[:-1]},"hooks":[{",".join(hooks)}]}}'

    def forget(self) -> None:
        """To be called when there are more secrets than before."""
        self._kept.clear()

    def _keep(self, results: Sequence[HookResult]) -> None:
        """Makes the texts of these that are not there yet; that none holds a secret is asked of all at once."""
        new = [each for each in results if id(each) not in self._kept]
        if len(self._kept) + len(new) > MOST_KEPT:
            self._kept.clear()
            new = list(results)
        texts = [write_json(result_as_json(each)) for each in new]
        are_clean = self._redactor.is_clean_json("\n".join(texts))
        for result, text in zip(new, texts, strict=True):
            if not are_clean and not self._redactor.is_clean_json(text):
                text = write_json(self._redactor.value(result_as_json(result)))
            self._kept[id(result)] = (result, text)
