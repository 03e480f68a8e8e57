"""What `hookline check` finds where a name is nearly right: of variables, placeholders, tools, keys and files."""

from __future__ import annotations

import json
import sys

import pytest
from tests.program import Program

from hookline.checking.files.stray_files import stray_files, strays
from hookline.engine.loading import load_hooks, places_for

GUARD = [{"hooks": [{"type": "command", "command": "cat >/dev/null; echo no >&2; exit 2"}]}]


def codes(program: Program) -> list[str]:
    return sorted(each["code"] for each in json.loads(program("check", "--json").stdout))


def hints(program: Program) -> list[str]:
    return [each["hint"] for each in json.loads(program("check", "--json").stdout)]


@pytest.mark.parametrize("name", ["setting", "Settings", "settings-local"])
def test_a_file_whose_name_is_nearly_that_of_one_that_is_read_is_an_error(
    program: Program, name: str
) -> None:
    program.write(f".claude/{name}.json", json.dumps({"hooks": {"PreToolUse": GUARD}}))
    assert codes(program) == ["unread-file"]
    program.write(f".claude/{name}.json", json.dumps({"permissions": {"deny": []}}))
    assert codes(program) == []


def test_a_misspelt_variable_of_an_agent_is_an_error(program: Program) -> None:
    lines = [
        '"$CLAUDE_PROJECTDIR"/a',
        '"${CLAUDE_PROJECT_DIRS}"/a',
        'cd "$CLAUDE_PROJCT_DIR"',
        'ls "$CLAUDE_MEMORY_DIR"',
    ]
    hooks = [{"type": "command", "command": f"{line}; cat >/dev/null"} for line in lines]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [{"hooks": hooks}]}}))
    assert hints(program) == ["did you mean `CLAUDE_PROJECT_DIR`?"] * 3


def test_a_script_that_waits_for_an_argument_is_an_error(program: Program) -> None:
    def told(command: str, script: str) -> list[str]:
        program.write("a.sh", f"#!/bin/sh\n{script}\n", 0o755)
        hooks = [{"hooks": [{"type": "command", "command": command}]}]
        program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": hooks}}))
        return codes(program)

    here = '"$CLAUDE_PROJECT_DIR"/a.sh'
    assert told(here, 'case "$1" in *rm*) echo no >&2; exit 2;; esac') == ["unset-variable"]
    assert told(f"{here} x", 'case "$1" in *rm*) echo no >&2; exit 2;; esac') == []
    assert told(here, "git status | awk '{print $1}' >&2") == []
    assert told(here, 'say() {\n  echo "$1" >> log\n}\nsay x') == []


def test_a_placeholder_that_is_not_filled_in_at_its_event_is_an_error(program: Program) -> None:
    lines = {"pre_iteration": "echo {{task_id}}", "on_task_complete": "echo {{task_id}} {{other}}"}
    hooks = "".join(
        f"  {event}:\n    - command: {line!r}\n      pipe_output: true\n" for event, line in lines.items()
    )
    program.write(".iteratr.hooks.yml", f"hooks:\n{hooks}")
    commits = [
        {"type": "git-commit", "message": f"{{{{{name}}}}}: done"}
        for name in ("issue_number", "issueTitle", "mine")
    ]
    program.write(".autoagent/config.json", json.dumps({"hooks": {"PostExecutionEnd": commits}}))
    found = json.loads(program("check", "--json").stdout)
    assert sorted(each["message"] for each in found if each["code"] == "unset-variable") == [
        "`{{task_id}}` is empty at `pre_iteration`",
        "nobody fills in `{{issue_number}}`: it stays as it is",
    ]


