"""`hookline convert` as a person runs it: the result on stdout, the losses on stderr, 1 for a weaker guard."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from tests.program import Program

from hookline.dialects import agent_names, dialect, names
from hookline.dialects.converting.matchers import names_of_tool
from hookline.model.events import event_from_payload
from hookline.model.hooks import Command, HookSpec

CLAUDE = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [
                    {"type": "command", "command": "./guard.sh", "timeout": 5, "onFailure": "block"},
                ],
            }
        ],
        "Notification": [{"hooks": [{"type": "command", "command": "notify-send hi"}]}],
    }
}  # fmt: skip


def test_the_result_is_printed_also_when_a_guard_gets_weaker(program: Program) -> None:
    program.write(".claude/settings.json", json.dumps(CLAUDE))
    done = program("convert", "claude", "codex")
    assert done.returncode == 1
    assert json.loads(done.stdout)["hooks"]["PreToolUse"][0]["hooks"][0]["timeout"] == 5
    assert "weaker: .claude/settings.json:1: " in done.stderr
    assert "there it lets things through when it ends by" in done.stderr
    assert "Codex CLI has no event for `Notification`" in done.stderr
    same = program("convert", "claude", "hookline")
    assert (same.returncode, same.stderr.strip()) == (0, "2 hooks written, 0 differences")


def test_hooks_that_ran_side_by_side_do_so_in_our_format_and_come_back_unharmed(
    program: Program,
) -> None:
    """Each waits for the other, and none sees what another one made of the call."""
    wait = "for i in $(seq 1500); do test -e {0} && break; sleep 0.02; done; test -e {0} || exit 2; cat > {1}.json"
    rewrite = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls"}}}'
    lines = [
        f"touch one; {wait.format('two', 'first')}; echo '{rewrite}'",
        f"touch two; {wait.format('one', 'second')}",
    ]
    entries = [{"type": "command", "command": line, "timeout": 120} for line in lines]
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": entries}], "Stop": [{"hooks": entries[:1]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    there = program("convert", "claude", "hookline")
    assert (there.returncode, there.stderr.strip()) == (0, "3 hooks written, 0 differences")
    assert there.stdout.count('group = "claude"') == 2  # the one for Stop has no neighbours
    (program.workspace / ".claude/settings.json").unlink()
    program.write(".hookline/hooks.toml", there.stdout)
    call = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    decision = json.loads(program("fire", "PreToolUse", "--json", stdin=json.dumps(call)).stdout)
    assert [hook["exit_code"] for hook in decision["hooks"]][:2] == [0, 0]
    assert decision["updated_input"] == {"command": "ls"}
    seen = json.loads((program.workspace / "second.json").read_text())
    assert seen["tool_input"] == {"command": "git push"}
    explained = program("explain", "PreToolUse", stdin=json.dumps(call)).stdout
    assert explained.count("those of group `claude` side by side") == 2
    back = program("convert", "hookline", "claude")
    assert (back.returncode, back.stderr.strip()) == (0, "3 hooks written, 0 differences")
    assert json.loads(back.stdout) == {"hooks": hooks}


def test_only_a_group_keeps_a_guard_from_seeing_a_rewritten_call(program: Program) -> None:
    entry = '[[hooks]]\nname = "{0}"\nevent = "claude:PreToolUse"\nrun = "true"\n{1}\n'
    names = {"a": "", "b": 'group = "g"', "c": 'group = "g"', "d": 'group = "h"'}
    program.write(".hookline/hooks.toml", "".join(entry.format(*each) for each in names.items()))
    done = program("convert", "hookline", "claude", "--json")
    weaker = [loss["hook"] for loss in json.loads(done.stderr)["losses"] if loss["what"] == "order"]
    assert (done.returncode, weaker) == (1, ["b", "c", "d"])
    text = (program.workspace / ".hookline/hooks.toml").read_text()
    program.write(".hookline/hooks.toml", text[text.index("[[hooks]]", 1) : text.rindex("[[hooks]]")])
    assert program("convert", "hookline", "claude").returncode == 0


def test_a_hook_that_was_left_out_is_not_said_to_run(program: Program) -> None:
    entries = [{"type": "http", "url": "https://x.y/z"}, {"type": "command", "command": "true"}]
    hooks = {"PreToolUse": [{"matcher": "mcp__x__.*|Task", "hooks": entries}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    said = program("convert", "claude", "codex").stderr.splitlines()
    assert [line.partition("): ")[2] for line in said if "PreToolUse:1" in line] == [
        "Codex CLI has no `webhook` hooks; it was left out"
    ]
    assert sum("it runs for every tool" in line for line in said) == 1


def test_what_of_an_answer_is_lost_is_told_by_its_key(program: Program) -> None:
    entry = {"hooks": [{"type": "command", "command": "true"}]}
    events = {"PreToolUse": [entry], "UserPromptSubmit": [entry], "PermissionRequest": [entry]}
    program.write(".claude/settings.json", json.dumps({"hooks": events}))
    report = json.loads(program("convert", "claude", "codex", "--json").stderr)
    told = {loss["event"]: loss["message"] for loss in report["losses"] if loss["what"] == "answer"}
    assert told["UserPromptSubmit"] == (
        "Codex CLI has no `sessionTitle`, no `suppressOriginalPrompt` in a hook's output there; "
        "what it says so is lost"
    )
    assert "no decision `ask`" in told["PreToolUse"]
    assert "no `updatedPermissions`" in told["PermissionRequest"]
    assert "product" not in "".join(told.values())


def test_an_answer_that_is_understood_in_part_is_told_by_what_is_not(program: Program) -> None:
    entry = {"hooks": [{"type": "command", "command": "true"}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [entry]}}))
    report = json.loads(program("convert", "claude", "cursor", "--json").stderr)
    (told,) = [loss["message"] for loss in report["losses"] if loss["what"] == "answer"]
    assert "no `updatedToolOutput`" in told
    assert "updatedMCPToolOutput" not in told


def test_the_report_can_be_read_by_machines(program: Program) -> None:
    program.write(".claude/settings.json", json.dumps(CLAUDE))
    done = program("convert", "claude", "codex", "--json")
    report = json.loads(done.stderr)
    assert (report["schema"], report["from"], report["to"], report["weakens"]) == (1, "claude", "codex", True)
    weak = [loss for loss in report["losses"] if loss["weakens"]]
    assert [(loss["what"], loss["event"], loss["line"]) for loss in weak] == [("failure", "PreToolUse", 1)]


def test_a_file_given_is_read_as_that_dialect(program: Program) -> None:
    program.write("elsewhere/team.toml", '[[hooks]]\nevent = "Stop"\nrun = "make test"\ntimeout = "2m"\n')
    done = program("convert", "hookline", "gencode", "elsewhere/team.toml")
    assert json.loads(done.stdout)["hooks"]["Stop"][0]["hooks"][0]["timeout"] == 120000
    missing = program("convert", "hookline", "gencode", "nowhere.toml")
    assert missing.returncode == 64
    nothing = program("convert", "cursor", "claude")
    assert (nothing.returncode, "no config of Cursor to convert" in nothing.stderr) == (1, True)


def test_iteratrs_old_habit_is_written_out(program: Program) -> None:
    program.write(
        ".iteratr.hooks.yml",
        "version: 1  # mine\nhooks:\n  pre_iteration:\n    - command: git log -1\n      timeout: 5\n",
    )
    checked = program("check")  # a file from before version 2 looks like a later one that is right
    assert (checked.returncode, "does not see" in checked.stdout + checked.stderr) == (0, False)
    done = program("convert", "iteratr", "iteratr")
    assert done.returncode == 0
    assert done.stdout.startswith("version: 1  # mine\n")
    program.write(".iteratr.hooks.yml", done.stdout)
    assert "pipe_output: true" in done.stdout
    assert program("convert", "iteratr", "iteratr").stdout == done.stdout


def test_scripts_for_discobot_come_as_a_script_that_makes_them(program: Program) -> None:
    hook = '[[hooks]]\nname = "no secrets"\nevent = "PreCommit"\nrun = "! grep -rq SECRET ."\n'
    hook += '[[hooks]]\nname = "lint"\nevent = "FilesChanged"\nfiles = ["*.py", "*.js"]\nrun = "false"\n'
    program.write(".hookline/hooks.toml", hook)
    done = program("convert", "hookline", "discobot")
    (program.workspace / ".hookline/hooks.toml").unlink()
    for code in (0, 1):
        ran = subprocess.run(["sh"], input=done.stdout, text=True, cwd=program.workspace, capture_output=True)
        assert ran.returncode == code, ran.stderr
    listed = json.loads(program("list", "--json").stdout)
    assert [(found["name"], found["native_event"], found["matcher"]) for found in listed] == [
        ("lint", "file", "{*.py,*.js}"), ("no secrets", "pre-commit", None),
    ]  # fmt: skip
    program.write("a.txt", "SECRET")
    assert program("fire", "PreCommit", stdin='{"files": ["a.txt"]}').returncode == 2


def test_our_own_entries_are_not_converted(program: Program) -> None:
    program("install", "claude")
    done = program("convert", "claude", "hookline")
    assert done.stderr.strip() == "0 hooks written, 0 differences"


@pytest.mark.parametrize("name", names())
def test_every_dialect_has_a_schema(program: Program, name: str) -> None:
    done = program("schema", name)
    schema = json.loads(done.stdout)
    assert done.returncode == 0
    assert schema["$schema"].startswith("https://json-schema.org/draft/2020-12/")
    assert schema["title"]


def test_gencodes_own_times_stay_milliseconds_in_a_file_of_any_name(program: Program) -> None:
    entry = {"type": "command", "command": "a.sh", "timeout": 5000}
    program.write("in.json", json.dumps({"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [entry]}]}}))
    done = program("convert", "gencode", "claude", "in.json")
    assert json.loads(done.stdout)["hooks"]["PostToolUse"][0]["hooks"][0]["timeout"] == 5


def test_a_broken_file_empties_no_target(program: Program) -> None:
    program.write("broken.json", "{")
    done = program("convert", "claude", "gemini", "broken.json")
    assert (done.returncode, done.stdout) == (1, "")


GUARDS = {
    "case.sh": 'case "$(jq -r .tool_name)" in\n  Bash|Edit) echo no >&2; exit 2;;\nesac\n',
    "equal.py": 'import json, sys\nif json.load(sys.stdin)["tool_name"] == "Bash":\n    sys.exit("no")\n',
    "any.sh": "# Bash is what the tool_name says\ncat > /dev/null; echo no >&2; exit 2\n",
}


@pytest.mark.parametrize(("script", "told"), [("case.sh", True), ("equal.py", True), ("any.sh", False)])
def test_a_script_that_asks_for_a_tool_by_its_old_name_is_weaker(
    program: Program, script: str, told: bool
) -> None:
    program.write(f".claude/hooks/{script}", f"#!/bin/sh\n{GUARDS[script]}", 0o755)
    report, code = converted_guard(program, f'"$CLAUDE_PROJECT_DIR"/.claude/hooks/{script}', "cursor")
    found = [loss for loss in report["losses"] if loss["what"] == "tool-name"]
    assert [(loss["weakens"], "`Shell`" in loss["message"]) for loss in found] == [(True, True)] * told
    assert code == 1 or not told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("jq -e '.tool_input.command | test(\"rm\")' && echo no && exit 2; exit 0", True),
        ("sh deny.sh", True),
        ("sh deny.sh >&2", False),
        ("grep -q rm && { echo no >&2; exit 2; }", False),
        ("touch made; exit 0", False),
    ],
)
def test_a_guard_that_says_why_on_the_wrong_stream_is_weaker_for_codex(
    program: Program, line: str, told: bool
) -> None:
    program.write("deny.sh", "touch made\necho no\nexit 2\n")
    report, _ = converted_guard(program, line, "codex")
    found = [loss for loss in report["losses"] if loss["what"] == "silent-exit"]
    assert [loss["weakens"] for loss in found] == [True] * told
    assert not (program.workspace / "made").exists()  # what a hook runs is read, never run


READS_PATH = """import json, sys
if "deploy/" in json.load(sys.stdin)["tool_input"].get("{}", ""):
    sys.exit(print("no", file=sys.stderr) or 2)
