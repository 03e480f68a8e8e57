"""What a call of a server's tool takes away, publishes, grants or stops: by its verb, its object and its arguments.

Nobody can list the tools of all servers. What is deleted at a service is asked about whatever it is, but for what is
of little worth, or is the agent's own; what is removed, reset or stopped only where the thing is known to matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.dialects.service_words import (
    ACTS,
    ALWAYS_TRADES,
    BILLS,
    CHANGES,
    CLUSTERS,
    CONSOLES,
    DEEDS,
    DELETES,
    EVERYBODY,
    FORWARDED,
    GRANTS,
    GUARDED,
    HELD,
    LEADS_TO,
    LITTLE,
    LIVE,
    LIVE_STAGES,
    LOOKS,
    MACHINES,
    MAILED,
    MAILS,
    MAIN,
    MONEY,
    MOVES_MONEY,
    NOUNS,
    NUMBERS,
    OF_CONSOLES,
    OF_DATABASES,
    OF_HOUSE,
    OF_PROCESSES,
    OF_REPOSITORIES,
    OF_STAGES,
    OF_TABLES,
    OF_TRADES,
    OFF,
    ON,
    ON_CHAIN,
    OPENED,
    OPENS,
    OWN,
    PAID,
    PAIRS,
    PAYS,
    PUBLISHED,
    PUBLISHES,
    PUTS,
    REBUILDS,
    RELEASED,
    REMOVES,
    RIGHTS,
    RUN,
    RUNNING,
    RUNS,
    SENDS,
    SHARED,
    SINGULAR,
    SIZES,
    SQL,
    STARTED,
    STARTS,
    STILL,
    STOPS,
    TALK,
    TRADED,
    TRADES,
    UNASKED,
    UNPAID,
)
from hookline.dialects.spelling import folded
from hookline.model.typing import Any
from hookline.shell.reading import Argv, Word
from hookline.system.patterns.late import late

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")


def words_of(name: str) -> list[str]:
    """The words of a tool's name, in small letters and in their order."""
    return [word.lower() for word in _WORD.findall(name)]


def deeds_at_a_service(name: str, given: Mapping[str, Any]) -> Iterator[str]:
    """`discard`, `publish`, `elevate`, `kill` or `tamper`, each once."""
    server, _, tool = name.rpartition("__")
    call = _Call(words_of(server.removeprefix("mcp__")), words_of(tool), given)
    if call.only_looks:
        yield from (["discard"] if call.loses_rows() else [])
        return
    if call.deletes() or call.removes() or call.empties() or call.loses_rows() or call.pays():
        yield "discard"
    if call.publishes() or call.shows():
        yield "publish"
    if call.grants():
        yield "elevate"
    if call.stops():
        yield "kill"
    if call.loosens():
        yield "tamper"


