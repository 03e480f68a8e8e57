"""Config keys as rows: reader, writer, JSON Schema (`schemas`) and page of a dialect are made from them; switches."""

from __future__ import annotations

from hookline.model.hooks import HookSpec
from hookline.model.record import Record
from hookline.model.typing import TYPE_CHECKING, Any, Iterable, Mapping

if TYPE_CHECKING:
    from hookline.dialects.reading.reader import Reader


class Key(Record):
    """One key of a hook's entry.

    `type`: text (may be empty), line (may not), scalar (a text, or what YAML makes of it), url, matcher and globs
    (read apart), texts, names (one text or a list), flag, tristate (a no is no silence), yes_no (in YAML 1.1's words
    too), whole, count (a whole one from 1 on), number (a whole one, below 0 too), limit (a whole number, null for
    none), span (a time with its unit: `30s`), time (the same, or seconds), seconds, whole_seconds, milliseconds,
    either (seconds, from 1000 on milliseconds), map, object, ignored (the agent does, a person should know), or words
    to choose from, parted by `|`. `field`: where it goes, a field of `HookSpec` or of one of its parts
    (`conduct.rewake`), `action.NAME` for what the entry runs (see `actions`), or `options.NAME` for what only the
    dialect itself reads; empty: read apart, or by nobody. `means` is what a `true` stands for, or by word what each
    stands for; `with_it` a further field that it sets too and then says in its place. `handlers`: the types that have
    it; empty: all. `default` is what holds without it, `most` the longest time in seconds, `zero` whether a time of 0
    means none; `lenient`: a wrong time is told of, and the default holds. `wanted` is what a line is called where it
    is missing, `words` what it is for. Of several keys for one field the first is written, and wins.
    """

    name: str
    type: str = "text"
    field: str = ""
    words: str = ""
    default: Any = None
    handlers: frozenset[str] = frozenset()
    required: bool = False
    means: Any = True
    with_it: str = ""
    most: float = 0.0
    zero: bool = False
    wanted: str = "a string"
    lenient: bool = False

    @property
    def runs(self) -> str:
        """The field of the action it says; empty for any other key."""
        return self.field[7:] if self.field.startswith("action.") else ""

    @property
    def choices(self) -> tuple[str, ...]:
        """The words to choose from."""
        return tuple(self.type.split("|"))

    def is_for(self, handler: str) -> bool:
        return not (handler and self.handlers) or handler in self.handlers


class Keys(tuple[Key, ...]):
    """The rows of an entry in their order, and by name what is asked of them for each of many entries."""

    def __init__(self, rows: Iterable[Key]) -> None:
        self.valued = {
            key.name: (place, key)
            for place, key in enumerate(self)
            if key.type in ("ignored", "limit") or (key.field and key.type != "matcher" and not key.runs)
        }
        self.limits = [(place, key) for place, key in self.valued.values() if key.type == "limit"]
        self._names: dict[str, frozenset[str]] = {}
        self._acting: dict[str, list[tuple[str, Key]]] = {}

    def names(self, handler: str = "") -> frozenset[str]:
        """Those that an entry of that type may have."""
        if handler not in self._names:
            self._names[handler] = frozenset(key.name for key in self if key.is_for(handler))
        return self._names[handler]

    def acting(self, handler: str) -> list[tuple[str, Key]]:
        """The rows that say what an entry of that type runs, each with the field of the action."""
        if handler not in self._acting:
            self._acting[handler] = [(key.runs, key) for key in self if key.runs and key.is_for(handler)]
        return self._acting[handler]


class Switch(Record):
    """A setting by which an agent runs no hooks: its (dotted) key, the value for that, what to say, and what to do."""

    key: str
    value: bool
    words: str
    hint: str


_YES_NO = {
    **dict.fromkeys(("y", "Y", "yes", "on"), True), **dict.fromkeys(("n", "N", "no", "off"), False),
}  # fmt: skip
LONGEST_WAIT_S = 7 * 86400.0  # what the agents take without end ends here
UNITS: Mapping[str, str] = {
    "time": "", "seconds": "seconds", "whole_seconds": "whole seconds", "milliseconds": "milliseconds",
    "either": "seconds; from 1000 on milliseconds",
}  # fmt: skip


