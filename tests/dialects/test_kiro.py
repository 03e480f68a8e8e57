"""Kiro's list of hooks: what is run, what is left to Kiro, and how it is answered."""

from __future__ import annotations

import json

import pytest
from tests.program import Program

from hookline.dialects.editing.installing import install, installed, uninstall
from hookline.hosts.bridge.call import speaker_of
from hookline.model.errors import ConfigError
from hookline.model.hooks import Command, HookSpec

HOOKS = {
    "version": "v1",
    "hooks": [
        {
            "name": "no rm",
            "trigger": "PreToolUse",
            "matcher": "shell|execute_bash",
            "action": {
                "type": "command",
                "command": "grep -q 'rm -rf' && { echo nope >&2; exit 2; }; exit 0",
            },
        },
        {
            "name": "no database",
            "trigger": "PreToolUse",
            "matcher": "@postgres/query",
            "action": {"type": "command", "command": "echo no database >&2; exit 2"},
        },
        {
            "name": "off",
            "trigger": "PreToolUse",
            "action": {"type": "command", "command": "exit 2"},
            "enabled": False,
        },
        {"name": "tests", "trigger": "PreToolUse", "action": {"type": "agent", "prompt": "tests?"}},
        {"name": "tea", "trigger": "UserPromptSubmit", "action": {"type": "command", "command": "echo tea"}},
        {"name": "lint", "trigger": "PostFileSave", "action": {"type": "command", "command": "true"}},
    ],
}


@pytest.fixture
def kiro(program: Program) -> Program:
    program.write(".kiro/hooks/mine.json", json.dumps(HOOKS))
    return program


def test_what_only_kiro_can_run_is_told_and_off(kiro: Program) -> None:
    assert "`PostFileSave`" in kiro("list").stderr
    listed = {hook["name"]: hook["enabled"] for hook in json.loads(kiro("list", "--json").stdout)}
    assert listed == {"no rm": True, "no database": True, "off": False, "tests": False, "tea": True}
    problems = json.loads(kiro("check", "--dialect", "kiro", "--json").stdout)
    assert [(each["code"], each["severity"]) for each in problems] == [("agent-alone", "notice")]
    assert "an event of Kiro alone" in problems[0]["message"]


@pytest.mark.parametrize(
    ("tool", "given", "why"),
    [
        ("Bash", {"command": "rm -rf /"}, "nope"),
        ("Bash", {"command": "ls"}, ""),
        ("mcp__postgres__query", {"sql": "select 1"}, "no database"),
        ("Read", {"file_path": "a"}, ""),
    ],
)
def test_its_guards_hold_for_calls_of_others(kiro: Program, tool: str, given: object, why: str) -> None:
    call = json.dumps({"session_id": "s", "cwd": "", "tool_name": tool, "tool_input": given})
    found = json.loads(kiro("fire", "PreToolUse", "--json", stdin=call).stdout)
    assert (found["verdict"], found["reason"]) == (("deny", why) if why else ("none", ""))


def test_a_call_of_its_own_is_known_by_every_name_it_has(program: Program) -> None:
    program.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"PreToolUse": [
            {"matcher": matcher, "hooks": [{"type": "command", "command": f"echo no {matcher} >&2; exit 2"}]}
            for matcher in ("Bash", "Write", "mcp__postgres__query")
        ]}}),
    )  # fmt: skip
    names = {
        "execute_bash": "Bash",
        "fsWrite": "Write",
        "@postgres/query": "mcp__postgres__query",
        "read": "",
    }
    for name, matcher in names.items():
        sent = {"hook_event_name": "preToolUse", "cwd": str(program.workspace), "tool_name": name}
        done = program(
            "bridge", "kiro", "--event", "PreToolUse", stdin=json.dumps({**sent, "tool_input": {}})
        )
        assert done.returncode == (2 if matcher else 0), name
        assert (f"no {matcher}" in done.stderr) == bool(matcher), name


@pytest.mark.parametrize("name", ["kiro", "kimi"])
def test_a_text_for_the_model_is_plain_where_no_key_says_it(program: Program, name: str) -> None:
    program.write(
        ".hookline/hooks.toml", 'version = 1\n[[hooks]]\nevent = "UserPromptSubmit"\nrun = "echo tea"\n'
    )
    sent = json.dumps({"session_id": "s", "cwd": str(program.workspace), "prompt": "hello"})
    done = program("bridge", name, "--event", "UserPromptSubmit", stdin=sent)
    assert (done.returncode, done.stdout) == (0, "tea"), done.stderr


