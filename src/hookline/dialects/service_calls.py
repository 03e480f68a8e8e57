"""What a call of a server's tool takes away, publishes, grants or stops: by its verb, its object and its arguments.

Nobody can list the tools of all servers. Most verbs mean one thing whatever they are about: what is deleted or cut off
is asked about but for what is of little worth, or is the agent's own. Other verbs count only where the thing is known
to matter. `service_words.py` has both, and the table of what comes of them; arguments say the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.dialects import service_words as known
from hookline.dialects.service_names import LONGEST_NAME, is_no, is_yes, keys_of, one, words_of
from hookline.dialects.service_told import Told
from hookline.dialects.spelling import folded
from hookline.model.typing import Any
from hookline.shell.reading import Argv, Word
from hookline.system.patterns.late import late


def deeds_at_a_service(name: str, given: Mapping[str, Any]) -> Iterator[str]:
    """`discard`, `publish`, `elevate`, `kill` or `tamper`, each once."""
    server, _, tool = name.rpartition("__")
    call = _Call(words_of(server.removeprefix("mcp__")), words_of(tool), given)
    if call.only_looks:
        yield from (["discard"] if call.loses_rows() else [])
        return
    found = set(call.by_table())
    yield from found
    if "discard" not in found and (call.takes_away() or call.empties() or call.loses_rows() or call.pays()):
        yield "discard"
    if "publish" not in found and (call.publishes() or call.shows()):
        yield "publish"
    if "elevate" not in found and call.grants():
        yield "elevate"
    if "kill" not in found and call.stops():
        yield "kill"
    if call.loosens():
        yield "tamper"


class _Call(Told):
    """What a call does, by its words."""

    def by_table(self) -> Iterator[str]:
        """What comes of its verbs with its things."""
        if not self.is_at_a_service:
            return
        said = (self.words - known.NOUNS) | (self.words & self.first)
        for effect, verbs, things, unless in known.TABLE:
            words = self.things if verbs is known.MOVES_MONEY else said
            met = words & verbs or (verbs is known.DELETES and self.started & verbs)
            if effect == "publish" and self.is_tried():
                continue
            if verbs == {"publish"} and not self.head and self.names(known.OF_MESSAGES):
                continue
            if met and (
                self.cuts(verbs, unless) if things is known.CAREFUL else self.is_about(things, unless)
            ):
                yield effect

    def is_about(self, things: frozenset[str], unless: frozenset[str]) -> bool:
        if things in (known.HELD, known.PUBLISHED, known.STARTED_FOR_ALL, known.STOPPABLE):
            return self.head in things and self.things.isdisjoint(unless)
        about = self.things - known.FILLERS if self.told else self.things
        return not (things and about.isdisjoint(things)) and about.isdisjoint(unless)

    def cuts(self, verbs: frozenset[str], unless: frozenset[str]) -> bool:
        """Whether what it takes away may matter: all but what is known to be of little worth, or told otherwise."""
        deletes = verbs is known.DELETES
        if self.is_local() or "many" in self.words or not self.things.isdisjoint(known.TRANSIENT):
            return False
        is_process = self.head in ("", "process", "session", "terminal") and self.names(known.OF_PROCESSES)
        if ((deletes or verbs is known.STOPS) and is_process) or (
            verbs is not known.HALTS and self.is_file(deletes)
        ):
            return False
        if not deletes and "from" in self.tool and self.things & known.PLACES:
            return False
        rows = (text for key, text in self.texts if key.startswith("where"))
        if any(text.strip() and not _ALL_ROWS.fullmatch(text) for text in rows):
            return False  # some rows of a table
        if self.names(known.OF_TABLES) or (self.head in ("tag", "ref") and self.is_of_repository()):
            return True
        if not self.things.isdisjoint(known.MATTERS):
            return True
        if not self.head:
            return deletes or verbs is known.HALTS or bool(self.server & (known.RUNNING | known.HELD))
        is_little = self.head in unless or (self.head not in known.HELD and self.group in unless)
        return not is_little and unless.isdisjoint(map(one, self.started))

    def takes_away(self) -> bool:
        """By its arguments, or what a service gives back to others."""
        if "release" in self.first | {self.last} and self.things & known.RELEASED:
            return self.is_at_a_service
        loses = any(
            is_yes(value) and key.removeprefix("is").startswith(known.LOSES) for key, value in self.values
        )
        loses = loses or any(key.endswith("deleterequest") for key, _ in self.values)
        return (loses and self.is_at_a_service) or self.given.get("prune") is True or self.switches_off()

    def switches_off(self) -> bool:
        """An update that archives something, or locks somebody out."""
        matters = bool(self.things & (known.HELD - {"flag"}) and self.is_at_a_service)
        for key, value in self.values:
            if (key in known.OFF and value is True) or (key in known.ON and is_no(value)):
                return key in ("archived", "intrash") or matters
        ended = self.fields.get("status", self.fields.get("state", "")).lower() in known.ENDED
        return ended and matters and bool(self.words & known.CHANGES) and self.things.isdisjoint(known.TALK)

    def pays(self) -> bool:
        """Money that leaves, an order on a market, or advertisements that begin to cost."""
        about = self.things - known.FILLERS if self.told else self.things
        if not self.is_at_a_service or about & known.UNPAID:
            return False
        if self.words & known.TRADES and about & known.TRADED and self.has(known.OF_TRADES):
            return True
        if ("position" in about and self.words & known.ALWAYS_TRADES) or (
            "contract" in about
            and self.words & known.ON_CHAIN
            and self.names(frozenset(("contractaddress",)))
        ):
            return True
        if about & {"transaction", "tx"} and self.words & {"send", "sign", "broadcast"}:
            return not (self.server | self.tool) & known.OF_DATABASES
        if self.words & known.CHANGES and (about & known.ADS or known.ADS & self.given.keys()):
            budget = "budget" in about or any("budget" in key for key, _ in self.values)
            return budget or self.fields.get("status", "").lower() in ("active", "enabled")
        if (self.words & known.ORDERS and self.names(known.CART)) or self.fields.get("status") == "refunded":
            return True
        if self.started & known.SENDS and self.started & known.MONEY:
            return True
        return bool(self.words & known.INVESTS and "amount" in keys_of(self.given))

    def empties(self) -> bool:
        """All rows at once, a collection that a pipeline replaces, a branch that is put elsewhere."""
        if self.words & {"delete", "update"} and any(
            key.startswith("where") and _ALL_ROWS.fullmatch(text) for key, text in self.texts
        ):
            return True
        many = "many" in self.words or {"update", "all"} <= self.words or {"by", "query"} <= self.words
        if many and self.words & {"update", "delete", "remove", "replace"}:
            return not self.given.get("filter", self.given.get("query", self.given.get("where")))
        stages = self.given.get("pipeline")
        if isinstance(stages, list) and any(isinstance(each, dict) and "$out" in each for each in stages):
            return True
        return self.given.get("force") is True and "ref" in self.words

    def loses_rows(self) -> bool:
        """Whether a query drops what a database holds; what is searched for is no query."""
        if (self.tool | self.server) & known.CONSOLES and any(
            _THROWS_AWAY.search(text) for key, text in self.texts if key in known.OF_CONSOLES
        ):
            return True
        about = (self.tool | self.server) & known.OF_DATABASES
        texts = [text for key, text in self.texts if (key in known.SQL and about) or "sql" in key]
        if not texts or self.tool & {"search", "docs", "validate", "format", "explain"}:
            return False
        from hookline.shell.code.languages import commands_of_code

        found = (each for text in texts for each in commands_of_code(Word((text,)), "sql", "query"))
        return any(isinstance(each, Argv) and each.words[0].literal == "python:discard" for each in found)

    def publishes(self) -> bool:
        if {"upload", "package"} <= self.words or self.posts():
            return True
        starts = self.words & known.STARTS
        named = (text for key, text in self.texts if key.endswith(known.NAMING))
        if starts and any(known.PUBLISHES.intersection(words_of(text[:LONGEST_NAME])) for text in named):
            return True
        if starts and self.started & (known.PUBLISHES | {"prod", "production", "publish", "release"}):
            return True
        if {"merge", "branch"} <= self.words and "pull" not in self.words:
            return True
        if self.words & known.PUTS and any(pair <= self.things for pair in known.LIVE):
            return True
        if self.is_in_production() and self.is_at_a_service:
            return True
        if "apply" in self.words and (self.server | self.tool) & known.INFRASTRUCTURE:
            return True
        if any(is_yes(value) and key in known.UNASKED for key, value in self.values):
            return True
        if folded(self.fields.get("runtype", "")) in known.UNASKED:
            return True
        if self.server & known.CLUSTERS and self.words & {"apply", "create", "patch", "replace", "update"}:
            return bool(
                {"manifest", "resource", "yaml", "yamlcontent", "patch", "yamlpath"} & self.fields.keys()
            )
        changes = self.words & {"push", "commit", "write", "update", "delete", "create", "upload"}
        branch = self.fields.get("branch", "").removeprefix("refs/heads/")
        return bool(
            changes
            and "branch" not in self.words
            and branch in known.MAIN
            and self.names(known.OF_REPOSITORIES)
        )

    def posts(self) -> bool:
        """Something that everybody reads: on a network of people, or on a site at once."""
        if "draft" in self.words:
            return False
        writes = self.first & known.POSTS or self.words & {"create", "update", "edit"}
        if writes and self.things & {"tweet", "toot", "skeet"}:
            return True
        if writes and (self.server | self.tool) & known.SOCIAL and self.head in {"", *known.POSTED}:
            return True
        at_once = self.fields.get("status", "").lower() in ("publish", "published")
        return bool(writes and at_once and self.things & known.PUBLISHED)

    def is_tried(self) -> bool:
        """Whether it is put where only those who make it look."""
        if any(
            (key == "draft" and is_yes(value)) or (key == "prod" and is_no(value))
            for key, value in self.values
        ):
            return True
        return any(text.lower() in known.TRIED_STAGES for key, text in self.texts if key in known.OF_STAGES)

    def is_in_production(self) -> bool:
        """A change to what is in use, or a run there: by the one word of an argument, whatever that is called."""
        stages = {
            text.lower()
            for key, text in self.texts
            if key in known.OF_STAGES or "environment" in key or key.endswith("env")
        }
        if stages & known.LIVE_STAGES and not self.things & {"issue", "comment"}:
            of_what = (self.head and self.head not in known.ONLY_RUN) or self.tool <= known.RUNS
            runs = self.words & known.RUNS and of_what
            return bool(self.words & (known.CHANGES | known.ROLLS) or runs or "off" in self.words)
        named = known.LIVE_STAGES.intersection(
            word
            for key, value in self.values
            if isinstance(value, str)
            for word in (value.split("/") if key == "path" else (value.lower(),))
        )
        changes = self.words & ((known.CHANGES | known.ROLLS) - {"create"})
        return bool(named and changes and not self.things & known.TALK)

    def shows(self) -> bool:
        """To everybody, or to somebody else."""
        shown = self.fields.get("visibility") in ("public", "internal") or self.given.get("private") is False
        if shown and "create" not in self.words and self.things & known.HELD:
            return True
        if self.given.get("public") is True and "gist" in self.words:
            return True
        if "public" in self.words and self.words & (known.CHANGES | {"convert", "make", "share", "shared"}):
            return self.things.isdisjoint(known.OPEN_ANYWAY)
        if self.words & {"share", "shared", "permission", "permissions", "acl", "policy"}:
            said = (
                folded(text) for key, text in self.texts if key in known.SHARED or key.endswith("visibility")
            )
            return not known.EVERYBODY.isdisjoint(said)
        return False

    def grants(self) -> bool:
        if self.leads_elsewhere() or self.opens():
            return True
        if (
            not self.words & (known.GRANTS | known.CHANGES)
            or "comment" in self.words
            or not self.is_at_a_service
        ):
            return False
        if self.head == "admin":
            return True
        if self.unprotects() or ("hook" in self.things and "url" in self.fields):
            return True
        about = self.things | {one(word) for word in self.server}
        if any(pair <= about and pair & self.things for pair in known.PAIRS):
            return True
        if any(key in known.OF_ROLES and known.HIGH & set(words_of(text)) for key, text in self.texts):
            return True
        if any(text.lower() in known.HIGHEST and key not in known.OF_PEOPLE for key, text in self.texts):
            return known.TALK.isdisjoint(self.things)
        named = any(key.endswith("password") for key in self.fields)
        if named and self.words & (known.CHANGES - {"create"}):
            return True
        return "user" in self.things and bool(
            {"roles", "isadmin", "admin", "superuser"} & keys_of(self.given)
        )

    def unprotects(self) -> bool:
        """A setting that protects, and is put to no."""
        named = {one(word) for key, text in self.texts if key in known.SETTINGS for word in words_of(text)}
        of_protection = not known.PROTECTS.isdisjoint(self.things | named)
        return any(
            (of_protection and key in known.PUT_TO_NO) or any(each in key for each in known.PROTECTING)
            for key, value in self.values
            if is_no(value)
        )

    def leads_elsewhere(self) -> bool:
        """Where a service sends its users behind a login, and letters behind a filter."""
        if self.names(known.LEADS_TO) and self.words & (known.CHANGES - {"create"}):
            return self.is_at_a_service
        forwards = self.things & {"filter", "rule", "forwarding", "delegate", "setting"}
        return bool(forwards and self.words & known.CHANGES and known.FORWARDED & self.fields.keys())

    def opens(self) -> bool:
        """A door of a house, or its alarm put off."""
        named = {one(word) for key, text in self.texts if key in known.OF_HOUSE for word in words_of(text)}
        of_house = {one(word) for word in words_of(self.fields.get("service", ""))} if named else set()
        words = self.words | of_house
        if words & known.OPENS and ((self.things | named) & known.OPENED or "disarmed" in words):
            return True
        return bool(
            ("open" in words and named & (known.OPENED - {"alarm"})) or ("off" in words and "alarm" in named)
        )

    def stops(self) -> bool:
        about = self.things | ({"project"} if "projectid" in self.fields else set())
        if "restart" in self.words and not self.head and self.is_at_a_service:
            return known.TRIED.isdisjoint(self.server)  # of the server itself
        if self.words & known.STOPS and about & {"project"}:
            return self.is_at_a_service
        if "maintenance" in self.words and (
            self.words & {"on", "enable"} or self.given.get("enabled") is True
        ):
            return True
        if any(pair <= self.words for pair in known.PUT_OUT) and about & known.RUNNING:
            return self.is_at_a_service
        sized = (
            known.SIZES
            if "scale" in self.words
            else known.NUMBERS
            if self.words & {"update", "resize"}
            else ()
        )
        return any(
            (value == 0 and value is not False)
            or (isinstance(value, str) and re.search(r"(?:^|=)0\b", value))
            for key, value in self.values
            if key in sized
        )

    def loosens(self) -> bool:
        """The settings of a server that say what an agent may do, and further servers."""
        if {"mcp", "server"} <= self.tool and self.words & {"add", "install", "register"}:
            return True
        if not self.words & {"config", "configuration", "permission", "permissions", "setting", "settings"}:
            return False
        named = {folded(text) for key, text in self.texts if key in ("key", "name", "setting", "path")}
        return bool(self.words & {"set", "update", "write"} and known.GUARDED & (named | self.fields.keys()))


_ALL_ROWS = re.compile(r"\s*(?:where\s+)?(?:1\s*=\s*1|true)\s*;?\s*", re.IGNORECASE)
_THROWS_AWAY = late(
    r"(?i)\b(?:delete|destroy|drop|flush|purge|truncate)(?:_?(?:all|table|database|by))?\b(?!_)"
)