def test_matchers_under_another_key_are_looked_at_as_well(program: Program) -> None:
    def vibe(match: str, name: str = 'name = "a"') -> list[str]:
        text = f'[[hooks]]\n{name}\ntype = "pre_tool"\nmatch = "{match}"\ncommand = "cat >/dev/null"\n'
        program.write(".vibe/hooks.toml", text)
        return codes(program)

    assert vibe("bash|search_replace") == ["dead-matcher"]
    assert vibe("re:bash|search_replace") == vibe("bash*") == vibe("mcp_*") == []
    assert vibe("bash", name="") == ["missing-key"]


def test_a_tool_in_another_case_is_told_in_a_hooks_toml(program: Program) -> None:
    text = '[[hooks]]\nname = "a"\nevent = "%s"\ntool = "%s"\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", text % ("PreToolUse", "bash"))
    assert hints(program) == ["did you mean `Bash`?"]
    for event, tool in (
        ("PreToolUse", "Bash"),
        ("PreToolUse", "my_tool"),
        ("gemini:BeforeTool", "run_shell_command"),
    ):
        program.write(".hookline/hooks.toml", text % (event, tool))
        assert codes(program) == []


@pytest.mark.parametrize("version", ["2", '"1"', "1.0", "[1]"])
def test_a_file_of_another_version_is_told_of_and_its_rules_hold(program: Program, version: str) -> None:
    rule = '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", f"version = {version}\n{rule}")
    done = program("check", "--strict")
    assert (done.returncode, "other-version" in done.stdout) == (1, True), done.stdout
    assert program("fire", "Bash", "git push").returncode == 2
    assert program("fire", "Bash", "ls").returncode == (1 if version == "2" else 0)
    program.write(".hookline/hooks.toml", f"version = 1\n{rule}")
    assert program("check", "--strict").returncode == 0


STRAY = {
    ".claude/settings.jsonc": "// mine\n{}",
    ".claude/hooks.json": 'notes{\n  "hooks": {"PostToolUse": []}\n}',
    ".claude/skills/settings.json": '{"hooks": {"PreToolUse": []}}',
    ".codex/hooks.toml": "[[hooks.PreToolUse]]\n",
    ".github/copilot/hooks/guard.json": '{"version": 1, "hooks": {"preToolUse": []}}',
    ".qwen/hooks.json": '{"hooks": {"PreToolUse": []}}',
    ".devin/hooks.json": '{"hooks": {"PreToolUse": []}}',
    ".windsurf/hooks/guard.json": '{"hooks": {"pre_run_command": []}}',
    ".vscode/hooks.json": '{"hooks": {"PreToolUse": []}}',
    ".goose/hooks.json": '{"hooks": {"PreToolUse": []}}',
    ".claude/hooks/bash.json": '{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}',
    ".github/hooks/guard.yaml": "version: 1\n",
    ".pi/extension/guard.ts": "export default () => {}\n",
    ".clinerules/PreToolUse": "#!/bin/sh\n",
    ".iteratr/hooks.yml": "hooks: {}\n",
    "iteratr.hooks.yaml": "hooks: {}\n",
    ".claude/setings.json": '{"hooks": {"PreToolUse": []}}',
    ".cluade/settings.json": '{"hooks": {"PreToolUse": []}}',
    ".cursor/hook.json": '{"version": 1, "hooks": {"preToolUse": []}}',
    ".cursor/hooks.yaml": "hooks:\n  preToolUse: []\n",
    ".github/hook/guard.json": '{"version": 1, "hooks": {"preToolUse": []}}',
    ".kiro/hook/guard.json": '{"version": "v1", "hooks": [{"trigger": "Stop"}]}',
    ".cline/hook/PreToolUse": "#!/bin/sh\n",
    ".hookline/hooks.tml": "[[hooks]]\n",
    ".vibe/hook.toml": "[[hooks]]\n",
    "hookline.toml": "[[hooks]]\n",
}
RIGHT = {
    ".claude/words/settings.json": '{"words": {"a": []}}',
    ".claude/words.json": '{"hooks": {"PreToolUse": []}}',
    ".github/hook/guard.sh": "#!/bin/sh\n",
    ".gemini/setting.json": '{"theme": "dark"}',
    ".agent/hooks.json": '{"mine": {"PreToolUse": []}}',  # of an agent that had its folder so
    ".agents/hooks/gate.sh": "#!/bin/sh\n",
    ".git/hooks/pre-commit": "#!/bin/sh\n",
    ".husky/hooks.json": '{"hooks": {"PreToolUse": []}}',
}


