"""Plans that are kept for reuse: never one that was made for another call, and not made twice for the same."""

from __future__ import annotations

from typing import Any

import pytest

from hookline.dialects import dialect
from hookline.engine import Engine
from hookline.engine.admission import CodeTrust
from hookline.engine.services import Services
from hookline.model.events import Event, EventKind, Plain, ToolCall
from hookline.model.hooks import Command, HookSpec, Matcher, Rule
from hookline.model.record import replace

PATCH = "*** Begin Patch\n*** {verb} File: a.txt\n+x\n*** End Patch"


class CountedTrust(CodeTrust):
    """Trusts everything, and counts how often it is asked: once for each hook that fits, in each new plan."""

    def __init__(self) -> None:
        self.asked = 0

    def disabled_by(self, spec: HookSpec) -> str | None:
        self.asked += 1
        return super().disabled_by(spec)


def hook(dialect: str, native: str, matcher: str, kind: EventKind = EventKind.PreToolUse) -> HookSpec:
    action = Command("true", shell=("sh", "-c"))
    return HookSpec(
        f"{dialect}:{native}:1", dialect, kind, native, action, matcher=Matcher("exact", matcher), path="/x"
    )


def call(tool: str, **given: str) -> Event:
    return Event(EventKind.PreToolUse, cwd="/", body=ToolCall(tool, given))


def runs(engine: Engine, event: Event) -> bool:
    return engine.would_run(event)


@pytest.mark.parametrize(
    ("dialect", "native", "word"),
    [("gemini", "BeforeTool", "run_shell_command"), ("claude", "PreToolUse", "Bash")],
)
def test_the_next_call_of_a_tool_needs_no_new_plan(dialect: str, native: str, word: str) -> None:
    """Also for dialects that have names of their own for tools."""
    trust = CountedTrust()
    engine = Engine([hook(dialect, native, word)], Services(environment={}, trust=trust))
    assert runs(engine, call("Bash", command="ls")) and runs(engine, call("Bash", command="rm"))
    assert trust.asked == 1
    assert not runs(engine, call("Read", file_path="x")) and runs(engine, call("Bash", command="ls"))
    assert trust.asked == 1


def test_a_patch_that_adds_a_file_and_one_that_changes_it_have_plans_of_their_own() -> None:
    """They may go by the same name, and are different calls to a matcher."""
    engine = Engine([hook("claude", "PreToolUse", "Write")], Services(environment={}))
    add, change = (call("Edit", command=PATCH.format(verb=verb)) for verb in ("Add", "Update"))
    assert [runs(engine, event) for event in (add, change, add)] == [True, False, True]


def test_the_agents_own_name_of_a_tool_makes_another_plan() -> None:
    engine = Engine([hook("gemini", "BeforeTool", "mcp_a_b")], Services(environment={}))
    plain = call("mcp__a__b")
    native = Event(
        EventKind.PreToolUse, cwd="/", body=ToolCall("mcp__a__b", {}), host="gemini",
        extra={"native": {"tool_name": "other"}},
    )  # fmt: skip
    assert [runs(engine, event) for event in (plain, native, plain)] == [True, False, True]


@pytest.mark.parametrize("dialect", ["claude", "hookline"])
def test_a_list_where_a_name_should_be_is_no_trouble(dialect: str) -> None:
    """A payload may hold anything."""
    engine = Engine(
        [hook(dialect, "SessionStart", "startup", EventKind.SessionStart)], Services(environment={})
    )
    odd = Event(EventKind.SessionStart, body=Plain(), extra={"source": ["startup", "resume"]})
    assert engine.explain(odd).results[0].status.value in ("would_run", "not_matched")


def looking_at(dialect: str, **more: Any) -> HookSpec:
    """A hook of that dialect that sits out by more than its matcher."""
    native = {"cursor": "preToolUse", "droid": "PreToolUse"}.get(dialect, "PreToolUse")
    return replace(hook(dialect, native, "Execute" if dialect == "droid" else "Bash"), **more)


@pytest.mark.parametrize(
    "spec",
    [
        looking_at("droid", options={"filter": "^ls"}),
        looking_at("claude", condition="Bash(ls)"),
        looking_at("hookline", rule=Rule(predicates={"shell": ("ls",)})),
    ],
    ids=lambda spec: spec.dialect,
)
def test_no_plan_is_kept_of_a_hook_that_looks_at_more_than_its_subject(spec: HookSpec) -> None:
    engine = Engine([spec], Services(environment={}))
    lines = ("ls", "rm x", "ls")
    assert [runs(engine, call("Bash", command=line)) for line in lines] == [True, False, True]


@pytest.mark.parametrize("field", ["cwd", "host", "permission_mode", "prompt", "tool_input", "body", "extra"])
def test_nobody_need_say_that_a_dialect_looks_at_more(field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever matching asked of the event is seen, so no dialect can forget to tell."""
    seen: list[object] = []

    def skip_reason(spec: HookSpec, event: Event) -> str | None:
        seen.append(event.get(field) if field in ("prompt", "tool_input") else getattr(event, field))
        return None

    monkeypatch.setattr(dialect("gencode"), "skip_reason", skip_reason)
    engine = Engine([hook("gencode", "PreToolUse", "Bash")], Services(environment={}))
    for _ in range(2):
        assert runs(engine, call("Bash", command="ls"))
    assert len(seen) == 2


def test_the_subject_alone_is_no_reason_to_plan_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def skip_reason(spec: HookSpec, event: Event) -> str | None:
        asked.append((event.kind, event.get("tool_name"), event.tool_name))
        return None

    monkeypatch.setattr(dialect("gencode"), "skip_reason", skip_reason)
    engine = Engine([hook("gencode", "PreToolUse", "Bash")], Services(environment={}))
    for tool in ("Bash", "Bash", "Read", "Bash"):
        assert runs(engine, call(tool))
    assert [name for _, name, _ in asked] == ["Bash", "Read"]