def test_what_it_takes_for_a_text_is_one_even_as_json(kiro: Program) -> None:
    hook = {
        "name": "said",
        "trigger": "UserPromptSubmit",
        "action": {"type": "command", "command": "echo '{}'"},
    }
    kiro.write(".kiro/hooks/mine.json", json.dumps({"version": "v1", "hooks": [hook]}))
    sent = json.dumps({"session_id": "s", "cwd": "", "prompt": "hello"})
    found = json.loads(kiro("fire", "UserPromptSubmit", "--json", stdin=sent).stdout)
    assert found["context"] == ["{}"]


FOREIGN = '{ "trigger":"Stop", "name": "mine","action":{"type":"command","command":"x" } }'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff\n",
        "{}",
        '{"version": "v1"}',
        '{\r\n\t"hooks": [ ]\r\n}',
        f'{{"hooks": [{FOREIGN}, "odd", 3], "version":"v1"}}\n',
        f'{{"version": "v1",\n  "hooks": [\n    {FOREIGN}\n  ]}}',
    ],
)
def test_its_file_gets_every_byte_back_after_a_move_of_hookline(text: str) -> None:
    old = install(speaker_of("kiro"), text, "/old/python -m hookline", ())
    moved = install(speaker_of("kiro"), old, "/new/python -m hookline", ())
    entries = installed(speaker_of("kiro"), moved)
    assert [entry.native for entry in entries] == [row.native for row in speaker_of("kiro").rows[:5]]
    assert all(entry.command.startswith("/new/python") for entry in entries)
    assert json.loads(moved.removeprefix("\ufeff"))["version"] == "v1"
    assert install(speaker_of("kiro"), moved, "/new/python -m hookline", ()) == moved
    assert uninstall(speaker_of("kiro"), moved) == (text, 0)


def test_its_missing_file_goes_again_unless_something_came_to_it() -> None:
    text = install(speaker_of("kiro"), None, "hookline", (), folders=2)
    assert uninstall(speaker_of("kiro"), text) == (None, 2)
    value = json.loads(text)
    value["hooks"].insert(2, json.loads(FOREIGN))
    left, _ = uninstall(speaker_of("kiro"), json.dumps(value, indent=2))
    assert left is not None
    assert json.loads(left) == {"version": "v1", "hooks": [json.loads(FOREIGN)]}


@pytest.mark.parametrize(
    "text", ["[]", '"x"', "{", '{"hooks": {}}', '{"hooks": {"Stop": []}}', '{"hooks": 1}']
)
def test_what_is_no_list_of_hooks_is_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        install(speaker_of("kiro"), text, "hookline", ())


# -- the files of agents, of CLI 2 --------------------------------------------------------------------------


def agent_file(program: Program, name: str = "dev", **hooks: object) -> None:
    program.write(f".kiro/agents/{name}.json", json.dumps({"name": name, "tools": ["*"], "hooks": hooks}))


def found_in(program: Program) -> list[tuple[str, str]]:
    found = json.loads(program("check", "--dialect", "kiro", "--json").stdout)
    return [(each["code"], each["severity"]) for each in found]


def fired(program: Program, event: str, **said: object) -> tuple[str, str]:
    sent = json.dumps({"cwd": str(program.workspace), **said})
    found = json.loads(program("fire", event, "--json", stdin=sent).stdout)
    return found["verdict"], found["reason"]


def test_hooks_of_an_agent_run_inside_of_that_agent_alone(program: Program) -> None:
    agent_file(
        program, preToolUse=[{"command": "echo nope >&2; exit 2", "matcher": "shell", "timeout_ms": 4000}]
    )
    (listed,) = json.loads(program("list", "--json").stdout)
    assert (listed["event"], listed["native_event"], listed["source"]) == (
        "PreToolUse", "preToolUse", ".kiro/agents/dev.json"
    )  # fmt: skip
    call = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    assert fired(program, "PreToolUse", **call) == ("none", "")
    assert fired(program, "PreToolUse", **call, agent_type="other") == ("none", "")
    assert fired(program, "PreToolUse", **call, agent_type="dev") == ("deny", "nope")
    explained = program("explain", "PreToolUse", stdin=json.dumps(call)).stdout
    assert "runs only inside the agent `dev`" in explained


