"""Packs: ready rules that a `hooks.toml` takes in by name, at the level it wants them."""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping, Sequence

from hookline.dialects.base import Loaded, Source, SourceText
from hookline.dialects.reading.reader import Reader
from hookline.dialects.spelling import suggestion
from hookline.model.events import EventKind
from hookline.model.hooks import Answer, HookSpec, noted, parted, said_of, switched_off
from hookline.model.record import replace
from hookline.model.short_json import read_json
from hookline.model.typing import Any

SHIPPED = ("git", "files", "secrets", "network", "packages", "databases", "cloud", "system", "self")
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "shipped")
LEVELS: Mapping[str, Mapping[str, str]] = {
    "advisory": {"deny": "context", "ask": "context"},
    "balanced": {},
    "strict": {"ask": "deny"},
}  # what a rule's own answer becomes
_STRICTNESS = ("advisory", "balanced", "strict")
SCOPE = "shipped"  # rules that come with hookline: nothing of a workspace, so nothing to review


def read_use(root: Reader) -> dict[str, Any]:
    """The packs a file takes in: `use`, `level`, `off` and `[[packs]]`, as settings of the dialect."""
    whole = root.whole()
    level = whole.choice("level", LEVELS) or "balanced"
    off = root.string_list("off", single=True) or ()
    names = whole.string_list("use", single=True) or ()
    for name in names:
        if name not in SHIPPED:
            node = root.members["use"]
            hint = suggestion(name, SHIPPED, f"there are {', '.join(SHIPPED)}")
            whole.report(node, "unknown-pack", f"there is no pack `{name}`", hint)
    wanted = [{"name": name, "level": level, "off": off} for name in names if name in SHIPPED]
    fetched = [
        each
        for entry in whole.objects("packs", wanted="`[[packs]]` tables")
        for each in _fetched(entry.whole(), level, off)
    ]
    return {"packs": (*wanted, *fetched)} if wanted or fetched else {}


def _fetched(entry: Reader, level: str, off: Sequence[str]) -> Iterator[dict[str, Any]]:
    """One `[[packs]]` table: where a pack of others is from, and what it is called here."""
    source = entry.string("git", required=True, blank=False, wanted="a repository")
    rev = entry.string("rev") or ""
    name = entry.string("name") or (pack_name(source) if source else "")
    own_level = entry.choice("level", LEVELS) or level
    own_off = entry.string_list("off", single=True) or ()
    entry.unknown_keys(("git", "rev", "name", "level", "off"), severity="error")
    if name and not is_pack_name(name):
        entry.report(entry.node, "bad-value", f"expected a name of letters, digits and `-`, found `{name}`")
    elif name in SHIPPED:
        entry.report(
            entry.node, "bad-value", f"`{name}` is a pack of hookline's own", "give it another `name`"
        )
    elif name:
        yield {"name": name, "level": own_level, "off": (*off, *own_off), "git": source, "rev": rev}


def pack_name(source: str) -> str:
    """What a pack of others is called when nobody says so: the last word of its address."""
    return source.rstrip("/").removesuffix(".git").replace(":", "/").rpartition("/")[2].lower()


def is_pack_name(name: str) -> bool:
    """Whether a pack can be called so: its name is a folder's."""
    return name.replace("-", "").replace("_", "").isalnum() and name.isascii()


def pack_sources(using: Loaded) -> list[Source]:
    """The files of the packs that a file takes in."""
    folder = os.path.join(os.path.dirname(using.source.path), "packs")
    found: list[Source] = []
    for pack in using.settings.get("packs", ()):
        label = f"{pack['name']} {pack['level']} {','.join(pack['off'])}"
        if "git" not in pack:
            path = os.path.join(FOLDER, f"{pack['name']}.json")
            scope = "managed" if using.source.scope == "managed" else SCOPE
            found.append(Source(path, scope, "pack", f"pack {pack['name']}", label))
            continue
        path = os.path.join(folder, pack["name"], "pack.toml")
        shown = os.path.join(os.path.dirname(using.source.shown), "packs", pack["name"], "pack.toml")
        found.append(Source(path, using.source.scope, "toml", shown, label))
    return found


def parse_shipped(given: SourceText) -> Loaded:
    """The rules of one of our own packs; its file is made from the TOML beside it and needs no checks."""
    specs = [shipped_spec(row, given) for row in read_json(given.text)]
    return at_level(Loaded(given.source, given.state, specs=tuple(specs)))


def shipped_spec(row: Mapping[str, Any], given: SourceText) -> HookSpec:
    """One rule as `as_row` wrote it."""
    said = {name: _tuples(value) for name, value in row["options"].items()}
    return HookSpec(
        row["id"], "hookline", EventKind.PreToolUse, "PreToolUse", Answer(row["verdict"], row["text"]),
        name=row["name"], **given.at(row["line"]), **parted(said),
    )  # fmt: skip


def as_row(spec: HookSpec) -> dict[str, Any]:
    """A rule as it is kept in the file that is read at every event."""
    assert isinstance(spec.action, Answer)
    return {
        "id": spec.id, "name": spec.name, "verdict": spec.action.verdict, "text": spec.action.text,
        "line": spec.line, "options": without_examples(spec),
    }  # fmt: skip


def without_examples(spec: HookSpec) -> dict[str, Any]:
    """What a rule asks of an event, and what it makes of doubt."""
    return {name: value for name, value in said_of(spec).items() if name != "examples"}


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    if isinstance(value, dict):
        return {name: _tuples(each) for name, each in value.items()}
    return value


def named(spec: HookSpec, pack: str) -> HookSpec:
    """A hook of a pack: its id says which, and stays when others are put before it."""
    number = spec.id.rpartition(":")[2]
    name = f"{pack}/{spec.name or number}"
    return replace(noted(spec, pack=pack), id=f"hookline:{name}", name=name)


def at_level(loaded: Loaded) -> Loaded:
    """The rules of a pack as its user wants them: at a level, and without some."""
    pack, level, off = loaded.source.label.split(" ")
    names = set(off.split(","))
    answers = LEVELS[level]
    specs = []
    for spec in loaded.specs:
        action = spec.action
        if isinstance(action, Answer) and action.verdict in answers:
            spec = replace(spec, action=Answer(answers[action.verdict], action.text))
        if spec.name in names or spec.name.removeprefix(f"{pack}/") in names:
            spec = switched_off(spec, "switched off by `off`")
        specs.append(spec)
    return replace(loaded, specs=tuple(specs))


def told_once(loaded: Iterable[Loaded]) -> list[Loaded]:
    """A rule of ours that several files take in counts once, where it is strictest."""
    every = list(loaded)
    best: dict[str, tuple[int, int]] = {}
    for place, each in enumerate(every):
        for spec in _shipped(each):
            strength = _STRICTNESS.index(each.source.label.split(" ")[1]) if spec.enabled else -1
            best[spec.id] = max(best.get(spec.id, (-2, 0)), (strength, -place))
    kept = []
    for place, each in enumerate(every):
        if specs := _shipped(each):
            each = replace(each, specs=tuple(spec for spec in specs if best[spec.id][1] == -place))
        kept.append(each)
    return kept


def _shipped(loaded: Loaded) -> tuple[HookSpec, ...]:
    return loaded.specs if loaded.source.format == "pack" else ()
