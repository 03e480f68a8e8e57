"""GenCode's hooks, through the engine with real processes."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.dialects.workbench import Workbench, only, stdout_json
from tests.limits import spoken
from tests.waiting import wait_until_gone

from hookline.dialects.gencode import DIALECT
from hookline.dialects.gencode.registry import (
    HookRegistry,
    HookReport,
    all_succeeded,
    total_duration_ms,
)
from hookline.dialects.gencode.rules import RULES
from hookline.dialects.reading import documents
from hookline.dialects.reading.json_text import parse_json
from hookline.dialects.reading.nodes import Node
from hookline.engine.fire import Engine
from hookline.engine.loading import load_hooks, places_for
from hookline.engine.services import Services
from hookline.model.errors import ConfigError, UsageError
from hookline.model.hooks import Command, Matcher, PromptCheck
from hookline.model.results import Status, Verdict

GEN = ".gen/settings.json"
WRITE = {"tool_name": "Write", "tool_input": {"file_path": "src/a.py", "content": "x"}}
BASH = {"tool_name": "Bash", "tool_input": {"command": "ls -l"}}
HOSTILE = [
    "it's.ts",
    "a b.ts",
    "$(touch pwned)",
    "`touch pwned`",
    "a;touch pwned",
    "two\nlines",
    "$&",
    "$$",
    '"q"',
    "\\",
]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, "gencode")


def command(line: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": line, **more}


def group(*handlers: dict[str, Any], matcher: object = None) -> dict[str, Any]:
    return {"hooks": list(handlers)} if matcher is None else {"matcher": matcher, "hooks": list(handlers)}


def configure(bench: Workbench, file: str = GEN, **events: object) -> Workbench:
    bench.write(file, {"hooks": events})
    return bench


def commands(bench: Workbench) -> list[str]:
    return [spec.command for spec in bench.hooks().specs if spec.enabled]


# -- configuration ----------------------------------------------------------------------------------


@pytest.mark.parametrize("folder", [".mycode", ".gen", ".claude"])
def test_all_three_folders_are_read(bench: Workbench, folder: str) -> None:
    configure(bench, f"{folder}/settings.json", PostToolUse=[group(command("echo x"))])
    assert only(bench.fire("PostToolUse", WRITE)).spec.source == f"{folder}/settings.json"


def test_a_nested_entry_yields_each_inner_hook(bench: Workbench) -> None:
    inner = (command("a", timeout=5000, statusMessage="busy", blocking=True), command("b"))
    configure(bench, PreToolUse=[group(*inner, matcher="Write")])
    first, second = bench.hooks().specs
    assert bench.problems == ()
    assert (first.action, first.timeout_s, first.status_message, first.blocking, first.matcher) == (
        Command("a", shell=("bash", "-c")),
        5.0,
        "busy",
        True,
        Matcher("exact", "Write"),
    )
    assert re.fullmatch("gencode:PreToolUse:[0-9a-f]{6}", second.id)
    assert (second.timeout_s, second.line > first.line) == (60.0, True)


def test_flat_entries_run_too_and_before_their_own_nested_ones(bench: Workbench) -> None:
    both = {"matcher": "Write", **command("echo flat"), "hooks": [command("echo nested")]}
    configure(
        bench, PreToolUse=[both, {"matcher": "Read", **command("echo no")}, group(command("echo last"))]
    )
    decision = bench.fire("PreToolUse", WRITE)
    assert bench.problems == ()
    assert [result.spec.command for result in decision.ran] == ["echo flat", "echo nested", "echo last"]


def test_levels_come_in_order_of_precedence(bench: Workbench, tmp_path: Path) -> None:
    bench.variables["GEN_CONFIG"] = f"~/team:{tmp_path}/extra"
    order = [
        "~/.claude/settings.json",
        "~/.gen/settings.json",
        "~/team/settings.json",
        f"{tmp_path}/extra/settings.json",
        ".mycode/settings.json",
        ".gen/settings.json",
        ".claude/settings.local.json",
        ".gen/settings.local.json",
    ]
    for number, name in enumerate(order):
        bench.write(name, {"hooks": {"Stop": [group(command(f"echo {number}"))]}})
    assert commands(bench) == [f"echo {number}" for number in range(len(order))]
    assert [spec.scope for spec in bench.hooks().specs] == ["user"] * 4 + ["project"] * 2 + ["local"] * 2


def test_managed_settings_come_last() -> None:
    from hookline.dialects.base import Places

    sources = DIALECT.sources(Places("/w", "/h", "/h/.config"))
    assert [s.scope for s in sources].index("managed") > [s.scope for s in sources].index("local")
    assert "/usr/share/gencode/managed-settings.json" in [s.path for s in sources]


def test_exact_copies_run_once_and_arrays_add_up(bench: Workbench) -> None:
    for file in ("~/.gen/settings.json", GEN):
        configure(
            bench, file, Stop=[group(command("echo ran >> log")), group(command(f"echo '{file}' >> log"))]
        )
    decision = bench.fire("Stop")
    assert [r.status for r in decision.results] == [Status.ran, Status.ran, Status.duplicate, Status.ran]
    assert sorted(bench.read("log").split()) == [".gen/settings.json", "ran", "~/.gen/settings.json"]


def test_claude_hooks_run_too_and_are_listed_first(bench: Workbench) -> None:
    configure(bench, ".claude/settings.json", Stop=[group(command("echo claude"))])
    bench.write(GEN, {"model": "x"})
    assert commands(bench) == ["echo claude"]
    configure(bench, GEN, Stop=[group(command("echo gen"))])
    assert commands(bench) == ["echo claude", "echo gen"]
    assert [result.spec.command for result in bench.fire("Stop").ran] == ["echo claude", "echo gen"]


def test_a_file_that_two_agents_read_is_taken_apart_once(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def counted(text: str, *given: Any, **more: Any) -> Node:
        parsed.append(text)
        return parse_json(text, *given, **more)

    monkeypatch.setattr(documents, "parse_json", counted)
    monkeypatch.setattr(documents, "_latest", {})
    places = places_for(str(bench.workspace), bench.variables)
    configure(bench, Stop=[group(command("echo gen"))])
    for line in ("echo one", "echo two"):  # as long as the other
        configure(bench, ".claude/settings.json", Stop=[group(command(line))])
        assert {spec.command for spec in load_hooks(places).specs} == {line, "echo gen"}
    assert len(parsed) == len(set(parsed)) == 3


def test_claude_hooks_can_be_a_fallback_or_off(bench: Workbench) -> None:
    claude = {"Stop": [group(command("echo claude"))], "SessionEnd": [group(command("echo end"))]}
    bench.write(".claude/settings.json", {"hooks": claude})
    hooks = {"Stop": [group(command("echo gen"))]}
    bench.write(GEN, {"claudeHooks": "fallback", "hooks": hooks})
    assert commands(bench) == ["echo end", "echo gen"]
    bench.write(GEN, {"claudeHooks": "off", "hooks": hooks})
    assert commands(bench) == ["echo gen"]


def test_an_empty_list_switches_the_lower_files_off(bench: Workbench) -> None:
    configure(bench, "~/.gen/settings.json", Stop=[group(command("a"))], SessionEnd=[group(command("b"))])
    configure(bench, GEN, Stop=[])
    decision = bench.fire("Stop")
    assert [(r.status, r.why) for r in decision.results if r.spec.command == "a"] == [
        (Status.disabled, "switched off by the empty list `Stop` in .gen/settings.json")
    ]
    assert commands(bench) == ["b"]
    assert [(p.code, p.severity) for p in bench.problems] == [("hidden-hooks", "notice")]


def test_an_empty_list_in_a_claude_file_switches_nothing_off(bench: Workbench) -> None:
    configure(bench, "~/.gen/settings.json", Stop=[group(command("a"))])
    configure(bench, ".claude/settings.json", Stop=[])
    assert commands(bench) == ["a"]


def test_a_malformed_file_is_reported_and_the_others_load(bench: Workbench) -> None:
    assert bench.hooks().problems == ()
    bench.write(".mycode/settings.json", '{"hooks": ')
    configure(bench, GEN, Stop=[group(command("echo fine"))])
    assert [(p.code, p.source, p.guard) for p in bench.problems] == [
        ("bad-json", ".mycode/settings.json", True)
    ]
    assert commands(bench) == ["echo fine"]


def test_unknown_events_are_reported_with_the_nearest_name(bench: Workbench) -> None:
    configure(bench, PreToolUsage=[group(command("exit 2"))], postToolUse=[group(command("x"))])
    assert [(p.code, p.path, p.hint, p.guard) for p in bench.problems] == [
        ("unknown-event", "hooks.PreToolUsage", "did you mean `PreToolUse`?", True),
        ("unknown-event", "hooks.postToolUse", "did you mean `PostToolUse`?", False),
    ]
    assert {r.status for r in bench.fire("PreToolUse", WRITE).results} == {Status.no_such_event}


@pytest.mark.parametrize(
    ("broken", "path"),
    [
        ({"command": "x"}, "type"),
        ({"type": "teleport", "command": "x"}, "type"),
        ({"type": "command"}, "command"),
        ({"type": "command", "command": "  "}, "command"),
        ({"type": "command", "command": 5}, "command"),
        (command("x", timeout="5s"), "timeout"),
        (command("x", timeout=0), "timeout"),
        (command("x", timeout=-1), "timeout"),
        (command("x", timeout=600001), "timeout"),
    ],
)
def test_a_broken_hook_is_reported_and_skipped_alone(
    bench: Workbench, broken: dict[str, Any], path: str
) -> None:
    configure(bench, PreToolUse=[group(broken, command("echo fine"))])
    assert [(p.path, p.severity, p.guard) for p in bench.problems] == [
        (f"hooks.PreToolUse[0].hooks[0].{path}", "error", True)
    ]
    decision = bench.fire("PreToolUse", WRITE)
    assert [r.status for r in decision.results] == [Status.invalid, Status.ran]
    assert decision.verdict is Verdict.NONE


def test_a_group_without_its_list_is_skipped_with_a_warning(bench: Workbench) -> None:
    configure(bench, PreToolUse=[{"matcher": "Write"}, group(command("echo fine"))])
    assert bench.codes() == [("missing-key", "hooks.PreToolUse[0]")]
    assert commands(bench)[1:] == ["echo fine"]


def test_timeouts_are_seconds_in_claude_files_and_milliseconds_in_native_ones(bench: Workbench) -> None:
    configure(bench, ".claude/settings.json", Stop=[group(command("a", timeout=5))])
    configure(bench, GEN, Stop=[group(command("b", timeout=5000), command("c", timeout=20))])
    configure(bench, ".gen/settings.local.json", Stop=[group(command("d"))])
    assert [spec.timeout_s for spec in bench.hooks().specs] == [5.0, 5.0, 0.02, 60.0]
    assert [(p.code, p.path, p.severity) for p in bench.problems] == [
        ("implausible-time", "hooks.Stop[0].hooks[1].timeout", "warning")
    ]


def test_a_timeout_that_is_too_long_is_told_in_the_unit_of_its_file(bench: Workbench) -> None:
    configure(bench, Stop=[group(command("x", timeout=600_001))])
    assert [p.message for p in bench.problems] == ["expected at most 600000 milliseconds, found 600001"]


def test_a_claude_timeout_in_milliseconds_is_doubted(bench: Workbench) -> None:
    configure(bench, ".claude/settings.json", Stop=[group(command("a", timeout=5000))])
    assert [(p.code, p.severity) for p in bench.problems] == [("implausible-time", "warning")]


def test_a_running_engine_keeps_its_hooks(bench: Workbench) -> None:
    engine = configure(bench, Stop=[group(command("echo old > log"))]).engine()
    configure(bench, Stop=[group(command("echo new > log"))])
    engine.fire_now(bench.event("Stop"))
    assert bench.read("log") == "old\n"


def test_the_hooks_of_an_untrusted_workspace_do_not_run(bench: Workbench, tmp_path: Path) -> None:
    from hookline.model.hooks import HookSpec

    class Untrusted:
        is_strict = False

        def state(self, spec: HookSpec) -> str:
            return "trusted" if spec.scope == "user" else "untrusted"

        def fault(self, spec: HookSpec) -> str:
            return ""

        def ran_reviewed(self, spec: HookSpec) -> bool:
            return True

        def still_reviewed(self, spec: HookSpec) -> bool:
            return True

        def reviewed_programs(self, spec: HookSpec) -> dict[str, object]:
            return {}

        def disabled_by(self, spec: HookSpec) -> str | None:
            return None

    configure(bench, PreToolUse=[group(command("exit 2"))])
    decision = bench.engine(trust=Untrusted()).fire_now(bench.event("PreToolUse", WRITE))
    assert (decision.verdict, decision.results[0].status) == (Verdict.NONE, Status.untrusted)


# -- matching ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matcher", "fitting"),
    [
        (None, {"Write", "Edit", "TodoWrite", "MultiEdit", "Bash", "BashOutput", "XBash", "Read"}),
        ("", {"Write", "Edit", "TodoWrite", "MultiEdit", "Bash", "BashOutput", "XBash", "Read"}),
        ("*", {"Write", "Edit", "TodoWrite", "MultiEdit", "Bash", "BashOutput", "XBash", "Read"}),
        ("Write", {"Write"}),
        ("Write|Edit", {"Write", "Edit"}),
        ("Bash.*", {"Bash", "BashOutput"}),
        ("(Write|Edit)", {"Write", "Edit"}),
        ("[invalid", set()),
        ("write", set()),
    ],
)
def test_matchers(bench: Workbench, matcher: str | None, fitting: set[str]) -> None:
    engine = configure(bench, PreToolUse=[group(command("true"), matcher=matcher)]).engine()
    tools = ("Write", "Edit", "TodoWrite", "MultiEdit", "Bash", "BashOutput", "XBash", "Read")
    decisions = {tool: engine.explain(bench.event("PreToolUse", {"tool_name": tool})) for tool in tools}
    assert {t for t, d in decisions.items() if d.results[0].status is Status.would_run} == fitting
    assert [code for code, _ in bench.codes()] == ([] if fitting else ["dead-matcher"])


def test_an_invalid_pattern_fits_only_its_own_text(bench: Workbench) -> None:
    engine = configure(bench, PreToolUse=[group(command("true"), matcher="[invalid")]).engine()
    decision = engine.explain(bench.event("PreToolUse", {"tool_name": "[invalid"}))
    assert decision.results[0].status is Status.would_run


@pytest.mark.parametrize("event", ["Stop", "UserPromptSubmit"])
def test_a_matcher_where_there_is_nothing_to_match(bench: Workbench, event: str) -> None:
    hooks = {event: [group(command("true"), matcher=m) for m in ("Write", "", "*")]}
    bench.write(GEN, {"hooks": hooks})
    decision = bench.engine().explain(bench.event(event))
    statuses = [result.status for result in decision.results]
    assert statuses[:2] == [Status.not_matched, Status.would_run]
    assert bench.codes() == [("dead-matcher", f"hooks.{event}[0].matcher")]
    assert "never" in decision.results[0].why


def test_claude_files_follow_claude_where_there_is_nothing_to_match(bench: Workbench) -> None:
    configure(bench, ".claude/settings.json", Stop=[group(command("echo ran"), matcher="Write")])
    assert (bench.problems, len(bench.fire("Stop").ran)) == ((), 1)


def test_a_costly_pattern_is_answered_at_once(bench: Workbench) -> None:
    configure(bench, PreToolUse=[group(command("true"), matcher="(a+)+$")])
    began = time.process_time()
    bench.engine().explain(bench.event("PreToolUse", {"tool_name": "a" * 50_000 + "!"}))
    assert time.process_time() - began < 20


def test_mcp_tools_match_by_pattern(bench: Workbench) -> None:
    engine = configure(bench, PreToolUse=[group(command("true"), matcher="mcp__github__.*")]).engine()
    for tool, status in (("mcp__github__list", Status.would_run), ("mcp__gitlab__list", Status.not_matched)):
        assert engine.explain(bench.event("PreToolUse", {"tool_name": tool})).results[0].status is status


def test_a_hook_added_by_code_can_bring_its_own_pattern(bench: Workbench) -> None:
    from hookline.model.record import replace

    engine = configure(bench, PreToolUse=[group(command("true"), matcher="Read")]).engine()
    engine.add(replace(engine.hooks.specs[0], id="code", matcher=Matcher("regex", "^Ba")))
    results = engine.explain(bench.event("PreToolUse", {"tool_name": "Bash"})).results
    assert [r.spec.id for r in results if r.status is Status.would_run] == ["code"]


@pytest.mark.parametrize(
    ("event", "payload", "value"),
    [
        ("SessionStart", {"source": "resume"}, "resume"),
        ("SessionEnd", {"reason": "clear"}, "clear"),
        ("Notification", {"notification_type": "idle_prompt"}, "idle_prompt"),
        ("SubagentStart", {"agent_type": "Explore"}, "Explore"),
        ("SubagentStop", {"agent_type": "Explore"}, "Explore"),
        ("PreCompact", {"trigger": "auto"}, "auto"),
        ("PostCompact", {"trigger": "manual"}, "manual"),
    ],
)
def test_the_matched_value_depends_on_the_event(
    bench: Workbench, event: str, payload: dict[str, Any], value: str
) -> None:
    hooks = [group(command("true"), matcher=value), group(command("false"), matcher="other")]
    decision = configure(bench, **{event: hooks}).fire(event, payload)
    assert [result.status for result in decision.results] == [Status.ran, Status.not_matched]
    assert bench.problems == ()


# -- running one hook -------------------------------------------------------------------------------


def test_commands_are_lines_of_bash(bench: Workbench) -> None:
    configure(bench, UserPromptSubmit=[group(command('[[ a == a* ]] && echo "${BASH_VERSION:+bash}"'))])
    assert bench.fire("UserPromptSubmit").contexts == ("bash",)


def test_sh_stands_in_where_bash_is_missing(bench: Workbench, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/sh").symlink_to("/bin/sh")
    bench.variables["PATH"] = str(tmp_path / "bin")
    decision = configure(bench, UserPromptSubmit=[group(command("echo plain"))]).fire("UserPromptSubmit")
    raw = only(decision).raw
    assert decision.contexts == ("plain",) and raw is not None
    assert any("bash" in note for note in raw.notes)


def test_hooks_start_in_the_sessions_folder(bench: Workbench) -> None:
    (bench.workspace / "sub").mkdir()
    configure(bench, UserPromptSubmit=[group(command("basename $PWD"))])
    assert bench.fire("UserPromptSubmit", cwd=str(bench.workspace / "sub")).contexts == ("sub",)


def test_variables_are_set_and_empty_where_unknown(bench: Workbench) -> None:
    bench.variables |= {"FROM_PARENT": "yes", "FILE_PATH": "stale", "EXIT_CODE": "9"}
    names = [
        "TOOL_NAME",
        "FILE_PATH",
        "SESSION_ID",
        "CWD",
        "HOOK_EVENT_NAME",
        "COMMAND",
        "EXIT_CODE",
        "FROM_PARENT",
    ]
    script = f"import json, os; print(json.dumps({{name: os.environ.get(name) for name in {names!r}}}))"
    bench.write("show.py", script)
    events = ("PostToolUse", "PostToolUseFailure", "SessionEnd")
    configure(bench, **{event: [group(command("python3 show.py"))] for event in events})
    bash = stdout_json(bench.fire("PostToolUse", {**BASH, "tool_response": {"exit_code": 3}}))
    assert bash == {
        "TOOL_NAME": "Bash",
        "FILE_PATH": "",
        "SESSION_ID": "s1",
        "CWD": str(bench.workspace),
        "HOOK_EVENT_NAME": "PostToolUse",
        "COMMAND": "ls -l",
        "EXIT_CODE": "3",
        "FROM_PARENT": "yes",
    }
    assert stdout_json(bench.fire("PostToolUse", WRITE))["EXIT_CODE"] == "0"
    assert stdout_json(bench.fire("PostToolUseFailure", WRITE))["EXIT_CODE"] == "1"
    ended = stdout_json(bench.fire("SessionEnd"))
    assert [ended[name] for name in ("TOOL_NAME", "FILE_PATH", "COMMAND", "EXIT_CODE")] == [""] * 4


@pytest.mark.parametrize("key", ["file_path", "notebook_path", "path"])
def test_the_path_comes_from_any_of_three_keys(bench: Workbench, key: str) -> None:
    configure(bench, PostToolUse=[group(command('printf %s "$FILE_PATH"'))])
    raw = only(bench.fire("PostToolUse", {"tool_name": "T", "tool_input": {key: "p"}})).raw
    assert raw is not None and raw.stdout == "p"


def test_placeholders_work_in_every_kind_of_quotes(bench: Workbench) -> None:
    line = "printf '<%s>' $TOOL_NAME \"$COMMAND\" '$SESSION_ID' ${CWD}"
    raw = only(configure(bench, PreToolUse=[group(command(line))]).fire("PreToolUse", BASH)).raw
    assert raw is not None and raw.stdout == f"<Bash><ls -l><s1><{bench.workspace}>"


@pytest.mark.parametrize("path", HOSTILE)
@pytest.mark.parametrize("quoted", ["$FILE_PATH", '"$FILE_PATH"', "'$FILE_PATH'", "${FILE_PATH}"])
def test_hostile_values_reach_the_command_as_one_argument(bench: Workbench, path: str, quoted: str) -> None:
    configure(bench, PreToolUse=[group(command(f"printf '<%s>' {quoted}"))])
    payload = {"tool_name": "Write", "tool_input": {"file_path": path}}
    raw = only(bench.fire("PreToolUse", payload)).raw
    assert raw is not None and (raw.stdout, raw.exit_code) == (f"<{path}>", 0)
    assert not bench.path("pwned").exists()


def test_everything_else_is_left_to_the_shell(bench: Workbench) -> None:
    bench.variables["FILE_PATH_OLD"] = "old"
    line = 'echo "$FILE_PATH_OLD|${FILE_PATH%.py}|$HOME"; set -- one; echo "$1"'
    raw = only(configure(bench, PreToolUse=[group(command(line))]).fire("PreToolUse", WRITE)).raw
    assert raw is not None and raw.stdout == f"old|src/a|{bench.home}\none\n"
    configure(bench, SessionEnd=[group(command('echo "[$FILE_PATH]"'))])
    raw = only(bench.fire("SessionEnd")).raw
    assert raw is not None and raw.stdout == "[]\n"


def test_stdin_is_one_json_object_and_then_ends(bench: Workbench) -> None:
    configure(bench, PreToolUse=[group(command("cat; cat"))], SessionEnd=[group(command("cat"))])
    seen = stdout_json(bench.fire("PreToolUse", {**WRITE, "tool_use_id": "t1"}))
    assert seen == {
        "session_id": "s1",
        "cwd": str(bench.workspace),
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": "src/a.py", "content": "x"},
        "tool_use_id": "t1",
        "transcript_path": "",
        "permission_mode": "default",
    }
    ended = stdout_json(bench.fire("SessionEnd", {"reason": "clear"}))
    assert (ended["tool_name"], ended["tool_input"], ended["reason"]) == ("", {}, "clear")


@pytest.mark.parametrize(
    ("event", "payload"),
    [
        ("PostToolUse", {**WRITE, "tool_response": {"ok": True}}),
        ("PostToolUseFailure", {**WRITE, "error": "boom"}),
        ("UserPromptSubmit", {"prompt": "hi"}),
        ("SessionStart", {"source": "resume"}),
        ("Notification", {"message": "m", "title": "t"}),
        ("Stop", {"stop_hook_active": True, "last_assistant_message": "done"}),
        ("SubagentStop", {"agent_id": "a1", "agent_type": "Explore"}),
        ("TaskCreated", {"task_id": "7", "task_subject": "new"}),
    ],
)
def test_claudes_fields_are_there_for_claudes_scripts(
    bench: Workbench, event: str, payload: dict[str, Any]
) -> None:
    configure(bench, **{event: [group(command("cat > seen"))]})
    bench.fire(event, payload, transcript_path="/t.jsonl", permission_mode="plan")
    seen = json.loads(bench.read("seen"))
    assert {key: seen[key] for key in payload} == payload
    assert (seen["transcript_path"], seen["permission_mode"]) == ("/t.jsonl", "plan")


@pytest.mark.parametrize("event", ["PreToolUse", "UserPromptSubmit", "PermissionRequest", "PreCompact"])
@pytest.mark.parametrize(("code", "verdict"), [(0, Verdict.NONE), (2, Verdict.DENY), (1, Verdict.NONE)])
def test_only_exit_2_blocks(bench: Workbench, event: str, code: int, verdict: Verdict) -> None:
    configure(bench, **{event: [group(command(f"echo why >&2; exit {code}"))]})
    decision = bench.fire(event, WRITE if event in ("PreToolUse", "PermissionRequest") else {})
    assert (decision.verdict, decision.reason) == (verdict, "why" if verdict else "")
    raw = only(decision).raw
    assert raw is not None and raw.failed is (code != 0)
    assert bool(decision.messages) is (code == 1)


def test_a_block_without_words_has_a_fixed_reason(bench: Workbench) -> None:
    decision = configure(bench, PreToolUse=[group(command("exit 2"))]).fire("PreToolUse", WRITE)
    assert decision.reason == "Blocked by PreToolUse hook"


def test_blocking_true_turns_any_failure_into_a_block(bench: Workbench) -> None:
    configure(bench, PreToolUse=[group(command("echo no >&2; exit 1", blocking=True))])
    assert bench.fire("PreToolUse", WRITE).reason == "no"
    configure(bench, PreToolUse=[group(command("sleep 60", blocking=True, timeout=200))])
    assert bench.fire("PreToolUse", WRITE).verdict is Verdict.NONE


def test_blocking_false_before_a_tool_does_not_weaken_exit_2(bench: Workbench) -> None:
    configure(bench, PreToolUse=[group(command("exit 2", blocking=False))])
    assert bench.fire("PreToolUse", WRITE).verdict is Verdict.DENY


def test_blocking_false_after_a_tool_runs_in_the_background(bench: Workbench) -> None:
    configure(bench, PostToolUse=[group(command("echo done > log; exit 2", blocking=False))])
    decision = bench.fire("PostToolUse", WRITE)
    assert (decision.verdict, decision.reprompt, decision.results[0].why) == (
        Verdict.NONE,
        None,
        "started in the background",
    )
    assert bench.read("log") == "done\n"


@pytest.mark.parametrize(
    ("line", "more", "words"),
    [
        ("echo err >&2; exit 2", {}, "err"),
        ("echo out; exit 2", {}, "out"),
        ("echo e >&2; exit 1", {"blocking": True}, "e"),
    ],
)
def test_after_a_tool_a_block_goes_back_to_the_model(
    bench: Workbench, line: str, more: dict[str, Any], words: str
) -> None:
    decision = configure(bench, PostToolUse=[group(command(line, **more))]).fire("PostToolUse", WRITE)
    assert (decision.verdict, decision.reprompt) == (Verdict.NONE, words)


def test_a_blocked_stop_sends_its_reason_back(bench: Workbench) -> None:
    decision = configure(bench, Stop=[group(command("echo tests fail >&2; exit 2"))]).fire("Stop")
    assert (decision.verdict, decision.reprompt) == (Verdict.DENY, "tests fail")


@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
def test_plain_output_becomes_context(bench: Workbench, event: str) -> None:
    decision = configure(bench, **{event: [group(command("echo remember"))]}).fire(event)
    assert decision.contexts == ("remember",)


def test_the_result_tells_output_error_code_and_duration(bench: Workbench) -> None:
    configure(bench, PreToolUse=[group(command("echo out; echo err >&2; exit 3"))])
    raw = only(bench.fire("PreToolUse", WRITE)).raw
    assert raw is not None
    assert (raw.stdout.strip(), raw.stderr.strip(), raw.exit_code) == ("out", "err", 3)
    assert raw.timings.total > 0


def test_the_default_timeout_is_a_minute(bench: Workbench) -> None:
    configure(bench, Stop=[group(command("true"))])
    assert bench.hooks().specs[0].timeout_s == 60.0


def test_a_late_hook_is_killed_and_blocks_nothing(bench: Workbench, limit_once: Any) -> None:
    limit_once(spoken)
    line = "trap 'exit 2' TERM; sleep 3600 & echo $! > child; touch spoken; wait"
    configure(bench, PreToolUse=[group(command(line, timeout=3000))])
    decision = bench.fire("PreToolUse", WRITE)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.timed_out)
    assert "timed out" in decision.messages[0]
    wait_until_gone(int(bench.read("child")))


def test_a_hook_that_ignores_the_signal_is_killed_a_second_later(bench: Workbench, limit_once: Any) -> None:
    limit_once(spoken)
    line = "trap '' TERM; echo $$ > pid; touch spoken; sleep 3600"
    configure(bench, PreToolUse=[group(command(line, timeout=3000))])
    bench.fire("PreToolUse", WRITE)
    assert bench.hooks().specs[0].grace_s == 1.0
    wait_until_gone(int(bench.read("pid")))


def test_long_output_is_cut_between_letters_and_the_exit_status_kept(bench: Workbench) -> None:
    line = "for i in $(seq 6000); do printf 'é€✅'; done; exit 2"
    raw = only(configure(bench, PreToolUse=[group(command(line))]).fire("PreToolUse", WRITE)).raw
    assert raw is not None and (raw.truncated, raw.exit_code) == (True, 2)
    omitted = re.search(r"\n\[\.\.\. (\d+) bytes omitted \.\.\.\]\n", raw.stdout)
    assert omitted and len(raw.stdout.encode()) - len(omitted[0]) + int(omitted[1]) == 6000 * len(
        "é€✅".encode()
    )
    assert "\ufffd" not in raw.stdout and len(raw.stdout.encode()) < 31_500


def test_a_question_to_a_model_without_a_model_blocks_nothing(bench: Workbench) -> None:
    configure(bench, PreToolUse=[group({"type": "prompt", "prompt": "Is this safe? $ARGUMENTS"})])
    assert bench.hooks().specs[0].action == PromptCheck("Is this safe? $ARGUMENTS")
    decision = bench.fire("PreToolUse", WRITE)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.launch_failed)
    assert len(decision.degraded) == 1


def test_a_model_that_says_no_blocks(bench: Workbench) -> None:
    async def complete(prompt: str, model: str, options: object) -> str:
        return json.dumps({"ok": "src/a.py" not in prompt, "reason": "not that file"})

    configure(bench, PreToolUse=[group({"type": "prompt", "prompt": "Is this safe? $ARGUMENTS"})])
    decision = bench.engine(complete=complete).fire_now(bench.event("PreToolUse", WRITE))
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "not that file")


def test_a_hook_that_cannot_start_blocks_nothing(bench: Workbench, tmp_path: Path) -> None:
    configure(bench, PreToolUse=[group(command("true"))])
    engine, event = bench.engine(), bench.event("PreToolUse", WRITE)
    bench.workspace.rename(tmp_path / "elsewhere")
    decision = engine.fire_now(event)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.launch_failed)
    assert "could not start" in decision.messages[0]


# -- running many -----------------------------------------------------------------------------------


def test_hooks_run_side_by_side_and_are_listed_in_order(bench: Workbench) -> None:
    lines = [
        f"touch here{me}; until [ -e here{other} ]; do sleep 0.01; done; echo {me}"
        for me, other in (("1", "2"), ("2", "1"))
    ]
    configure(bench, UserPromptSubmit=[group(*(command(line, timeout=20000) for line in lines))])
    assert bench.fire("UserPromptSubmit").contexts == ("1", "2")


def test_all_finish_and_the_first_block_in_config_order_gives_the_reason(bench: Workbench) -> None:
    hooks = (
        command("sleep 0.3; echo slow >&2; exit 2"),
        command("echo quick >&2; exit 2"),
        command("sleep 0.4; touch finished"),
    )
    decision = configure(bench, PreToolUse=[group(*hooks)]).fire("PreToolUse", WRITE)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "slow")
    assert bench.path("finished").exists()


@pytest.mark.parametrize("place", ["top", "hooks"])
def test_hooks_can_run_in_order_and_stop_at_a_block(bench: Workbench, place: str) -> None:
    events = {
        "PreToolUse": [
            group(
                command("sleep 0.1; echo 1 >> log"),
                command("echo 2 >> log; exit 2"),
                command("echo 3 >> log"),
            )
        ]
    }
    config = (
        {"hooks": events, "parallel": False} if place == "top" else {"hooks": {**events, "parallel": False}}
    )
    bench.write(GEN, config)
    assert bench.problems == ()
    decision = bench.fire("PreToolUse", WRITE)
    assert bench.read("log") == "1\n2\n"
    assert [r.status for r in decision.results] == [Status.ran, Status.ran, Status.not_reached]


def test_no_more_than_the_first_max_hooks_run(bench: Workbench) -> None:
    hooks = [group(command("echo no"), matcher="Read"), group(*(command(f"echo {n}") for n in range(3)))]
    bench.write(GEN, {"hooks": {"PreToolUse": hooks}, "maxHooks": 2})
    decision = bench.fire("PreToolUse", WRITE)
    assert [result.spec.command for result in decision.ran] == ["echo 0", "echo 1"]
    assert (decision.results[3].status, decision.results[3].why) == (
        Status.not_reached,
        "`maxHooks` is 2: no more hooks of an event run",
    )


def test_two_hundred_hooks_all_end_with_few_at_once(bench: Workbench) -> None:
    line = "ls running | wc -l >> most; touch running/{n}; sleep 0.01; rm running/{n}"
    (bench.workspace / "running").mkdir()
    configure(bench, SessionEnd=[group(*(command(line.format(n=n)) for n in range(200)))])
    decision = bench.fire("SessionEnd")
    assert {result.status for result in decision.results} == {Status.ran}
    assert max(map(int, bench.read("most").split())) < 8


def test_no_match_starts_no_process(bench: Workbench) -> None:
    decision = configure(bench, PreToolUse=[group(command("touch ran"), matcher="Read")]).fire(
        "PreToolUse", WRITE
    )
    assert (decision.ran, bench.path("ran").exists()) == ((), False)


def test_an_event_has_hooks_whatever_their_matchers() -> None:
    registry = HookRegistry({"hooks": {"PreToolUse": [group(command("true"), matcher="Nothing")]}})
    assert (registry.has_hooks("PreToolUse"), registry.has_hooks("Stop")) == (True, False)


def test_hooks_come_and_go_by_code(bench: Workbench) -> None:
    registry = HookRegistry()
    registry.load_from_settings({"hooks": {"PreToolUse": [group(command("true"), command("exit 2"))]}})
    registry.add_hook("PreToolUse", {"matcher": re.compile("^Wri"), **command("echo no >&2; exit 2")})
    assert [spec.command for spec in registry.get_hooks("PreToolUse")] == [
        "true",
        "exit 2",
        "echo no >&2; exit 2",
    ]
    assert registry.remove_hook("PreToolUse", 1).command == "exit 2"
    engine = Engine(registry.specs(), Services(environment=bench.variables, workspace=str(bench.workspace)))
    assert engine.fire_now(bench.event("PreToolUse", WRITE)).reason == "no"
    assert engine.fire_now(bench.event("PreToolUse", BASH)).verdict is Verdict.NONE


def test_what_is_not_there_cannot_be_removed_or_added() -> None:
    registry = HookRegistry({"hooks": {"Stop": [command("true")]}})
    for index in (1, -1):
        with pytest.raises(UsageError, match=f"none at {index}"):
            registry.remove_hook("Stop", index)
    with pytest.raises(ConfigError, match="no event `Nope`"):
        registry.add_hook("Nope", command("true"))
    with pytest.raises(ConfigError, match="`command` is missing"):
        registry.add_hook("Stop", {"type": "command"})
    assert len(registry.specs()) == 1


def test_reports_are_in_gencodes_words(bench: Workbench) -> None:
    lines = ("echo out", "echo err >&2; exit 2", "exit 3", "echo part; sleep 60")
    configure(bench, PreToolUse=[group(*(command(line, timeout=3000) for line in lines))])
    reports = [HookReport.of(result) for result in bench.fire("PreToolUse", WRITE).results]
    assert [(r.success, r.output, r.error, r.blocked, r.exit_code) for r in reports] == [
        (True, "out", "", False, 0),
        (False, "", "err", True, 2),
        (False, "", "exit 3", False, 3),
        (False, "part", "timed out after 3000ms", False, 1),
    ]
    assert [r.message for r in reports] == ["out", "err", "", "part"]


def test_nothing_has_succeeded_as_a_whole_and_took_no_time() -> None:
    assert all_succeeded([]) and total_duration_ms([]) == 0
    reports = [HookReport(True, duration_ms=2.0), HookReport(False)]
    assert (all_succeeded(reports), total_duration_ms(reports)) == (False, 2.0)


def test_one_command_matched_through_two_groups_runs_once(bench: Workbench) -> None:
    same = command("echo ran >> log")
    configure(bench, PreToolUse=[group(same, matcher="Write"), group(same, matcher="Write|Edit")])
    decision = bench.fire("PreToolUse", WRITE)
    assert [r.status for r in decision.results] == [Status.ran, Status.duplicate]
    assert bench.read("log") == "ran\n"


# -- beyond -----------------------------------------------------------------------------------------


def test_every_event_has_a_row_and_cites_where_it_comes_from() -> None:
    assert len(RULES) == 24
    assert all(rule.cite and rule.native == kind.value for kind, rule in RULES.items())


def test_claudes_json_answers_are_understood(bench: Workbench) -> None:
    specific = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": "sure?",
    }
    rewrite = {
        "hookEventName": "PreToolUse",
        "updatedInput": {"command": "true"},
        "additionalContext": "note",
    }
    lines = [f"echo '{json.dumps({'hookSpecificOutput': answer})}'" for answer in (specific, rewrite)]
    decision = configure(bench, PreToolUse=[group(*map(command, lines))]).fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason, decision.updated_input, decision.contexts) == (
        Verdict.ASK,
        "sure?",
        {"command": "true"},
        ("note",),
    )


def test_claude_events_that_gencode_never_fires_are_no_fault_in_claude_files(bench: Workbench) -> None:
    configure(bench, ".claude/settings.json", PostToolBatch=[group(command("x"))], Nope=[])
    assert bench.codes() == [("unknown-event", "hooks.Nope")]


@pytest.mark.parametrize(("rule", "runs"), [("Bash(ls *)", True), ("Bash(git *)", False), ("Edit", False)])
def test_an_if_rule_narrows_a_hook_to_some_calls(bench: Workbench, rule: str, runs: bool) -> None:
    configure(bench, PreToolUse=[group(command("true", **{"if": rule}))])
    assert bool(bench.fire("PreToolUse", BASH).ran) is runs


def test_unknown_keys_are_reported_in_native_files(bench: Workbench) -> None:
    configure(bench, Stop=[group(command("true", timout=5))])
    assert [(p.code, p.hint, p.severity) for p in bench.problems] == [
        ("unknown-key", "did you mean `timeout`?", "warning")
    ]


def test_the_schema_accepts_what_loads_and_refuses_what_does_not() -> None:
    schema = dict(DIALECT.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    good = {
        "Stop": [group(command("x", timeout=5, blocking=True), matcher=""), {"matcher": "A", **command("y")}]
    }
    jsonschema.validate({"hooks": good, "parallel": False}, schema)
    for bad in ({"stop": []}, {"Stop": [{"matcher": "x"}]}, {"Stop": [group({"type": "command"})]}, []):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"hooks": bad}, schema)


def test_a_stricter_hook_is_no_copy_of_a_milder_one(bench: Workbench) -> None:
    mild, strict = command("echo no >&2; exit 1"), command("echo no >&2; exit 1", blocking=True)
    configure(bench, PreToolUse=[group(mild), group(strict)])
    assert bench.fire("PreToolUse", WRITE).reason == "no"


def test_a_claude_file_counts_once_and_its_flat_hooks_are_gencodes(bench: Workbench) -> None:
    from hookline.engine.loading import load_hooks, places_for

    flat = {"matcher": "Write", **command("echo flat")}
    configure(bench, ".claude/settings.json", PostToolUse=[flat, group(command("echo nested"))])
    hooks = load_hooks(places_for(str(bench.workspace), bench.variables))
    assert {(spec.dialect, spec.command) for spec in hooks.specs} == {
        ("gencode", "echo flat"),
        ("claude", "echo nested"),
    }
    assert [problem.code for problem in hooks.problems] == ["flat-entry", "file-dropped"]


def test_a_callback_answers_like_any_other_hook(bench: Workbench) -> None:
    registry = HookRegistry()
    registry.add_hook(
        "PreToolUse",
        {
            "matcher": "Bash",
            "callback": lambda event: {"decision": "block", "reason": event.get("tool_name")},
        },
    )
    engine = Engine(registry.specs(), Services(environment=bench.variables, workspace=str(bench.workspace)))
    assert engine.fire_now(bench.event("PreToolUse", BASH)).reason == "Bash"
    assert engine.fire_now(bench.event("PreToolUse", WRITE)).verdict is Verdict.NONE