@pytest.mark.parametrize(
    "place", [".kiro/agents", ".amazonq/cli-agents", "~/.kiro/agents", "~/.aws/amazonq/cli-agents"]
)
def test_hooks_of_the_agent_that_nobody_chose_run_for_all(program: Program, place: str) -> None:
    text = json.dumps({"name": "kiro_default", "hooks": {"preToolUse": [{"command": "echo no >&2; exit 2"}]}})
    folder = program.home / place[2:] if place[0] == "~" else program.workspace / place
    folder.mkdir(parents=True)
    (folder / "mine.json").write_text(text)
    assert fired(program, "PreToolUse", tool_name="Bash", tool_input={"command": "ls"}) == ("deny", "no")


@pytest.mark.parametrize(
    ("matcher", "fits", "misses"),
    [
        ("execute_bash", ["Bash"], ["Write", "mcp__git__log"]),
        ("shell", ["Bash"], ["Read"]),
        ("fs_*", ["Write", "Read"], ["Bash", "mcp__git__log"]),
        ("*write*", ["Write"], ["Bash"]),
        ("@git", ["mcp__git__log"], ["mcp__github__log", "Bash"]),
        ("@git/log", ["mcp__git__log"], ["mcp__git__push"]),
        ("@git/p*", ["mcp__git__push"], ["mcp__git__log"]),
        ("@builtin", ["Bash", "Write"], ["mcp__git__log"]),
        ("*", ["Bash", "mcp__git__log"], []),
        (None, ["Bash", "mcp__git__log"], []),
    ],
)
def test_a_matcher_of_an_agents_file_is_a_name_or_a_glob(
    program: Program, matcher: str | None, fits: list[str], misses: list[str]
) -> None:
    said = {} if matcher is None else {"matcher": matcher}
    agent_file(program, "kiro_default", preToolUse=[{"command": "echo no >&2; exit 2", **said}])
    assert found_in(program) == []
    for tool in (*fits, *misses):
        given = fired(program, "PreToolUse", tool_name=tool, tool_input={})
        assert given == (("deny", "no") if tool in fits else ("none", "")), tool


@pytest.mark.parametrize(
    ("event", "entry", "codes"),
    [
        ("PreToolUse", {"command": "x"}, {"unknown-event", "file-dropped"}),
        ("preToolUse", {}, {"missing-key", "file-dropped"}),
        ("preToolUse", {"command": "true", "matcher": "fs_write|execute_bash"}, {"dead-matcher"}),
        ("preToolUse", {"command": "true", "matcher": "fs_.*"}, {"dead-matcher"}),
        ("preToolUse", {"command": "true", "matcher": ""}, {"dead-matcher"}),
        ("preToolUse", {"command": "true", "matcher": "Bash"}, {"dead-matcher"}),
        ("preToolUse", {"command": "true", "timeout": 5}, {"unknown-key"}),
        ("preToolUse", {"command": "true", "timeout_ms": 30}, {"impossible-time"}),
        ("preToolUse", {"command": "true", "timeout_ms": "5s"}, {"wrong-type", "file-dropped"}),
        ("preToolUse", {"command": "true", "cache_ttl_seconds": 60}, {"cached-guard"}),
        ("postToolUse", {"command": "true", "cache_ttl_seconds": 60}, set()),
        ("agentSpawn", {"command": "true", "matcher": "fs_write"}, {"matcher-ignored"}),
        ("stop", {"command": "true", "timeout_ms": 45000, "max_output_size": 100}, set()),
    ],
)
def test_what_is_wrong_in_an_agents_file_is_found(
    program: Program, event: str, entry: dict[str, object], codes: set[str]
) -> None:
    agent_file(program, **{event: [entry]})
    assert {code for code, _ in found_in(program)} == codes


def test_events_of_an_agents_file_are_none_of_a_file_of_hooks(program: Program) -> None:
    hook = {"name": "x", "trigger": "preToolUse", "action": {"type": "command", "command": "true"}}
    program.write(".kiro/hooks/a.json", json.dumps({"version": "v1", "hooks": [hook]}))
    assert found_in(program) == [("unknown-event", "error")]
    assert "did you mean `PreToolUse`" in program("explain", "PreToolUse", stdin="{}").stdout
    agent_file(program, PreToolUse=[{"command": "true"}])
    told = program("explain", "PreToolUse", stdin="{}").stdout
    assert "there is no event `PreToolUse`\n" in told


