"""What an answer can say, as rows: by the same row a hook's output is read and a decision is written."""

from __future__ import annotations

from hookline.model.events import EventKind
from hookline.model.record import Record
from hookline.model.results import RawResult
from hookline.model.short_json import read_json, value_at
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping

if TYPE_CHECKING:
    from hookline.dialects.base import EventRule


class Says(Record):
    """One way to say one thing.

    `effect`: deny, ask, allow, continue (end the turn), rewrite, context, message, interrupt (end the turn beside a
    denial), or the name of a product. It is said by `value` standing at `key` (dotted); None: what stands there is
    itself what is said, a text or an object. Its reason stands at `words`; of several keys, parted by `|`, the first
    that holds a text is read, and the first is written (`|reason`: none).
    `at`: the events at which it counts, by kind or by the agent's own name; empty: all. `beside`: a key and the word
    that must stand there too; `wants_words`: a reason as well. Every row is read; the first of an effect is the one
    that is written.
    """

    effect: str
    key: str
    value: Any = None
    words: str = ""
    at: frozenset[EventKind | str] = frozenset()
    beside: tuple[str, str] = ("", "")
    wants_words: bool = False

    def counts_at(self, rule: EventRule) -> bool:
        return not self.at or rule.kind in self.at or rule.native in self.at


class Answer(Record):
    """A hook's output, parsed once: the JSON object it is, and what is wrong when it only looks like one."""

    json: Mapping[str, Any] | None = None
    problem: str = ""


class Said(Record):
    """One thing that an answer says: the effect, the text or object that is said, and where it stood."""

    effect: str
    value: Any
    key: str


def answer_of(raw: RawResult, text: str | None = None) -> Answer:
    """The answer in a hook's stdout, or in `text`."""
    if isinstance(raw.value, dict):
        return Answer(raw.value)
    text = (raw.stdout if text is None else text).strip().removeprefix("\ufeff").strip()
    if not text.startswith("{"):
        return Answer(None, wide_letters(text))
    try:
        found = read_json(text)
    except (ValueError, RecursionError):
        return Answer(None, "output begins like a JSON object and is not valid JSON; it was ignored")
    return Answer(found)


def wide_letters(text: str) -> str:
    """That an answer is written in letters of two bytes, as scripts of Windows may print it; empty if it is not."""
    if "{\0" in text[:4] or "\0{" in text[:4]:
        return "output begins like a JSON object in UTF-16, where UTF-8 is wanted; it was ignored"
    return ""


def things_said(rows: Iterable[Says], answer: Mapping[str, Any], rule: EventRule) -> Iterator[Said]:
    """What an answer to that event says, in the order of the rows."""
    for row in rows:
        if not row.counts_at(rule):
            continue
        if row.beside[0] and value_at(answer, row.beside[0]) != row.beside[1]:
            continue
        if row.wants_words and not _reason(answer, row.words):
            continue
        found = value_at(answer, row.key)
        if row.value is None and isinstance(found, str | dict | list) and (found or row.effect == "rewrite"):
            yield Said(row.effect, found, row.key)
        elif row.value is not None and type(found) is type(row.value) and found == row.value:
            yield Said(row.effect, _reason(answer, row.words), row.key)


def say(rows: Iterable[Says], rule: EventRule, effect: str, value: Any, into: dict[str, Any]) -> bool:
    """Puts one thing into an answer; False when there is no way to say it at that event."""
    for row in rows:
        if row.effect != effect or not row.counts_at(rule):
            continue
        put(into, row.key, value if row.value is None else row.value)
        if value and (words := row.words.partition("|")[0]):
            put(into, words, value)
        if row.beside[0]:
            put(into, *row.beside)
        return True
    return False


def _reason(answer: Mapping[str, Any], keys: str) -> str:
    texts = (value_at(answer, key) for key in keys.split("|") if key)
    return next((text for text in texts if isinstance(text, str) and text), "")


def put(answer: dict[str, Any], key: str, value: Any) -> None:
    """Sets the value at a dotted key, with the objects on the way there."""
    *above, last = key.split(".")
    for part in above:
        answer = answer.setdefault(part, {})
    answer[last] = value
