"""What a call of a server's tool takes away, publishes, grants or stops: by its verb, its object and its arguments.

Nobody can list the tools of all servers. What is deleted at a service is asked about whatever it is, but for what is
of little worth, or is the agent's own; what is removed, reset or stopped only where the thing is known to matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.dialects.spelling import folded
from hookline.model.typing import Any
from hookline.shell.reading import Argv, Word

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_LOOKS = frozenset((
    "analyse", "analyze", "check", "compare", "count", "describe", "diff", "docs", "estimate", "explain",
    "export", "fetch", "find", "get", "has", "help", "history", "info", "inspect", "is", "list", "logs",
    "lookup", "preview", "query", "read", "retrieve", "review", "search", "show", "simulate", "status",
    "suggest", "validate", "verify", "view", "wait",
))  # fmt: skip
# For good, whatever it is; but not what is the agent's own, or of little worth.
_DELETES = frozenset((
    "delete", "deprovision", "destroy", "drop", "erase", "flush", "flushall", "flushdb", "nuke", "purge",
    "terminate", "truncate", "unlink", "unpublish", "wipe", "yank",
))  # fmt: skip
_LITTLE = frozenset((
    "actor", "alarm", "alert", "annotation", "attribute", "bookmark", "breakpoint", "cache", "cell",
    "chart", "checkpoint", "clip", "comment", "component", "context", "cookie", "draft", "drag", "edge",
    "element", "entity", "entitie", "event", "favorite", "frame", "highlight", "history", "hook", "item",
    "keyframe", "label", "layer", "like", "line", "link", "memory", "memorie", "mesh", "measure", "model",
    "node", "note", "notification", "observation", "paragraph", "pending", "process", "property", "range",
    "reaction", "relation", "reminder", "scene", "selection", "session", "shape", "shot", "slide", "star",
    "step", "subtask", "symbol", "tab", "task", "terminal", "text", "thought", "tile", "todo", "track",
    "trigger", "watch", "worktree",
))  # fmt: skip
_OWN = frozenset((
    "adb", "android", "appium", "blender", "browser", "chrome", "debugger", "emulator", "excel", "figma",
    "freecad", "godot", "ide", "ios", "jetbrains", "jupyter", "lsp", "memory", "mobile", "neovim",
    "notebook", "photoshop", "playwright", "powerbi", "powerpoint", "ppt", "puppeteer", "serena", "sim",
    "simulator", "taskmaster", "todo", "todoist", "unity", "unreal", "word", "xcode", "xcodebuild",
))  # fmt: skip
# To these it matters as well that they are removed, reset, archived, or cut off.
_REMOVES = frozenset((
    "archive", "ban", "cancel", "cleanup", "clear", "deactivate", "deregister", "detach", "disable",
    "empty", "expire", "kick", "prune", "remove", "reset", "restore", "revert", "revoke", "transfer",
    "trash", "uninstall", "unprotect",
))  # fmt: skip
_HELD = frozenset((
    "account", "app", "application", "backup", "bot", "branch", "bucket", "channel", "chart", "cluster",
    "collection", "contact", "container", "conversation", "customer", "database", "db", "dataset", "deal",
    "deployment", "disk", "document", "domain", "droplet", "email", "environment", "firewall", "flag",
    "function", "group", "helm", "image", "index", "instance", "key", "keyspace", "lead", "message",
    "migrate", "migration", "namespace", "network", "org", "object", "order", "organization", "page",
    "parent", "pod", "policy", "product", "project", "protection", "queue", "record", "registry", "release",
    "repo", "repository", "resource", "role", "route", "schema", "secret", "server", "service", "site",
    "snapshot", "stack", "stream", "subscription", "table", "team", "ticket", "topic", "user", "vm",
    "volume", "webhook", "worker", "workflow", "workspace", "zone",
))  # fmt: skip
_STOPS = frozenset((
    "cordon", "deallocate", "drain", "evict", "failover", "halt", "hibernate", "kill", "pause", "poweroff",
    "reboot", "reinstall", "restart", "shutdown", "stop", "suspend",
))  # fmt: skip
_RUNNING = frozenset((
    "app", "cluster", "database", "db", "deployment", "device", "droplet", "dyno", "instance", "job", "lxc",
    "machine", "node", "organization", "pod", "project", "server", "service", "site", "subscription",
    "user", "vm", "vmss", "vps", "workload",
))  # fmt: skip
_PUBLISHES = frozenset(("deploy", "promote", "publish", "redeploy", "release", "rollback", "rollout"))
_STARTS = frozenset((
    "build", "dispatch", "execute", "invoke", "play", "queue", "retry", "run", "start", "trigger",
))  # fmt: skip
STARTED = frozenset((
    "actionname", "function", "functionname", "job", "jobfullname", "inventory", "jobname", "macro",
    "mutation", "operationname", "pipeline", "playbook", "procedure", "tool", "toolname", "toolslug",
    "workflow", "workflowid", "workflowname",
))  # fmt: skip
_DEEDS = ("action", "command", "httpmethod", "method", "mode", "operation", "subcommand")
_GRANTS = frozenset((
    "accept", "add", "allow", "apply", "approve", "assign", "attach", "authorize", "change", "create",
    "edit", "enable", "generate", "grant", "insert", "invite", "make", "modify", "open", "patch", "put",
    "register", "reset", "rotate", "set", "update", "upload",
))  # fmt: skip
_RIGHTS = frozenset((
    "acl", "admin", "administrator", "collaborator", "credential", "firewall", "grant", "iam", "ingress",
    "nameserver", "password", "permission", "policie", "policy", "role", "secret", "webhook",
))  # fmt: skip
_PAIRS = tuple(map(frozenset, (
    ("access", "key"), ("access", "list"), ("access", "token"), ("api", "key"), ("api", "token"), ("auth", "key"),
    ("deploy", "key"), ("deploy", "token"), ("ip", "allowlist"), ("ip", "whitelist"), ("security", "group"),
    ("security", "rule"), ("service", "account"), ("ssh", "key"), ("db", "user"), ("database", "user"), ("iam", "user"),
    ("login", "user"), ("org", "member"), ("organization", "member"), ("project", "member"), ("team", "member"),
    ("group", "member"), ("admin", "user"), ("branch", "protection"),
    ("default", "branch"), ("dns", "record"), ("change", "record", "set"),
)))  # fmt: skip
_MAIN = frozenset(("main", "master", "production", "trunk"))
_OF_REPOSITORIES = frozenset((
    "project", "projectid", "projectkey", "repo", "reponame", "repository", "reposlug",
))  # fmt: skip
_OF_PROCESSES = frozenset(("pid", "processid", "sessionid"))
_EVERYBODY = frozenset((
    "allusers", "anyone", "anyonewithlink", "everyone", "public", "publicread", "publicreadwrite",
))  # fmt: skip
_SHARED = frozenset((
    "access", "acl", "cannedacl", "entity", "member", "principal", "scope", "sharewith", "type",
    "visibility",
))  # fmt: skip
_CLUSTERS = frozenset(("eks", "k", "k8s", "kubectl", "kubernetes", "oc", "openshift", "gke", "aks"))
_OF_DATABASES = frozenset((
    "athena", "bigquery", "cassandra", "clickhouse", "cockroachdb", "cql", "cypher", "d1", "database", "db",
    "dbhub", "duckdb", "exec", "execute", "mariadb", "migration", "motherduck", "mssql", "mysql", "neo",
    "oracle", "pg", "postgres", "postgresql", "psql", "query", "redshift", "run", "snowflake", "spanner",
    "sql", "sqlite", "statement", "surrealdb", "timescale", "trino",
))  # fmt: skip
_SQL = (
    "cypher",
    "queries",
    "query",
    "sql",
    "sqlquery",
    "sqlstatement",
    "sqlstatements",
    "statement",
    "statements",
)
_GUARDED = frozenset((
    "alloweddirectories", "allowedcommands", "allowedpaths", "allowlist", "autoapprove", "blockedcommands",
    "denylist", "permissionmode", "permissions", "readonly", "sandbox", "yolo",
))  # fmt: skip


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
    if call.deletes() or call.removes() or call.empties() or call.loses_rows():
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
        told = [word for key, text in self.texts if key in _DEEDS for word in _told(text)]
        started = [word for key, text in self.texts if key in STARTED for word in _told(text)]
        self.server = frozenset(server)
        self.tool = frozenset(tool)
        self.words = self.tool.union(told)
        self.started = frozenset(started)
        self.is_at_a_service = _OWN.isdisjoint(self.server | self.tool)
        self.things = {_one(word) for word in self.words}
        self.only_looks = _looks(told) if set(told) & (_ACTS | _LOOKS) else _looks(tool)

    def deletes(self) -> bool:
        verbs = (self.words | self.started) & _DELETES
        if not verbs or not self.is_at_a_service or self.names(_OF_PROCESSES):
            return False
        if "many" in self.words:
            return not self.given.get("filter")  # else those that are named
        of_files = self.words & {"file", "files", "directory", "folder", "path"}
        if of_files and any(
            "path" in key or key in ("file", "files", "directory", "folder") for key in self.fields
        ):
            return False  # told as the path that it is
        if self.is_local():
            return False
        return bool(self.things & _HELD) or not (self.things | set(map(_one, self.started))) & _LITTLE

    def removes(self) -> bool:
        if not self.words & _REMOVES:
            return self.given.get("prune") is True or any(
                self.given.get(key) is True for key in ("archived", "in_trash", "inTrash")
            )
        if {"add", "stage", "label", "labels"} & self.words:
            return False
        tagged = self.words & {"tag", "ref"} and "repo" in self.given
        return bool(self.is_at_a_service and (self.things & _HELD or tagged))

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
        about = (self.tool | self.server) & _OF_DATABASES
        texts = [text for key, text in self.texts if (key in _SQL and about) or "sql" in key]
        if not texts or self.tool & {"search", "docs", "validate", "format", "explain"}:
            return False
        from hookline.shell.code.languages import commands_of_code

        found = (each for text in texts for each in commands_of_code(Word((text,)), "sql", "query"))
        return any(isinstance(each, Argv) and each.words[0].literal == "python:discard" for each in found)

    def publishes(self) -> bool:
        created = {"create", "release"} <= self.words or {"upload", "package"} <= self.words
        if created or self.words & _PUBLISHES - {"release", "publish"}:
            return True
        if self.words & {"publish", "upload"} and self.things & _PUBLISHED:
            return True
        if self.words & _STARTS and self.started & (_PUBLISHES | {"prod", "production"}):
            return True
        if {"merge", "branch"} <= self.words and "pull" not in self.words:
            return True
        if self.server & _CLUSTERS and self.words & {"apply", "create", "patch", "replace", "update"}:
            return bool(
                {"manifest", "resource", "yaml", "yamlcontent", "patch", "yamlpath"} & self.fields.keys()
            )
        changes = self.words & {"push", "commit", "write", "update", "delete", "create", "upload"}
        branch = self.fields.get("branch", "").removeprefix("refs/heads/")
        return bool(
            changes and "branch" not in self.words and branch in _MAIN and self.names(_OF_REPOSITORIES)
        )

    def shows(self) -> bool:
        """To everybody, or to somebody else."""
        shown = self.fields.get("visibility") in ("public", "internal") or self.given.get("private") is False
        if shown and "create" not in self.words and self.things & _HELD:
            return True
        if self.given.get("public") is True and "gist" in self.words:
            return True
        if self.words & {"share", "permission", "permissions", "acl", "policy"}:
            return any(folded(text) in _EVERYBODY for key, text in self.texts if key in _SHARED)
        return False

    def grants(self) -> bool:
        if not self.words & _GRANTS or "comment" in self.words or not self.is_at_a_service:
            return False
        if self.things & _RIGHTS and not self.things & {"label", "issue"}:
            return True
        about = self.things | {_one(word) for word in self.server}
        if any(pair <= about and pair & self.things for pair in _PAIRS):
            return True
        return "user" in self.things and bool({"roles", "isadmin", "admin", "superuser"} & _keys(self.given))

    def stops(self) -> bool:
        about = self.things | ({"project"} if "projectid" in self.fields else set())
        if self.words & _STOPS and about & _RUNNING and self.is_at_a_service:
            return not self.words & {"restart", "stop", "kill"} or not about & {"dev", "debug", "container"}
        if {"maintenance", "mode"} <= self.words and self.given.get("enabled") is True:
            return True
        if {"power", "off"} <= self.words and about & _RUNNING:
            return self.is_at_a_service
        known = _SIZES if "scale" in self.words else _NUMBERS if self.words & {"update", "resize"} else ()
        sizes = [value for key, value in _values(self.given) if key in known]
        return any(
            value == 0 or (isinstance(value, str) and re.search(r"(?:^|=)0\b", value)) for value in sizes
        )

    def loosens(self) -> bool:
        """The settings of a server that say what an agent may do."""
        if not self.words & {"config", "configuration", "permission", "permissions", "setting", "settings"}:
            return False
        named = {folded(text) for key, text in self.texts if key in ("key", "name", "setting", "path")}
        return bool(self.words & {"set", "update", "write"} and _GUARDED & (named | self.fields.keys()))

    def is_local(self) -> bool:
        address = self.fields.get("url", self.fields.get("endpoint", ""))
        return (
            re.match(r"(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?:[:/]|$)", address)
            is not None
        )

    def names(self, keys: frozenset[str]) -> bool:
        return bool(keys & _keys(self.given))


_ACTS = frozenset(("merge", "push", "scale", "share", "sync")).union(
    _DELETES, _REMOVES, _STOPS, _PUBLISHES, _STARTS, _GRANTS
)
_PUBLISHED = frozenset((
    "app", "article", "content", "document", "draft", "entrie", "entry", "extension", "listing", "package",
    "page", "post", "product", "release", "site", "store", "theme", "version",
))  # fmt: skip
_NUMBERS = frozenset(("desiredcapacity", "desiredcount", "desiredsize", "nodecount", "replicas"))
_SIZES = frozenset((
    "count", "desiredcapacity", "desiredcount", "desiredsize", "dyno", "instances", "maxsize", "minsize",
    "nodecount", "quantity", "replicas", "scale", "size",
))  # fmt: skip


def _looks(words: list[str]) -> bool:
    """Whether it is about looking at something: `list_deleted_users`, but not `find_and_delete`, `list_delete`."""
    first = next((word for word in words if word in _LOOKS or word in _ACTS), "")
    return first in _LOOKS and "and" not in words and words[-1] not in _DELETES | _REMOVES


def _one(word: str) -> str:
    return word if word.endswith("ss") else word.removesuffix("s")


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
