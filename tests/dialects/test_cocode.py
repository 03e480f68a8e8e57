"""cocode's hooks, through the engine with real processes and a real loopback server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, ClassVar

import jsonschema
import pytest
from tests.dialects.workbench import Workbench, only
from tests.limits import spoken
from tests.waiting import DEADLINE_S, wait_until_gone

from hookline.dialects.cocode import DIALECT
from hookline.dialects.cocode.registry import (
    Continue,
    HookContext,
    HookDefinition,
    HookRegistry,
    HookResult,
    ModifyInput,
    Reject,
    load_hooks_from_config,
    result_of,
)
from hookline.engine.fire import Engine
from hookline.engine.services import Services
from hookline.model.errors import ConfigError
from hookline.model.hooks import Command, Means, Webhook
from hookline.model.results import Decision, Status, Verdict

CONFIG = ".cocode/hooks.toml"
USER = "~/.config/cocode/hooks.toml"
BASH = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
EVENTS = [
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PrePromptSubmit",
    "PostUserMessage",
    "SessionStart",
    "SessionEnd",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "NotificationEvent",
    "StatusLine",
    "FileSuggestion",
]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, "cocode")


def shell(line: str, event: str = "PreToolUse", extra: str = "", **keys: object) -> str:
    """One `[[hooks]]` table with a shell handler; `extra` are further lines of the table itself."""
    more = "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())
    return f'[[hooks]]\nevent = "{event}"\n{extra}\n[hooks.shell]\ncommand = {json.dumps(line)}\n{more}'


def answer(value: object, event: str = "PreToolUse", **keys: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return shell(f"printf '%s' '{text}'", event, parse_result=True, **keys)


def configure(bench: Workbench, *tables: str) -> Workbench:
    bench.write(CONFIG, "\n".join(tables))
    return bench


def context_of(decision: Decision) -> Any:
    raw = only(decision).raw
    assert raw is not None
    return json.loads(raw.stdout)


# -- loading ----------------------------------------------------------------------------------------


def test_the_users_and_the_projects_file_load_in_order(bench: Workbench) -> None:
    bench.write(USER, shell("echo a") + shell("echo b"))
    configure(bench, shell("echo c"))
    assert [(s.command, s.source, s.scope) for s in bench.hooks().specs] == [
        ("echo a", USER, "user"),
        ("echo b", USER, "user"),
        ("echo c", CONFIG, "project"),
    ]


def test_the_xdg_folder_is_honoured(bench: Workbench, tmp_path: Path) -> None:
    bench.variables["XDG_CONFIG_HOME"] = str(tmp_path / "xdg")
    (tmp_path / "xdg/cocode").mkdir(parents=True)
    (tmp_path / "xdg/cocode/hooks.toml").write_text(shell("echo x"))
    assert [spec.command for spec in bench.hooks().specs] == ["echo x"]


def test_every_key_is_read(bench: Workbench) -> None:
    keys = 'name = "n"\ntool_matcher = "Bash*"\nonce = true\ntimeout_sec = 60'
    web = '[[hooks]]\nevent = "PostToolUse"\n[hooks.webhook]\nurl = "https://x/"\nmethod = "Put"\n'
    configure(
        bench,
        shell("c", extra=keys, pass_context=True, parse_result=True),
        web + 'headers = { A = "${B}" }\n',
    )
    hooks = bench.hooks()
    first, second = hooks.specs
    assert hooks.problems == ()
    assert (first.action, first.name, first.once, first.timeout_s) == (Command("c"), "n", True, 60.0)
    assert (first.options["pass_context"], first.options["parse_result"]) == (True, True)
    assert second.action == Webhook("https://x/", "PUT", {"A": "${B}"})
    assert (second.timeout_s, second.once, second.matcher) == (600.0, False, None)


@pytest.mark.parametrize("tables", ["", '[hooks.shell]\ncommand="x"\n[hooks.webhook]\nurl="http://x"\n'])
def test_both_handlers_or_neither_leave_that_entry_out(bench: Workbench, tables: str) -> None:
    configure(bench, f'[[hooks]]\nevent = "PreToolUse"\n{tables}', shell("echo fine"))
    assert [(p.code, p.guard) for p in bench.problems] == [("handler-count", True)]
    decision = bench.fire("PreToolUse", BASH)
    assert [result.status for result in decision.results] == [Status.invalid, Status.ran]


def test_a_missing_file_is_no_hooks_for_a_host_and_an_error_for_the_strict_loader(
    bench: Workbench,
) -> None:
    assert (bench.hooks().specs, bench.problems) == ((), ())
    with pytest.raises(ConfigError, match="does not exist"):
        load_hooks_from_config(str(bench.path(CONFIG)))


def test_malformed_toml_is_reported_with_line_and_column(bench: Workbench) -> None:
    path = bench.write(CONFIG, '[[hooks]]\nevent = "PreToolUse\n')
    (problem,) = bench.problems
    assert (problem.code, problem.line, problem.guard) == ("bad-toml", 2, True) and problem.column > 0
    assert bench.fire("PreToolUse", BASH).results == ()
    with pytest.raises(ConfigError, match=rf"hooks.toml:2:{problem.column}: "):
        load_hooks_from_config(str(path))


def test_an_unknown_event_costs_one_hook_or_the_strict_load(bench: Workbench) -> None:
    path = bench.write(CONFIG, shell("exit 1", "PreToolUze") + shell("exit 1"))
    assert [(p.code, p.line, p.hint, p.guard) for p in bench.problems] == [
        ("unknown-event", 2, "did you mean `PreToolUse`?", True)
    ]
    assert bench.fire("PreToolUse", BASH).verdict is Verdict.DENY
    with pytest.raises(ConfigError, match=r"hooks.toml:2:9: .*PreToolUze"):
        load_hooks_from_config(str(path))


def test_all_thirteen_events_and_the_aliases_load(bench: Workbench) -> None:
    names = (*EVENTS, "UserPromptSubmit", "Notification", "Stop")
    configure(bench, *(shell("true", name) for name in names))
    assert bench.problems == ()
    assert [spec.native_event for spec in bench.hooks().specs] == list(names)
    configure(bench, shell("true", "pretooluse"))
    assert [code for code, _ in bench.codes()] == ["unknown-event"]


@pytest.mark.parametrize(
    ("method", "read"), [("post", "POST"), ("POST", "POST"), ("Put", "PUT"), ("GET", "")]
)
def test_methods_are_post_and_put_in_any_case(bench: Workbench, method: str, read: str) -> None:
    web = f'[[hooks]]\nevent = "PreToolUse"\n[hooks.webhook]\nurl = "http://x"\nmethod = "{method}"\n'
    (spec,) = configure(bench, web).hooks().specs
    assert (spec.action.method if isinstance(spec.action, Webhook) else "") == read


@pytest.mark.parametrize("value", ["0", "-1", "1.5", '"60"', "99999999"])
def test_an_impossible_timeout_is_reported_and_the_default_holds(bench: Workbench, value: str) -> None:
    configure(bench, shell("true", extra=f"timeout_sec = {value}"))
    assert bench.hooks().specs[0].timeout_s == 600.0
    assert [(p.code, p.severity) for p in bench.problems] == [("bad-value", "warning")]


def test_unknown_keys_are_reported_with_the_key_that_was_meant(bench: Workbench) -> None:
    configure(bench, shell("true", extra='matcher = "Bash"\ntimeout = 5\nonec = true', pas_context=True))
    assert [(p.code, p.hint) for p in bench.problems] == [
        ("unknown-key", "did you mean `tool_matcher`?"),
        ("unknown-key", "did you mean `timeout_sec`?"),
        ("unknown-key", "did you mean `once`?"),
        ("unknown-key", "did you mean `pass_context`?"),
    ]


def test_a_hook_without_a_name_gets_one(bench: Workbench) -> None:
    configure(bench, shell("true"), shell("true"))
    assert [spec.name for spec in bench.hooks().specs] == ["PreToolUse 1", "PreToolUse 2"]


def test_a_thousand_hooks_load(bench: Workbench) -> None:
    configure(bench, *(shell("true") for _ in range(1000)))
    assert len(bench.hooks().specs) == 1000


# -- matching and order -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("matcher", "fitting"),
    [
        (None, {"Bash", "BashOutput", "XBash", "Edit", "NotebookEdit", "edit"}),
        ("Bash*", {"Bash", "BashOutput"}),
        ("Edit", {"Edit"}),
        ("*", {"Bash", "BashOutput", "XBash", "Edit", "NotebookEdit", "edit"}),
        ("Edit|Write", set()),
        ("*Edit", set()),
        ("Ba*h", set()),
        ("E.*t", set()),
        ("", set()),
    ],
)
def test_matchers_are_exact_or_a_beginning(bench: Workbench, matcher: str | None, fitting: set[str]) -> None:
    extra = "" if matcher is None else f"tool_matcher = {json.dumps(matcher)}"
    engine = configure(bench, shell("true", extra=extra)).engine()
    tools = ("Bash", "BashOutput", "XBash", "Edit", "NotebookEdit", "edit")
    decisions = {tool: engine.explain(bench.event("PreToolUse", {"tool_name": tool})) for tool in tools}
    assert {t for t, d in decisions.items() if d.results[0].status is Status.would_run} == fitting
    dead = matcher is not None and not fitting
    assert [code for code, _ in bench.codes()] == (["dead-matcher"] if dead else [])


def test_a_matcher_on_an_event_without_a_tool_is_ignored(bench: Workbench) -> None:
    configure(bench, shell("true", "SessionStart", extra='tool_matcher = "Bash"'))
    assert only(bench.fire("SessionStart")).status is Status.ran


def test_hooks_run_in_order_and_twice_when_given_twice(bench: Workbench) -> None:
    twice = shell("sleep 0.1; echo twice >> log")
    configure(bench, twice, twice, shell("echo last >> log")).fire("PreToolUse", BASH)
    assert bench.read("log") == "twice\ntwice\nlast\n"


def test_no_hooks_is_no_cost(bench: Workbench) -> None:
    configure(bench, shell("true", "SessionEnd"))
    assert bench.fire("PreToolUse", BASH).ran == ()


# -- shell handler ----------------------------------------------------------------------------------


def test_a_command_runs_in_the_contexts_folder_with_its_variables(bench: Workbench) -> None:
    bench.variables["FROM_PARENT"] = "yes"
    (bench.workspace / "sub").mkdir()
    line = 'echo "$HOOK_EVENT|$HOOK_TOOL_NAME|$HOOK_SESSION_ID|$FROM_PARENT|$(basename "$PWD")" >&2; exit 1'
    decision = configure(bench, shell(line)).fire("PreToolUse", BASH, cwd=str(bench.workspace / "sub"))
    assert decision.reason == "Hook failed: PreToolUse|Bash|s1|yes|sub"


def test_a_stale_tool_name_is_not_inherited(bench: Workbench) -> None:
    bench.variables["HOOK_TOOL_NAME"] = "Stale"
    configure(bench, shell('echo "[${HOOK_TOOL_NAME-unset}]"', "SessionStart"))
    raw = only(bench.fire("SessionStart")).raw
    assert raw is not None and raw.stdout == "[unset]\n"


def test_the_context_is_json_on_stdin_without_what_is_not_known(bench: Workbench) -> None:
    bench.variables["SECRET"] = "s3cr3t"
    configure(bench, shell("cat", pass_context=True))
    assert context_of(bench.fire("PreToolUse", BASH, agent_id="a1")) == {
        "event": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "session_id": "s1",
        "agent_id": "a1",
        "cwd": str(bench.workspace),
        "env": {"HOOK_EVENT": "PreToolUse", "HOOK_SESSION_ID": "s1", "HOOK_TOOL_NAME": "Bash"},
    }


def test_every_event_has_its_own_keys(bench: Workbench) -> None:
    configure(bench, *(shell("cat", name, pass_context=True) for name in EVENTS))
    done = context_of(bench.fire("PostToolUse", {**BASH, "tool_response": {"stdout": "x", "code": 0}}))
    assert done["tool_output"] == {"stdout": "x", "code": 0, "content": "x", "is_error": False}
    assert context_of(bench.fire("PostToolUseFailure", {**BASH, "error": "boom"}))["error"] == "boom"
    prompt = context_of(bench.fire("PrePromptSubmit", {"prompt": "hi"}))
    assert (prompt["event"], prompt["user_prompt"], "tool_input" in prompt) == (
        "PrePromptSubmit",
        "hi",
        False,
    )
    assert context_of(bench.fire("PostUserMessage", {"prompt": "hi"}))["user_prompt"] == "hi"
    assert context_of(bench.fire("NotificationEvent", {"message": "m"}))["message"] == "m"
    assert context_of(bench.fire("PreCompact", {"trigger": "auto"}))["trigger"] == "auto"
    assert context_of(bench.fire("SubagentStop", agent_id="a9"))["agent_id"] == "a9"


def test_without_pass_context_stdin_is_empty(bench: Workbench) -> None:
    configure(bench, shell("wc -c", "SessionStart"))
    raw = only(bench.fire("SessionStart")).raw
    assert raw is not None and raw.stdout.strip() == "0"


def test_output_is_ignored_unless_it_is_to_be_parsed(bench: Workbench) -> None:
    configure(bench, shell("""echo '{"Reject":{"reason":"R"}}'"""))
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.bad_output)
    assert (
        '`"Reject": {…}` means nothing to cocode' in only(decision).why
    )  # the guard is off, and that is told
    configure(bench, shell("""echo '{"Rejected": 3, "reason": "R"}'"""))
    assert only(bench.fire("PreToolUse", BASH)).status is Status.ran


@pytest.mark.parametrize("text", ['"Continue"', ' \n"Continue"\n '])
def test_continue_is_no_objection(bench: Workbench, text: str) -> None:
    decision = configure(bench, answer(text)).fire("PreToolUse", BASH)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.ran)


def test_a_reject_carries_exactly_its_reason(bench: Workbench) -> None:
    configure(bench, answer({"Reject": {"reason": "R", "extra": 1}}))
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "R")


def test_a_modification_replaces_the_whole_input(bench: Workbench) -> None:
    configure(bench, answer({"ModifyInput": {"new_input": {"other": 1}}}))
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, decision.updated_input) == (Verdict.NONE, {"other": 1})


@pytest.mark.parametrize(
    "text",
    [
        "Continue",
        '{"reject":{"reason":"x"}}',
        '{"Reject":"x"}',
        '{"Reject":{}}',
        '{"Reject":{"reason":5}}',
        'log\n{"Reject":{"reason":"x"}}',
        '{"action":"reject","reason":"x"}',
        '{"ModifyInput":{}}',
        "",
    ],
)
def test_an_answer_of_the_wrong_shape_continues_and_is_told(bench: Workbench, text: str) -> None:
    decision = configure(bench, answer(text)).fire("PreToolUse", BASH)
    assert decision.verdict is Verdict.NONE
    assert only(decision).status is Status.bad_output and "ignored" in only(decision).why
    assert len(decision.degraded) == 1 and "PreToolUse 1" in decision.degraded[0]


@pytest.mark.parametrize("value", [None, "text", [1]])
def test_an_input_that_no_tool_can_take_never_reaches_one(bench: Workbench, value: object) -> None:
    decision = configure(bench, answer({"ModifyInput": {"new_input": value}})).fire("PreToolUse", BASH)
    assert decision.verdict is Verdict.DENY and "`Bash`" in decision.reason


@pytest.mark.parametrize("code", [1, 2, 3, 127])
def test_any_failure_rejects_whatever_was_printed(bench: Workbench, code: int) -> None:
    configure(bench, shell(f"""echo '"Continue"'; echo why >&2; exit {code}""", parse_result=True))
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "Hook failed: why")


def test_a_signal_rejects_and_broken_bytes_are_replaced(bench: Workbench) -> None:
    decision = configure(bench, shell("printf 'a\\377' >&2; kill -9 $$")).fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "Hook failed: a\ufffd")


def test_a_hook_that_cannot_start_rejects_a_tool_and_nothing_else(bench: Workbench, tmp_path: Path) -> None:
    configure(bench, shell("true"), shell("true", "SessionStart"))
    engine = bench.engine()
    call, start = bench.event("PreToolUse", BASH), bench.event("SessionStart")
    bench.workspace.rename(tmp_path / "elsewhere")
    decision = engine.fire_now(call)
    assert decision.verdict is Verdict.DENY and decision.reason.startswith("Hook error: ")
    started = engine.fire_now(start)
    assert started.verdict is Verdict.NONE and "Hook error: " in started.messages[0]


def test_a_long_reason_is_cut(bench: Workbench) -> None:
    configure(bench, shell("head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1"))
    decision = bench.fire("PreToolUse", BASH)
    raw = only(decision).raw
    assert decision.verdict is Verdict.DENY and raw is not None and raw.truncated
    assert 1000 < len(decision.reason) < 70_000


def test_a_late_hook_is_killed_logged_and_rejects_nothing(bench: Workbench, limit_once: Any) -> None:
    limit_once(spoken)
    line = "sleep 3600 & echo $! > child; touch spoken; wait"
    configure(bench, shell(line, extra='name = "slow"\ntimeout_sec = 3'), shell("touch next"))
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, decision.results[0].status) == (Verdict.NONE, Status.timed_out)
    assert decision.messages == ("hook `slow` timed out after 3 s; the operation goes on",)
    assert len(decision.degraded) == 1 and "slow" in decision.degraded[0]
    assert bench.path("next").exists()
    wait_until_gone(int(bench.read("child")))


def test_a_late_hook_rejects_when_it_says_so(bench: Workbench) -> None:
    configure(bench, shell("sleep 60", extra='name = "slow"\ntimeout_sec = 1\non_timeout = "reject"'))
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "hook `slow` timed out after 1 s")


def test_the_default_timeout_is_ten_minutes(bench: Workbench) -> None:
    assert configure(bench, shell("true")).hooks().specs[0].timeout_s == 600.0


# -- results and chaining ---------------------------------------------------------------------------


def test_each_hook_sees_the_input_the_one_before_it_left(bench: Workbench) -> None:
    configure(
        bench,
        answer({"ModifyInput": {"new_input": {"command": "first"}}}),
        shell("cat > seen", pass_context=True),
        answer({"ModifyInput": {"new_input": {"command": "second"}}}),
    )
    decision = bench.fire("PreToolUse", BASH)
    assert json.loads(bench.read("seen"))["tool_input"] == {"command": "first"}
    assert decision.updated_input == {"command": "second"}


def test_the_first_reject_ends_it_and_no_edit_remains(bench: Workbench) -> None:
    configure(
        bench,
        answer({"ModifyInput": {"new_input": {"command": "x"}}}),
        shell("echo no >&2; exit 1"),
        shell("touch later"),
    )
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason, decision.updated_input) == (
        Verdict.DENY,
        "Hook failed: no",
        None,
    )
    assert decision.results[2].status is Status.not_reached and not bench.path("later").exists()


def test_an_edit_that_changes_nothing_is_none(bench: Workbench) -> None:
    decision = configure(bench, answer({"ModifyInput": {"new_input": BASH["tool_input"]}})).fire(
        "PreToolUse", BASH
    )
    assert (decision.verdict, decision.updated_input) == (Verdict.NONE, None)


@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure", "SessionStart", "SubagentStop"])
def test_a_notification_cannot_reject_anything(bench: Workbench, event: str) -> None:
    configure(bench, shell("echo sad >&2; exit 1", event), shell("echo next >> log", event))
    decision = bench.fire(event, BASH if "Tool" in event else {})
    assert decision.verdict is Verdict.NONE
    assert decision.messages == (f"Hook failed: sad (`{event}` only notifies)",)
    assert bench.read("log") == "next\n"


@pytest.mark.parametrize("new_input", ["new words", {"user_prompt": "new words"}])
def test_a_prompt_can_be_rewritten_or_dropped(bench: Workbench, new_input: object) -> None:
    configure(bench, answer({"ModifyInput": {"new_input": new_input}}, "PrePromptSubmit"))
    assert bench.fire("PrePromptSubmit", {"prompt": "old"}).updated_input == {"prompt": "new words"}
    configure(bench, answer({"Reject": {"reason": "R"}}, "UserPromptSubmit"))
    decision = bench.fire("PrePromptSubmit", {"prompt": "old"})
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "R")


def test_only_a_manual_compaction_can_be_cancelled(bench: Workbench) -> None:
    configure(bench, answer({"Reject": {"reason": "R"}}, "PreCompact"))
    assert bench.fire("PreCompact", {"trigger": "manual"}).reason == "R"
    forced = bench.fire("PreCompact", {"trigger": "auto"})
    assert (forced.verdict, forced.messages) == (Verdict.NONE, ("R (not heeded: the context is full)",))


def test_output_is_the_product_of_status_lines_and_suggestions(bench: Workbench) -> None:
    configure(bench, shell("echo one; echo two", "StatusLine"))
    assert bench.fire("StatusLine").products == {"status_line": "one"}
    for line in ("echo a.py; echo b.py", """echo '["a.py", "b.py"]'"""):
        configure(bench, shell(line, "FileSuggestion"))
        assert bench.fire("FileSuggestion", {"query": "x"}).products == {"suggestions": ["a.py", "b.py"]}
    configure(bench, shell("echo sad >&2; exit 1", "StatusLine"))
    failed = bench.fire("StatusLine")
    assert (failed.verdict, failed.products, len(failed.messages)) == (Verdict.NONE, {}, 1)


# -- the registry -----------------------------------------------------------------------------------


def call(bench: Workbench, *hooks: HookDefinition, **payload: Any) -> Decision:
    registry = HookRegistry()
    for hook in hooks:
        registry.register(hook)
    engine = Engine(registry.specs(), Services(environment=bench.variables, workspace=str(bench.workspace)))
    return asyncio.run(engine.fire(bench.event("PreToolUse", {**BASH, **payload})))


def test_the_default_definition_is_a_pretooluse_that_continues(bench: Workbench) -> None:
    assert HookDefinition().timeout_s == 600.0
    decision = call(bench, HookDefinition())
    assert (only(decision).spec.native_event, result_of(decision)) == ("PreToolUse", Continue())


def test_callbacks_see_the_context_and_answer_with_results(bench: Workbench) -> None:
    def guard(context: HookContext) -> HookResult:
        path = context.tool_input.get("file_path", "")
        return Reject("Cannot write to sensitive files") if ".env" in path else Continue()

    hook = HookDefinition(handler=guard, tool_matcher="Write")
    decision = call(bench, hook, tool_name="Write", tool_input={"file_path": "x/.env"})
    assert result_of(decision) == Reject("Cannot write to sensitive files")
    assert result_of(call(bench, hook, tool_name="Write", tool_input={"file_path": "a"})) == Continue()
    edit = HookDefinition(handler=lambda context: ModifyInput({"command": "true"}))
    assert result_of(call(bench, edit)) == ModifyInput({"command": "true"})
    assert [(r.is_reject, r.is_modify) for r in (Continue(), Reject("x"), ModifyInput(1))] == [
        (False, False),
        (True, False),
        (False, True),
    ]


def test_a_callback_that_raises_is_a_hook_error(bench: Workbench) -> None:
    def broken(context: HookContext) -> HookResult:
        raise ValueError("boom")

    decision = call(bench, HookDefinition(handler=broken))
    assert decision.verdict is Verdict.DENY
    assert decision.reason.startswith("Hook error: ValueError: boom")


def test_a_callback_that_blocks_is_bounded_by_its_timeout(bench: Workbench) -> None:
    release = Event()

    def stuck(context: HookContext) -> HookResult:
        release.wait(3600)
        return Reject("never seen")

    decision = call(bench, HookDefinition(handler=stuck, timeout_s=0.2))
    release.set()
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.timed_out)


def test_a_once_hook_runs_once(bench: Workbench) -> None:
    engine = configure(bench, shell("echo ran >> log", extra="once = true")).engine()
    first = engine.fire_now(bench.event("PreToolUse", BASH))
    second = engine.fire_now(bench.event("PreToolUse", BASH))
    assert (only(first).status, second.results[0].status) == (Status.ran, Status.disabled)
    assert bench.read("log") == "ran\n"


def test_cleanup_takes_out_only_what_has_run(bench: Workbench) -> None:
    registry = HookRegistry()
    failing = registry.register(HookDefinition(handler=Command("exit 1"), once=True))
    other_event = registry.register(HookDefinition("SessionEnd", Command("true"), once=True))
    unmatched = registry.register(HookDefinition(handler=Command("true"), once=True, tool_matcher="Edit"))
    lasting = registry.register(HookDefinition("SessionEnd", Command("true")))
    engine = Engine(registry.specs(), Services(environment=bench.variables, workspace=str(bench.workspace)))
    registry.note(engine.fire_now(bench.event("PreToolUse", BASH)))
    assert registry.cleanup_once_hooks() == (failing,)
    assert registry.specs() == (other_event, unmatched, lasting)


def test_two_events_at_once_run_a_once_hook_once(bench: Workbench) -> None:
    engine = configure(bench, shell("echo ran >> log; sleep 0.2", extra="once = true")).engine()

    async def both() -> None:
        event = bench.event("PreToolUse", BASH)
        await asyncio.gather(engine.fire(event), engine.fire(event))

    asyncio.run(both())
    assert bench.read("log") == "ran\n"


def test_an_event_that_does_not_exist_cannot_be_registered() -> None:
    with pytest.raises(ConfigError, match="no event `Nope`"):
        HookRegistry().register(HookDefinition("Nope"))


def test_the_strict_loader_yields_a_registry_and_skips_what_the_host_would_skip(bench: Workbench) -> None:
    path = bench.write(CONFIG, shell("a") + '[[hooks]]\nevent = "SessionEnd"\n' + shell("b", "SessionEnd"))
    registry = load_hooks_from_config(str(path))
    assert [spec.command for spec in registry.specs()] == ["a", "b"]
    assert [spec.command for spec in registry.specs("SessionEnd")] == ["b"]


# -- webhooks ---------------------------------------------------------------------------------------


class Receiver(BaseHTTPRequestHandler):
    """Answers every request with the next prepared status and body, and keeps what it was sent."""

    answers: ClassVar[list[tuple[int, bytes, dict[str, str]]]] = []
    requests: ClassVar[list[tuple[str, dict[str, str], Any]]] = []
    silent: ClassVar[Event] = Event()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.requests.append((self.command, dict(self.headers), json.loads(body)))
        status, text, headers = self.answers.pop(0)
        if status == 0:
            self.silent.wait(DEADLINE_S)
            return
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_PUT = do_POST

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    Receiver.answers, Receiver.requests, Receiver.silent = [], [], Event()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    listening.handle_error = lambda *_: None  # type: ignore[method-assign]  # who hangs up early is no news
    thread = Thread(target=listening.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}/hook"
    Receiver.silent.set()
    listening.shutdown()
    listening.server_close()


def web(url: str, event: str = "PreToolUse", extra: str = "", more: str = "") -> str:
    return f'[[hooks]]\nevent = "{event}"\n{extra}\n[hooks.webhook]\nurl = "{url}"\n{more}\n'


def test_the_context_is_sent_and_the_result_read(bench: Workbench, server: str) -> None:
    Receiver.answers = [(200, b'{"Reject":{"reason":"R"}}', {})]
    configure(bench, web(server, more='method = "Put"\nheaders = { X-Key = "v" }'))
    decision = bench.fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "R")
    ((method, headers, body),) = Receiver.requests
    assert (method, headers["X-Key"], body["tool_input"]) == ("PUT", "v", {"command": "ls"})


@pytest.mark.parametrize(
    ("status", "text"), [(204, b""), (200, b"ok"), (200, b'{"a":1}'), (201, b'"Continue"')]
)
def test_other_bodies_continue(bench: Workbench, server: str, status: int, text: bytes) -> None:
    Receiver.answers = [(status, text, {})]
    decision = configure(bench, web(server)).fire("PreToolUse", BASH)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.ran)


@pytest.mark.parametrize(
    ("status", "words"), [(403, "403 Forbidden"), (500, "500 Internal Server Error"), (302, "302 Found")]
)
def test_any_other_status_rejects(bench: Workbench, server: str, status: int, words: str) -> None:
    Receiver.answers = [(status, b"", {"Location": server})]
    decision = configure(bench, web(server)).fire("PreToolUse", BASH)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, f"Webhook failed: {words}")
    assert len(Receiver.requests) == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/", "http://no-such-host.invalid/", "nonsense"])
def test_a_server_that_cannot_be_reached_rejects(bench: Workbench, url: str) -> None:
    decision = configure(bench, web(url)).fire("PreToolUse", BASH)
    assert decision.verdict is Verdict.DENY and decision.reason.startswith("Webhook error: ")


def test_a_server_without_a_certificate_is_not_trusted(bench: Workbench, server: str) -> None:
    decision = configure(bench, web(server.replace("http:", "https:"))).fire("PreToolUse", BASH)
    assert decision.verdict is Verdict.DENY and decision.reason.startswith("Webhook error: ")
    assert Receiver.requests == []


def test_the_hooks_own_shorter_timeout_continues(bench: Workbench, server: str) -> None:
    Receiver.answers = [(0, b"", {})]
    decision = configure(bench, web(server, extra="timeout_sec = 1")).fire("PreToolUse", BASH)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.timed_out)


def test_the_http_timeout_rejects(bench: Workbench, server: str) -> None:
    from hookline.model.record import replace

    Receiver.answers = [(0, b"", {})]
    hooks = configure(bench, web(server)).hooks()
    assert hooks.specs[0].means.http_timeout_s == 30.0
    quick = replace(hooks.specs[0], means=Means(http_timeout_s=0.3))
    engine = Engine([quick], Services(environment=bench.variables, workspace=str(bench.workspace)))
    decision = engine.fire_now(bench.event("PreToolUse", BASH))
    assert decision.verdict is Verdict.DENY and decision.reason.startswith("Webhook error: ")


def test_headers_take_variables_and_never_show_them(bench: Workbench, server: str) -> None:
    Receiver.answers = [(204, b"", {})]
    bench.variables["HOOK_API_KEY"] = "s3cr\r\nX-Evil: 1"
    configure(bench, web(server, more='headers = { Authorization = "Bearer ${HOOK_API_KEY}" }'))
    decision = bench.fire("PreToolUse", BASH)
    ((_, headers, _),) = Receiver.requests
    assert headers["Authorization"] == "Bearer s3crX-Evil: 1" and "X-Evil" not in headers
    assert "s3cr" not in repr(decision)


def test_an_unset_variable_rejects_without_sending(bench: Workbench, server: str) -> None:
    configure(bench, web(server, more='headers = { Authorization = "Bearer ${HOOK_API_KEY}" }'))
    decision = bench.fire("PreToolUse", BASH)
    assert decision.verdict is Verdict.DENY and "HOOK_API_KEY" in decision.reason
    assert Receiver.requests == []


def test_a_huge_answer_is_read_up_to_a_limit(bench: Workbench, server: str) -> None:
    Receiver.answers = [(200, b"x" * (8 << 20), {})]
    raw = only(configure(bench, web(server, "PostToolUse")).fire("PostToolUse", BASH)).raw
    assert raw is not None and len(raw.stdout) < 2 << 20


def test_the_schema_accepts_what_loads_and_refuses_what_does_not() -> None:
    schema = dict(DIALECT.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    good = {"event": "PreToolUse", "timeout_sec": 5, "shell": {"command": "x", "pass_context": True}}
    jsonschema.validate({"hooks": [good]}, schema)
    for bad in (
        {"event": "x"},
        {"event": "Stop"},
        {**good, "webhook": {"url": "x"}},
        {**good, "timeout_sec": 0},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"hooks": [bad]}, schema)