"""


@pytest.mark.parametrize(
    ("source", "file", "matcher", "field", "target", "told"),
    [
        (
            "claude",
            ".claude/settings.json",
            "Write|Edit",
            "file_path",
            "codex",
            "sends as a patch in `command`",
        ),
        ("gencode", ".gen/settings.json", "", "file_path", "codex", "sends as a patch in `command`"),
        ("codex", ".codex/hooks.json", "apply_patch", "command", "claude", "Claude Code sends `file_path`"),
        ("codex", ".codex/hooks.json", "apply_patch", "command", "gencode", "GenCode sends `file_path`"),
        ("codex", ".codex/hooks.json", "^Bash$", "command", "claude", ""),
        ("claude", ".claude/settings.json", "Bash", "file_path", "codex", ""),
        ("claude", ".claude/settings.json", "Write|Edit", "file_path", "gencode", ""),
    ],
)
def test_a_guard_of_changed_files_is_weaker_where_they_come_in_another_shape(
    program: Program, source: str, file: str, matcher: str, field: str, target: str, told: str
) -> None:
    """Codex sends a patch: whoever looks for a path of its own there finds none, and says nothing."""
    program.write("guards/path.py", READS_PATH.format(field))
    entry = {"matcher": matcher, "hooks": [{"type": "command", "command": "python3 guards/path.py"}]}
    program.write(file, json.dumps({"hooks": {"PreToolUse": [entry]}}))
    done = program("convert", source, target)
    weaker = [line for line in done.stderr.splitlines() if line.startswith("weaker") and "sends" in line]
    assert (len(weaker), told in done.stderr) == (bool(told), True), done.stderr
    assert done.returncode == 1 or not told


def test_a_guard_that_asks_is_weaker_where_nobody_can_be_asked(program: Program) -> None:
    answer = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "%s"}}'
    for word, told in (("ask", True), ("deny", False)):
        program.write("ask.py", f"print({answer % word!r})\n")
        report, _ = converted_guard(program, "python3 ask.py", "codex")
        found = [loss for loss in report["losses"] if loss["what"] == "ask"]
        assert [loss["weakens"] for loss in found] == [True] * told


SAID = """print('{"hookSpecificOutput": {"hookEventName": "%s", "permissionDecision": "deny"}}')"""


@pytest.mark.parametrize(
    ("source", "event", "text", "target", "told"),
    [
        ("claude", "PreToolUse", SAID % "PreToolUse" + "; exit(1)", "qoder", "deny"),
        ("claude", "PreToolUse", SAID % "PreToolUse" + "; exit(0)", "qoder", ""),
        ("claude", "PreToolUse", SAID % "PreToolUse" + "; exit(1)", "gencode", ""),
        ("claude", "UserPromptSubmit", SAID % "UserPromptSubmit", "qoder", ""),
        ("claude", "Stop", "print('{\"continue\": false}'); exit(4)", "cortex", "continue"),
        ("gencode", "PreToolUse", 'print(\'{"decision": "block"}\'); exit(1)', "vscode", "deny"),
    ],
)
def test_an_answer_that_only_the_source_hears_is_weaker(
    program: Program, source: str, event: str, text: str, target: str, told: str
) -> None:
    """Whether JSON counts at that event, and beside that exit code, is asked of both agents' readers."""
    program.write("guard.py", text + "\n")
    hooks = {event: [{"hooks": [{"type": "command", "command": "python3 guard.py"}]}]}
    program.write(
        {"claude": ".claude", "gencode": ".gen"}[source] + "/settings.json", json.dumps({"hooks": hooks})
    )
    done = program("convert", source, target, "--json")
    found = [loss for loss in json.loads(done.stderr)["losses"] if loss["weakens"]]
    assert ([loss["what"] for loss in found], done.returncode) == ([told] if told else [], int(bool(told)))
    assert all("`guard.py` answers" in loss["message"] for loss in found)


