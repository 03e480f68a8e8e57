"""The words by which calls of servers' tools are told: verbs, things, and arguments, each list by what it says."""

from __future__ import annotations

LOOKS = frozenset((
    "analyse", "analyze", "check", "compare", "count", "describe", "diff", "docs", "estimate", "explain",
    "export", "fetch", "find", "get", "has", "help", "history", "info", "inspect", "is", "list", "logs",
    "lookup", "preview", "query", "read", "retrieve", "review", "search", "show", "simulate", "status",
    "suggest", "validate", "verify", "view", "wait",
))  # fmt: skip
# For good, whatever it is; but not what is the agent's own, or of little worth.
DELETES = frozenset((
    "del", "delete", "deletion", "deprovision", "destroy", "destruction", "drop", "erase", "flush",
    "flushall", "flushdb", "nuke", "purge", "removal", "teardown", "terminate", "termination", "truncate",
    "unlink", "unpublish", "wipe", "yank",
))  # fmt: skip
LITTLE = frozenset((
    "actor", "alarm", "alert", "annotation", "attribute", "bookmark", "breakpoint", "cache", "cell",
    "chart", "checkpoint", "clip", "comment", "component", "context", "cookie", "draft", "drag", "edge",
    "element", "entity", "entitie", "event", "favorite", "frame", "highlight", "history", "hook", "item",
    "keyframe", "label", "layer", "like", "line", "link", "memory", "memorie", "mesh", "measure", "model",
    "node", "note", "notification", "observation", "paragraph", "pending", "process", "property", "range",
    "reaction", "relation", "reminder", "scene", "selection", "session", "shape", "shot", "slide", "star",
    "step", "subtask", "symbol", "tab", "task", "terminal", "text", "thought", "tile", "todo", "track",
    "trigger", "watch", "worktree",
))  # fmt: skip
OWN = frozenset((
    "adb", "android", "appium", "blender", "browser", "chrome", "debugger", "emulator", "excel", "figma",
    "freecad", "godot", "ide", "ios", "jetbrains", "jupyter", "lsp", "memory", "mobile", "neovim",
    "notebook", "photoshop", "playwright", "powerbi", "powerpoint", "ppt", "puppeteer", "serena", "sim",
    "simulator", "taskmaster", "todo", "todoist", "unity", "unreal", "word", "xcode", "xcodebuild",
))  # fmt: skip
# To these it matters as well that they are removed, reset, archived, or cut off.
REMOVES = frozenset((
    "archive", "ban", "block", "bypass", "cancel", "cleanup", "clear", "deactivate", "deregister", "detach",
    "disable", "empty", "expire", "kick", "mute", "prune", "remove", "reset", "restore", "revert", "revoke",
    "silence", "transfer", "trash", "uninstall", "unprotect", "unset", "void",
))  # fmt: skip
# Of these, words that are things as often: only where they stand first.
NOUNS = frozenset(("block", "mute", "silence", "trash", "void"))
HELD = frozenset((
    "account", "addon", "app", "application", "audit", "authenticator", "backup", "blocking", "board",
    "booking", "bot", "branch", "bucket", "certificate", "channel", "chart", "client", "cluster",
    "collection", "connector", "contact", "container", "conversation", "customer", "dashboard", "database",
    "dataset", "datasource", "db", "deal", "deployment", "disk", "document", "domain", "droplet", "email",
    "encryption", "environment", "extension", "factor", "feature", "firewall", "flag", "function", "gate",
    "group", "helm", "image", "index", "instance", "integration", "invoice", "key", "keyspace", "lead",
    "logging", "member", "message", "mfa", "migrate", "migration", "mongodb", "monitor", "monitoring",
    "mysql", "namespace", "network", "object", "order", "org", "organization", "page", "parent", "passkey",
    "payment", "pg", "plugin", "pod", "policy", "postgres", "postgresql", "product", "project",
    "protection", "queue", "record", "redis", "registry", "release", "repo", "repository", "reservation",
    "resource", "role", "route", "rule", "schema", "secret", "server", "service", "site", "snapshot",
    "stack", "stream", "subscription", "table", "team", "ticket", "topic", "trash", "user", "variable",
    "versioning", "vm", "volume", "webhook", "worker", "workflow", "workspace", "zone",
))  # fmt: skip
STOPS = frozenset((
    "cordon", "deallocate", "drain", "evict", "failover", "halt", "hibernate", "kill", "pause", "poweroff",
    "reboot", "reinstall", "restart", "shutdown", "stop", "suspend",
))  # fmt: skip
RUNNING = frozenset((
    "app", "array", "cluster", "database", "db", "deployment", "device", "droplet", "dyno", "guest",
    "instance", "job", "lxc", "machine", "node", "organization", "pod", "pool", "project", "replication",
    "server", "service", "site", "subscription", "trail", "user", "vm", "vmss", "vps", "workload",
))  # fmt: skip
PUBLISHES = frozenset(("deploy", "promote", "publish", "redeploy", "release", "rollback", "rollout"))
STARTS = frozenset((
    "build", "dispatch", "execute", "invoke", "play", "queue", "retry", "run", "start", "trigger",
    "unblock",
))  # fmt: skip
STARTED = frozenset((
    "actionname", "fullname", "function", "functionname", "inventory", "macro", "mutation", "operationname",
    "procedure", "tool", "toolname", "toolslug",
))  # fmt: skip
DEEDS = ("action", "command", "httpmethod", "method", "mode", "operation", "subcommand")
GRANTS = frozenset((
    "accept", "add", "allow", "apply", "approve", "assign", "assume", "attach", "authorize", "change",
    "create", "delegate", "edit", "enable", "generate", "grant", "impersonate", "import", "insert",
    "invite", "make", "modify", "open", "patch", "put", "register", "reset", "rotate", "set", "update",
    "upload", "write",
))  # fmt: skip
RIGHTS = frozenset((
    "acl", "admin", "administrator", "collaborator", "credential", "firewall", "grant", "iam", "ingress",
    "nameserver", "password", "permission", "policie", "policy", "role", "secret", "webhook",
))  # fmt: skip
PAIRS = tuple(map(frozenset, (
    ("access", "key"), ("access", "list"), ("access", "token"), ("api", "key"), ("api", "token"), ("auth", "key"),
    ("deploy", "key"), ("deploy", "token"), ("ip", "allowlist"), ("ip", "whitelist"), ("security", "group"),
    ("security", "rule"), ("service", "account"), ("ssh", "key"), ("db", "user"), ("database", "user"), ("iam", "user"),
    ("login", "user"), ("org", "member"), ("organization", "member"), ("project", "member"), ("team", "member"),
    ("group", "member"), ("admin", "user"), ("branch", "protection"),
    ("default", "branch"), ("dns", "record"), ("change", "record", "set"), ("user", "group"), ("user", "team"),
    ("user", "organization"), ("user", "org"), ("user", "project"), ("permission", "set"),
    ("dns", "host"), ("dns", "zone"), ("name", "server"), ("public", "access"),
)))  # fmt: skip
MAIN = frozenset(("main", "master", "production", "trunk"))
OF_REPOSITORIES = frozenset((
    "project", "projectid", "projectkey", "repo", "reponame", "repository", "reposlug",
))  # fmt: skip
OF_PROCESSES = frozenset(("pid", "processid", "sessionid"))
EVERYBODY = frozenset((
    "allusers", "anyone", "anyonewithlink", "everyone", "public", "publicread", "publicreadwrite",
))  # fmt: skip
SHARED = frozenset((
    "access", "acl", "cannedacl", "entity", "member", "principal", "scope", "sharewith", "type",
    "visibility",
))  # fmt: skip
CLUSTERS = frozenset(("eks", "k", "k8s", "kubectl", "kubernetes", "oc", "openshift", "gke", "aks"))
OF_DATABASES = frozenset((
    "athena", "bigquery", "cassandra", "clickhouse", "cockroachdb", "cql", "cypher", "d1", "database", "db",
    "dbhub", "duckdb", "exec", "execute", "mariadb", "migration", "motherduck", "mssql", "mysql", "neo",
    "oracle", "pg", "postgres", "postgresql", "psql", "query", "redshift", "run", "snowflake", "spanner",
    "sql", "sqlite", "statement", "surrealdb", "timescale", "trino",
))  # fmt: skip
SQL = (
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
GUARDED = frozenset((
    "alloweddirectories", "allowedcommands", "allowedpaths", "allowlist", "autoapprove", "blockedcommands",
    "denylist", "permissionmode", "permissions", "readonly", "sandbox", "yolo",
))  # fmt: skip
ACTS = frozenset(("merge", "push", "scale", "share", "sync")).union(
    DELETES, REMOVES, STOPS, PUBLISHES, STARTS, GRANTS
)
PUBLISHED = frozenset((
    "app", "article", "content", "document", "draft", "entrie", "entry", "extension", "listing", "package",
    "page", "post", "product", "release", "site", "store", "theme", "version",
))  # fmt: skip
NUMBERS = frozenset(("desiredcapacity", "desiredcount", "desiredsize", "nodecount", "replicas"))
SIZES = frozenset((
    "count", "desiredcapacity", "desiredcount", "desiredsize", "dyno", "instances", "maxsize", "minsize",
    "nodecount", "quantity", "replicas", "scale", "size",
))  # fmt: skip
# What a service gives back to others.
RELEASED = frozenset(("address", "eip", "ip", "number", "phone"))
UNASKED = frozenset(("autoapply", "autoapprove", "autodeploy"))
RUNS = frozenset(("dispatch", "execute", "launch", "run", "start", "trigger"))
RUN = frozenset(("automation", "build", "dag", "job", "pipeline", "playbook", "template", "workflow"))
# What runs somewhere as soon as it is put there.
LIVE = tuple(map(frozenset, (
    ("function", "code"), ("edge", "function"), ("lambda", "code"), ("worker", "script"), ("worker", "code"),
)))  # fmt: skip
PUTS = frozenset(("create", "put", "update", "upload", "write"))
# A machine that is put up anew, without what it held.
REBUILDS = frozenset(("rebuild", "reimage", "reformat", "reprovision"))
MACHINES = frozenset((
    "container", "device", "droplet", "guest", "host", "instance", "linode", "lxc", "machine", "node", "server",
    "vm", "vps",
))  # fmt: skip
# Arguments that take somebody or something out of use, or put it back.
OFF = frozenset((
    "archived", "blocked", "cancelatperiodend", "cancelimmediately", "deactivated", "disabled", "intrash",
    "suspended",
))  # fmt: skip
ON = frozenset(("active", "enabled", "isactive", "isenabled"))
CHANGES = frozenset((
    "activate", "change", "create", "deactivate", "disable", "edit", "enable", "kill", "modify", "patch",
    "put", "remove", "set", "switch", "toggle", "turn", "update", "upsert",
))  # fmt: skip
# What says where a change is told and discussed: there such a name is a word among others.
TALK = frozenset((
    "comment", "document", "email", "event", "issue", "label", "message", "note", "page", "record", "task", "ticket",
))  # fmt: skip
OF_STAGES = frozenset((
    "env", "environment", "environmentkey", "environmentname", "environmentslug", "network", "stage",
    "target", "targets",
))  # fmt: skip
LIVE_STAGES = frozenset(("live", "prod", "production"))
# Arguments that name what holds people's data, whatever is taken out of it is called.
OF_TABLES = frozenset(("bucket", "collection", "collectionname", "index", "table", "tableid", "tablename"))
# What is not running though it may be stopped.
STILL = frozenset(
    ("conversation", "document", "image", "message", "object", "page", "record", "resource", "stream")
)
# Money, and what is as good.
MOVES_MONEY = frozenset((
    "disburse", "disbursement", "payout", "payroll", "refund", "reimburse", "remit", "settlement",
    "withdraw", "withdrawal",
))  # fmt: skip
PAYS = frozenset(
    ("capture", "charge", "confirm", "create", "execute", "initiate", "make", "pay", "process", "submit")
)
PAID = frozenset(("charge", "payment", "transfer"))
BILLS = frozenset(("bill", "invoice"))
UNPAID = frozenset((
    "button", "draft", "email", "form", "item", "job", "link", "method", "notification", "option", "page", "plan",
    "receipt", "reminder", "request", "setting", "setup", "task", "template", "term",
))  # fmt: skip
SENDS = frozenset(("send", "swap", "transfer", "wire", "bridge", "stake", "unstake"))
MONEY = frozenset((
    "asset", "balance", "bitcoin", "btc", "coin", "crypto", "currency", "erc", "eth", "ether", "fund", "money",
    "nft", "payment", "sol", "token", "usdc", "usdt",
))  # fmt: skip
TRADES = frozenset(
    ("buy", "modify", "cancel", "close", "create", "limit", "market", "open", "place", "sell", "submit")
)
TRADED = frozenset(("order", "position", "trade"))
OF_TRADES = frozenset((
    "coin", "contract", "instrument", "pair", "side", "symbol", "ticker", "tradingpair", "tradingsymbol",
    "transactiontype",
))  # fmt: skip
ALWAYS_TRADES = frozenset(("close", "liquidate", "open"))  # positions, whatever else it is told
ON_CHAIN = frozenset(("execute", "send", "write"))  # a contract
# Letters to many.
MAILS = frozenset(("launch", "schedule", "send", "start"))
MAILED = frozenset(("blast", "broadcast", "bulk", "campaign", "newsletter"))
# Whom a service sends its users, or their letters.
LEADS_TO = frozenset((
    "allowedcallbackurls", "allowedorigins", "callbacks", "callbackurls", "redirecturi", "redirecturis", "weborigins",
))  # fmt: skip
FORWARDED = frozenset(
    ("delegateemail", "forward", "forwardingaddress", "forwardingemail", "forwardto", "redirectto")
)
OPENS = frozenset(("disarm", "unlock"))
OF_HOUSE = frozenset(("device", "deviceid", "devicename", "domain", "entityid", "lockid"))
OPENED = frozenset(("alarm", "car", "door", "garage", "gate", "lock", "safe", "vehicle"))
# Consoles inside of an application, and what their code throws away.
CONSOLES = frozenset(("anonymous", "apex", "console", "tinker"))
OF_CONSOLES = frozenset(("apexcode", "code", "command", "expression", "input", "script", "snippet"))
# Words that end as several things do, and are one.
SINGULAR = frozenset(("aws", "cors", "dns", "ecs", "eks", "kms", "rds", "sms", "sns", "sqs", "tls", "vps"))
