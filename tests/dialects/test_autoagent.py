"""AutoAgent's hooks, each through the engine with real processes."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.dialects.workbench import Workbench, only, stdout_json
from tests.limits import spoken
from tests.waiting import wait_until_gone

from hookline.dialects.autoagent import DIALECT
from hookline.model.hooks import Command, GitCommit, GitPush
from hookline.model.results import Status, Verdict

CONFIG = ".autoagent/config.json"
ISSUE = {
    "issue_number": 1,
    "issue_title": "Implement user authentication",
    "issue_file": "issues/1-implement-user-authentication.md",
    "plan_file": "plans/1-implement-user-authentication.md",
}
HOSTILE = [
    "it's",
    "$(touch pwned)",
    "`touch pwned`",
    "a; touch pwned",
    "two\nlines",
    "-rf",
    '"q"',
    "é✅",
    "&",
]


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path, "autoagent")


def command(line: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": line, **more}


def configure(bench: Workbench, **events: object) -> Workbench:
    bench.write(CONFIG, {"hooks": events})
    return bench


# -- configuration ----------------------------------------------------------------------------------


def test_every_entry_field_is_read(bench: Workbench) -> None:
    configure(
        bench,
        PreExecutionEnd=[command("check", blocking=True, timeout=1500)],
        PostExecutionEnd=[
            {"type": "git-commit", "message": "m", "noVerify": True},
            {"type": "git-push", "remote": "up", "branch": "b"},
            {"type": "git-push"},
        ],
    )
    hooks = bench.hooks()
    assert hooks.problems == ()
    assert [spec.action for spec in hooks.specs] == [
        Command("check", shell=("/bin/sh", "-c")),
        GitCommit("m", True),
        GitPush("up", "b"),
        GitPush("origin", "current"),
    ]
    first = hooks.specs[0]
    assert re.fullmatch("autoagent:PreExecutionEnd:[0-9a-f]{6}", first.id)
    assert (first.timeout_s, first.blocking) == (1.5, True)


def test_local_hooks_hide_the_global_ones_and_say_so(bench: Workbench) -> None:
    bench.write(f"~/{CONFIG}", {"hooks": {"Stop": [command("echo global")]}})
    configure(bench, PreExecutionStart=[command("echo local")])
    decision = bench.fire("Stop")
    assert [(r.status, r.why) for r in decision.results if r.spec.scope == "user"] == [
        (Status.disabled, "hidden by `hooks` in .autoagent/config.json")
    ]
    assert [(p.code, p.severity, p.source) for p in bench.problems] == [
        ("hidden-hooks", "notice", "~/.autoagent/config.json")
    ]


def test_global_hooks_run_when_the_local_file_has_none_or_asks_to_append(bench: Workbench) -> None:
    bench.write(f"~/{CONFIG}", {"hooks": {"Stop": [command("echo global")]}})
    bench.write(CONFIG, {"logLevel": "info"})
    assert bench.fire("Stop").messages == ("global",)
    bench.write(CONFIG, {"hooks": {"Stop": [command("echo local")]}, "hooksMerge": "append"})
    assert bench.fire("Stop").messages == ("global", "local")


def test_without_config_or_hooks_nothing_happens(bench: Workbench) -> None:
    assert bench.fire("PreExecutionStart").results == ()
    configure(bench, PreExecutionStart=[])
    decision = bench.fire("PreExecutionStart")
    assert (decision.verdict, decision.ran, bench.problems) == (Verdict.NONE, (), ())


def test_malformed_json_is_reported_with_its_place_and_leaves_no_hooks(bench: Workbench) -> None:
    bench.write(CONFIG, '{\n  "hooks": {,}\n}')
    (problem,) = bench.problems
    assert (problem.code, problem.source, problem.line, problem.guard) == ("bad-json", CONFIG, 2, True)
    assert bench.fire("PreExecutionStart").verdict is Verdict.NONE


def test_a_wrong_part_is_named_by_its_path_and_skipped_alone(bench: Workbench) -> None:
    configure(bench, PreExecutionStart={"type": "command"}, Stop=["x", command("echo fine")])
    assert bench.codes() == [("wrong-type", "hooks.PreExecutionStart"), ("wrong-type", "hooks.Stop[0]")]
    assert bench.fire("Stop").messages == ("fine",)
    bench.write(CONFIG, {"hooks": []})
    assert bench.codes() == [("wrong-type", "hooks")]


def test_unknown_events_are_reported_with_the_nearest_name(bench: Workbench) -> None:
    configure(bench, preexecutionstart=[command("exit 2")])
    (problem,) = bench.problems
    assert (problem.code, problem.hint, problem.guard) == (
        "unknown-event",
        "did you mean `PreExecutionStart`?",
        True,
    )
    decision = bench.fire("PreExecutionStart")
    assert [result.status for result in decision.results] == [Status.no_such_event]


def test_broken_entries_are_reported_and_the_chain_goes_on(bench: Workbench) -> None:
    broken = [{"type": "teleport"}, {"type": "command"}, command("  "), {"command": "x"}, command("echo on")]
    configure(bench, PreExecutionStart=broken)
    decision = bench.fire("PreExecutionStart")
    assert decision.verdict is Verdict.NONE
    assert [result.status for result in decision.results] == [Status.invalid] * 4 + [Status.ran]
    assert "`command` is missing" in decision.results[1].why
    assert bench.codes() == [
        ("bad-value", "hooks.PreExecutionStart[0].type"),
        ("missing-key", "hooks.PreExecutionStart[1].command"),
        ("empty-value", "hooks.PreExecutionStart[2].command"),
        ("missing-key", "hooks.PreExecutionStart[3].type"),
    ]


def test_a_running_engine_keeps_the_hooks_it_was_started_with(bench: Workbench) -> None:
    engine = configure(bench, Stop=[command("echo old")]).engine()
    configure(bench, Stop=[command("echo new")])
    assert engine.fire_now(bench.event("Stop")).messages == ("old",)
    assert bench.fire("Stop").messages == ("new",)


def test_scripts_that_are_not_configured_never_run(bench: Workbench) -> None:
    bench.write(".autoagent/hooks/track.sh", "#!/bin/sh\ntouch ran\n").chmod(0o755)
    bench.write(CONFIG, {"hooks": {}})
    assert bench.fire("PreExecutionStart").results == ()
    assert not bench.path("ran").exists()


def test_a_missing_command_fails_when_it_runs_and_does_not_block(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("no-such-program-here")])
    assert bench.problems == ()
    decision = bench.fire("PreExecutionStart")
    raw = only(decision).raw
    assert (decision.verdict, raw and raw.exit_code) == (Verdict.NONE, 127)
    assert "failed with exit 127" in decision.messages[0]


# -- running one hook -------------------------------------------------------------------------------


def test_hooks_run_one_after_another(bench: Workbench) -> None:
    lines = [command("echo 1a >> log; sleep 0.2; echo 1b >> log"), command("echo 2 >> log")]
    configure(bench, PostExecutionStart=lines).fire("PostExecutionStart")
    assert bench.read("log") == "1a\n1b\n2\n"


def test_stdin_is_one_json_object_and_then_ends(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("cat; cat")])
    decision = bench.fire("PreExecutionStart", ISSUE)
    assert stdout_json(decision) == {
        "eventName": "PreExecutionStart",
        "sessionId": "s1",
        "workspace": str(bench.workspace),
        "timestamp": 1763765000250,
        "issueNumber": 1,
        "issueTitle": "Implement user authentication",
        "issueFile": "issues/1-implement-user-authentication.md",
        "planFile": "plans/1-implement-user-authentication.md",
    }


def test_the_end_of_an_issue_and_of_a_run_have_their_fields(bench: Workbench) -> None:
    configure(bench, PreExecutionEnd=[command("cat")], Stop=[command("cat")], PreGitCommit=[command("cat")])
    end = {
        "success": True,
        "duration_ms": 45000,
        "provider": "claude",
        "files_modified": ["a.ts"],
        "output": "o",
    }
    seen = stdout_json(bench.fire("PreExecutionEnd", {**ISSUE, **end}))
    assert {key: seen[key] for key in ("success", "duration", "provider", "filesModified", "output")} == {
        "success": True,
        "duration": 45000,
        "provider": "claude",
        "filesModified": ["a.ts"],
        "output": "o",
    }
    run = {"reason": "completed", "issues_completed": 5, "issues_total": 5, "duration_ms": 300000}
    seen = stdout_json(bench.fire("Stop", run))
    assert (seen["eventName"], seen["reason"], seen["issuesCompleted"], seen["issuesTotal"]) == (
        "Stop",
        "completed",
        5,
        5,
    )
    assert (seen["duration"], seen["issuesFailed"], seen["stopHookActive"]) == (300000, 0, False)
    seen = stdout_json(bench.fire("PreGitCommit", {"message": "m", "files": ["a"]}))
    assert (seen["eventName"], seen["message"], seen["stagedFiles"]) == ("PreGitCommit", "m", ["a"])


def test_event_data_never_replaces_the_common_fields(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("cat")])
    payload = {**ISSUE, "event_name": "Fake", "timestamp": 1, "custom_key": "kept"}
    seen = stdout_json(bench.fire("PreExecutionStart", payload))
    assert (seen["eventName"], seen["timestamp"], seen["customKey"]) == (
        "PreExecutionStart",
        1763765000250,
        "kept",
    )


def test_hooks_start_in_the_workspace_with_the_parents_environment(bench: Workbench) -> None:
    bench.variables["FROM_PARENT"] = "yes"
    configure(bench, Stop=[command('echo "$(pwd) $FROM_PARENT"')])
    assert bench.fire("Stop", cwd="/").messages == (f"{os.path.realpath(bench.workspace)} yes",)


def test_commands_are_lines_of_sh(bench: Workbench) -> None:
    configure(bench, Stop=[command("echo x | grep x && echo y")])
    assert bench.fire("Stop").messages == ("x\ny",)


@pytest.mark.parametrize("event", ["PreExecutionStart", "PreExecutionEnd", "PreGitCommit", "Stop"])
def test_exit_2_blocks_what_can_be_blocked(bench: Workbench, event: str) -> None:
    lines = [command("exit 0"), command("echo '  no tests  ' >&2; exit 2"), command("touch later")]
    decision = configure(bench, **{event: lines}).fire(event)
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "no tests")
    assert [r.status for r in decision.results] == [Status.ran, Status.ran, Status.not_reached]
    assert not bench.path("later").exists()
    assert decision.reprompt == ("no tests" if event == "Stop" else None)


def test_a_block_without_words_has_the_fixed_reason(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("exit 2")])
    assert bench.fire("PreExecutionStart").reason == "Blocked by hook"


@pytest.mark.parametrize("event", ["PostExecutionStart", "PostExecutionEnd", "PostGitCommit"])
def test_exit_2_after_the_fact_is_shown_and_the_chain_goes_on(bench: Workbench, event: str) -> None:
    decision = configure(bench, **{event: [command("echo sad >&2; exit 2"), command("echo next")]}).fire(
        event
    )
    assert decision.verdict is Verdict.NONE
    assert decision.messages == (f"sad (not blocked: `{event}` only reacts)", "next")


@pytest.mark.parametrize("code", [1, 3, 127, 255])
def test_other_exit_codes_are_shown_and_change_nothing(bench: Workbench, code: int) -> None:
    configure(
        bench, PreExecutionStart=[command(f"echo out; echo err >&2; exit {code}"), command("echo next")]
    )
    decision = bench.fire("PreExecutionStart")
    assert decision.verdict is Verdict.NONE
    name = decision.results[0].spec.id
    assert decision.messages == ("out", f"hook `{name}` failed with exit {code}: err", "next")


def test_a_hook_killed_by_a_signal_does_not_block(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("kill -9 $$")])
    decision = bench.fire("PreExecutionStart")
    told = f"hook `{decision.results[0].spec.id}` was killed by signal 9"
    assert (decision.verdict, decision.messages) == (Verdict.NONE, (told,))


def test_a_vanished_workspace_is_a_failed_start_and_no_block(bench: Workbench, tmp_path: Path) -> None:
    configure(bench, PreExecutionStart=[command("true")])
    engine = bench.engine()
    event = bench.event("PreExecutionStart")
    bench.workspace.rename(tmp_path / "elsewhere")
    decision = engine.fire_now(event)
    assert (decision.verdict, only(decision).status) == (Verdict.NONE, Status.launch_failed)
    assert "could not start" in decision.messages[0] and "does not exist" in decision.messages[0]


@pytest.mark.parametrize("ending", ["exit 0", "exit 1", "exit 2", "sleep 60"])
def test_what_a_hook_prints_is_shown_exactly_once(bench: Workbench, ending: str) -> None:
    configure(bench, PreExecutionStart=[command(f"echo hello; echo more; {ending}", timeout=3000)])
    decision = bench.fire("PreExecutionStart")
    assert [text for text in decision.messages if text.startswith("hello")] == ["hello\nmore"]


def test_a_json_block_blocks_with_its_reason_and_feedback(bench: Workbench) -> None:
    answer = {"decision": "block", "reason": "Failed linting: 5 errors", "feedback": "Run lint:fix"}
    configure(bench, Stop=[command(f"echo '{json.dumps(answer)}'")])
    decision = bench.fire("Stop")
    assert (decision.verdict, decision.reason) == (Verdict.DENY, "Failed linting: 5 errors")
    assert decision.messages == (json.dumps(answer), "Run lint:fix")
    configure(bench, Stop=[command("""echo '{"decision":"block"}'""")])
    assert bench.fire("Stop").reason == "Blocked by hook"


def test_an_approval_never_cancels_a_block(bench: Workbench) -> None:
    approve = command("""echo '{"decision":"approve"}'""")
    configure(bench, PreExecutionStart=[approve, command("echo no >&2; exit 2")])
    assert bench.fire("PreExecutionStart").verdict is Verdict.DENY
    configure(bench, PreExecutionStart=[approve])
    assert bench.fire("PreExecutionStart").verdict is Verdict.NONE


def test_json_after_log_lines_counts_only_on_request(bench: Workbench) -> None:
    line = """echo log; echo '{"decision":"block","reason":"R"}'"""
    configure(bench, PreExecutionStart=[command(line)])
    assert bench.fire("PreExecutionStart").verdict is Verdict.NONE
    configure(bench, PreExecutionStart=[command(line, jsonFrom="last-line")])
    assert bench.fire("PreExecutionStart").reason == "R"


@pytest.mark.parametrize("text", ["null", "5", "[]", '"block"', '{"decision":"BLOCK"}', '{"decision":', "{}"])
def test_other_output_decides_nothing(bench: Workbench, text: str) -> None:
    configure(bench, PreExecutionStart=[command(f"echo '{text}'")])
    decision = bench.fire("PreExecutionStart")
    assert decision.verdict is Verdict.NONE
    broken = text in ('{"decision":', '{"decision":"BLOCK"}')  # a guard's answer that nobody can read is told
    assert (only(decision).status, bool(decision.degraded)) == (
        (Status.bad_output, True) if broken else (Status.ran, False)
    )


def test_a_json_block_counts_whatever_the_exit_status(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("""echo '{"decision":"block","reason":"R"}'; exit 1""")])
    assert bench.fire("PreExecutionStart").reason == "R"


def test_exit_2_without_stderr_takes_the_json_reason(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("""echo '{"decision":"block","reason":"R"}'; exit 2""")])
    assert bench.fire("PreExecutionStart").reason == "R"


def test_a_reason_that_is_no_text_still_blocks(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("""echo '{"decision":"block","reason":{"a":1}}'""")])
    decision = bench.fire("PreExecutionStart")
    assert (decision.verdict, decision.reason) == (Verdict.DENY, '{"a":1}')


def test_a_json_block_after_the_fact_is_feedback(bench: Workbench) -> None:
    block = command("""echo '{"decision":"block","reason":"too late"}'""")
    decision = configure(bench, PostExecutionEnd=[block, command("echo next")]).fire("PostExecutionEnd")
    assert decision.verdict is Verdict.NONE
    assert decision.messages[1:] == ("too late (not blocked: `PostExecutionEnd` only reacts)", "next")


def test_the_default_timeout_is_a_minute(bench: Workbench) -> None:
    configure(bench, Stop=[command("true")])
    assert bench.hooks().specs[0].timeout_s == 60.0


def test_a_late_hook_is_killed_with_its_children_and_blocks_nothing(
    bench: Workbench, limit_once: Any
) -> None:
    limit_once(spoken)
    line = "echo partial; echo grumble >&2; (sleep 3600) & echo $! > child; touch spoken; sleep 3600"
    configure(bench, PreExecutionStart=[command(line, timeout=3000), command("echo next")])
    decision = bench.fire("PreExecutionStart")
    assert (decision.verdict, decision.results[0].status) == (Verdict.NONE, Status.timed_out)
    assert decision.messages[0] == "partial"
    assert decision.messages[1].startswith("hook timed out after 3000 ms")
    assert decision.messages[2:] == ("grumble", "next")
    wait_until_gone(int(bench.read("child")))


def test_a_hook_that_ignores_the_signal_has_five_seconds_to_end(bench: Workbench) -> None:
    configure(bench, Stop=[command("true")])
    assert bench.hooks().specs[0].grace_s == 5.0


def test_a_block_printed_before_the_timeout_does_not_count(bench: Workbench, limit_once: Any) -> None:
    limit_once(spoken)
    configure(
        bench, Stop=[command("""echo '{"decision":"block"}'; touch spoken; sleep 3600""", timeout=1000)]
    )
    assert bench.fire("Stop").verdict is Verdict.NONE


@pytest.mark.parametrize("timeout", [0, -1, "5000", 1e12, True])
def test_an_impossible_timeout_is_reported_and_the_default_holds(bench: Workbench, timeout: object) -> None:
    configure(bench, Stop=[command("echo ran", timeout=timeout)])
    assert bench.hooks().specs[0].timeout_s == 60.0
    assert [(p.code, p.path, p.severity) for p in bench.problems] == [
        ("bad-value", "hooks.Stop[0].timeout", "warning")
    ]
    assert bench.fire("Stop").messages == ("ran",)


def test_a_hook_that_is_not_blocking_is_shown_only(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("echo no >&2; exit 2", blocking=False)])
    decision = bench.fire("PreExecutionStart")
    assert decision.verdict is Verdict.NONE
    assert decision.messages == ("no (not blocked: `blocking` is false)",)


def test_blocking_true_never_widens_what_blocks(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("exit 1", blocking=True)])
    assert bench.fire("PreExecutionStart").verdict is Verdict.NONE


def test_a_hook_that_does_not_read_two_megabytes_is_no_trouble(bench: Workbench) -> None:
    configure(bench, PreExecutionEnd=[command("exec 0<&-; echo fine")])
    decision = bench.fire("PreExecutionEnd", {**ISSUE, "output": "x" * (2 << 20)})
    assert (decision.verdict, decision.messages) == (Verdict.NONE, ("fine",))


def test_a_background_process_does_not_hold_the_event(bench: Workbench) -> None:
    configure(bench, PostExecutionEnd=[command("sleep 3600 & echo $! > child; echo done")])
    decision = bench.fire("PostExecutionEnd")
    assert decision.messages == ("done",)


def test_endless_output_is_cut_and_the_exit_status_kept(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("head -c 5000000 /dev/zero | tr '\\0' x; exit 3")])
    decision = bench.fire("PreExecutionStart")
    raw = only(decision).raw
    assert raw is not None and (raw.truncated, raw.exit_code) == (True, 3)
    omitted = re.search(r"\n\[\.\.\. (\d+) bytes omitted \.\.\.\]\n", raw.stdout)
    assert omitted and len(raw.stdout) - len(omitted[0]) + int(omitted[1]) == 5_000_000
    shown = decision.messages[0]
    assert len(shown) < 70_000 and re.findall(r"\d+ \w+ omitted", shown) == [f"{omitted[1]} bytes omitted"]


def test_broken_bytes_are_shown_as_replacements(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("printf 'a\\377\\376b'")])
    assert bench.fire("PreExecutionStart").messages == ("a\ufffd\ufffdb",)


# -- templates --------------------------------------------------------------------------------------


def test_every_value_can_be_written_into_a_command(bench: Workbench) -> None:
    names = [
        "issueNumber",
        "issueTitle",
        "issueFile",
        "planFile",
        "sessionId",
        "workspace",
        "provider",
        "success",
        "duration",
    ]
    line = "; ".join(f"echo {name}={{{{{name}}}}}" for name in (*names, "filesModified"))
    configure(bench, PostExecutionEnd=[command(line)])
    payload = {**ISSUE, "issue_title": "Größe ✅", "provider": "claude", "success": True, "duration_ms": 45}
    decision = bench.fire("PostExecutionEnd", {**payload, "files_modified": ["a.ts", "b c.ts"]})
    assert decision.messages[0].splitlines() == [
        "issueNumber=1",
        "issueTitle=Größe ✅",
        "issueFile=issues/1-implement-user-authentication.md",
        "planFile=plans/1-implement-user-authentication.md",
        "sessionId=s1",
        f"workspace={bench.workspace}",
        "provider=claude",
        "success=true",
        "duration=45",
        "filesModified=a.ts b c.ts",
    ]


def test_what_is_no_known_name_stays_as_written(bench: Workbench) -> None:
    configure(bench, Stop=[command("echo '{{foo}} {{ reason }} {{a.b}} {{}}'")])
    assert bench.fire("Stop").messages == ("{{foo}} {{ reason }} {{a.b}} {{}}",)


def test_false_zero_empty_and_null_are_values(bench: Workbench) -> None:
    configure(
        bench, PostExecutionEnd=[command("echo '[{{success}}|{{duration}}|{{output}}|{{odd}}|{{map}}]'")]
    )
    payload = {"success": False, "duration_ms": 0, "output": "", "odd": None, "map": {"a": [1, None]}}
    assert bench.fire("PostExecutionEnd", payload).messages == ('[false|0|||{"a":[1,null]}]',)


def test_each_item_of_a_list_stays_one_word(bench: Workbench) -> None:
    configure(
        bench, PostExecutionEnd=[command("printf '<%s>' {{filesModified}}; echo \"{{filesModified}}\"")]
    )
    decision = bench.fire("PostExecutionEnd", {"files_modified": ["a b.ts", "c;d", "$(x)"]})
    assert decision.messages == ("<a b.ts><c;d><$(x)>a b.ts c;d $(x)",)


def test_a_value_is_never_expanded_again(bench: Workbench) -> None:
    configure(bench, PreExecutionStart=[command("echo {{issueTitle}}")])
    assert bench.fire("PreExecutionStart", {"issue_title": "x {{workspace}}"}).messages == (
        "x {{workspace}}",
    )


@pytest.mark.parametrize("title", HOSTILE)
@pytest.mark.parametrize("quoted", ["{{issueTitle}}", "'{{issueTitle}}'", '"{{issueTitle}}"'])
def test_hostile_titles_reach_the_command_as_data(bench: Workbench, title: str, quoted: str) -> None:
    configure(bench, PreExecutionStart=[command(f"printf '<%s>' {quoted}")])
    decision = bench.fire("PreExecutionStart", {"issue_title": title})
    assert decision.messages == (f"<{title}>",)
    assert not bench.path("pwned").exists()


def test_the_message_of_a_commit_takes_the_same_variables(bench: Workbench) -> None:
    configure(bench, PostExecutionEnd=[{"type": "git-commit", "message": "#{{issueNumber}} {{issueFile}}"}])
    hooks = bench.hooks()
    given = DIALECT.hook_input(bench.event("PostExecutionEnd", ISSUE), hooks.specs[0])
    assert given.placeholders == "braces"
    assert (given.variables["issueNumber"], given.variables["issueFile"]) == ("1", ISSUE["issue_file"])


# -- built-ins and the rest -------------------------------------------------------------------------


def test_built_ins_sit_a_failed_issue_and_a_dry_run_out(bench: Workbench) -> None:
    configure(bench, PostExecutionEnd=[{"type": "git-commit"}, {"type": "git-push"}])
    failed = bench.fire("PostExecutionEnd", {"success": False})
    assert {(r.status, r.why) for r in failed.results} == {
        (Status.not_matched, "the issue failed, so there is nothing to commit or push")
    }
    dry = bench.fire("PostExecutionEnd", {"success": True, "dry_run": True})
    assert {r.why for r in dry.results} == {"a dry run changes nothing"}


@pytest.mark.parametrize("event", ["PreExecutionStart", "PreGitCommit", "Stop"])
def test_built_ins_are_refused_before_the_fact(bench: Workbench, event: str) -> None:
    configure(bench, **{event: [{"type": "git-commit"}, {"type": "git-push"}]})
    assert [code for code, _ in bench.codes()] == ["wrong-event", "wrong-event"]
    assert [r.status for r in bench.fire(event).results] == [Status.invalid, Status.invalid]


def test_a_commit_hook_cannot_commit_again_after_a_commit(bench: Workbench) -> None:
    configure(bench, PostGitCommit=[{"type": "git-commit"}, {"type": "git-push"}])
    assert bench.codes() == [("wrong-event", "hooks.PostGitCommit[0]")]


def test_old_switches_are_pointed_out_only_when_they_are_on(bench: Workbench) -> None:
    bench.write(CONFIG, {"gitAutoCommit": False, "gitAutoPush": True})
    assert bench.codes() == [("old-key", "gitAutoPush")]


def test_the_schema_accepts_what_loads_and_refuses_what_does_not(bench: Workbench) -> None:
    schema = dict(DIALECT.schema())
    jsonschema.Draft202012Validator.check_schema(schema)
    good = {"hooks": {"Stop": [command("x", timeout=5)], "PostExecutionEnd": [{"type": "git-push"}]}}
    jsonschema.validate(good, schema)
    for bad in ({"hooks": {"stop": []}}, {"hooks": {"Stop": [{"type": "command"}]}}, {"hooks": []}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
