"""What `hookline check` finds in code that hooks run: what does not parse, and exit codes that never arrive."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

CLAUDE = ".claude/settings.json"
GUARD = "#!/bin/bash\ncase $(cat) in *'rm -rf'*) echo no >&2; exit 2;; esac\n"


def told(program: Program, commands: list[str], event: str = "PreToolUse") -> list[list[str]]:
    """The codes for each command, the hooks of one file a line each."""
    hooks = ",\n".join(json.dumps({"type": "command", "command": command}) for command in commands)
    program.write(CLAUDE, f'{{"hooks": {{"{event}": [{{"hooks": [\n{hooks}\n]}}]}}}}')
    found = json.loads(program("check", "--json").stdout)
    return [
        sorted(each["code"] for each in found if each["line"] == line) for line in range(2, len(commands) + 2)
    ]


def test_a_line_that_does_not_parse_is_an_error(program: Program) -> None:
    broken = [
        "if grep -q 'rm; then exit 2; fi",
        "if grep -q rm; then exit 2",
        "case $(cat) in *rm*) exit 2;;",
        'jq -r ".tool_input.command | grep rm',
        "cat >/dev/null; (exit 2",
        "while read x; do echo $x; fi",
        "python3 -c 'import sys; sys.exit(2'",
        "grep -q rm && | exit 2",
    ]
    assert told(program, broken) == [["bad-syntax"]] * len(broken)
    sound = [
        "if grep -q 'rm'; then exit 2; fi",
        "case $(cat) in (*rm*) exit 2;; esac",
        "cat <<'E' >/dev/null\nit's (fine\nE\nexit 0",
        "python3 -c 'import sys; sys.exit(2 if \"rm\" in sys.stdin.read() else 0)'",
        "node -e 'if (1) { process.exit(0)'",  # nobody here reads JavaScript
        "cat >/dev/null; x=\"it's\" # don't",
    ]
    assert told(program, sound) == [[]] * len(sound)


@pytest.mark.parametrize(
    ("name", "text", "broken"),
    [
        ("a.sh", "#!/bin/bash\nif [[ $(cat) == *rm* ]]; then\n  exit 2\n", True),
        ("a.sh", "#!/usr/bin/env -S bash -e\nf() {\n  exit 2\n", True),
        ("a", '#!/bin/sh\necho "half\nexit 2\n', True),
        ("a.sh", "#!/usr/bin/env zsh\nprint -l ${(f)x} (#i)*.c(\n", False),
        ("a.sh", "#!/bin/bash\nfor x in a; do [[ $x == (b|c) ]] && exit 2; done\n", False),
        ("a.py", "import sys\nif 'rm' in sys.stdin.read()\n    sys.exit(2)\n", True),
        ("a.py", "#!/usr/bin/env python3\nimport sys\nprint 'no'\nsys.exit(2)\n", True),
        ("a.py", "#!/usr/bin/env ruby\nputs 'x' if true\n", False),
        ("a.py", "import sys\ntype Names = list[str]\nsys.exit(2)\n", False),  # a newer Python reads it
        ("a.py", "import re\nre.compile('\\d')\n", False),
    ],
)
def test_a_script_that_does_not_parse_is_an_error(
    program: Program, name: str, text: str, broken: bool
) -> None:
    program.write(name, text if text.startswith("#!") else "#!/usr/bin/env python3\n" + text, 0o755)
    [found] = told(program, [f'"$CLAUDE_PROJECT_DIR"/{name}'], "PostToolUse")
    assert found == (["bad-syntax"] if broken else [])


def test_a_guard_whose_exit_code_is_taken_away_is_an_error(program: Program) -> None:
    program.write("guard.sh", GUARD, 0o755)
    guard = '"$CLAUDE_PROJECT_DIR"/guard.sh'
    lost = [
        f"{guard} || true",
        f"{guard} 2>/dev/null || exit 0",
        f"{guard}; exit 0",
        f"{guard} &",
        f"{guard} | tee -a log",
        f"cat | {guard} | cat",
        f"[ -x {guard} ] && {guard} || :",
        f"{{ bash {guard}; }} || echo ignored",
        f"{guard}\necho done",
    ]
    assert told(program, lost) == [["lost-exit"]] * len(lost)
    kept = [
        guard,
        f"cat | {guard}",
        f"{guard} && echo fine >&2",
        f"[ -x {guard} ] || exit 0; {guard}",
        f"chmod +x {guard}; {guard}",
        f"{guard} || exit $?",
        f"{guard} || exit 2",
        f"bash -c 'set -o pipefail; {guard} | tee -a log'",
        f"{guard}; code=$?; exit $code",
        f"if ! {guard}; then exit 2; fi; exit 0",
    ]
    assert told(program, kept) == [[]] * len(kept)
    assert told(program, lost[:1], "PostToolUse") == [[]]  # nothing is to be blocked any more
    program.write("guard.sh", '#!/bin/sh\necho \'{"decision": "block"}\'\n', 0o755)
    assert told(program, lost[:1]) == [[]]  # its answer is what it prints


def test_a_script_that_another_program_runs_is_an_error(program: Program) -> None:
    program.write("g.py", "import sys\nsys.exit(0)\n")
    program.write("g", "#!/usr/bin/env -S python3 -u\nimport sys\n", 0o755)
    program.write("g.sh", "#!/bin/bash\nif [[ $(cat) == *rm* ]]; then echo >> log; fi\n", 0o755)
    program.write("plain.sh", "#!/bin/bash\n# [[ is not used\necho '[[ x ]]' >> log\n", 0o755)
    program.write("posix.sh", "#!/bin/sh\n[[ -e x ]] && echo >> log\n", 0o755)
    here = '"$CLAUDE_PROJECT_DIR"'
    lines = {
        f"bash {here}/g.py": ["wrong-interpreter"],
        f"node {here}/g.py": ["wrong-interpreter"],
        f"bash {here}/g": ["wrong-interpreter"],
        f"python3 {here}/g.sh": ["wrong-interpreter"],
        f"sh {here}/g.sh": ["bashism"],
        f"{here}/posix.sh": ["bashism"],
        f"python3 -u {here}/g.py": [],
        f"uv run {here}/g.py": [],
        f"bash {here}/g.sh": [],
        f"{here}/g.sh": [],
        f"sh {here}/plain.sh": [],
        f"bash {here}/posix.sh": [],
    }
    assert dict(zip(lines, told(program, list(lines), "PostToolUse"), strict=True)) == lines


def test_a_path_whose_beginning_is_never_filled_in_is_an_error(program: Program) -> None:
    program.write("g.sh", GUARD, 0o755)
    kept = ["'$CLAUDE_PROJECT_DIR/g.sh'", "bash '${HOME}/g.sh'", "cat | '$HOME'/g.sh"]
    assert told(program, kept) == [["not-expanded"]] * len(kept)
    assert told(program, ['"~/g.sh"']) == [["missing-program", "not-expanded"]]
    of_cmd = 'powershell -NoProfile -File "%CLAUDE_PROJECT_DIR%\\g.ps1"'
    program.write("g.ps1", "$d = $input | ConvertFrom-Json\nAdd-Content log $d.tool_name\n")
    assert told(program, [of_cmd], "PostToolUse") == [["not-expanded"]]
    program.write("g.cmd", "@echo off\r\ncurl.exe -d @- http://localhost:9\r\n")
    sound = [
        '"$CLAUDE_PROJECT_DIR"/g.sh',
        "bash -c '\"$CLAUDE_PROJECT_DIR\"/g.sh'",
        'cmd /c "%CLAUDE_PROJECT_DIR%\\g.cmd"',
        "echo '~/x' >&2; cat >/dev/null",
    ]
    assert told(program, sound) == [[]] * len(sound)


def test_arguments_by_a_name_that_no_tool_has_are_told(program: Program) -> None:
    wrong = [
        "jq -r '.tool_input.filePath' | xargs ruff format",
        'python3 -c \'import json,sys; print(json.load(sys.stdin)["tool_input"]["filename"])\' >&2',
        'python3 -c \'import json,sys; d = json.load(sys.stdin); d.get("tool_input", {}).get("cmd")\'',
        "node -e 'const i = JSON.parse(require(\"fs\").readFileSync(0)); i.tool_input?.filePath'",
    ]
    assert told(program, wrong, "PostToolUse") == [["unsent-field"]] * len(wrong)
    right = [
        "jq -r '.tool_input.file_path' | xargs ruff format",
        "jq -r '.tool_input.filePath // .tool_input.file_path' | xargs ruff format",
        "jq -r '.tool_response.filePath' | xargs ruff format",
    ]
    assert told(program, right, "PostToolUse") == [[]] * len(right)


def test_a_guard_for_which_nobody_waits_is_told(program: Program) -> None:
    program.write("guard.sh", GUARD, 0o755)
    entry = {"type": "command", "command": '"$CLAUDE_PROJECT_DIR"/guard.sh', "async": True}
    program.write(CLAUDE, json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    assert [each["code"] for each in json.loads(program("check", "--json").stdout)] == ["ineffective-key"]
    entry["command"] = "jq -c . >>log"
    program.write(CLAUDE, json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
    assert program("check").returncode == 0


def test_a_plugin_that_looks_for_its_script_in_the_project_is_an_error(program: Program) -> None:
    program.write(".claude-plugin/plugin.json", '{"name": "p"}')
    program.write("scripts/guard.sh", GUARD, 0o755)
    for root, found in (("CLAUDE_PROJECT_DIR", ["relative-script"]), ("CLAUDE_PLUGIN_ROOT", [])):
        entry = {"type": "command", "command": f'"${{{root}}}/scripts/guard.sh"'}
        program.write("hooks/hooks.json", json.dumps({"hooks": {"PreToolUse": [{"hooks": [entry]}]}}))
        assert [each["code"] for each in json.loads(program("check", "--json").stdout)] == found


@pytest.mark.parametrize("key", ["tool", "tools", "tool_name", "toolNames", "pattern"])
def test_a_group_that_says_its_tools_under_another_name_is_an_error(program: Program, key: str) -> None:
    group = {key: "Bash", "hooks": [{"type": "command", "command": "cat >/dev/null; exit 2"}]}
    program.write(CLAUDE, json.dumps({"hooks": {"PreToolUse": [group]}}))
    [found] = json.loads(program("check", "--json").stdout)
    assert (found["code"], found["hint"]) == ("misspelt-key", "did you mean `matcher`?")
    program.write(CLAUDE, json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", **group}]}}))
    assert program("check").returncode == 0


@pytest.mark.parametrize(
    ("path", "head"),
    [
        (CLAUDE, {"disableAllHooks": True}),
        (".gemini/settings.json", {"hooksConfig": {"enabled": False}}),
    ],
)
def test_a_switch_that_turns_a_whole_file_off_is_noted(
    program: Program, path: str, head: dict[str, object]
) -> None:
    event = "PreToolUse" if path == CLAUDE else "BeforeTool"
    hooks = {"hooks": {event: [{"hooks": [{"type": "command", "command": "echo; cat >/dev/null; exit 2"}]}]}}
    program.write(path, json.dumps({**head, **hooks}))
    ran = program("check", "--json")
    assert ran.returncode == 0
    assert [(each["code"], each["severity"]) for each in json.loads(ran.stdout)] == [
        ("switched-off", "notice")
    ]


def test_executables_that_their_agent_passes_over_are_errors(program: Program) -> None:
    guard = GUARD.replace("echo no >&2; exit 2", """echo '{"cancel": true, "errorMessage": "no"}'""")
    program.write(".clinerules/hooks/PreToolUse", guard)
    program.write(".clinerules/hooks/post-tool-use", guard, 0o755)
    for name in ("TaskEnd", "SessionStarted", "common", "TaskTools", "Backend"):
        program.write(f".clinerules/hooks/{name}", guard, 0o755)
    program.write(".clinerules/hooks/README", "what these are for\n")
    found = {each["source"]: each["code"] for each in json.loads(program("check", "--json").stdout)}
    assert found == {
        ".clinerules/hooks/PreToolUse": "not-executable",
        ".clinerules/hooks/post-tool-use": "unknown-event",
        ".clinerules/hooks/TaskEnd": "unknown-event",
        ".clinerules/hooks/SessionStarted": "unknown-event",
    }


def test_shell_words_where_no_shell_runs_are_an_error(program: Program) -> None:
    def found(command: str) -> list[str]:
        config = program.home / ".hermes/config.yaml"
        config.parent.mkdir(exist_ok=True)
        config.write_text(f"hooks:\n  pre_tool_call:\n  - command: {json.dumps(command)}\n")
        return [each["code"] for each in json.loads(program("check", "--json").stdout)]

    assert found("grep -q 'rm -rf' && exit 2") == ["shell-in-args"]
    assert found("cat | jq .") == ["shell-in-args"]
    assert found("sh -c 'grep -q rm && exit 2'") == []
    assert found("jq '.a | .b'") == []


@pytest.mark.parametrize(
    ("path", "event", "answer", "found"),
    [
        (".cursor/hooks.json", "afterFileEdit", {"permission": "deny"}, True),
        (".cursor/hooks.json", "preToolUse", {"permission": "deny"}, False),
        (
            ".gemini/settings.json",
            "BeforeTool",
            {"hookSpecificOutput": {"permissionDecision": "deny"}},
            True,
        ),
        (".gemini/settings.json", "BeforeTool", {"decision": "deny", "reason": "no"}, False),
        (".claude/settings.json", "SessionEnd", {"decision": "block", "reason": "no"}, True),
        (".claude/settings.json", "Stop", {"decision": "block", "reason": "count"}, False),
        (".claude/settings.json", "PreToolUse", {"continue": False}, False),
        (".windsurf/hooks.json", "pre_run_command", {"decision": "block"}, True),
    ],
)
@pytest.mark.parametrize("spelled", ["echo", "python"])
def test_a_refusal_that_the_agent_does_not_read_is_an_error(
    program: Program, path: str, event: str, answer: dict[str, object], found: bool, spelled: str
) -> None:
    command = f"echo '{json.dumps(answer)}'"
    if spelled == "python":
        program.write("a.py", f"import json, sys\njson.load(sys.stdin)\nprint(json.dumps({answer!r}))\n")
        command = 'python3 "$(git rev-parse --show-toplevel)/a.py"'
    entry = {"type": "command", "command": command}
    if path.startswith((".cursor", ".windsurf")):
        del entry["type"]
    flat = "type" not in entry
    hooks = {"version": 1, "hooks": {event: [entry] if flat else [{"hooks": [entry]}]}}
    program.write(path, json.dumps(hooks))
    codes = [each["code"] for each in json.loads(program("check", "--json").stdout)]
    assert ("wrong-answer" in codes) is found


def test_exit_2_where_nothing_can_be_stopped_is_an_error(program: Program) -> None:
    assert told(program, ["cat >/dev/null; echo no >&2; exit 2"], "SessionEnd") == [["weak-answer"]]
    assert told(program, ["cat >/dev/null; echo no >&2; exit 2"], "PostToolUse") == [[]]  # the model is told
    for words, found in (("Blocked: dirty", ["weak-answer"]), ("dirty", [])):
        program.write("a.sh", f"#!/bin/sh\ngit diff --quiet || {{ echo '{words}' >&2; exit 2; }}\n", 0o755)
        assert told(program, ['"$CLAUDE_PROJECT_DIR"/a.sh'], "SessionStart") == [found]
    hooks = {"hooks": {"post_write_code": [{"command": "cat >/dev/null; exit 2"}]}}
    program.write(".windsurf/hooks.json", json.dumps(hooks))
    codes = [each["code"] for each in json.loads(program("check", "--json").stdout)]
    assert codes == ["weak-answer"]
