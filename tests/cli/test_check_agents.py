"""What `hookline check` finds of what single agents and dialects want, in one workspace with all of them."""

from __future__ import annotations

import json
from typing import Any

from tests.program import Program

CLAUDE, GEMINI, CODEX = ".claude/settings.json", ".gemini/settings.json", ".codex/hooks.json"


def group(command: str = "true", matcher: str | None = None, **more: Any) -> dict[str, Any]:
    hooks = [{"type": "command", "command": command, **more}]
    return {"hooks": hooks} if matcher is None else {"matcher": matcher, "hooks": hooks}


def told(program: Program, files: dict[str, Any]) -> dict[str, list[str]]:
    """The codes of what is said of each file, given as text or as what its JSON holds."""
    for path, content in files.items():
        program.write(path, content if isinstance(content, str) else json.dumps(content, indent=1))
    found: dict[str, list[str]] = {}
    for each in json.loads(program("check", "--json").stdout):
        found.setdefault(each["source"], []).append(each["code"])
    return found


def test_what_one_agent_reads_in_another_way_is_told(program: Program) -> None:
    http = {"type": "http", "url": "https://example.com", "headers": {"A": "Bearer $TOKEN", "B": "${TEAM}"}}
    joined = {"if": "Bash(git push *)|Bash(npm publish)"}
    files = {
        CLAUDE: {"hooks": {
            "PreToolUse": [group("true", "Bash", **joined), group("true", "mcp_db_.*")],
            "FileChanged": [group("true", "config/.env"), group("true", ".env|src/.envrc"), group("true", ".envrc")],
            "Stop": [{"hooks": [{**http, "allowedEnvVars": ["TEAM"]}]}],
        }},
        GEMINI: {"hooks": {"BeforeTool": [
            group("true", "mcp__db__.*"), group("true", "mcp_db_query"), group("true", "mcp_.*"),
        ]}},
        CODEX: {"hooks": {"SessionEnd": [group("true", timeout=60), group("true", timeout=2)]}},
        ".kiro/hooks/a.json": {"version": 1, "hooks": [
            {"name": "a", "trigger": "Stop", "enabled": False, "action": {"type": "command", "command": "true"}},
        ]},
        ".autoagent/config.json": {"hooks": {
            "PostExecutionEnd": [{"type": "git-push"}, {"type": "git-commit"}],
            "PreExecutionStart": [
                {"type": "command", "command": "test -e ready || exit 1", "blocking": True},
                {"type": "command", "command": "echo {{success}}"},
            ],
        }},
        ".mycode/settings.json": {"hooks": {"PostToolUse": [
            {"type": "command", "command": "black $FILE_PATH"},
            {"type": "command", "command": "black $TOOL_INPUT_FILE"},
            {"type": "command", "command": "black .", "matcher": "Write, Edit"},
        ]}},
        ".cocode/hooks.toml": '[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\n'
        'command = "case $HOOK_INPUT in *x*) exit 1;; esac"\n',
        ".hookline/hooks.toml": '[[hooks]]\nevent = "PreToolUse"\nshell = "frob.*push"\ndeny = "no"\n'
        '\n[[hooks]]\nevent = "PreToolUse"\nshell = "$ git push"\ndeny = "no"\n'
        '\n[[hooks]]\nevent = "PreToolUse"\nshell = "rm build.*"\nask = "sure?"\n',
    }  # fmt: skip
    assert told(program, files) == {
        CLAUDE: ["dead-condition", "dead-matcher", "dead-matcher", "dead-name", "unset-variable"],
        GEMINI: ["dead-matcher"],
        CODEX: ["implausible-time"],
        ".kiro/hooks/a.json": ["switched-off", "bad-value"],
        ".autoagent/config.json": ["wrong-order", "weak-exit", "unset-variable"],
        ".cocode/hooks.toml": ["unset-variable"],
        ".mycode/settings.json": ["unset-variable", "dead-matcher"],
        ".hookline/hooks.toml": ["dead-matcher"] * 2,
    }