def test_files_that_nobody_reads_are_told_with_their_right_place(program: Program) -> None:
    for path, text in (*STRAY.items(), *RIGHT.items()):
        program.write(path, text)
    program.write(".github/copilot/settings.json", "{}")
    program.write(".claude/hooks/words.json", '{"hooks": ["a"], "PreToolUse": {"deny": ["rm"]}}')
    program.write(".other/hooks.json", '{"hooks": {"PreToolUse": []}}')  # of an agent nobody here knows
    found = json.loads(program("check", "--json").stdout)
    assert {(each["source"], each["code"]) for each in found} == {(path, "unread-file") for path in STRAY}
    assert (
        next(each["hint"] for each in found if "iteratr/" in each["source"])
        == "move its hooks to `.iteratr.hooks.yml`"
    )


def test_files_that_a_manifest_or_settings_name_and_that_are_not_there_are_told(program: Program) -> None:
    program.write(".claude-plugin/plugin.json", json.dumps({"name": "p", "hooks": "./config/hooks.json"}))
    program.write("opencode.json", json.dumps({"plugin": ["./guard.ts", "opencode-wakatime"]}))
    found = json.loads(program("check", "--json").stdout)
    assert [(each["source"], each["path"], each["code"]) for each in found] == [
        ("opencode.json", "plugin", "missing-script"),
        (".claude-plugin/plugin.json", "hooks", "missing-script"),
    ]
    program.write("config/hooks.json", json.dumps({"hooks": {"Stop": []}}))
    program.write("guard.ts", "export default {}\n")
    assert codes(program) == []


@pytest.mark.parametrize(
    ("matcher", "told"),
    [("write_file|shell|bash", []), ("replace|Bash", ["dead-name"]), ("^(write_file|Bash)$", ["dead-name"])],
)
def test_a_pattern_that_fits_the_own_name_leaves_it_not_out(
    program: Program, matcher: str, told: list[str]
) -> None:
    """Gemini looks for it anywhere in a name: `shell` is `run_shell_command` too."""
    hook = {"matcher": matcher, "hooks": [{"type": "command", "command": "true"}]}
    program.write(".gemini/settings.json", json.dumps({"hooks": {"BeforeTool": [hook]}}))
    assert [code for code in codes(program) if code == "dead-name"] == told


def test_a_description_that_names_where_the_hooks_are_has_no_events(program: Program) -> None:
    program.write(
        "hooks/hooks.json", json.dumps({"hooks": {"BeforeTool": [{"hooks": [{"type": "command"}]}]}})
    )
    described = {"name": "x", "version": "1.0.0", "hooks": {"configPath": "hooks/hooks.json"}}
    program.write("gemini-extension.json", json.dumps(described))
    assert codes(program) == ["missing-key"]