def test_of_two_agents_of_one_name_the_projects_is_taken_and_that_is_told(program: Program) -> None:
    hooks = {"preToolUse": [{"command": "true"}]}
    agent_file(program, **hooks)
    for name in ("dev", "other"):
        place = program.home / ".kiro/agents" / f"{name}.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"hooks": hooks}))
    problems = json.loads(program("check", "--dialect", "kiro", "--json").stdout)
    assert [(each["code"], each["source"]) for each in problems] == [
        ("hidden-hooks", "~/.kiro/agents/dev.json")
    ]


def test_a_hook_of_an_agents_file_is_given_and_taken_as_by_cli_2(program: Program) -> None:
    program.write("look.sh", 'cat >> seen.txt; echo >> seen.txt; echo "$USER_PROMPT" >> seen.txt\n')
    agent_file(
        program,
        "kiro_default",
        userPromptSubmit=[{"command": "echo tea; echo no >&2; exit 2"}, {"command": "sh look.sh; echo tea"}],
        stop=[{"command": "sh look.sh"}],
    )
    program("trust", "--yes")
    sent = json.dumps({"cwd": str(program.workspace), "prompt": "hello", "session_id": "s"})
    found = json.loads(program("fire", "kiro:userPromptSubmit", "--json", stdin=sent).stdout)
    assert (found["verdict"], found["context"]) == ("none", ["tea"])
    program("fire", "kiro:stop", stdin=json.dumps({"cwd": "", "last_assistant_message": "done"}))
    seen = [line for line in (program.workspace / "seen.txt").read_text().splitlines() if line]
    first, prompt, last = json.loads(seen[0]), seen[1], json.loads(seen[2])
    assert (first["hook_event_name"], first["prompt"], prompt) == ("userPromptSubmit", "hello", "hello")
    assert (last["hook_event_name"], last["assistant_response"]) == ("stop", "done")


SECRETS = """version = 1
[[hooks]]
event = "PreToolUse"
shell = "aws s3api delete-bucket"
deny = "aws"
[[hooks]]
event = "PreToolUse"
read = ".env"
deny = "no secrets"
[[hooks]]
event = "PreToolUse"
write = "locked/**"
deny = "locked"
[[hooks]]
event = "PreToolUse"
tool = "Edit"
run = "grep -q 'new_string.*evil' && { echo evil >&2; exit 2; }; exit 0"
"""


@pytest.mark.parametrize("event", ["preToolUse", "PreToolUse"])
@pytest.mark.parametrize(
    ("tool", "given", "why"),
    [
        (
            "fs_read",
            {"operations": [{"mode": "Line", "path": "a"}, {"mode": "Line", "path": ".env"}]},
            "no secrets",
        ),
        ("fs_read", {"ops": [{"path": ".env"}]}, "no secrets"),
        ("read_files", {"paths": ["a", ".env"]}, "no secrets"),
        ("read_file", {"path": ".env", "explanation": "x"}, "no secrets"),
        ("fs_read", {"operations": [{"mode": "Line", "path": "a"}]}, ""),
        ("fs_read", {"operations": "odd"}, ""),
        ("fs_write", {"command": "create", "path": "locked/a", "file_text": "x"}, "locked"),
        ("fs_write", {"path": "locked/a", "text": "x"}, "locked"),
        ("fs_append", {"path": "locked/a", "text": "x"}, "locked"),
        ("delete_file", {"targetFile": "locked/a"}, ""),
        ("fs_write", {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "evil"}, "evil"),
        ("str_replace", {"path": "a", "oldStr": "x", "newStr": "evil"}, "evil"),
        ("fs_append", {"path": "a", "text": "evil"}, "evil"),
        (
            "use_aws",
            {"service_name": "s3api", "operation_name": "delete-bucket", "parameters": {"bucket": "x"}},
            "aws",
        ),
        ("use_aws", {"service_name": "s3api", "operation_name": "list-buckets", "region": "eu-west-1"}, ""),
    ],
)
def test_a_call_of_either_version_is_the_same_to_a_guard(
    program: Program, event: str, tool: str, given: object, why: str
) -> None:
    program.write(".hookline/hooks.toml", SECRETS)
    program("trust", "--yes")
    sent = {"hook_event_name": event, "cwd": str(program.workspace), "tool_name": tool, "tool_input": given}
    done = program("bridge", "kiro", "--event", event, stdin=json.dumps(sent))
    assert (done.returncode, done.stdout) == (2 if why else 0, ""), done.stderr
    assert why in done.stderr