def test_a_file_for_vs_code_is_not_called_wrong_for_copilot(program: Program) -> None:
    entry = {"type": "command", "command": "cat >/dev/null"}
    shared = {"hooks": {"SubagentStart": [entry], "PostToolUse": [entry]}}
    mixed = {"hooks": {"subagentStart": [{"type": "command", "bash": "true"}], "SubagentStart": [entry]}}
    program.write(".github/hooks/vscode.json", json.dumps(shared))
    program.write(".github/hooks/zz.json", json.dumps(mixed))
    ran = program("check", "--json")
    assert ran.returncode == 0
    found = [
        (each["source"], each["severity"], each["code"], each["message"]) for each in json.loads(ran.stdout)
    ]
    other = (
        "`SubagentStart` is an event of VS Code, which reads this file too; GitHub Copilot runs no hook of it"
    )
    assert found == [
        (".github/hooks/vscode.json", "notice", "missing-key", "`version` is missing; VS Code does without"),
        (".github/hooks/vscode.json", "notice", "agent-alone", other),
        (".github/hooks/zz.json", "warning", "missing-key", "`version` is missing"),
        (".github/hooks/zz.json", "notice", "agent-alone", other),
    ]


def test_a_script_by_the_tools_of_one_of_two_agents_is_judged_by_that_one(program: Program) -> None:
    text = "#!/usr/bin/env node\nconst d = JSON.parse(require('fs').readFileSync(0, 'utf8'));\n"
    text += "if (/WORDS/.test(d.tool_name)) { console.log('no edits of this file'); process.exit(2); }\n"
    names = {"a.js": "replace_string_in_file", "b.js": "Edit"}
    for name, tool in names.items():
        program.write(name, text.replace("/WORDS/", f"/^({tool})$/"), 0o755)
    hooks = [{"type": "command", "command": f"./{name}"} for name in names]
    program.write(".github/hooks/a.json", json.dumps({"version": 1, "hooks": {"PostToolUse": hooks}}))
    found = [(each["code"], each["message"][3:7]) for each in json.loads(program("check", "--json").stdout)]
    assert found == [("unread-output", "a.js"), ("one-agent", "b.js")]


def test_an_event_of_an_agent_alone_is_no_warning(program: Program) -> None:
    saved = {"name": "a", "trigger": "PostFileSave", "action": {"type": "command", "command": "true"}}
    program.write(".kiro/hooks/a.json", json.dumps({"version": "v1", "hooks": [saved]}))
    ran = program("check", "--json", "--strict")
    assert ran.returncode == 0
    assert [(each["code"], each["severity"]) for each in json.loads(ran.stdout)] == [
        ("agent-alone", "notice")
    ]


def test_an_answer_that_cocode_is_not_asked_to_read_is_told(program: Program) -> None:
    reject = """echo '{"Reject": {"reason": "no"}}'"""
    shell = f"[hooks.shell]\ncommand = '''{reject} '''\n"
    text = f'[[hooks]]\nevent = "PreToolUse"\n{shell}\n[[hooks]]\nevent = "PreToolUse"\n{shell}parse_result = true\n'
    path = program.home / ".config/cocode/hooks.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    (found,) = json.loads(program("check", "--json").stdout)
    assert (found["code"], found["line"]) == ("wrong-answer", 1)
    assert found["hint"] == "without `parse_result` nobody reads what it prints"


def test_the_users_hooks_of_cursor_start_beside_their_file(program: Program) -> None:
    folder = program.home / ".cursor"
    folder.mkdir()
    hooks = {"stop": [{"command": "./.cursor/bell.sh"}, {"command": "./bell.sh"}]}
    (folder / "hooks.json").write_text(json.dumps({"version": 1, "hooks": hooks}))
    (folder / "bell.sh").write_text("#!/bin/sh\n")
    (folder / "bell.sh").chmod(0o755)
    found = [
        each["message"]
        for each in json.loads(program("doctor", "--json").stdout)
        if each["severity"] == "error"
    ]
    assert any(".cursor/bell.sh` does not exist" in each for each in found)
    assert not any("`./bell.sh`" in each for each in found)


