"""Case files that users write beside their hooks: an event, and the decision it must come to."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from hookline.dialects import agent_names, is_agent
from hookline.dialects.reading.documents import parsed
from hookline.dialects.reading.nodes import UnreadableConfig, to_plain
from hookline.dialects.spelling import suggestion
from hookline.dialects.tools import TOOL_EVENTS
from hookline.engine.callbacks import kind_of
from hookline.engine.hookset import HookSet
from hookline.engine.opening import Opened
from hookline.hosts.bridge.replay import replay
from hookline.model.errors import ConfigError, HooklineError
from hookline.model.events import event_from_payload
from hookline.model.record import Record
from hookline.model.rendering import decision_as_json
from hookline.model.results import Verdict
from hookline.model.short_json import as_written
from hookline.system import files
from hookline.system.clock import now

ENDINGS = (".hooktest.yml", ".hooktest.yaml", ".hooktest.json")
SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", "target", "dist", "build"})
MOST_FOLDERS = 20_000
KEYS = frozenset({"name", "event", "payload", "expect", "agent"})
EXPECTED = frozenset(
    {"verdict", "reason", "context", "messages", "reprompt", "updated_input", "hooks", "answer"}
)
VERDICTS = tuple(verdict.word for verdict in Verdict)


class Case(Record):
    """One case. With an `agent` the event is that agent's own, and the `answer` it reads can be expected."""

    path: str
    name: str
    event: str
    payload: Mapping[str, Any] = {}
    expect: Mapping[str, Any] = {}
    agent: str = ""


class Verdicted(Record):
    """What a case came to; `faults` is empty when it is as expected."""

    case: Case
    faults: tuple[str, ...]
    verdict: str = ""


def find_case_files(workspace: str) -> Iterator[str]:
    """Every case file of a workspace, in order of its path; build and package folders are left out."""
    for count, (place, names, found) in enumerate(os.walk(workspace)):
        if count >= MOST_FOLDERS:
            return
        names[:] = sorted(name for name in names if name not in SKIPPED)
        yield from (os.path.join(place, name) for name in sorted(found) if name.endswith(ENDINGS))


def read_cases(path: str) -> tuple[Case, ...]:
    """The cases of one file: YAML or JSON, `cases:` with a list. Raises ConfigError."""
    found = files.read_text(path)
    if found.state != "text":
        raise ConfigError(f"`{path}` is {found.state}", found.reason if found.state != "empty" else None)
    content = _parsed(found.text, path)
    if isinstance(content, dict) and (unknown := sorted(set(map(str, content)) - {"cases"})):
        raise ConfigError(f"`{path}`: unknown key `{unknown[0]}`", "a file of cases has `cases:` alone")
    listed = content.get("cases") if isinstance(content, dict) else content
    if not isinstance(listed, list) or not listed:
        raise ConfigError(f"`{path}`: expected `cases:` with a list", "each has `event`, `payload`, `expect`")
    return tuple(_case(each, path, number) for number, each in enumerate(listed, 1))


def run_case(case: Case, opened: Opened) -> Verdicted:
    """Runs the hooks of one case in its workspace, for real, and compares."""
    try:
        if case.agent:
            return _run_bridged(case, opened)
        kind = kind_of(case.event)
        if kind in TOOL_EVENTS and not case.payload.get("tool_name"):
            return Verdicted(
                case, ("the payload names no tool: `tool_name: Bash, tool_input: {command: …}`",)
            )
        event = event_from_payload(
            kind, case.payload, workspace=opened.workspace, cwd=opened.workspace, at=now()
        )
        decision = opened.engine.fire_now(event)
    except HooklineError as error:
        return Verdicted(case, (f"{error.message}: {error.hint}" if error.hint else error.message,))

    shown = decision_as_json(event, decision)
    statuses = {hook["id"]: hook["status"] for hook in shown["hooks"]}
    wanted = case.expect.get("hooks")
    named = _named(wanted, opened.hooks) if isinstance(wanted, dict) else {}
    shown["hooks"] = {**statuses, **{name: statuses.get(hook_id) for name, hook_id in named.items()}}
    found = [*faults(case.expect, shown), *_unknown_hooks(wanted, shown["hooks"])]
    return Verdicted(case, (*found, *(decision.degraded if found else ())), shown["verdict"])