def converted_guard(program: Program, line: str, target: str) -> tuple[dict[str, Any], int]:
    entry = {"type": "command", "command": line}
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": [entry]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    done = program("convert", "claude", target, "--json")
    return json.loads(done.stderr), done.returncode


def test_the_same_difference_is_told_once_with_the_hooks_it_concerns(program: Program) -> None:
    entries = [{"type": "command", "command": f"./{name}.sh"} for name in "abc"]
    hooks = {"PreToolUse": [{"matcher": "Bash", "hooks": entries}], "Setup": [{"hooks": entries[:1]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    said = program("convert", "claude", "gemini").stderr.splitlines()
    (at,) = [index for index, line in enumerate(said) if "is given Gemini CLI's input" in line]
    assert said[at].startswith("weaker: its script")
    assert ["(PreToolUse)" in line for line in said[at + 1 : at + 5]] == [True, True, True, False]
    assert sum("has no event for `Setup`" in line for line in said) == 1


def test_the_result_goes_to_a_new_file_and_replaces_none(program: Program) -> None:
    program.write(".claude/settings.json", json.dumps(CLAUDE))
    printed = program("convert", "claude", "codex").stdout
    done = program("convert", "claude", "codex", "-o", "out.json")
    assert (done.stdout, (program.workspace / "out.json").read_text()) == ("", printed)
    again = program("convert", "claude", "gemini", "-o", "out.json")
    assert (again.returncode, "nothing is replaced" in again.stderr) == (64, True)
    assert (program.workspace / "out.json").read_text() == printed


@pytest.mark.parametrize("target", ["codex", "gemini", "cursor", "cocode"])
def test_a_guard_that_never_fits_does_not_become_one_for_every_tool(program: Program, target: str) -> None:
    entry = {"hooks": [{"type": "command", "command": "exit 2"}]}
    hooks = {"PreToolUse": [{"matcher": "Bash(npm publish*)", **entry}, {"matcher": "^Deploy.*", **entry}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    done = program("convert", "claude", target, "--json")
    told = [loss["message"] for loss in json.loads(done.stderr)["losses"] if loss["what"] == "matcher"]
    assert len(told) == (1 if target == "cocode" else 2), told
    assert not any("every tool" in words or "always" in words for words in told)
    if target != "cocode":
        assert "npm publish" in done.stdout and "Deploy" in done.stdout


@pytest.mark.parametrize("target", ["hookline", "gencode", "codex"])
def test_a_hook_whose_pattern_is_broken_is_left_out_and_named(program: Program, target: str) -> None:
    entry = {"hooks": [{"type": "command", "command": "echo fine"}]}
    groups = [{"matcher": "Edit[", **entry}, {"matcher": "Write", **entry}]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": groups}}))
    done = program("convert", "claude", target)
    assert "its matcher `Edit[` never fits, so it was left out" in done.stderr
    assert "1 hook written" in done.stderr and done.stdout.count("echo fine") == 1


def test_only_what_the_file_says_is_lost_of_its_settings(program: Program) -> None:
    hooks = {"PostExecutionEnd": [{"type": "command", "command": "true"}]}
    for merging, lost in (({}, []), ({"hooksMerge": "append"}, ["hooksMerge"])):
        program.write(".autoagent/config.json", json.dumps({**merging, "hooks": hooks}))
        report = json.loads(program("convert", "autoagent", "hookline", "--json").stderr)
        assert [loss["what"] for loss in report["losses"] if not loss["hook"]] == lost


@pytest.mark.parametrize("matcher", ["apply_patch", "Edit|Write", "^Write$", "Write"])
def test_a_guard_of_a_tool_that_writes_and_changes_guards_both_afterwards(
    program: Program, matcher: str
) -> None:
    line = "if grep -q secret; then echo no >&2; exit 2; fi"
    hooks = [{"matcher": matcher, "hooks": [{"type": "command", "command": line}]}]
    program.write(".codex/hooks.json", json.dumps({"hooks": {"PreToolUse": hooks}}))
    done = program("convert", "codex", "claude", ".codex/hooks.json")
    program.write(".claude/settings.json", done.stdout)
    for tool in ("Write", "Edit"):
        call = json.dumps({"tool_name": tool, "tool_input": {"file_path": "secret.txt", "content": "x"}})
        denied = program("fire", "PreToolUse", "--dialect", "claude", stdin=call).returncode
        assert (done.returncode, denied) == (0, 2), done.stderr


def test_a_tool_that_is_several_here_stays_all_of_them() -> None:
    several = 0
    for name in names():
        tools = dialect(name).tools
        for native in {native for _, native in tools.names}:
            meant = {canonical for canonical, each in tools.names if each == native}
            assert meant <= set(names_of_tool(native, name, "claude")), (name, native)
            several += len(meant) > 1
    assert several > 1
    assert {"Read", "Write", "Edit"} <= set(names_of_tool("file_editor", "openhands", "claude"))


@pytest.mark.parametrize("line", ["echo '$COMMAND' | grep -q danger && { echo no >&2; exit 2; }; exit 0",
                                  "case ${FILE_PATH##*/} in .env) echo no >&2; exit 2;; esac",
                                  '[ "$GEN_TOOL_NAME" != Bash ] || { echo no >&2; exit 2; }'])  # fmt: skip
@pytest.mark.parametrize("target", ["claude", "codex", "cursor", "gemini"])
def test_a_guard_that_reads_what_only_its_agent_sets_is_told_to_be_weaker(
    program: Program, line: str, target: str
) -> None:
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": line}]}
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [group]}}))
    done = program("convert", "gencode", target, ".gen/settings.json")
    assert done.returncode == 1 and "is not set there" in done.stderr
    group["hooks"] = [
        {"type": "command", "command": "COMMAND=$(jq -r .tool_input.command); [ $COMMAND ] || exit 2"}
    ]
    program.write(".gen/settings.json", json.dumps({"hooks": {"PreToolUse": [group]}}))
    assert "is not set there" not in program("convert", "gencode", target, ".gen/settings.json").stderr


@pytest.mark.parametrize("name", sorted({*agent_names(), *names()}))
def test_every_variable_that_a_hook_is_given_is_one_that_conversions_know(name: str) -> None:
    known = dialect(name).profile.words.variables
    for row in dialect(name).rules.values():
        spec = HookSpec("x:1", name, row.kind, row.native, Command("x"), timeout_s=1)
        told = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "prompt": "p"}
        event = event_from_payload(row.kind, told, session_id="s", cwd="/w", workspace="/w", at=0.0)
        given = dialect(name).hook_input(event, spec)
        variables = {*given.env, *(given.variables if given.placeholders == "dollar" else ())}
        prefixes = tuple(each for each in known if each.endswith("_"))
        assert {each for each in variables - known if not each.startswith(prefixes or ("\0",))} == set(), (
            row.native
        )