def test_plugins_and_files_that_opencode_makes_nothing_of_are_told(program: Program) -> None:
    head = "export const Guard = async () => ({\n"
    rewrite = f"{head}  'tool.execute.before': async (input, output) => {{ output.args = {{ command: 'ls' }} }},\n}})\n"
    right = rewrite.replace("output.args =", "Object.assign(output.args,").replace("'ls' }", "'ls' })")
    hooks = {"hooks": {"PreToolUse": [group("./guard.sh", "bash")]}}
    files = {
        ".opencode/plugins/ask.ts": f"{head}  'permission.ask': async (input) => {{}},\n}})\n",
        ".opencode/plugin/rewrite.js": rewrite,
        ".opencode/plugins/right.js": right,
        ".opencode/plugins/nameless.js": "export default { server: async () => ({}) }\n",
        ".opencode/plugins/named.js": "export default {\n  server: async () => ({}),\n  id: 'named',\n}\n",
        ".opencode/hooks/PreToolUse.sh": "#!/bin/sh\nexit 2\n",
        ".opencode/hooks/shared.sh": "#!/bin/sh\n",
        "opencode.json": hooks,
        ".claude/hooks/mine.json": hooks,
        ".claude/hooks/template-hooks.json": hooks,  # from which others are written
        ".clinerules/hooks/pretooluse.txt": "#!/bin/sh\necho '{}'\n",
    }
    assert told(program, files) == {
        ".opencode/plugins/ask.ts": ["unknown-event"],
        ".opencode/plugin/rewrite.js": ["wrong-answer"],
        ".opencode/plugins/nameless.js": ["missing-key"],
        ".opencode/hooks/PreToolUse.sh": ["unread-file"],
        "opencode.json": ["unread-file"],
        ".claude/hooks/mine.json": ["unread-file"],
        ".clinerules/hooks/pretooluse.txt": ["unread-file"],
    }


def test_a_stop_hook_that_the_agent_ends_itself_is_no_warning(program: Program) -> None:
    again = "npm test >&2 || exit 2"
    program.write(CLAUDE, json.dumps({"hooks": {"Stop": [group(again)]}}))
    program.write(CODEX, json.dumps({"hooks": {"Stop": [group(again)]}}))
    found = {each["source"]: each["severity"] for each in json.loads(program("check", "--json").stdout)}
    assert found == {CLAUDE: "notice", CODEX: "warning"}