def _unknown_hooks(wanted: object, statuses: Mapping[str, str]) -> Iterator[str]:
    """What a case expects of hooks that are not there, which nothing else would notice."""
    for name in wanted if isinstance(wanted, dict) else ():
        if statuses.get(str(name)) is None:
            yield f"hooks: there is no hook `{name}`, or several"


def _named(names: Iterable[str], hooks: HookSet) -> dict[str, str]:
    """The hooks a case speaks of by name, by the beginning of an id, or by their place in their file."""
    found = {name: hooks.named(name) or hooks.at_place(name) for name in names}
    return {name: specs[0].id for name, specs in found.items() if len(specs) == 1}


def faults(expected: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """Where what was found is not what was expected, in words."""
    for name, value in expected.items():
        there = found.get(name)
        if isinstance(there, list) and isinstance(value, str):
            there = "\n".join(map(str, there))
        if not fits(value, there):
            yield f"{name}: expected {as_written(value)}, found {as_written(there)}"


def fits(expected: Any, found: Any) -> bool:
    """Objects may hold more than expected; a text may have `*` and `?`; all else must be the same."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(fits(value, found.get(key)) for key, value in expected.items())
    if isinstance(expected, str) and isinstance(found, str):
        return expected == found or fnmatchcase(found, expected)
    return bool(expected == found) or (expected in ("", None) and found in ("", None))


def _run_bridged(case: Case, opened: Opened) -> Verdicted:
    call = {"agent": case.agent, "event": case.event, "payload": case.payload, "workspace": opened.workspace}
    (done,) = replay([call], opened.engine.environment)
    text = str(done.now["stdout"])
    answer = json.loads(text) if text.startswith("{") else text or None
    expected = {name: value for name, value in case.expect.items() if name == "answer"}
    found = tuple(faults(expected, {"answer": answer}))
    return Verdicted(case, (*found, *(done.notes if found else ())), text or "silence")


def _parsed(text: str, path: str) -> Any:
    language = "json" if path.endswith(".json") else "yaml"
    try:
        root = parsed(language, text, path)
    except UnreadableConfig as error:
        wrong = error.problem
        words = f"`{path}`: not {language.upper()}: line {wrong.line}: {wrong.message}"
        raise ConfigError(words, wrong.hint or None) from error
    for node in root.walk():
        for key, offset in node.duplicates:
            line, _ = node.lines.place(offset)
            raise ConfigError(
                f"`{path}`: line {line}: `{key}` was given before", "only the last one would count"
            )
    return to_plain(root)


def _case(given: Any, path: str, number: int) -> Case:
    where = f"`{path}`: case {number}"
    if not isinstance(given, dict) or not isinstance(given.get("event"), str):
        raise ConfigError(f"{where}: expected an object with `event`")
    expect = given.get("expect")
    if not isinstance(expect, dict) or not expect:
        raise ConfigError(f"{where}: nothing is expected", "say at least `expect: {verdict: deny}`")
    for keys, known in ((given, KEYS), (expect, EXPECTED)):
        unknown = sorted(set(map(str, keys)) - known)
        if unknown:
            raise ConfigError(f"{where}: unknown key `{unknown[0]}`", f"known: {', '.join(sorted(known))}")
    if ("answer" in expect) != bool(given.get("agent")):
        raise ConfigError(f"{where}: `agent` and `expect.answer` go together")
    verdict, agent = expect.get("verdict"), str(given.get("agent") or "")
    if verdict is not None and not any(fits(verdict, word) for word in VERDICTS):
        raise ConfigError(f"{where}: no verdict `{verdict}`", f"known: {', '.join(VERDICTS)}")
    if agent and not is_agent(agent):
        raise ConfigError(f"{where}: no agent `{agent}`", suggestion(agent, agent_names()) or None)
    payload = given.get("payload") or {}
    if not isinstance(payload, dict):
        raise ConfigError(f"{where}: `payload` is no object")
    name = str(given.get("name") or f"{given['event']} {number}")
    return Case(path, name, given["event"], payload, expect, agent)


def run_file(path: str, opened: Opened) -> Sequence[Verdicted]:
    """All cases of one file. Raises ConfigError for a file that cannot be read."""
    return [run_case(case, opened) for case in read_cases(path)]