def read_keys(reader: Reader, keys: Keys, handler: str = "") -> dict[str, Any]:
    """The values of an entry by their field; what is wrong, and what no row knows, is reported.

    `handler` is its type; an empty one has every key, and of a type there is none of no key is said to be foreign.
    """
    found = read_values(reader, keys)
    known = keys.names(handler)
    if not known.issuperset(reader.members):
        types = next((key.choices for key in keys if key.name == "type"), (handler,))
        if not handler or handler in types:
            reader.unknown_keys(known)
    return found


def read_values(reader: Reader, keys: Keys) -> dict[str, Any]:
    """The values of an entry by their field; what is wrong with one is reported."""
    found: dict[str, Any] = {}
    valued, members = keys.valued, reader.members
    given = [valued[name] for name in members if name in valued]
    if keys.limits:
        given += [each for each in keys.limits if each[1].name not in members]
    for _, key in sorted(given) if len(given) > 1 else given:
        if key.type == "limit":
            found.update(_limit(reader, key))
        elif not reader.has(key.name):
            continue
        elif key.type == "ignored":
            reader.report_key(key.name, "ignored-key", key.words, severity="warning")
        elif (value := read_value(reader, key)) is not None:
            found.setdefault(key.field, value)
            if key.with_it and value:
                found[key.with_it] = value
    return found