def test_hooks_as_another_agent_has_them_are_told_where_they_stand(program: Program) -> None:
    alone = {
        "name": "lint",
        "trigger": {"type": "manual"},
        "action": {"type": "shell", "command": "make lint"},
    }
    program.write(
        "late.sh", "#!/bin/bash\njq -r .tool_info.command_line\necho 'not here' >&2\nexit 2\n", 0o755
    )
    program.write("no.sh", "#!/bin/bash\nif [[ $(jq -r .command) == *--hard* ]]; then\n"
                  "  echo 'a reset is not allowed' >&2\n  exit 1\nfi\n"
                  "echo '{\"permission\": \"allow\"}'\n", 0o755)  # fmt: skip
    program.write("start.sh", '#!/bin/sh\n[ "${GEMINI_CODE_REMOTE:-}" = true ] || exit 0\n'
                  'echo "export A=1" >> "$GEMINI_ENV_FILE"\n', 0o755)  # fmt: skip
    program.write("s.ps1", "exit 0\n")
    for name, pattern in (("made.sh", "made/*|src/gen/*"), ("any.sh", "*/gen/*|gen/*")):
        clause = f"{pattern}) echo made >&2; exit 2 ;;"
        made = f'#!/bin/bash\nf=$(jq -r .tool_input.file_path)\ncase "$f" in\n  {clause}\nesac\n'
        program.write(name, made, 0o755)
    program.write("lint.sh", "#!/bin/bash\n"
                  "f=$(python3 -c \"import sys,json; print(json.load(sys.stdin).get('path',''))\")\n"
                  'eslint "$f" >lint.log\n', 0o755)  # fmt: skip
    program.write("s.sh", "#!/bin/sh\n", 0o755)
    program.write("tell.sh", '#!/bin/sh\n[ -f lint.log ] && echo "Please look at lint.log."\nexit 0\n', 0o755)
    program.write(".clinerules/hooks/PostSave", "#!/bin/sh\necho '{}'\n", 0o755)
    files = {
        ".cursor/hooks.json": {"version": 1, "hooks": {
            "stop": [group("true")], "beforeShellExecution": [{"command": "./no.sh"}],
            "afterFileEdit": [{"command": "./lint.sh"}],
            "preToolUse": [{"matcher": "Write", "command": "./made.sh"}, {"matcher": "Write", "command": "./any.sh"}],
        }},
        ".agents/hooks.json": {"g": {
            "Stop": [group("true", "*")],
            "PreToolUse": [group("jq -r .tool_input.command | grep -qv mkfs || echo no >&2", "run_command")],
        }},
        ".kiro/hooks/lint.json": alone,
        ".kiro/hooks/patterns.json": {"protected": ["*.pem"], "on": "every write"},
        ".kiro/hooks/gate.md": "---\nname: gate\ntrigger: preToolUse\n---\nBlock `git push`.\n",
        ".kiro/hooks/README.md": "# Hooks\n\ntrigger: see lint.json\n",
        ".openhands/hooks.json": {"pre_tool_use": [{"description": "ours", **group("true", "terminal")}]},
        ".windsurf/hooks.json": {"hooks": {
            "post_run_command": [{"command": "./late.sh"}],
            "post_write_code": [
                {"command": "echo written", "show_output": True}, {"command": "echo written"},
                {"command": "./tell.sh", "show_output": True}, {"command": "./tell.sh"},
            ],
        }},
        ".kiro/agents/dev.json": {"name": "dev", "hooks": {"stop": [{"command": "echo 'Did you run the tests?'"}]}},
        ".github/hooks/s.json": {"version": 1, "hooks": {
            "sessionStart": [{"type": "command", "bash": "./s.ps1", "powershell": "./s.sh"}],
        }},
        ".github/hooks/hooks.json": {"version": 1, "env": {"LEVEL": "high"}},
        GEMINI: {"hooks": {"SessionStart": [group("./start.sh")]}},
        ".hookline/hooks.toml": '[[hooks]]\nevent = "Stop"\nrun = "eslint $HOOK_FILE"\n',
    }  # fmt: skip
    assert told(program, files) == {
        ".agents/hooks.json": ["missing-key", "unsent-field"],
        ".clinerules/hooks/PostSave": ["unknown-event"],
        ".cursor/hooks.json": ["missing-key", "weak-exit", "unsent-field", "dead-pattern"],
        ".gemini/settings.json": ["unset-variable"],
        ".github/hooks/hooks.json": ["missing-key"],
        ".github/hooks/s.json": ["wrong-interpreter", "wrong-interpreter"],
        ".hookline/hooks.toml": ["unset-variable"],
        ".kiro/hooks/gate.md": ["unread-file"],
        ".kiro/hooks/lint.json": ["events-at-top"],
        ".openhands/hooks.json": ["unknown-key", "file-dropped"],
        ".kiro/agents/dev.json": ["unread-output"],
        ".windsurf/hooks.json": ["weak-answer", "unread-output", "unread-output"],
    }
    assert "move its hooks up into the list of the event" in program("check").stdout


def test_scripts_and_keys_that_fit_several_agents_are_no_fault(program: Program) -> None:
    program.write("run.sh", "#!/bin/bash\ncase $1 in\n"
                  "  cursor) echo '{\"permission\": \"deny\", \"user_message\": \"no\"}' ;;\n"
                  "  grok) echo '{\"decision\": \"deny\", \"reason\": \"no\"}' ;;\nesac\n")  # fmt: skip
    program.write("write.sh", "#!/bin/bash\ntool=$(jq -r .tool_name)\ncase $tool in\n  fs_write|Write) ;;\n"
                  "  *) exit 0 ;;\nesac\n[ \"$tool\" = \"Write\" ] && echo new\nexit 0\n", 0o755)  # fmt: skip
    files = {
        ".github/hooks/hooks.json": {"version": 1, "disableAllHooks": True},
        ".grok/hooks/g.json": {"hooks": {"PreToolUse": [group("bash run.sh grok", "Bash")]}},
        ".kiro/agents/dev.json": {"name": "dev", "hooks": {
            "postToolUse": [{"matcher": "fs_write", "command": "./write.sh"}],
        }},
        ".vibe/hooks.toml": '[[hooks]]\nname = "log"\ntype = "post_tool"\nmatch = "*"\ncommand = "cat >> log"\n',
        ".hookline/hooks.toml": '[[hooks]]\nevent = "cursor:beforeShellExecution"\nrun = "jq -r .command >> log"\n',
    }  # fmt: skip
    assert told(program, files) == {}