def test_its_hooks_are_given_a_call_of_its_own_as_it_was_sent(program: Program) -> None:
    speaker = speaker_of("kiro")
    sent = {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}
    event = speaker.read_event("preToolUse", {"cwd": "/w", "tool_name": "fs_write", "tool_input": sent})
    assert (event.tool_name, event.tool_input["new_string"]) == ("Edit", "y")
    row = speaker.row("preToolUse")
    assert row is not None
    spec = HookSpec("h", "kiro", row.kind, row.native, Command("x"))
    given = speaker.hook_input(event, spec).payload
    assert (given["tool_name"], given["tool_input"]) == ("fs_write", sent)


def test_hooks_of_an_agents_file_become_others(program: Program) -> None:
    agent_file(
        program,
        preToolUse=[
            {"command": "exit 2", "matcher": "@git", "timeout_ms": 2000},
            {"command": "exit 2", "matcher": "@git/push"},
        ],
    )
    made = program("convert", "kiro", "claude", ".kiro/agents/dev.json")
    first, second = json.loads(made.stdout)["hooks"]["PreToolUse"]
    assert (first.get("matcher"), first["hooks"][0]["timeout"]) == (None, 2)
    assert (second["matcher"], second["hooks"][0]["timeout"]) == ("mcp__git__push", 30)
    assert "for one subagent" in made.stderr and "`agent`" not in made.stderr
    ours = program("convert", "kiro", "hookline", ".kiro/agents/dev.json").stdout
    assert 'event = "kiro:preToolUse"' in ours and 'agent = "dev"' in ours
    program.write(".hookline/hooks.toml", ours)
    back = program("convert", "hookline", "kiro", ".hookline/hooks.toml")
    hooks = json.loads(back.stdout)["hooks"]
    assert [(hook["trigger"], hook["timeout"]) for hook in hooks] == [("PreToolUse", 2), ("PreToolUse", 30)]
    assert back.returncode == 1 and "was written for `preToolUse`" in back.stderr


def test_the_schema_knows_both_kinds_of_files(program: Program) -> None:
    import jsonschema

    check = jsonschema.Draft202012Validator(json.loads(program("schema", "kiro").stdout))
    good = {"name": "dev", "hooks": {"preToolUse": [{"command": "x", "timeout_ms": 5, "matcher": "fs_*"}]}}
    assert check.is_valid(good) and check.is_valid(HOOKS)
    assert not check.is_valid({"hooks": {"PreToolUse": [{"command": "x"}]}})
    assert not check.is_valid({"version": "v1", "hooks": [{"trigger": "Stop"}]})


@pytest.mark.parametrize(
    ("when", "then", "codes"),
    [
        ({"type": "fileEdited", "patterns": ["*.py"]}, {"type": "runCommand", "command": "ruff check ${file}"},
         ["unset-variable"]),
        ({"type": "fileEdited", "patterns": ["*.py"]}, {"type": "runCommand", "command": "npx eslint {{filePath}}"},
         ["unset-variable"]),
        ({"type": "fileEdited", "patterns": ["*.py"]}, {"type": "runCommand", "command": "ruff check ${SRC}"},
         []),
        ({"type": "fileSaved", "patterns": ["*.py"]}, {"type": "askAgent", "prompt": "look"}, ["unknown-event"]),
        ({"type": "fileCreated"}, {"type": "askAgent", "prompt": "look"}, ["missing-key"]),
        ({"type": "agentStop"}, {"type": "runCommand"}, ["missing-key"]),
        ({"type": "agentStop"}, {"type": "shell", "command": "true"}, ["bad-value"]),
        ({"type": "preToolUse"}, {"type": "runCommand", "command": "test -e ok || { echo no; exit 1; }"},
         ["unread-output"]),
        ({"type": "preToolUse"}, {"type": "runCommand", "command": "test -e ok || { echo no >&2; exit 1; }"}, []),
        ({"type": "agentStop"}, {"type": "runCommand", "command": "npm run lint || true"}, []),
    ],
)  # fmt: skip
def test_a_file_of_the_ide_before_1_0_is_told_of_and_not_run(
    program: Program, when: object, then: object, codes: list[str]
) -> None:
    program.write(
        ".kiro/hooks/a.kiro.hook", json.dumps({"name": "a", "version": "1", "when": when, "then": then})
    )
    found = json.loads(program("check", "--json").stdout)
    assert [each["code"] for each in found] == ["agent-alone", *codes]
    assert "IDE 1.x" in found[0]["message"]
    assert json.loads(program("list", "--json").stdout) == []
