"""What of a condition is about the run: for which event or agent, or with which arguments a script was started."""

from __future__ import annotations

from collections.abc import Iterable

from hookline.checking.runs.known import Known, plain
from hookline.dialects import agent_names
from hookline.model.events import EventKind
from hookline.model.record import Record
from hookline.system.patterns.late import late

_EVENT = late(r"(?i:hook_?event(?:_?name)?|event_?(?:name|type)|hook_?(?:name|type))(?![a-z])")
_ARGUMENTS = late(r"\bargv\b|\bparse_args\b|\bgetopts\b|(?i:\$args\b)|\$\{?[@*]|\bDeno\.args\b")
_NAMED = late(r"(?P<agent>[a-z]{2,12})(?:[-_ ]?(?:code|cli|ide|agent))?")
_TOLD = late(r"\bargv\b|\bparse_args\b|\$\{?[1-9@*#]|(?i:\$args\b|\bparam\s*\()|\bDeno\.args\b")
_EVENTS = frozenset(each.name.lower() for each in EventKind)
# whether a payload has a field: `"tool_name" in data`, `isinstance(data.get("toolArgs"), str)`, `data.tool_name`
_HAS = late(
    r"[\"'](?P<a>\w+)[\"'] (?:not )?in \w+|(?:isinstance\()?\w+\.get\([\"'](?P<b>\w+)[\"'](?:, [^()]{0,20})?\)"
    r"(?:, [\w.()|, ]+\)| is not None)?|(?:typeof\s+)?\w+\??\.(?P<c>\w+)"
    r"(?:\s*(?:!==?\s*(?:undefined|null)|===?\s*[\"'](?:string|object)[\"']))?"
)
_FIELD = late(
    r"(?:tool|hook|session|conversation|agent|trajectory|cursor|workspace|generation|transcript)_?[a-zA-Z]\w*"
)
_WHOLE = late(
    r"[\"'](?P<name>\w+)[\"'] in (?:data|d|payload|input|input_data|hook_input|hook_data|event|inp|raw|ctx|body)\b"
)
DEEPEST = 6


class Doubt(Record):
    """Whether what runs where a condition holds is in doubt, and what runs where it does not."""

    held: bool = False
    otherwise: bool = False

    def turned(self) -> Doubt:
        return Doubt(self.otherwise, self.held)


# MEANT: as far as anybody can tell, for this hook
NONE, MEANT = Doubt(), Doubt(False, True)


def joined(parts: Iterable[Doubt], either: bool) -> Doubt:
    """The doubt about `a or b`, or about `a and b`."""
    known = tuple(parts)
    held, otherwise = (all, any) if either else (any, all)
    return Doubt(held(each.held for each in known), otherwise(each.otherwise for each in known))


def may_doubt(text: str) -> bool:
    """Whether a script has words by which it may tell its runs apart."""
    return bool(_EVENT.search(text) or _FIELD.search(text) or _TOLD.search(text) or _names_agent(text))


def may_lack(text: str) -> bool:
    """Whether a script looks whether its input has a field."""
    return bool(_WHOLE.search(text))


def _names_agent(text: str) -> bool:
    low = text.lower()
    return any(name in low for name in agent_names())


def says_run(text: str, known: Known) -> bool:
    """Whether a text has a word for the event, or for the arguments where there are any."""
    return bool(_EVENT.search(text) or (known.words != () and _ARGUMENTS.search(text)))


def of_events(words: Iterable[str], known: Known, turned: bool = False) -> Doubt:
    """The same where a condition asks for the event, or asks `turned` if it is another one: that of another one is not
    met. Of words that name none nobody can tell; what runs without them may be for any."""
    named = {plain(word) for word in words} & (known.events | known.others | _EVENTS)
    if not named:
        return NONE if turned else Doubt(True)
    found = MEANT if named & known.events else Doubt(True)
    return found.turned() if turned else found


def of_field(text: str, known: Known) -> Doubt:
    """The doubt about a look for a field: one that the hook is not sent is not there."""
    found = _HAS.fullmatch(text)
    name = next(filter(None, found.groups()), "") if found else ""
    told = bool(known.fields) and _FIELD.fullmatch(name) and name not in known.fields
    return Doubt(True, False) if told else NONE


def lacks(text: str, known: Known) -> bool:
    """Whether a condition is that the input has a field that it surely has not."""
    found = _WHOLE.fullmatch(text)
    return bool(
        found and known.fields and _FIELD.fullmatch(found["name"]) and found["name"] not in known.fields
    )


def of_agents(words: Iterable[str], known: Known, turned: bool = False) -> Doubt:
    """The doubt about a comparison with these words: with the name of another agent it is not met."""
    each_named = (_NAMED.fullmatch(word.lower()) for word in words)
    named = {each["agent"] for each in each_named if each} & frozenset(agent_names())
    found = NONE if not named else MEANT if known.agent in named else Doubt(True)
    return found.turned() if turned else found