def test_a_mistake_that_repeats_is_one_line_with_the_lines_of_the_others(program: Program) -> None:
    events = ("BeforeTool", "AfterTool", "AfterAgent")
    hooks = {event: [group("./g.sh", timeout=5)] for event in events}
    program.write("g.sh", "#!/bin/sh\ncat >/dev/null\n", 0o755)
    program.write(GEMINI, json.dumps({"hooks": hooks}, indent=1))
    done = program("check").stdout
    assert done.count("impossible-time") == 1
    _, second, third = (each["line"] for each in json.loads(program("check", "--json").stdout))
    words = f"5 milliseconds is too short for any hook; also in line {second}, {third} ["
    assert words in " ".join(done.split())


def test_every_line_that_an_entry_has_for_another_shell_or_system_is_looked_at(program: Program) -> None:
    reads = "$call = [Console]::In.ReadToEnd() | ConvertFrom-Json\n"
    program.write("a.sh", "#!/bin/bash\njq -r .toolArgs | grep -q sudo && exit 2\nexit 0\n", 0o755)
    program.write("a.ps1", f"{reads}if ($call.tool_input -match 'sudo') {{ exit 2 }}\n")
    program.write("a.mjs", "process.exit(0);\n")
    by_system = [
        {"bash": "./a.sh", "powershell": "./a.ps1"},  # reads what is not sent
        {"bash": "./a.sh", "powershell": "powershell -NoProfile -File hooks\\gone.ps1"},
        {"bash": "./a.sh", "linux": "./gone.sh", "osx": "./a.sh", "windows": "node .\\a.mjs"},
        {"bash": "node gone.mjs", "powershell": "node gone.mjs"},  # told once
        {"bash": "./a.sh", "powershell": "& \"$env:USERPROFILE\\own.ps1\""},  # nor in the repository
        {"bash": "./a.sh", "windows": "\"%ProgramFiles%\\x\\run.cmd\" a"},
        {"bash": "./a.sh", "linux": "./a.sh", "windows": ""},
        {"bash": "./a.sh", "powershell": "if (@('bash', 'Bash') -contains $a) { @{ why = 'rows (a/b) only.' } }"},
        {"bash": "./a.sh", "powershell": "if ($a -in @('bash')) { & './gone.ps1' }"},
    ]  # fmt: skip
    windows = ("node .codex\\gone.js", "cmd /c hooks\\gone.cmd", "node a.mjs", "%ANY%\\gone.cmd")
    files = {
        ".github/hooks/s.json": {"version": 1, "hooks": {
            "preToolUse": [{"type": "command", **each} for each in by_system],
        }},
        CODEX: {"hooks": {"Stop": [group("true", commandWindows=each) for each in windows]}},
        CLAUDE: {"hooks": {"Stop": [group("true", windows="./gone.cmd")]}},
    }  # fmt: skip
    for path, content in files.items():
        program.write(path, json.dumps(content))
    found = json.loads(program("check", "--json").stdout)
    event = "hooks.preToolUse"
    assert {(each["source"], each["path"], each["code"]) for each in found} == {
        (".github/hooks/s.json", f"{event}[0].powershell", "unsent-field"),
        (".github/hooks/s.json", f"{event}[1].powershell", "missing-script"),
        (".github/hooks/s.json", f"{event}[2].linux", "missing-program"),
        (".github/hooks/s.json", f"{event}[3].bash", "missing-script"),
        (".github/hooks/s.json", f"{event}[4].powershell", "personal-path"),
        (".github/hooks/s.json", f"{event}[8].powershell", "missing-script"),
        (CODEX, "hooks.Stop[0].hooks[0].commandWindows", "missing-script"),
        (CODEX, "hooks.Stop[1].hooks[0].commandWindows", "missing-script"),
        (CLAUDE, "hooks.Stop[0].hooks[0].windows", "unknown-key"),
    }
    assert len(found) == 9