COCODE = '[[hooks]]\nevent = "PreToolUse"\n[hooks.shell]\ncommand = {0}\n{1}\n'
MEANT = {  # a file, what is wrong in it, and the same as it was meant
    ".gemini/settings.json": (
        '{"hooksConfig": {"disabled": ["lnit"]}, "hooks": {"BeforeTool": [{"hooks": ['
        '{"type": "command", "command": "true", "name": "lint"}]}]}}',
        "dead-name", ('"lnit"', '"lint"'),
    ),
    ".hookline/hooks.toml": (
        "[[hooks]]\nname = 'a'\nevent = 'PreToolUse'\ntool = ['Bahs', 'mcp__x__y', 'NoSuchThing']\ndeny = 'x'\n",
        "dead-name", ("Bahs", "Bash"),
    ),
    ".gen/settings.json": (
        '{"hooks": {"PreToolUse": [{"matcher": "run_shell_command", '
        '"hooks": [{"type": "command", "command": "true"}]}]}}',
        "dead-matcher", ("run_shell_command", "Bash"),
    ),
    ".cocode/hooks.toml": (
        COCODE.format("'if grep -q sudo; then exit 1; fi'", ""), "no-input", ("if grep", "if true; grep"),
    ),
    ".autoagent/config.json": (
        '{"hooks": {"PostExecutionEnd": [{"type": "git-commit", "message": "Done {{ issueNumber}}"}]}}',
        "unset-variable", ("{{ issue", "{{issue"),
    ),
    ".iteratr.hooks.yml": (
        "version: 1\nhooks:\n  pre_iteration:\n    - command: \"cat | wc -l\"\n", "no-input", ("cat |", "cat x |"),
    ),
}  # fmt: skip


def test_what_means_nothing_to_its_agent_is_told_and_what_was_meant_is_not(program: Program) -> None:
    for path, (text, _, _) in MEANT.items():
        program.write(path, text)
    found = json.loads(program("check", "--json").stdout)
    assert {(each["source"], each["code"]) for each in found} == {
        (path, row[1]) for path, row in MEANT.items()
    }
    for path, (text, _, (wrong, meant)) in MEANT.items():
        program.write(path, text.replace(wrong, meant))
    assert [
        each for each in json.loads(program("check", "--json").stdout) if each["code"] != "switched-off"
    ] == []


def test_a_rule_where_a_name_belongs_and_one_pair_of_brackets_too_few_are_told(program: Program) -> None:
    entry = "[[hooks]]\nname = 'a'\nevent = 'PreToolUse'\nmatch = 'Bash(git *)'\ndeny = 'x'\n"
    program.write(".hookline/hooks.toml", entry)
    (found,) = json.loads(program("check", "--json").stdout)
    assert (found["code"], found["hint"]) == ("dead-matcher", 'write `rule = "Bash(git *)"`')
    program.write(".hookline/hooks.toml", entry.replace("[[hooks]]", "[hooks]"))
    (found,) = json.loads(program("check", "--json").stdout)
    assert (found["code"], found["hint"]) == ("wrong-type", "write `[[hooks]]`")


def test_a_no_in_anybodys_words_is_heard_by_nobody_but_only_where_it_is_printed(program: Program) -> None:
    lines = ['echo \'{"allowed": false, "reason": "no"}\'', "curl -d '{\"blocked\": true}' https://x.example"]
    lines += ['echo \'{"action": "block"}\'', "echo '{\"allowed\": true}'"]
    hooks = {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": line} for line in lines]}]
    }
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}, indent=1))
    found = json.loads(program("check", "--json").stdout)
    told = [each["message"] for each in found if each["code"] == "wrong-answer"]
    assert [('"allowed": false' in each, '"action": "block"' in each) for each in told[:2]] == [
        (True, False),
        (False, True),
    ]
    assert not any("blocked" in each for each in told)


def test_a_file_of_a_version_nobody_knows_allows_nothing_and_closes_where_that_is_wanted(
    program: Program,
) -> None:
    rules = '[[hooks]]\nevent = "PreToolUse"\nshell = "git status"\nallow = "fine"\n'
    rules += '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", f"version = 1\n{rules}")
    assert json.loads(program("fire", "Bash", "git status", "--json").stdout)["verdict"] == "allow"
    program.write(".hookline/hooks.toml", f"version = 3\n{rules}")
    given = json.loads(program("fire", "Bash", "git status", "--json").stdout)
    assert given["verdict"] == "none"
    assert any("another version" in each for each in given["degraded"])
    program("trust", "--strict")
    assert program("fire", "Bash", "git status").returncode == 2


