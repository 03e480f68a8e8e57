"""The grammar of a call of a server's tool: its words, the thing that it is about, whether it only looks, and which of
its arguments say what is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.dialects import service_words as known
from hookline.dialects.spelling import folded
from hookline.model.typing import Any
from hookline.system.patterns.late import late

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def words_of(name: str) -> list[str]:
    """The words of a tool's name, in small letters and in their order."""
    return [word.lower() for word in _WORD.findall(name)]


def is_deed(key: str) -> bool:
    """Whether an argument says what a tool for several things is to do: `action`, `api_operation`."""
    return key in known.DEEDS or key.endswith("operation")


def is_started(key: str) -> bool:
    """Whether an argument names what a service is to run: `workflow`, `pipeline_id`."""
    return key in known.STARTED or key.startswith(tuple(known.RUN))


def is_no(value: object) -> bool:
    return value is False or (isinstance(value, str) and value.lower() in known.NO)


def is_yes(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def words_of_address(key: str, text: str, told: list[str]) -> list[str]:
    """What is posted to, at a service that is asked by its addresses: `refunds` of `POST /v1/refunds`."""
    if key not in ("endpoint", "path", "url", "uri") or not {"patch", "post", "put"}.intersection(told):
        return []
    parts = [part for part in text.partition("?")[0].rpartition("://")[2].split("/")[1:] if part.isalpha()]
    return words_of(parts[-1]) if parts else []


def words_of_graphql(text: str) -> list[str]:
    """The words of what a mutation calls."""
    begins = _MUTATION.search(text)
    called = _CALLS.findall(text[begins.end() :].partition("{")[2]) if begins else ()
    return [word for name in called for word in words_of(name)]


def is_path(key: str) -> bool:
    """Whether an argument names a file of this machine."""
    return ("path" in key and "remote" not in key) or key.endswith(
        ("file", "files", "filename", "dirname", "directory", "folder")
    )


def only_looks(words: list[str]) -> bool:
    """Whether it only tells: `list_deleted_users`, `rollout_status`; but not `find_and_delete`, `list_delete`."""
    acts = [word for word in words if word in known.LOOKS or word in known.ACTS]
    if "and" in words or (words[-1:] and words[-1] in known.ENDS):
        return False
    if words[-1:] and words[-1] in ("describe", "get"):
        return True  # `deploy_plan_get`
    if acts and acts[0] in known.LOOKS:
        return True
    at = next((at for at, word in enumerate(words) if at and word in known.NOUNS | _AS_THINGS), len(words))
    if known.LOOKS.intersection(words[at + 1 : at + 2]) and words[0] not in VERBS:
        return True  # `org_invite_list`
    acts = [word for word in acts if word not in known.TELLS]
    told = bool(words) and words[-1] in known.TELLS and not known.CHANGES.intersection(words)
    return told and bool(acts) and (acts[0] != words[0] or acts[0] in known.NOUNS | _AS_THINGS)


def head_of(words: list[str], server: frozenset[str]) -> str:
    """The thing that a name is about: `item` of `remove_item_from_order`; empty where it has none."""
    pure = any(word in VERBS for word in words)
    named = [
        one(word) if word not in known.PREPOSITIONS else ""
        for at, word in enumerate(words)
        if word in known.PREPOSITIONS
        or not (
            word in VERBS
            or word in known.FILLERS
            or (at == 0 and word in known.NOUNS and not pure)
            or (len(word) <= SHORT and word not in _SHORT_THINGS)
            or word.isdigit()
        )
    ]
    before = named[: named.index("")] if "" in named else named
    found = [each for part in (before, named) for each in reversed(part) if each]
    return next((each for each in found if each not in server), "")


LONGEST_NAME = 80
_AS_THINGS = frozenset(("deploy", "invite", "purchase", "rollback", "transfer"))
SHORT = 2  # most words of so few letters stand for the server: `ha_restart`
_SHORT_THINGS = frozenset(("ad", "db", "dns", "ip", "pg", "vm"))
VERBS = (known.ACTS | known.LOOKS | known.CHANGES) - known.NOUNS


def one(word: str) -> str:
    if word.endswith("ies") and len(word) > len("ties"):
        return word.removesuffix("ies") + "y"
    return word if word.endswith("ss") or word in known.SINGULAR else word.removesuffix("s")


def keys_of(given: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(folded(str(key)) for key in given)


def told_in(text: str) -> list[str]:
    """The words of `storage_account_delete` or `deploy.yml`; a line says itself what it does."""
    return [] if " " in text else words_of(text)


def values_of(given: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    """The arguments by their folded names, with those inside of them."""
    for key, value in given.items():
        yield folded(str(key)), value
        inner = value if isinstance(value, list) else [value]
        for each in inner if depth < 2 * _DEEPEST else ():
            if isinstance(each, dict):
                yield from values_of(each, depth + 1)


# behind comments, and what else the text defines
_MUTATION = late(r"(?:^|\})[ \t,\ufeff]*+mutation\b", re.MULTILINE, ("mutation",))
_CALLS = late(r"\b\w++(?=\s{0,9}\()")
_DEEPEST = 3  # `{"files": [{"path": …}]}`


def texts_of(value: object, key: str, depth: int) -> Iterator[tuple[str, str]]:
    """The texts of a call's arguments, each with the folded name that it stands under."""
    if isinstance(value, str) and value:
        yield key, value
    elif isinstance(value, dict) and depth < _DEEPEST:
        for name, inner in value.items():
            yield from texts_of(inner, folded(str(name)), depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for inner in value:
            yield from texts_of(inner, key, depth + 1)