def test_what_to_write_for_a_script_that_is_elsewhere_or_lost_its_backslashes(program: Program) -> None:
    for name in ("tools/agent/deep/look.sh", ".agents/hooks/see.py", "a/twice.sh", "b/twice.sh"):
        program.write(name, "#!/bin/sh\ntrue\n", 0o755)
    lines = (
        "./agent/look.sh", "python3 .claude/see.py", "sh ./twice.sh", r"bash tools\\agent\\deep\\look.sh",
        r"sh tools\agent\deep\gone.sh", r"bash tools\agent\deep\look.sh",
    )  # fmt: skip
    entries = ",\n".join(json.dumps({"command": each}) for each in lines)
    program.write(".cursor/hooks.json", f'{{"version": 1, "hooks": {{"stop": [\n{entries}]}}}}')
    found = json.loads(program("check", "--json").stdout)
    assert [(each["message"], each["hint"]) for each in found if each["code"].startswith("missing")] == [
        ("`./agent/look.sh` does not exist", "did you mean `tools/agent/deep/look.sh`?"),
        ("`.claude/see.py` does not exist", "did you mean `.agents/hooks/see.py`?"),
        ("`./twice.sh` does not exist", "mend the path or add the file"),
        (
            r"`tools\agent\deep\look.sh` does not exist",
            "write `tools/agent/deep/look.sh`, which Windows takes too",
        ),
        ("`toolsagentdeepgone.sh` does not exist", "mend the path or add the file"),
        (
            r"a shell takes the `\` out of `tools\agent\deep\look.sh`, and `toolsagentdeeplook.sh` does not exist",
            "write `tools/agent/deep/look.sh`, which Windows takes too",
        ),
    ]


def test_an_event_of_the_same_words_is_told_first(program: Program) -> None:
    names = ("shell_executed", "fileRead", "command_seen")
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": {each: [] for each in names}}))
    found = [each["hint"] for each in json.loads(program("check", "--json").stdout)]
    assert [each.partition(";")[0][:30] for each in found if "known events" in each] == [
        "perhaps `afterShellExecution`", "perhaps `beforeReadFile`", "known events: afterAgentRespon",
    ]  # fmt: skip


def test_a_script_of_an_event_that_was_meant_is_read_and_one_that_git_ignores_is_told_so(
    program: Program,
) -> None:
    program.write(".gitignore", "# made by set-up\n/made/\nlink.sh\n")
    program.write(
        "format.sh", '#!/bin/sh\nfile="$1"\ncase "$file" in *.go) gofmt -w "$file" ;; esac\n', 0o755
    )
    lines = ("./format.sh", "./made/here/a.sh", "./link.sh", "./kept.sh")
    entries = ",\n".join(json.dumps({"command": each}) for each in lines)
    program.write(".cursor/hooks.json", f'{{"version": 1, "hooks": {{"file_edited": [\n{entries}]}}}}')
    found = json.loads(program("check", "--json").stdout)
    assert [(each["severity"], each["code"], each["message"]) for each in found[1:]] == [
        ("error", "unset-variable", "`./format.sh` reads its first argument, and Cursor passes none"),
        *(
            (
                "warning",
                "missing-program",
                f"`{each}` does not exist, and `.gitignore` keeps it out of a clone",
            )
            for each in lines[1:3]
        ),
        ("error", "missing-program", "`./kept.sh` does not exist"),
    ]


def test_hooks_of_antigravity_may_start_in_the_folder_of_their_file(program: Program) -> None:
    program.write("tools/guard.py", "print(1)\n")
    hooks = [
        {"type": "command", "command": f"python3 {path}"} for path in ("../tools/guard.py", "../tools/no.py")
    ]
    guard = {"PreToolUse": [{"matcher": "run_command", "hooks": hooks}]}
    program.write(".agents/hooks.json", json.dumps({"guard": guard}))
    told = [
        each for each in json.loads(program("check", "--json").stdout) if each["code"] == "missing-script"
    ]
    assert [each["message"].split("`")[1] for each in told] == ["../tools/no.py"]


def test_a_denial_for_another_event_of_the_script_is_not_told_at_this_one(program: Program) -> None:
    text = "import json, sys\ndef denied(why):\n"
    text += '    print(json.dumps({"permission": "deny", "user_message": why, "agent_message": why}))\n'
    text += "    sys.exit(2)\nif not sys.stdin.read():\n    denied('nothing came')\nprint(json.dumps({}))\n"
    program.write("wrap.py", text)
    program.write("lone.py", text)
    hooks = {
        "sessionStart": [{"command": "python3 wrap.py start"}, {"command": "python3 lone.py start"}],
        "preToolUse": [{"command": "python3 wrap.py gate", "matcher": "Shell"}],
    }
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": hooks}))
    told = [each["message"] for each in json.loads(program("check", "--json").stdout)]
    assert [each.split("`")[1] for each in told if "`agent_message`" in each] == ["lone.py"]
