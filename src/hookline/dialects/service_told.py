"""What a call of a server's tool says: the words of its server, its name and its arguments, and what they are about."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from hookline.dialects import service_words as known
from hookline.dialects.service_names import (
    LONGEST_NAME,
    SHORT,
    VERBS,
    head_of,
    is_deed,
    is_path,
    is_started,
    keys_of,
    one,
    only_looks,
    texts_of,
    told_in,
    values_of,
    words_of,
    words_of_address,
    words_of_graphql,
)
from hookline.model.typing import Any


class Told:
    """The words of a call: of its server, its tool, and of what a tool for several things is told to do."""

    def __init__(self, server: list[str], tool: list[str], given: Mapping[str, Any]) -> None:
        self.given = given
        self.texts = tuple(texts_of(given, "", 0))
        self.fields = dict(reversed(self.texts))
        self.values = tuple(values_of(given, 0))
        told = [word for key, text in self.texts if is_deed(key) for word in told_in(text)]
        told += [
            word
            for key, text in self.texts
            for word in words_of_address(key, text, told)
            if not self.is_local()
        ]
        told += [
            word
            for key, text in self.texts
            if key in known.SQL or "graphql" in key
            for word in words_of_graphql(text)
        ]
        self.server, self.tool = frozenset(server), frozenset(tool)
        self.told = frozenset(told)
        self.last = tool[-1] if tool else ""
        self.words = self.tool | self.told
        # what it begins with, but for the server's own name
        first = next((word for word in tool if word not in self.server and len(word) > SHORT), "")
        self.first = self.told | {first}
        if len(tool) > len(("server", "verb")) and tool[1] in known.SECOND and VERBS.isdisjoint(tool):
            self.first |= {tool[1]}
        self.started = frozenset(
            word for key, text in self.texts if is_started(key) for word in words_of(text[:LONGEST_NAME])
        )
        deletes_there = "url" in self.fields and not self.is_local() and set(tool) <= {"delete", *self.server}
        self.is_at_a_service = deletes_there or known.OWN.isdisjoint(self.server.union(tool[:1]))
        self.things = {one(word) for word in self.words}
        says = self.told & known.TELLING or self.told & known.CHANGES
        self.head = head_of([*tool, *(told if says else [])], self.server)
        self.group = next((one(word) for word, after in pairwise(tool) if after in VERBS), "")
        tries = any(key in known.TRIES and value is True for key, value in self.values)
        asks = (self.tool & known.TELLING) - ({"query", "test"} if "request" in self.tool else {"query"})
        is_told = self.told & known.TELLING and not (asks and asks <= known.LOOKS)
        is_told = is_told and first not in known.ONLY_ASKS
        self.only_looks = tries or only_looks(told if is_told else tool)

    def is_of_repository(self) -> bool:
        named = "repository" in self.things or bool(self.server & known.FORGES)
        return named or any(key.startswith("repo") for key in keys_of(self.given))

    def is_file(self, deletes: bool) -> bool:
        """What is told as the path that it is."""
        of_files = self.words & known.ON_FILES if not deletes else self.things & known.FILES
        return bool(of_files and any(map(is_path, self.fields)) and not (deletes and self.head in known.HELD))

    def is_local(self) -> bool:
        return any(_LOCAL.match(self.fields.get(key, "")) for key in ("url", "endpoint", "host", "baseurl"))

    def has(self, keys: frozenset[str]) -> bool:
        return any(key in keys for key, _ in self.values)

    def names(self, keys: frozenset[str]) -> bool:
        return bool(keys & keys_of(self.given))


_LOCAL = re.compile(r"(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/]|$)")