def test_a_guard_that_also_stops_what_it_let_through_is_told(program: Program) -> None:
    """`grep -q … && echo …` ends with 1 where all is well: nothing to Gemini CLI, a denial to cocode and Copilot."""
    command = 'jq -r .tool_input.command | grep -q push && echo \'{"decision": "deny", "reason": "no"}\''
    hooks = {
        "BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": command}]}]
    }
    program.write(".gemini/settings.json", json.dumps({"hooks": hooks}))
    stricter = "there it also stops things when it ends by: exit 1"
    for target in ("cocode", "copilot", "gencode", "claude"):
        assert stricter in program("convert", "gemini", target).stderr, target
    assert stricter not in program("convert", "gemini", "tabnine").stderr


def test_a_plugin_that_may_guard_and_is_not_converted_ends_with_1(program: Program) -> None:
    for event, weaker in (("tool.execute.before", 1), ("tool.execute.after", 0)):
        program.write(
            ".opencode/plugin/g.ts", f"export const G = async () => ({{ '{event}': async () => {{}} }})\n"
        )
        done = program("convert", "opencode", "claude")
        assert (done.returncode, json.loads(done.stdout)) == (weaker, {"hooks": {}})
        assert "`.opencode/plugin/g.ts` is a program that OpenCode runs itself" in done.stderr