def test_fields_and_folders_that_are_guessed_are_told(program: Program) -> None:
    read = "import json, sys\ncall = json.load(sys.stdin)\n"
    node = "const raw = fs.readFileSync(0, 'utf8');\nconst told = JSON.parse(raw);\n"
    scripts = {
        "a.py": f"{read}open(call.get('transcript', '')).read()\n",
        "b.js": f"{node}fs.appendFileSync('log', told.hookEvent ?? told.event ?? '?');\n",
        "c.sh": '#!/bin/bash\nIN=$(cat)\nW=$(echo "$IN" | jq -r \'.sessionId // empty\')\ntouch "/tmp/$W"\n',
        "d.py": "import json, sys\nprint(json.load(sys.stdin)['workspace_root'], file=open('log', 'a'))\n",
        # what is right, or is of another file
        "e.py": f"{read}where = call.get('transcript') or call['transcript_path']\n",
        "f.py": "import json\nstate = json.load(open('state.json'))\nstate.get('session', {}).get('event')\n",
        "g.sh": "#!/bin/bash\nIN=$(cat)\njq -r .session state.json >> log\n",
    }
    for name, text in scripts.items():
        program.write(name, text, 0o755)
    runs = {"py": "python3", "js": "node", "sh": "bash"}
    lines = [f'{runs[name[-2:]]} "$CLAUDE_PROJECT_DIR"/{name}' for name in scripts]
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": line} for line in lines]}]}
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}, indent=1))
    moved = {"preToolUse": [{"command": "bash $PROJECT_DIR/g.sh"}, {"command": "bash ${REPO_ROOT:-.}/g.sh"}]}
    program.write(".cursor/hooks.json", json.dumps({"version": 1, "hooks": moved}, indent=1))
    found = json.loads(program("check", "--json").stdout)
    hints = [each["hint"] for each in found if each["code"] == "unsent-field"]
    meant = ("transcript_path", "hook_event_name", "session_id", "cwd")
    assert hints == [f"it is `.{name}`" for name in meant]
    unset = [each["message"] for each in found if each["code"] == "unset-variable"]
    assert len(unset) == 1 and "`PROJECT_DIR`" in unset[0]


def test_fields_of_the_other_spelling_of_an_event_are_told(program: Program) -> None:
    text = "const call = JSON.parse(fs.readFileSync(0, 'utf8'));\nif (call.toolName === 'edit') deny(call.toolArgs);\n"
    program.write("g.js", text)
    program.write("both.js", text)
    hooks = {
        "PreToolUse": [{"command": "node g.js"}, {"command": "node both.js"}],
        "preToolUse": [{"bash": "node both.js"}],
    }
    program.write(".github/hooks/h.json", json.dumps({"version": 1, "hooks": hooks}, indent=1))
    found = json.loads(program("check", "--json").stdout)
    told = [each["message"] for each in found if each["code"] == "unsent-field"]
    assert len(told) == 1 and "`g.js` reads `.toolArgs`, `.toolName`" in told[0]