def write_keys(
    spec: HookSpec, keys: Iterable[Key], handler: str, action: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The keys of an entry that say what a hook says; what holds anyway is left out.

    `action` is what it runs, by field (see `actions.action_said`); None: that is written apart.
    """
    found: dict[str, Any] = {}
    told: set[str] = set()
    for key in keys:
        runs = key.runs
        if not key.field or key.field in told or not key.is_for(handler) or (runs and action is None):
            continue
        value = _worded(key, action.get(runs)) if runs and action is not None else _value(spec, key)
        said = value is not None and (
            value not in ("", False, (), {}) or key.type in ("whole", "number", "tristate")
        )
        if key.type in UNITS or key.type == "limit" or said:
            told |= {key.field, key.with_it}
            if key.type in UNITS or value != key.default:
                found[key.name] = value
    return found


def _limit(reader: Reader, key: Key) -> dict[str, Any]:
    node = reader.node.get(key.name)
    if node is not None and node.kind == "null":
        return {}
    value = reader.integer(key.name, minimum=0)
    return {key.field: key.default if value is None else value}


def read_value(reader: Reader, key: Key) -> Any:
    """The value of one key that is given; None once the reason why there is none has been reported."""
    match key.type:
        case "text":
            return reader.string(key.name)
        case "line":
            return reader.string(key.name, blank=False, wanted=key.wanted)
        case "url":
            return _url(reader, key.name)
        case "texts":
            return reader.string_list(key.name)
        case "flag":
            return (key.means if value else None) if (value := reader.boolean(key.name)) is not None else None
        case "tristate":
            return reader.boolean(key.name)
        case "yes_no":
            return _yes_no(reader, key.name)
        case "scalar":
            return _scalar(reader, key.name)
        case "whole" | "count":
            return reader.integer(key.name, minimum=int(key.type == "count"))
        case "number":
            return reader.integer(key.name)
        case "names":
            return reader.string_list(key.name, single=True)
        case "span":
            return read_span(reader, key.name)
        case "whole_seconds" if key.zero:
            whole = reader.integer(key.name, wanted="whole seconds")
            return float(whole) if whole and whole > 0 else None
        case "seconds" | "milliseconds" | "either" | "whole_seconds":
            return _lenient_time(reader, key) if key.lenient else _time(reader, key)
        case "map":
            return reader.string_map(key.name)
        case "object":
            from hookline.dialects.reading.nodes import to_plain

            table = reader.object(key.name)
            return None if table is None else to_plain(table.node)
    word = reader.choice(key.name, key.choices)
    return word if word is None or key.means is True else key.means.get(word, word)


def _yes_no(reader: Reader, name: str) -> bool | None:
    node = reader.members[name]
    return (
        _YES_NO.get(node.value) if node.kind == "string" and node.value in _YES_NO else reader.boolean(name)
    )


def _scalar(reader: Reader, name: str) -> str | None:
    """A text; a lone word such as `true` or `5` is one too, whatever YAML makes of it."""
    node = reader.members[name]
    if node.kind not in ("integer", "number", "boolean"):
        return reader.string(name)
    from hookline.dialects.reading.nodes import to_plain

    return str(node.value).lower() if node.kind == "boolean" else str(to_plain(node))


def _url(reader: Reader, name: str) -> str | None:
    url = reader.string(name, blank=False, wanted="a URL")
    if url is not None and not url.startswith(("http://", "https://")):
        reader.report(reader.members[name], "bad-value", f"expected http:// or https://, found `{url}`")
    return url


def read_span(reader: Reader, name: str) -> float | None:
    """A time with its unit written out (`30s`, `500ms`, `2m`), in seconds; a bare number is refused."""
    from hookline.dialects.durations import seconds_from_text
    from hookline.dialects.reading.nodes import shown

    node = reader.get(name)
    if node is None:
        return None
    seconds = seconds_from_text(node.value) if node.kind == "string" else None
    if seconds is not None and 0 < seconds <= 86400:
        return seconds
    found = shown(node)
    hint = f'write `"{found}s"` or `"{found}ms"`' if node.kind == "integer" else 'write `"30s"`'
    reader.report(node, "bad-value", f"expected a time with its unit, found {found}", hint)
    return None


def span_text(seconds: float) -> str:
    """A time as `read_span` reads it."""
    value, unit = (seconds, "s") if seconds >= 1 else (seconds * 1000, "ms")
    value = round(value, 6)
    return f"{int(value) if value == int(value) else value}{unit}"


def _time(reader: Reader, key: Key) -> float | None:
    node = reader.members[key.name]
    if key.type == "either" and isinstance(node.value, str) and node.value.strip().isdecimal():
        number = float(node.value)  # of any length
        return min(number / 1000 if number >= 1000 else number, LONGEST_WAIT_S) or None
    long = key.type == "either" and isinstance(node.value, int | float) and node.value >= 1000
    scale, unit = (1000, "milliseconds") if long or key.type == "milliseconds" else (1, "seconds")
    seconds = reader.duration(key.name, "ms" if scale > 1 else "s", zero=key.zero)
    if seconds and key.most and seconds > key.most:
        most = f"at most {key.most * scale:.15g} {unit}"
        reader.report(node, "bad-value", f"expected {most}, found {seconds * scale:.15g}")
        return None
    return min(seconds, LONGEST_WAIT_S) if seconds else None


def _lenient_time(reader: Reader, key: Key) -> float | None:
    from hookline.dialects.reading.nodes import shown

    node = reader.members[key.name]
    whole, unit = key.type == "whole_seconds", "ms" if key.type == "milliseconds" else "s"
    most = int(key.most * (1000 if unit == "ms" else 1))
    if node.kind in (("integer",) if whole else ("integer", "number")) and 0 < node.value <= most:
        return reader.duration(key.name, "ms" if unit == "ms" else "s")
    words = f"expected {UNITS[key.type]} from 1 to {most}, found {shown(node)}"
    reader.report(node, "bad-value", words, f"the default of {key.default} holds", severity="warning")
    return None


def _value(spec: HookSpec, key: Key) -> Any:
    part, _, name = key.field.rpartition(".")
    holder: Any = getattr(spec, part) if part else spec
    value = holder.get(name) if part == "options" else getattr(holder, name)
    return _worded(key, value)


def _worded(key: Key, value: Any) -> Any:
    """A value of a hook as its key says it."""
    if key.type in UNITS and isinstance(value, int | float):
        if key.type == "whole_seconds":
            return max(1, round(value))
        many = key.type == "milliseconds" or (key.type == "either" and value >= 1000)
        value = round(value * (1000 if many else 1), 6)
        return int(value) if value == int(value) else value
    if key.type == "span" and value is not None:
        return span_text(value)
    if key.type == "matcher":
        return None if value is None else value.text
    if key.type == "flag" and key.means is not True:
        return value == key.means
    if key.means is not True:
        return next((word for word in key.choices if key.means.get(word, word) == value), value)
    if key.type == "map" and value:
        return dict(value)
    return list(value) if value and isinstance(value, tuple) else value


# -- what an entry may say in Claude Code's keys, which many agents took over ---------------------------------------
LINE, HTTP, MCP = frozenset({"command"}), frozenset({"http"}), frozenset({"mcp_tool"})
ASKS, PROMPTS = frozenset({"prompt", "agent"}), frozenset({"prompt"})
TYPE = Key("type", "command", words="what kind of hook it is")
COMMAND = Key(
    "command", "line", "action.line", "a shell line", handlers=LINE, required=True, wanted="a command"
)
ARGS = Key("args", "texts", "action.args", "arguments; then there is no shell", handlers=LINE)
SHELLS: Mapping[str, tuple[str, ...]] = {
    "sh": ("sh", "-c"), "bash": ("bash", "-c"),
    **dict.fromkeys(("powershell", "pwsh"), ("pwsh", "-NoProfile", "-Command")),
}  # fmt: skip
SHELL = Key("shell", "|".join(SHELLS), "action.shell", "what runs the line", handlers=LINE, means=SHELLS)
URL = Key("url", "url", "action.url", "where it is posted", handlers=HTTP, required=True)
HEADERS = Key("headers", "map", "action.headers", handlers=HTTP)
ALLOWED_ENV = Key(
    "allowedEnvVars", "texts", "action.allowed_env", "variables its headers may use", (), HTTP
)  # fmt: skip
PROMPT = Key(
    "prompt", "line", "action.prompt", "a question to the model", handlers=ASKS, required=True, wanted="a question"
)  # fmt: skip
MODEL = Key("model", "text", "action.model", handlers=ASKS)
CONDITION = Key("if", "text", "condition", "a permission rule such as `Bash(git *)`")
TIMEOUT = Key("timeout", "seconds", "timeout_s", "how long it may run")
STATUS = Key("statusMessage", "text", "status_message", "shown while it runs")
ONCE = Key("once", "flag", "once", "runs once a session")
REWAKE = Key(
    "asyncRewake", "flag", "conduct.rewake", "nobody waits, and exit 2 wakes the agent", handlers=LINE,
    with_it="background",
)  # fmt: skip
REWAKE_WORDS = (
    Key(
        "rewakeMessage",
        words="Claude Code puts it before what wakes the agent; not added here",
        handlers=LINE,
    ),
    Key(
        "rewakeSummary",
        words="Claude Code shows it when the hook wakes the agent; not shown here",
        handlers=LINE,
    ),
)
BACKGROUND = Key("async", "flag", "background", "nobody waits for it", handlers=LINE)
ON_FAILURE = Key(
    "onFailure", "allow|block|ask|continue", "on_failure", "what its own failure means", means={"continue": "allow"}
)  # fmt: skip
MATCHER = Key("matcher", "matcher", "matcher", "which values it is for; absent: all")
CLAUDE_KEYS = Keys((
    Key("type", "command|http|mcp_tool|prompt|agent", words="what kind of hook it is", required=True),
    COMMAND, ARGS, SHELL, URL, HEADERS, ALLOWED_ENV,
    Key("server", "line", "action.server", "the MCP server that has the tool", handlers=MCP, required=True),
    Key("tool", "line", "action.tool", "the tool it calls", handlers=MCP, required=True),
    Key("input", "object", "action.input", "the tool's arguments", handlers=MCP),
    PROMPT, MODEL,
    Key("continueOnBlock", "flag", "action.continue_on_block", "a no lets the turn go on", handlers=PROMPTS),
    CONDITION, TIMEOUT, STATUS, ONCE, REWAKE, *REWAKE_WORDS, BACKGROUND, ON_FAILURE,
))  # fmt: skip
