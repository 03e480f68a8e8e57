"""The agents that took over Claude Code's hooks: what each does in its own way, as far as it is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.dialects.agent_cases import ended, parsed, places
from tests.dialects.workbench import Workbench

from hookline import Engine
from hookline.dialects.editing.installing import install, uninstall
from hookline.engine.loading import load_hooks
from hookline.hosts.bridge.call import speaker_of
from hookline.model.events import BODIES, Event, EventKind, Plain, ToolCall, ToolDone, ToolFailed
from hookline.model.hooks import Command, HookSpec
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, Verdict

K = EventKind
PRE = "hookSpecificOutput"


def call(tool: str = "Bash", **given: Any) -> Event:
    return Event(K.PreToolUse, "s", "/w", ToolCall(tool, given or {"command": "ls"}, "t"), "/w")


def at(kind: EventKind) -> Event:
    return call() if kind is K.PreToolUse else Event(kind, "s", "/w", BODIES.get(kind, Plain)(), "/w")


def spec_of(name: str, kind: EventKind = K.PreToolUse, native: str = "", **more: Any) -> HookSpec:
    more = {"action": Command("x"), **more}
    return HookSpec("h", name, kind, native or speaker_of(name).row_of(kind).native, **more)


def meant(
    name: str, code: int, stdout: object = "", stderr: str = "", kind: EventKind = K.PreToolUse
) -> Outcome:
    return speaker_of(name).read_output(at(kind), spec_of(name, kind), ended(code, stdout, stderr))


def sent(name: str, event: Event) -> dict[str, Any]:
    return dict(speaker_of(name).hook_input(event, spec_of(name, event.kind)).payload)


def loaded(name: str, config: object) -> tuple[HookSpec, ...]:
    language, label = speaker_of(name).profile.read_as
    return parsed(speaker_of(name), config, label=label, language=language).specs


def specific(**keys: Any) -> dict[str, Any]:
    return {PRE: {"hookEventName": "PreToolUse", **keys}}


DENIED = specific(permissionDecision="deny", permissionDecisionReason="no")


@pytest.mark.parametrize(
    ("name", "code", "stdout", "stderr", "verdict"),
    [
        ("goose", 2, "", "no", Verdict.DENY),
        ("goose", 1, {"decision": "block", "reason": "no"}, "", Verdict.DENY),
        ("goose", 0, {"decision": "deny", "reason": "no"}, "", Verdict.NONE),
        ("goose", 0, "progress", "", Verdict.NONE),
        ("openhands", 0, {"decision": "deny", "reason": "no"}, "", Verdict.DENY),
        ("openhands", 1, {"continue": False, "reason": "no"}, "", Verdict.DENY),
        ("openhands", 0, {"decision": "block", "reason": "no"}, "", Verdict.NONE),
        ("openhands", 2, {"decision": "deny", "reason": "no"}, "other", Verdict.DENY),
        ("openhands", 2, {"decision": "allow"}, "no", Verdict.DENY),
        ("crush", 2, "", "no", Verdict.DENY),
        ("crush", 49, "", "no", Verdict.HALT),
        ("crush", 0, {"decision": "deny", "reason": "no"}, "", Verdict.DENY),
        ("crush", 0, {"decision": "deny", "halt": True, "reason": "no"}, "", Verdict.HALT),
        ("crush", 0, DENIED, "", Verdict.DENY),
        ("crush", 1, {"decision": "deny", "reason": "no"}, "", Verdict.NONE),
        ("crush", 0, {"decision": "allow"}, "", Verdict.ALLOW),
        ("droid", 2, "", "no", Verdict.DENY),
        ("droid", 3, "", "no", Verdict.HALT),
        ("droid", 1, DENIED, "", Verdict.DENY),
        ("droid", 0, specific(permissionDecision="ask"), "", Verdict.NONE),
        ("augment", 0, DENIED, "", Verdict.DENY),
        ("augment", 0, {PRE: {"permissionDecision": "deny"}}, "", Verdict.NONE),
        ("vscode", 2, "", "no", Verdict.DENY),
        ("vscode", 0, {PRE: {"hookEventName": "Stop", "permissionDecision": "deny"}}, "", Verdict.NONE),
        ("qoder", 0, DENIED, "", Verdict.DENY),
        ("deepagents", 1, DENIED, "", Verdict.NONE),
        ("abacus", 0, DENIED, "", Verdict.DENY),
        ("grok", 0, {"decision": "deny", "reason": "no"}, "", Verdict.DENY),
        ("devin", 0, {"decision": "block", "reason": "no"}, "", Verdict.DENY),
        ("reasonix", 2, "", "no", Verdict.DENY),
        ("tabnine", 3, "", "no", Verdict.DENY),
        ("tabnine", 1, "", "no", Verdict.NONE),
        ("tabnine", 1, {"decision": "deny", "reason": "no"}, "", Verdict.DENY),
    ],
)
def test_what_a_hook_before_a_tool_means(
    name: str, code: int, stdout: object, stderr: str, verdict: Verdict
) -> None:
    found = meant(name, code, stdout, stderr)
    assert found.verdict is verdict
    assert verdict < Verdict.DENY or found.reason == "no"


def test_what_goose_cannot_read_is_no_decision() -> None:
    for code, stdout in (
        (0, "progress"),
        (0, {}),
        (0, {"reason": "x"}),
        (1, {"decision": "allow"}),
        (0, {"decision": None}),
    ):
        assert "no decision" in meant("goose", code, stdout).problem
    for code, stdout in ((0, ""), (0, {"decision": "allow"})):
        assert not meant("goose", code, stdout).problem


@pytest.mark.parametrize("name", ["crush", "droid"])
def test_a_changed_input_is_laid_over_the_call(name: str) -> None:
    event = call(command="ls", description="list")
    raw = ended(0, specific(updatedInput={"command": "id"}))
    found = speaker_of(name).read_output(event, spec_of(name), raw)
    assert found.updated_input == {"command": "id", "description": "list"}


def test_droid_and_qoder_may_change_a_prompt() -> None:
    answers = {"droid": {"updatedInput": {"prompt": "p"}}, "qoder": {"prompt": "p"}}
    for name, said in answers.items():
        raw = {PRE: {"hookEventName": "UserPromptSubmit", **said}}
        assert meant(name, 0, raw, kind=K.UserPromptSubmit).updated_input == {"prompt": "p"}
        prompt = at(K.UserPromptSubmit)
        told = speaker_of(name).respond(prompt, Decision(prompt.kind, updated_input={"prompt": "p"}))
        assert json.loads(told.stdout) == raw


def test_each_is_sent_its_own_fields() -> None:
    goose = sent("goose", call())
    assert (goose["event"], goose["working_dir"], goose["matcher_context"]) == (
        "PreToolUse",
        "/w",
        "developer__shell",
    )
    assert goose["tool_name"] == "developer__shell" and "hook_event_name" not in goose
    hands = sent("openhands", call())
    assert (hands["event_type"], hands["tool_name"], hands["message"]) == ("PreToolUse", "terminal", None)
    auggie = sent("augment", call())
    assert (auggie["conversation_id"], auggie["workspace_roots"]) == ("s", ["/w"])
    of_servers = [sent("augment", call(tool, path="a"))["is_mcp_tool"] for tool in ("Read", "mcp__fs__read")]
    assert of_servers == [False, True]
    crush = speaker_of("crush").hook_input(call(), spec_of("crush"))
    assert crush.env["CRUSH_TOOL_INPUT_COMMAND"] == "ls" and "transcript_path" not in (crush.payload or {})
    droid = speaker_of("droid").hook_input(call(), spec_of("droid"))
    assert (droid.env["tool_name"], droid.env["FACTORY_PROJECT_DIR"]) == ("Execute", "/w")


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ({"command": "view", "path": "a"}, ("Read", {"file_path": "a"})),
        ({"command": "create", "path": "a", "file_text": "b"}, ("Write", {"file_path": "a", "content": "b"})),
        (
            {"command": "str_replace", "path": "a", "old_str": "b", "new_str": "c"},
            ("Edit", {"file_path": "a", "old_string": "b", "new_string": "c"}),
        ),
        ({"command": "undo_edit", "path": "a"}, ("Edit", {"file_path": "a"})),
    ],
)
def test_one_tool_of_openhands_is_several_of_ours_and_back(given: dict[str, Any], canonical: Any) -> None:
    payload = {"event_type": "PreToolUse", "session_id": "s", "working_dir": "/w", "tool_name": "file_editor"}
    event = speaker_of("openhands").read_event("pre_tool_use", {**payload, "tool_input": given})
    assert (event.get("tool_name"), event.get("tool_input")) == canonical
    assert sent("openhands", event)["tool_input"] == given


@pytest.mark.parametrize(
    ("matcher", "fits"),
    [("mcp:*", True), ("mcp:read", True), ("mcp:^read", True), ("mcp:write", False), ("launch.*", False)],
)
def test_auggies_matchers_for_tools_of_servers(matcher: str, fits: bool) -> None:
    from hookline.dialects.matching import mismatch

    speaker = speaker_of("augment")
    found = speaker.compiled(speaker.row_of(K.PreToolUse), matcher).matcher
    assert found is not None
    assert (mismatch(found, "mcp__files__read_file", "tool_name") is None) == fits


def test_a_tool_of_a_server_keeps_its_server_with_goose() -> None:
    payload = {
        "event": "PreToolUse",
        "session_id": "s",
        "working_dir": "/w",
        "tool_name": "files__read",
        "tool_input": {},
    }
    event = speaker_of("goose").read_event("PreToolUse", payload)
    assert event.get("tool_name") == "mcp__files__read"
    assert sent("goose", event)["tool_name"] == "files__read"


@pytest.mark.parametrize(
    ("name", "matcher", "fits"),
    [
        ("openhands", "terminal", True),
        ("openhands", "term", False),
        ("openhands", "term.*", True),
        ("openhands", "/terminal/", True),
        ("goose", "shell", True),
        ("goose", "*", False),
        ("grok", "*", True),
        ("augment", "*", False),
        ("augment", "launch", True),
        ("augment", "mcp:*", False),
        ("augment", "mcp:launch", False),
        ("vscode", "nothing", True),
    ],
)
def test_a_matcher_is_read_as_the_agent_reads_it(name: str, matcher: str, fits: bool) -> None:
    native = speaker_of(name).row_of(K.PreToolUse).native
    hook = {"type": "command", "command": "true"}
    listed = [{**hook, "matcher": matcher}] if name == "vscode" else [{"matcher": matcher, "hooks": [hook]}]
    top = speaker_of(name).profile.style.top
    (spec,) = loaded(name, {"hooks": {native: listed}} if top else {native: listed})
    assert (speaker_of(name).skip_reason(spec, call()) is None) is fits


def test_a_pattern_on_commands_keeps_a_group_of_droid_to_them() -> None:
    group = {"commandRegex": "^git push", "hooks": [{"type": "command", "command": "true"}]}
    (spec,) = loaded("droid", {"PreToolUse": [group]})
    runs = [
        speaker_of("droid").skip_reason(spec, each) is None for each in (call(command="git push -f"), call())
    ]
    assert runs == [True, False]


def test_goose_tells_one_call_twice_and_a_hook_has_its_own_turn() -> None:
    spec = spec_of("goose", native="BeforeShellExecution")
    assert speaker_of("goose").skip_reason(spec, call()) is None
    assert "is about Read" in str(
        speaker_of("goose").skip_reason(spec_of("goose", native="BeforeReadFile"), call())
    )
    payload = {"event": "PreToolUse", "session_id": "s", "working_dir": "/w", "tool_name": "developer__shell"}
    event = speaker_of("goose").read_event("PreToolUse", {**payload, "tool_input": {"command": "ls"}})
    assert "by itself" in str(speaker_of("goose").skip_reason(spec, event))


def test_times_are_in_the_agents_unit() -> None:
    for name, native, entry, seconds in (
        ("augment", "PreToolUse", {"timeout": 1500}, 1.5),
        ("tabnine", "BeforeTool", {"timeout": 1500}, 1.5),
        ("grok", "PreToolUse", {}, 5.0),
        ("deepagents", "PreToolUse", {}, 600.0),
    ):
        hook = {"type": "command", "command": "true", **entry}
        (spec,) = loaded(name, {"hooks": {native: [{"hooks": [hook]}]}})
        assert spec.timeout_s == seconds, name


def test_a_program_with_arguments_has_a_key_of_its_own_in_deepagents() -> None:
    entry = {"type": "command", "argv": ["guard", "-x"]}
    (spec,) = loaded("deepagents", {"hooks": {"PreToolUse": [{"hooks": [entry]}]}})
    assert spec.action == Command(argv=("guard", "-x"))
    written = json.loads(speaker_of("deepagents").profile.write([spec]))
    assert written["hooks"]["PreToolUse"][0]["hooks"][0]["argv"] == ["guard", "-x"]


@pytest.mark.parametrize(
    ("name", "over", "under", "event", "call"),
    [
        ("openhands", "w/.openhands/hooks.json", "home/.openhands/hooks.json", "pre_tool_use", "PreToolUse"),
        ("droid", "w/.factory/hooks.json", "w/.factory/settings.json", "PreToolUse", "PreToolUse"),
        ("droid", "home/.factory/hooks/hooks.json", "home/.factory/settings.json", "Stop", "Stop"),
    ],
)
def test_a_file_of_the_agents_own_hides_another_and_one_of_only_our_entries_does_not(
    tmp_path: Path, name: str, over: str, under: str, event: str, call: str
) -> None:
    """What the agent no longer runs because we are installed there, we run."""

    def written(path: str, *lines: str) -> None:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        groups = {event: [{"hooks": [{"type": "command", "command": line} for line in lines]}]}
        (tmp_path / path).write_text(json.dumps({"hooks": groups} if "settings" in path else groups))

    def guards() -> list[tuple[str, bool, bool]]:
        specs = load_hooks(places(tmp_path), (name,)).specs
        return [
            (spec.command, spec.enabled, spec.origin.adopted)
            for spec in specs
            if "hookline" not in spec.command
        ]

    ours = f"/usr/bin/python3 -I -m hookline bridge {name} --event {event}"
    written(under, "guard")
    assert guards() == [("guard", True, False)]
    written(over, ours)
    assert guards() == [("guard", True, True)]
    assert [spec.command for spec in load_hooks(places(tmp_path), (name,)).behind(name).specs] == ["guard"]
    written(over, ours, "another")
    assert ("guard", True, True) not in guards() and ("guard", True, False) not in guards()
    assert ("another", True, False) in guards()


def test_a_plugin_of_goose_in_any_folder_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w/.agents/plugins/mine/hooks/hooks.json"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    shown = [source.shown for source in speaker_of("goose").sources(places(tmp_path))]
    assert ".agents/plugins/mine/hooks/hooks.json" in shown


def test_where_openhands_ignores_all_but_hooks_the_entries_go_there() -> None:
    before = '{"hooks": {"stop": []}, "note": 1}\n'
    after = install(speaker_of("openhands"), before, "hookline", set())
    assert set(json.loads(after)) == {"hooks", "note"}
    assert "pre_tool_use" in json.loads(after)["hooks"]
    assert uninstall(speaker_of("openhands"), after)[0] == before


def test_in_a_file_of_openhands_that_spells_events_in_another_way_ours_are_spelt_so_too() -> None:
    group = {"matcher": "*", "hooks": [{"type": "command", "command": "true"}]}
    for before in ({"PreToolUse": [group]}, {"hooks": {"PreToolUse": [group]}}):
        after = install(speaker_of("openhands"), json.dumps(before), "hookline", set())
        events = json.loads(after).get("hooks") or json.loads(after)
        assert "stop" in events and "pre_tool_use" not in events and len(events["PreToolUse"]) == 2
        again = install(speaker_of("openhands"), after, "hookline", set())
        assert json.loads(again) == json.loads(after)
        assert json.loads(uninstall(speaker_of("openhands"), after)[0]) == before
    crush = install(speaker_of("crush"), '{"hooks": {"pre_tool_use": []}}', "hookline", set())
    assert json.loads(crush)["hooks"].keys() == {"pre_tool_use"}
    copilot = install(speaker_of("copilot"), '{"hooks": {"PreToolUse": []}}', "hookline", set())
    assert json.loads(copilot)["hooks"]["PreToolUse"] == [] and json.loads(copilot)["hooks"]["preToolUse"]


@pytest.mark.parametrize("wrapped", [False, True])
def test_one_event_in_both_spellings_makes_openhands_drop_its_file(wrapped: bool) -> None:
    language, label = speaker_of("openhands").profile.read_as
    for names, dropped in ((("PreToolUse", "pre_tool_use"), True), (("PreToolUse", "stop"), False)):
        events = {name: [{"hooks": [{"type": "command", "command": "true"}]}] for name in names}
        config = {"hooks": events} if wrapped else events
        found = parsed(speaker_of("openhands"), config, label=label, language=language)
        assert any(speaker_of("openhands").drops_for(each) for each in found.problems) is dropped


def test_why_openhands_stops_stands_in_its_metadata() -> None:
    speaker = speaker_of("openhands")
    stop = replace(at(K.Stop), extra={"reason": "done"})
    assert sent("openhands", stop)["metadata"] == {"reason": "done"}
    assert "stop_hook_active" not in sent("openhands", stop)
    own = {"event_type": "Stop", "metadata": {"reason": "done", "n": 1}}
    event = speaker.read_event("stop", own)
    assert event.get("reason") == "done" and sent("openhands", event)["metadata"] == own["metadata"]
    said = {"decision": "deny", "additionalContext": "go on", "reason": "no"}
    assert meant("openhands", 0, said, kind=K.Stop).reprompt == "go on"
    assert meant("openhands", 0, {"decision": "deny", "reason": "no"}, kind=K.Stop).reprompt == "no"


def test_a_block_without_a_reason_does_not_keep_droid_from_stopping() -> None:
    found = meant("droid", 0, {"decision": "block"}, kind=K.Stop)
    assert (found.verdict, "counts with a `reason` alone" in found.problem) == (Verdict.NONE, True)
    assert meant("droid", 0, {"decision": "block", "reason": "r"}, kind=K.Stop).verdict is Verdict.DENY
    assert meant("droid", 2, {"decision": "block"}, "r", kind=K.Stop).verdict is Verdict.DENY


@pytest.mark.parametrize("native", ["pre_tool_use", "pretooluse", "PRE_TOOL_USE", "preToolUse"])
def test_crush_takes_its_event_in_any_letters(native: str) -> None:
    config = {"hooks": {native: [{"command": "true"}], "PostToolUse": [{"command": "true"}]}}
    found = parsed(speaker_of("crush"), config)
    assert [spec.kind for spec in found.specs] == [K.PreToolUse, K.NoSuchEvent]


def test_what_fails_at_a_stop_in_goose_and_hermes_keeps_nothing_going(tmp_path: Path) -> None:
    bench = Workbench(tmp_path, "goose")
    hook = {"command": "exit 1", "on_failure": "block"}
    events = {name: [{"hooks": [hook]}] for name in ("PreToolUse", "Stop")}
    bench.write(".agents/plugins/mine/hooks/hooks.json", {"hooks": events})
    assert bench.fire("PreToolUse", {"tool_name": "Bash"}).verdict is Verdict.DENY
    assert bench.fire("Stop").verdict is Verdict.NONE
    bench = Workbench(tmp_path, "hermes")
    lists = {name: [{"command": "false", "fail_closed": True}] for name in ("pre_tool_call", "pre_verify")}
    bench.write("~/.hermes/config.yaml", {"hooks": lists})
    assert bench.fire("pre_verify").verdict is Verdict.NONE
    entry = {"command": "true", "on_failure": "ask"}
    found = parsed(speaker_of("goose"), {"hooks": {"Stop": [{"hooks": [entry]}]}})
    assert any(map(speaker_of("goose").drops_for, found.problems))


TOLD_APART = [
    ("gemini", "AfterTool"), ("hermes", "post_tool_call"), ("hermes", "on_session_end"), ("vibe", "post_tool"),
    ("antigravity", "PostToolUse"), ("cursor", "stop"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "native"), TOLD_APART)
def test_a_hook_hears_all_that_its_agent_tells_by_one_event(name: str, native: str, tmp_path: Path) -> None:
    """That a call failed was told to no hook of `AfterTool` which hookline had taken over."""
    kinds = [row.kind for row in speaker_of(name).rows if row.native == native]
    engine = Engine([spec_of(name, kinds[0], native, action=Command("cat >seen"))])
    found = {}
    for kind in (*kinds, K.PreToolUse):
        event = replace(at(kind), cwd=str(tmp_path), workspace=str(tmp_path))
        (found[kind],) = engine.fire_now(event).results
    assert [found.pop(K.PreToolUse).status, len(found) > 1] == ["not_matched", True]
    assert {result.status: result.why for result in found.values()} == {"ran": ""}
    assert native in (tmp_path / "seen").read_text() or name == "antigravity"


def test_vibe_says_whether_a_call_failed() -> None:
    failed = Event(K.PostToolUseFailure, "s", "/w", ToolFailed("Bash", {"command": "x"}, "t", "boom"), "/w")
    given = speaker_of("vibe").hook_input(failed, spec_of("vibe", K.PostToolUse)).payload
    told = {"tool_status": "failure", "tool_error": "boom", "tool_output": None, "tool_output_text": "boom"}
    assert told.items() <= given.items()  # type: ignore[union-attr]  # an object
    assert speaker_of("vibe").read_event("post_tool", dict(given)).kind is K.PostToolUseFailure  # type: ignore[call-overload]  # an object
    done = sent("vibe", Event(K.PostToolUse, "s", "/w", ToolDone("Bash", {"command": "x"}, "t", "out"), "/w"))
    assert (done["tool_status"], done["tool_error"], done["tool_output_text"]) == ("success", None, "out")
    assert (
        speaker_of("vibe").read_event("post_tool", {**done, "tool_status": "cancelled"}).kind is K.PostToolUse
    )


def test_tabnine_lists_what_is_off_as_gemini_does(tmp_path: Path) -> None:
    bench, hook = Workbench(tmp_path, "tabnine"), {"type": "command", "name": "a", "command": "true"}
    events = {"BeforeTool": [{"hooks": [hook, {**hook, "name": "b"}]}]}
    for switch, enabled in (({"disabled": ["a"]}, [False, True]), ({"enabled": False}, [False, False])):
        bench.write(".tabnine/agent/settings.json", {"hooksConfig": switch, "hooks": events})
        assert [spec.enabled for spec in bench.hooks().specs] == enabled


LIMITS = {"command": {"command": "true"}, "http": {"url": "http://127.0.0.1:1/"}, "prompt": {"prompt": "x"}}


@pytest.mark.parametrize(("name", "kind", "limit"), [
    ("qwen", "command", 60), ("qwen", "http", 600), ("qwen", "prompt", 30), ("deepagents", "prompt", 30),
    ("deepagents", "command", 600),
])  # fmt: skip
def test_a_hook_has_the_usual_time_of_its_type(name: str, kind: str, limit: float) -> None:
    hooks = [{"type": kind, **LIMITS[kind], **more} for more in ({}, {"timeout": 7})]
    found = parsed(speaker_of(name), {"hooks": {"PreToolUse": [{"hooks": hooks}]}})
    assert [spec.timeout_s for spec in found.specs] == [limit, 7]


def test_qwen_reads_a_time_in_a_text_and_leaves_its_own_keys_alone() -> None:
    hooks = [{"type": "command", "command": str(n), "timeout": text} for n, text in enumerate(("30", "5000"))]
    config = {"enabled": True, "disabled": ["a"], "notifications": {}, "Stop": [{"hooks": hooks}]}
    found = parsed(speaker_of("qwen"), {"hooks": config})
    assert ([spec.timeout_s for spec in found.specs], found.problems) == ([30, 5], ())


def test_one_key_too_many_makes_openhands_drop_its_file() -> None:
    language, label = speaker_of("openhands").profile.read_as
    entry = {"type": "command", "command": "true", "colour": "red"}
    found = parsed(speaker_of("openhands"), {"stop": [{"hooks": [entry]}]}, label=label, language=language)
    assert any(speaker_of("openhands").drops_for(problem) for problem in found.problems)


@pytest.mark.parametrize(
    ("name", "verdict", "printed"),
    [
        ("crush", Verdict.HALT, {"decision": "deny", "reason": "r", "halt": True}),
        ("vscode", Verdict.ASK, specific(permissionDecision="ask", permissionDecisionReason="r")),
        ("qoder", Verdict.ALLOW, specific(permissionDecision="allow", permissionDecisionReason="r")),
        ("tabnine", Verdict.ASK, {"decision": "ask", "systemMessage": "r"}),
    ],
)
def test_what_is_said_by_json(name: str, verdict: Verdict, printed: dict[str, Any]) -> None:
    response = speaker_of(name).respond(call(), Decision(K.PreToolUse, verdict, "r"))
    assert (response.exit_code, json.loads(response.stdout)) == (0, printed)


@pytest.mark.parametrize(
    "name", ["goose", "openhands", "crush", "droid", "grok", "devin", "reasonix", "augment"]
)
def test_a_denial_is_exit_2_and_a_text_with_nothing_on_stdout(name: str) -> None:
    response = speaker_of(name).respond(
        call(), Decision(K.PreToolUse, Verdict.DENY, "r", contexts=("and more",))
    )
    assert (response.exit_code, response.stdout, response.stderr) == (2, "", "r\nand more\n")


@pytest.mark.parametrize(
    ("printed", "problem"),
    [
        ({"decision": "perhaps"}, "`decision`: expected `block`, `deny`, found 'perhaps'"),
        (
            specific(permissionDecision="no"),
            f"`{PRE}.permissionDecision`: expected `deny`, `ask`, found 'no'",
        ),
        (specific(toolInput={}), "`toolInput` means nothing to Qwen Code at PreToolUse"),
    ],
)
def test_an_answer_that_says_nothing_to_its_agent_is_named(printed: object, problem: str) -> None:
    assert meant("qwen", 0, printed) == Outcome(problem=problem)


def test_what_is_no_text_and_no_input_is_left_out_of_an_answer() -> None:
    answer = {**specific(additionalContext={"a": 1}, updatedInput="ls"), "systemMessage": "m"}
    assert meant("droid", 0, answer) == Outcome(messages=("m",))


def test_a_name_that_hides_a_hook_in_its_agent_switches_none_off_here_and_is_told(tmp_path: Path) -> None:
    """Mistral Vibe goes by the project's hook of a name; a workspace must not switch off what the user guards with."""
    bench = Workbench(tmp_path, "vibe")
    entry = '[[hooks]]\nname = "{0}"\ntype = "pre_tool"\ncommand = "{1}"\n'
    bench.write("~/.vibe/hooks.toml", entry.format("guard", "true") + entry.format("mine", "true"))
    bench.write(".vibe/hooks.toml", entry.format("guard", "false") + entry.format("ours", "false"))
    (told,) = [problem for problem in bench.problems if problem.code == "hidden-hooks"]
    assert (told.source, told.severity) == ("~/.vibe/hooks.toml", "warning")
    assert told.message == (
        "Mistral Vibe runs `guard` of `.vibe/hooks.toml` in place of this one; hookline runs both"
    )
    ours = entry.format("hookline-pre_tool", "hookline bridge vibe --event pre_tool")
    for file in ("~/.vibe/hooks.toml", ".vibe/hooks.toml"):
        bench.write(file, ours)
    assert bench.codes() == [], "our own entries of both files are one and the same"