class _Call:
    """The words of a call: of its server, its tool, and of what a tool for several things is told to do."""

    def __init__(self, server: list[str], tool: list[str], given: Mapping[str, Any]) -> None:
        self.given = given
        self.texts = tuple(texts_of(given, "", 0))
        self.fields = dict(reversed(self.texts))
        told = [word for key, text in self.texts if _is_deed(key) for word in _told(text)]
        started = [word for key, text in self.texts if is_started(key) for word in _told(text)]
        self.server = frozenset(server)
        self.tool = frozenset(tool)
        self.words = self.tool.union(told)
        # what it begins with, but for the server's own name
        self.first = {*told, next((word for word in tool if word not in self.server), "")}
        self.started = frozenset(started)
        self.is_at_a_service = OWN.isdisjoint(self.server | self.tool)
        self.things = {_one(word) for word in self.words}
        self.only_looks = _looks(told) if set(told) & (ACTS | LOOKS) else _looks(tool)

    def deletes(self) -> bool:
        verbs = (self.words | self.started) & DELETES
        if not verbs or not self.is_at_a_service or self.names(OF_PROCESSES):
            return False
        if "many" in self.words:
            return not self.given.get("filter")  # else those that are named
        of_files = self.words & {"file", "files", "directory", "folder", "path"}
        if of_files and any(map(_is_path, self.fields)):
            return False  # told as the path that it is
        if self.is_local():
            return False
        return (
            bool(self.things & HELD)
            or self.names(OF_TABLES)
            or not (self.things | set(map(_one, self.started))) & LITTLE
        )

    def removes(self) -> bool:
        if (self.words & REBUILDS and self.things & MACHINES) or (
            "release" in self.first and self.things & RELEASED
        ):
            return self.is_at_a_service
        if not (self.words & (REMOVES - NOUNS) or self.first & NOUNS):
            return self.given.get("prune") is True or self.switches_off()
        if {"add", "stage", "label", "labels"} & self.words:
            return False
        tagged = self.words & {"tag", "ref"} and "repo" in self.given
        return bool(self.is_at_a_service and (self.things & HELD or tagged))

    def switches_off(self) -> bool:
        """An update that archives something, or locks somebody out."""
        for key, value in self.given.items():
            name = folded(str(key))
            if (name in OFF and value is True) or (name in ON and value is False):
                return name in ("archived", "intrash") or bool(
                    self.things & (HELD - {"flag"}) and self.is_at_a_service
                )
        return False

    def pays(self) -> bool:
        """Money that leaves, or an order on a market."""
        if not self.is_at_a_service or self.things & UNPAID:
            return False
        if self.words & TRADES and self.things & TRADED and self.names(OF_TRADES):
            return True
        if ("position" in self.things and self.words & ALWAYS_TRADES) or (
            "contract" in self.things
            and self.words & ON_CHAIN
            and self.names(frozenset(("contractaddress",)))
        ):
            return True
        signs = "transaction" in self.things and self.words & {"send", "sign", "broadcast"}
        pays = (signs and not (self.server | self.tool) & OF_DATABASES) or (
            "pay" in self.words and self.things & (PAID | BILLS)
        )
        charges = self.words & PAYS and self.things & PAID and not {"create", "intent"} <= self.words
        return bool(
            self.things & MOVES_MONEY or (self.words & SENDS and self.things & MONEY) or pays or charges
        )

    def empties(self) -> bool:
        """All rows at once, a collection that a pipeline replaces, a branch that is put elsewhere."""
        many = "many" in self.words or {"update", "all"} <= self.words or {"by", "query"} <= self.words
        if many and self.words & {"update", "delete", "remove", "replace"}:
            return not self.given.get("filter", self.given.get("query", self.given.get("where")))
        stages = self.given.get("pipeline")
        if isinstance(stages, list) and any(isinstance(each, dict) and "$out" in each for each in stages):
            return True
        return self.given.get("force") is True and "ref" in self.words

    def loses_rows(self) -> bool:
        """Whether a query drops what a database holds; what is searched for is no query."""
        if (self.tool | self.server) & CONSOLES and any(
            _THROWS_AWAY.search(text) for key, text in self.texts if key in OF_CONSOLES
        ):
            return True
        about = (self.tool | self.server) & OF_DATABASES
        texts = [text for key, text in self.texts if (key in SQL and about) or "sql" in key]
        if not texts or self.tool & {"search", "docs", "validate", "format", "explain"}:
            return False
        from hookline.shell.code.languages import commands_of_code

        found = (each for text in texts for each in commands_of_code(Word((text,)), "sql", "query"))
        return any(isinstance(each, Argv) and each.words[0].literal == "python:discard" for each in found)

    def publishes(self) -> bool:
        created = {"create", "release"} <= self.words or {"upload", "package"} <= self.words
        if created or self.words & PUBLISHES - {"release", "publish"}:
            return True
        if self.words & {"publish", "upload"} and self.things & PUBLISHED:
            return True
        if self.words & STARTS and self.started & (PUBLISHES | {"prod", "production"}):
            return True
        if {"merge", "branch"} <= self.words and "pull" not in self.words:
            return True
        if self.words & PUTS and any(pair <= self.things for pair in LIVE):
            return True
        if self.words & MAILS and self.things & MAILED:
            return True
        if self.is_in_production() and self.is_at_a_service:
            return True
        if any(value is True and folded(str(key)) in UNASKED for key, value in self.given.items()):
            return True
        if self.server & CLUSTERS and self.words & {"apply", "create", "patch", "replace", "update"}:
            return bool(
                {"manifest", "resource", "yaml", "yamlcontent", "patch", "yamlpath"} & self.fields.keys()
            )
        changes = self.words & {"push", "commit", "write", "update", "delete", "create", "upload"}
        branch = self.fields.get("branch", "").removeprefix("refs/heads/")
        return bool(changes and "branch" not in self.words and branch in MAIN and self.names(OF_REPOSITORIES))

    def is_in_production(self) -> bool:
        """A change to what is in use, or a run there: by the one word of an argument, whatever that is called."""
        known = {text.lower() for key, text in self.texts if key in OF_STAGES or "environment" in key}
        if known & LIVE_STAGES and not self.things & {"issue", "comment"}:
            return bool(self.words & CHANGES or (self.words & RUNS and self.things & RUN))
        named = LIVE_STAGES.intersection(text.lower() for _, text in self.texts)
        return bool(named and self.words & (CHANGES - {"create"}) and not self.things & TALK)

    def shows(self) -> bool:
        """To everybody, or to somebody else."""
        shown = self.fields.get("visibility") in ("public", "internal") or self.given.get("private") is False
        if shown and "create" not in self.words and self.things & HELD:
            return True
        if self.given.get("public") is True and "gist" in self.words:
            return True
        if self.words & {"share", "shared", "permission", "permissions", "acl", "policy"}:
            said = (folded(text) for key, text in self.texts if key in SHARED or key.endswith("visibility"))
            return not EVERYBODY.isdisjoint(said)
        return False

    def grants(self) -> bool:
        if self.leads_elsewhere() or self.opens():
            return True
        if not self.words & GRANTS or "comment" in self.words or not self.is_at_a_service:
            return False
        if self.things & RIGHTS and not self.things & {"label", "issue"}:
            return True
        about = self.things | {_one(word) for word in self.server}
        if any(pair <= about and pair & self.things for pair in PAIRS):
            return True
        named = any(key.endswith("password") for key in self.fields)
        if named and self.words & (CHANGES - {"create"}):
            return True
        return "user" in self.things and bool({"roles", "isadmin", "admin", "superuser"} & _keys(self.given))

    def leads_elsewhere(self) -> bool:
        """Where a service sends its users behind a login, and letters behind a filter."""
        if self.names(LEADS_TO) and self.words & (CHANGES - {"create"}):
            return self.is_at_a_service
        forwards = self.things & {"filter", "rule", "forwarding", "delegate", "setting"}
        return bool(forwards and self.words & CHANGES and FORWARDED & self.fields.keys())

    def opens(self) -> bool:
        """A door of a house."""
        named = {_one(word) for key, text in self.texts if key in OF_HOUSE for word in words_of(text)}
        of_house = {_one(word) for word in words_of(self.fields.get("service", ""))} if named else set()
        if (self.words | of_house) & OPENS and (self.things | named) & OPENED:
            return True
        return bool("open" in self.words | of_house and named & (OPENED - {"alarm"}))

    def stops(self) -> bool:
        about = self.things | ({"project"} if "projectid" in self.fields else set())
        if self.words & STOPS and about & (RUNNING | (HELD - STILL)) and self.is_at_a_service:
            return not self.words & {"restart", "stop", "kill"} or not about & {"dev", "debug", "container"}
        if "maintenance" in self.words and (
            self.words & {"on", "enable"} or self.given.get("enabled") is True
        ):
            return True
        if {"power", "off"} <= self.words and about & RUNNING:
            return self.is_at_a_service
        known = SIZES if "scale" in self.words else NUMBERS if self.words & {"update", "resize"} else ()
        sizes = [value for key, value in _values(self.given) if key in known]
        return any(
            value == 0 or (isinstance(value, str) and re.search(r"(?:^|=)0\b", value)) for value in sizes
        )

    def loosens(self) -> bool:
        """The settings of a server that say what an agent may do."""
        if not self.words & {"config", "configuration", "permission", "permissions", "setting", "settings"}:
            return False
        named = {folded(text) for key, text in self.texts if key in ("key", "name", "setting", "path")}
        return bool(self.words & {"set", "update", "write"} and GUARDED & (named | self.fields.keys()))

    def is_local(self) -> bool:
        address = self.fields.get("url", self.fields.get("endpoint", ""))
        return (
            re.match(r"(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/]|$)", address)
            is not None
        )

    def names(self, keys: frozenset[str]) -> bool:
        return bool(keys & _keys(self.given))