def test_variables_with_an_empty_default_and_in_code_are_told_as_those_in_a_line(program: Program) -> None:
    scripts = {
        "a.sh": '#!/bin/bash\nINPUT="${TOOL_INPUT_command:-}"\necho "$INPUT" | grep -q commit && node a.js > b.json\n',
        "b.py": "import os\nroot = os.environ.get('CLAUDE_WORKSPACE_ROOT', '')\nif root:\n    os.chdir(root)\n",
        "c.js": "const file = process.env.CLAUDE_FILE_PATH;\nif (file) format(file);\n",
        # something else is taken in their place
        "d.sh": '#!/bin/bash\nF="${CLAUDE_FILE_PATH:-}"\n[ -n "$F" ] || F=$(jq -r .tool_input.file_path)\nblack "$F"\n',
        "e.py": "import os\nroot = os.environ.get('CLAUDE_WORKSPACE_ROOT') or os.getcwd()\n",
        "f.js": "const file = input.file ?? process.env.CLAUDE_FILE_PATH ?? '';\n",
        "g.py": "import os\nroot = os.environ['CLAUDE_PROJECT_DIR']\n",
    }
    runs = {"py": "python3", "js": "node", "sh": "bash"}
    hooks = []
    for name, text in scripts.items():
        program.write(name, text)
        hooks.append({"type": "command", "command": f'{runs[name[-2:]]} "$CLAUDE_PROJECT_DIR"/{name}'})
    hooks.append(
        {"type": "command", "command": 'node -e "const of = process.env.CLAUDE_FILE_PATH; format(of)"'}
    )
    hooks.append({"type": "command", "command": "bash", "args": ["h/late.sh"]})
    program.write("h/late.sh", "true\n")
    program.write(
        ".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [{"hooks": hooks}]}}, indent=1)
    )
    found = json.loads(program("check", "--json").stdout)
    told = [each["message"].split("`")[1] for each in found if each["code"] == "unset-variable"]
    assert told == ["a.sh", "b.py", "c.js", "CLAUDE_FILE_PATH"]
    assert [each["code"] for each in found if "late.sh" in each["message"]] == ["relative-script"]


def test_folders_of_many_files_are_not_gone_through_for_each_place(program: Program) -> None:
    """By the work done: every file in a folder of a short name was compared with every place of every agent."""
    for folder in range(40):
        for file in range(50):
            program.write(f"d{folder}/{file}", "")
    hooks = load_hooks(places_for(str(program.workspace), program.environment))
    calls = 0

    def count(frame: object, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        found = list(stray_files(hooks, strays(hooks)))
    finally:
        sys.setprofile(None)
    assert found == [] and calls < 40 * 50 * 10, calls


def test_what_holds_of_a_line_at_any_event_is_told_below_an_unknown_one(program: Program) -> None:
    def found(path: str, event: str, hook: dict[str, str], **more: int) -> list[str]:
        entry = hook if "bash" in hook else {"hooks": [{"type": "command", **hook}]}
        program.write(path, json.dumps({**more, "hooks": {event: [entry]}}, indent=1))
        codes = [each["code"] for each in json.loads(program("check", "--json").stdout)]
        program.write(path, "{}")
        return codes

    program.write("sound.sh", "true\n")
    claude, copilot = ".claude/settings.json", ".github/hooks/a.json"
    for line, code in {
        'black "$CLAUDE_FILE_PATH"': "unset-variable",
        'bash "$CLAUDE_PROJECT_DIR"/none.sh': "missing-script",
        "bash $CLAUDE_PROJECT_DIR/sound.sh": "unquoted-path",
    }.items():
        assert found(claude, "PostToolUsed", {"command": line}) == ["unknown-event", code]
    assert found(claude, "PostToolUsed", {"command": 'bash "$CLAUDE_PROJECT_DIR"/sound.sh'}) == [
        "unknown-event"
    ]
    wrong = {"type": "command", "bash": "[[ -n $1 ]] && true"}
    assert found(copilot, "preTool", wrong, version=1) == ["unknown-event", "unset-variable"]
    sound = {"type": "command", "bash": "[[ -f sound.sh ]] && bash ./sound.sh"}
    assert found(copilot, "preTool", sound, version=1) == ["unknown-event"]


def test_a_folder_that_a_list_of_plugins_names_is_a_plugin_of_its_own(program: Program) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
    program.write(".claude-plugin/hooks/hooks.json", json.dumps({"hooks": hooks}))
    listed = {"name": "kit", "owner": {"name": "me"}, "plugins": [{"name": "kit", "source": "./kit/"}]}
    program.write(".claude-plugin/marketplace.json", json.dumps(listed))
    assert codes(program) == ["unread-file"]
    listed["plugins"] = [{"name": "kit", "source": "./.claude-plugin/"}]
    program.write(".claude-plugin/marketplace.json", json.dumps(listed))
    assert codes(program) == []