_THROWS_AWAY = late(
    r"(?i)\b(?:delete|destroy|drop|flush|purge|truncate)(?:_?(?:all|table|database|by))?\b(?!_)"
)


def _is_deed(key: str) -> bool:
    """Whether an argument says what a tool for several things is to do: `action`, `api_operation`."""
    return key in DEEDS or key.endswith("operation")


def is_started(key: str) -> bool:
    """Whether an argument names what a service is to run: `workflow`, `pipeline_id`."""
    return key in STARTED or key.startswith(tuple(RUN))


def _is_path(key: str) -> bool:
    """Whether an argument names a file of this machine."""
    return ("path" in key and "remote" not in key) or key.endswith(("file", "files", "directory", "folder"))


def _looks(words: list[str]) -> bool:
    """Whether it is about looking at something: `list_deleted_users`, but not `find_and_delete`, `list_delete`."""
    first = next((word for word in words if word in LOOKS or word in ACTS), "")
    return first in LOOKS and "and" not in words and words[-1] not in DELETES | REMOVES


def _one(word: str) -> str:
    return word if word.endswith("ss") or word in SINGULAR else word.removesuffix("s")


def _keys(given: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(folded(str(key)) for key in given)


def _told(text: str) -> list[str]:
    """The words of `storage_account_delete` or `deploy.yml`; a line says itself what it does."""
    return [] if " " in text else words_of(text)


def _values(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((folded(str(key)), value) for key, value in given.items() if not isinstance(value, bool))


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
