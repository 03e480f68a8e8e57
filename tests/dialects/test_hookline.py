"""Our own format: what it can say, what it refuses, and how its hooks answer."""

from __future__ import annotations

import json
from typing import Any, get_args

import jsonschema
import pytest
import tomlkit
from tests.program import Program

from hookline.dialects.base import Loaded, Source, SourceText
from hookline.dialects.hookline import DIALECT
from hookline.dialects.hookline.actions import ANSWERS, HANDLERS
from hookline.dialects.hookline.config import OPTIONS
from hookline.model.hooks import (
    PART_OF,
    Action,
    Answer,
    Command,
    Conduct,
    GitCommit,
    GitPush,
    Inline,
    Matcher,
    McpTool,
    Means,
    PromptCheck,
    Unusable,
    Webhook,
    said_of,
)

BASH = {"tool_name": "Bash", "tool_input": {"command": "git status && git push --force origin main"}}


def parse(text: str) -> Loaded:
    source = Source("/w/.hookline/hooks.toml", "project", "toml", ".hookline/hooks.toml")
    return DIALECT.parse(SourceText(source, "text", text, path=source.path, shown=source.shown))


def fire(program: Program, event: str, payload: dict[str, Any], *more: str) -> dict[str, Any]:
    done = program("fire", event, "--json", *more, stdin=json.dumps(payload))
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_kind_of_handler_can_be_written() -> None:
    text = """
version = 1
[[hooks]]
event = "PreToolUse"
run = "./check.sh"
shell_program = "bash"
timeout = "1.5m"
[[hooks]]
event = "PreToolUse"
run = ["python3", "check.py", "a b"]
timeout = "500ms"
[[hooks]]
event = "Stop"
post = "https://example.com/x"
headers = { Authorization = "Bearer ${TOKEN}" }
allowed_env = ["TOKEN"]
method = "put"
[[hooks]]
event = "Stop"
prompt = "Is it done? $ARGUMENTS"
model = "small"
agent = true
[[hooks]]
event = "Stop"
mcp = "my/server/check"
input = { text = "x" }
[[hooks]]
event = "FilesChanged"
commit = "Work"
stage = "staged"
no_verify = true
[[hooks]]
event = "FilesChanged"
push = "origin"
branch = "main"
[[hooks]]
event = "PreToolUse"
deny = "never"
"""
    loaded = parse(text)
    assert loaded.problems == ()
    assert [spec.action for spec in loaded.specs] == [
        Command("./check.sh", shell=("bash", "-c")),
        Command(argv=("python3", "check.py", "a b")),
        Webhook("https://example.com/x", "PUT", {"Authorization": "Bearer ${TOKEN}"}, ("TOKEN",)),
        PromptCheck("Is it done? $ARGUMENTS", "small", agent=True),
        McpTool("my/server", "check", {"text": "x"}),
        GitCommit("Work", no_verify=True, stage="staged"),
        GitPush("origin", "main"),
        Answer("deny", "never"),
    ]
    assert [spec.timeout_s for spec in loaded.specs[:3]] == [90.0, 0.5, 60.0]
    jsonschema.validate(tomlkit.parse(text).unwrap(), dict(DIALECT.schema()))


@pytest.mark.parametrize(
    ("line", "matcher"),
    [
        ('tool = "Bash"', Matcher("names", "Bash")),
        ('tool = ["Edit", "Write"]', Matcher("names", "Edit|Write")),
        ('tool_glob = "mcp__*"', Matcher("glob", "mcp__*")),
        ('tool_prefix = "mcp__"', Matcher("prefix", "mcp__")),
        ('tool_regex = "^Ba"', Matcher("regex", "^Ba")),
        ('match_fullregex = "B.sh"', Matcher("fullregex", "B.sh")),
        ('match_exact = "Bash"', Matcher("exact", "Bash")),
    ],
)
def test_matcher_kinds_have_names(line: str, matcher: Matcher) -> None:
    loaded = parse(f'[[hooks]]\nevent = "PreToolUse"\nrun = "x"\n{line}\n')
    assert (loaded.problems, loaded.specs[0].matcher) == ((), matcher)


@pytest.mark.parametrize(
    ("body", "place", "words", "hint"),
    [
        ('event = "PreToolUse"\nrun = "x"\ntimeout = 30', (4, 11), "a time with its unit, found 30", '"30s"'),
        ('event = "PreTolUse"\nrun = "x"', (2, 9), "no event `PreTolUse`", "did you mean `PreToolUse`?"),
        ('event = "PreToolUse"\nrun = "x"\nmatcher = "Bash"', (4, 1), "`matcher` means nothing here", "match"),
        ('event = "Stop"\nrun = "x"\nurl = "http://x"', (4, 1), "`url` means nothing here", "did you mean `post`?"),
        ('event = "Stop"\nrun = "x"\ncommand = "y"', (4, 1), "`command` means nothing", "did you mean `run`?"),
        ('event = "PreToolUse"', (1, 1), "expected one of `run`, `deny`", 'run = "./check.sh"'),
        ('event = "Stop"\nrun = "x"\ndeny = "y"', (1, 1), "found `run` and `deny`", ""),
        ('event = "PreToolUse"\nrun = "x"\ntool = "A"\nmatch = "B"', (5, 9), "expected one matcher", ""),
        ('event = "PreToolUse"\nrun = "x"\ntool_regex = "("', (4, 14), "no regular expression", ""),
        ('event = "Stop"\nrun = "x"\ntool = "Bash"', (4, 1), "`Stop` has nothing to match", ""),
        ('event = "Stop"\nrun = "x"\nshell = "git *"', (4, 1), "only means something for tool calls", ""),
        ('event = "Stop"\nrun = "x"\nneeds = "y"', (4, 9), "names no hook of this file: `y`", ""),
        ('event = "Stop"\nrun = "x"\nname = "x"\nneeds = ["x"]', (5, 9), "goes in a circle: `x`", ""),
        ('event = "Stop"\nrun = "x"\non_failure = "deny"', (4, 14), "expected `block` or `allow` or `ask`", ""),
        ('event = "Stop"\npost = "ftp://x"', (3, 8), "expected http:// or https://", ""),
        ('event = "Stop"\nmcp = "x"', (3, 7), "expected `server/tool`", ""),
    ],
)  # fmt: skip
def test_faults_are_placed_and_the_hook_stays_visibly_unusable(
    body: str, place: tuple[int, int], words: str, hint: str
) -> None:
    loaded = parse(f'[[hooks]]\n{body}\n\n[[hooks]]\nevent = "Stop"\nrun = "fine"\n')
    (problem,) = loaded.problems
    assert (problem.line, problem.column) == place
    assert words in problem.message
    assert hint in problem.hint
    assert {spec.line: spec.handler for spec in loaded.specs} == {
        1: "unusable",
        4 + body.count("\n"): "command",
    }


def test_a_fixed_answer_denies_by_sub_command_and_runs_nothing(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nname = "push"\nevent = "PreToolUse"\nshell = "git push --force*"\ndeny = "no force"\n',
    )
    decision = fire(program, "PreToolUse", BASH)
    assert (decision["verdict"], decision["reason"]) == ("deny", "no force")
    harmless = {"tool_name": "Bash", "tool_input": {"command": "git push"}}
    assert fire(program, "PreToolUse", harmless)["hooks"][0]["status"] == "not_matched"
    other = {"tool_name": "Write", "tool_input": {"file_path": "git push --force"}}
    assert "`shell` is about other tools" in fire(program, "PreToolUse", other)["hooks"][0]["why"]


@pytest.mark.parametrize(
    ("line", "payload", "meets"),
    [
        ('write = "src/**"', {"tool_name": "Edit", "tool_input": {"file_path": "src/a/b.py"}}, True),
        ('write = "src/**"', {"tool_name": "Write", "tool_input": {"file_path": "docs/src/a.py"}}, False),
        ('write = "*.py"', {"tool_name": "Write", "tool_input": {"file_path": "deep/down/a.py"}}, True),
        ('write = "*.py"', {"tool_name": "Read", "tool_input": {"file_path": "a.py"}}, False),
        ('read = ".env"', {"tool_name": "Read", "tool_input": {"file_path": ".env"}}, True),
        ('rule = "Bash(git *)"', BASH, True),
        ('files = "*.go"', {"tool_name": "Write", "tool_input": {"file_path": "x/a.go"}}, True),
        ('files = "x/*.go"', {"tool_name": "Write", "tool_input": {"file_path": "y/a.go"}}, False),
        ('where = { "tool_input.url" = "*evil*" }', {"tool_name": "W", "tool_input": {"url": "http://evil.x"}}, True),
        ('where = { "tool_input.url" = "*evil*" }', {"tool_name": "W", "tool_input": {}}, False),
        ('agent_type = "Explore"', {"tool_name": "Bash", "tool_input": {}, "agent_type": "Explore"}, True),
        ('agent_type = "Explore"', {"tool_name": "Bash", "tool_input": {}}, False),
    ],
)  # fmt: skip
def test_predicates_look_at_the_arguments(
    program: Program, line: str, payload: dict[str, Any], meets: bool
) -> None:
    program.write(".hookline/hooks.toml", f'[[hooks]]\nevent = "PreToolUse"\n{line}\ndeny = "no"\n')
    assert (fire(program, "PreToolUse", payload)["verdict"] == "deny") == meets


@pytest.mark.parametrize(
    ("script", "verdict", "reason"),
    [
        (
            'echo noise; echo "{\\"verdict\\": \\"deny\\", \\"reason\\": \\"r\\"}" > "$HOOK_REPLY"',
            "deny",
            "r",
        ),
        ('printf "{\\"verdict\\": \\"ask\\", \\"reason\\": \\"sure?\\"}"', "ask", "sure?"),
        ('printf "{\\"decision\\": \\"block\\", \\"reason\\": \\"old\\"}"', "deny", "old"),
        ("echo stop >&2; exit 2", "deny", "stop"),
        ("echo broke >&2; exit 1", "deny", "guard `g` failed: broke"),
        ("exit 7", "deny", "guard `g` failed: exit 7, without a word"),
        ("echo text; exit 0", "none", ""),
        ('echo "[" > "$HOOK_REPLY"', "deny", "guard `g` failed: `$HOOK_REPLY` is no JSON"),
        ('printf "banner\\n{\\"verdict\\": \\"allow\\"}"', "deny", "follows other output (`banner`)"),
        ('printf "{\\"verdict\\": \\"maybe\\"}"', "deny", "`verdict`: expected `none`, `allow`"),
        ('printf "{\\"verdikt\\": \\"deny\\"}"', "deny", "`verdikt` means nothing in a reply"),
    ],
)
def test_a_hook_answers_by_reply_file_exit_code_or_json(
    program: Program, script: str, verdict: str, reason: str
) -> None:
    program.write("g.sh", script)
    program.write(".hookline/hooks.toml", '[[hooks]]\nname = "g"\nevent = "PreToolUse"\nrun = "sh g.sh"\n')
    decision = fire(program, "PreToolUse", BASH)
    assert decision["verdict"] == verdict
    assert reason in decision["reason"]


def test_a_guard_that_was_killed_is_told_with_its_signal(program: Program) -> None:
    program.write("g.sh", "#!/bin/sh\nkill -9 $$", 0o755)
    program.write(".hookline/hooks.toml", '[[hooks]]\nname = "g"\nevent = "PreToolUse"\nrun = ["./g.sh"]\n')
    reason = fire(program, "PreToolUse", BASH)["reason"]
    assert reason == "guard `g` failed: killed by signal 9, without a word"


def test_on_failure_is_the_users_choice(program: Program) -> None:
    for wanted, verdict in (("allow", "none"), ("ask", "ask"), ("block", "deny")):
        program.write(
            ".hookline/hooks.toml",
            f'[[hooks]]\nevent = "PreToolUse"\nrun = "exit 9"\non_failure = "{wanted}"\n',
        )
        assert fire(program, "PreToolUse", BASH)["verdict"] == verdict


def test_hooks_find_the_common_fields_in_variables(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PreToolUse"\noutput = "context"\n'
        "run = 'printf %s \"$HOOK_EVENT|$HOOK_TOOL|$HOOK_COMMAND\"'\n",
    )
    nasty = {"tool_name": "Bash", "tool_input": {"command": "echo $(touch pwned) `x` 'q'"}}
    assert fire(program, "PreToolUse", nasty)["context"] == ["PreToolUse|Bash|echo $(touch pwned) `x` 'q'"]
    assert not (program.workspace / "pwned").exists()


def test_order_and_needs_say_who_runs_first_and_who_waits_for_whom(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        """
[[hooks]]
name = "lint"
event = "PostToolUse"
needs = "format"
run = "echo lint >> log"
[[hooks]]
name = "format"
event = "PostToolUse"
run = "echo format >> log; exit $(cat code)"
[[hooks]]
name = "first"
event = "PostToolUse"
order = -1
run = "echo first >> log"
""",
    )
    program.write("code", "0")
    listed = json.loads(program("list", "--json").stdout)
    assert [hook["name"] for hook in listed] == ["lint", "format", "first"]  # as in the file
    fire(program, "PostToolUse", BASH)
    assert (program.workspace / "log").read_text() == "first\nformat\nlint\n"
    program.write("code", "1")
    decision = fire(program, "PostToolUse", BASH)
    assert {hook["name"]: hook["status"] for hook in decision["hooks"]}["lint"] == "not_reached"
    assert decision["hooks"][0]["why"] == "needs `format`, which failed"


def test_neighbours_of_one_group_run_side_by_side(program: Program) -> None:
    wait = "for i in $(seq 500); do test -e {0} && exit 0; sleep 0.02; done; exit 1"
    program.write(
        ".hookline/hooks.toml",
        f"""
[[hooks]]
name = "a"
event = "PreToolUse"
group = "pair"
run = "touch one; {wait.format("two")}"
[[hooks]]
name = "b"
event = "PreToolUse"
group = "pair"
run = "touch two; {wait.format("one")}"
""",
    )
    decision = fire(program, "PostToolUse", BASH)
    assert decision["verdict"] == "none"
    text = (program.workspace / ".hookline/hooks.toml").read_text().replace("PreToolUse", "PostToolUse")
    program.write(".hookline/hooks.toml", text)
    decision = fire(program, "PostToolUse", BASH)
    assert [hook["exit_code"] for hook in decision["hooks"]] == [0, 0]


def test_a_budget_bounds_all_hooks_of_an_event(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[budget]\nPreToolUse = "300ms"\n[[hooks]]\nevent = "PreToolUse"\nrun = "sleep 60"\n'
        '[[hooks]]\nevent = "PreToolUse"\nrun = "sleep 60"\n',
    )
    decision = fire(program, "PreToolUse", BASH)
    assert decision["verdict"] == "deny"
    assert decision["hooks"][0]["status"] == "timed_out"
    assert decision["duration_ms"] < 20_000


def test_a_hook_can_talk_another_dialect(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "gemini:BeforeTool"\nmatch_regex = "run_shell"\nrun = "cat > seen; '
        'printf \'{\\"decision\\": \\"deny\\", \\"reason\\": \\"by gemini\\"}\'"\n',
    )
    decision = fire(program, "PreToolUse", BASH)
    assert (decision["verdict"], decision["reason"]) == ("deny", "by gemini")
    seen = json.loads((program.workspace / "seen").read_text())
    assert (seen["hook_event_name"], seen["tool_name"]) == ("BeforeTool", "run_shell_command")


def test_user_and_workspace_files_both_run_and_the_workspace_needs_trust(program: Program) -> None:
    user = program.home / ".config/hookline/hooks.toml"
    user.parent.mkdir(parents=True)
    user.write_text('[[hooks]]\nname = "mine"\nevent = "PreToolUse"\nask = "sure?"\n')
    program.write(".hookline/hooks.toml", '[[hooks]]\nname = "theirs"\nevent = "PreToolUse"\ndeny = "no"\n')
    done = program("fire", "PreToolUse", "--json", stdin=json.dumps(BASH), environment={"HOOKLINE_TRUST": ""})
    decision = json.loads(done.stdout)
    assert decision["verdict"] == "ask"
    assert [(h["name"], h["status"]) for h in decision["hooks"]] == [("mine", "ran"), ("theirs", "untrusted")]


def test_what_a_check_says_after_a_write_reaches_the_model(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PostToolUse"\nwrite = "*.py"\nrun = "echo E501 >&2; exit 2"\n',
    )
    decision = fire(program, "PostToolUse", {"tool_name": "Write", "tool_input": {"file_path": "a.py"}})
    assert (decision["verdict"], decision["context"]) == ("none", ["E501"])


def test_the_end_of_a_turn_hands_a_hook_the_files_it_asks_for(program: Program) -> None:
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nname = "lint"\nevent = "FilesChanged"\nfiles = ["*.py", "docs/*.md"]\n'
        'run = \'tr "\\0" " " < "$HOOK_FILES_LIST"; exit 1\'\n',
    )
    files = {"files": ["a.py", "deep/b.py", "docs/c.md", "d.md", "e.txt"]}
    decision = fire(program, "FilesChanged", files)
    assert decision["reprompt"] == "lint: a.py deep/b.py docs/c.md"
    assert fire(program, "FilesChanged", {"files": ["e.txt"]})["hooks"][0]["status"] == "not_matched"


def test_a_hook_sees_the_input_as_the_one_before_it_left_it(program: Program) -> None:
    script = 'printf \'{"input": {"command": "%s; {}"}}\' "$HOOK_COMMAND"'
    for name in ("one", "two"):
        program.write(f"{name}.sh", script.replace("{}", name))
    program.write(
        ".hookline/hooks.toml",
        '[[hooks]]\nevent = "PreToolUse"\nrun = "sh one.sh"\n[[hooks]]\nevent = "PreToolUse"\nrun = "sh two.sh"\n',
    )
    decision = fire(program, "PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "zero"}})
    assert decision["updated_input"] == {"command": "zero; one; two"}
    assert decision["degraded"] == []


def with_options(text: str) -> Loaded:
    return parse(f'[[hooks]]\nevent = "discobot:file"\nrun = "x"\n[hooks.options]\n{text}\n')


@pytest.mark.parametrize("name", sorted(PART_OF.keys() - {row.name for row in OPTIONS}))
def test_what_hookline_notes_of_a_hook_is_no_option_of_it(name: str) -> None:
    loaded = with_options(f'{name} = "claude"')
    (spec,), (problem,) = loaded.specs, loaded.problems
    assert isinstance(spec.action, Unusable) and said_of(spec) == {"speaks": "discobot:file"}
    assert (problem.path, problem.code, problem.severity) == (
        f"hooks[0].options.{name}",
        "unknown-key",
        "error",
    )


def test_options_that_others_read_have_a_type_and_those_of_its_dialect_go_to_it() -> None:
    spec = with_options(
        'phase = "check"\nnotify_llm = false\nshell_fallback = ["sh", "-c"]\nignore = ["a"]'
    ).specs[0]
    assert (spec.conduct, spec.means) == (
        Conduct(phase="check", notify_llm=False),
        Means(shell_fallback=("sh", "-c")),
    )
    assert spec.options == {"ignore": ["a"]}
    (problem,) = with_options("attempts = 'many'").problems
    assert (problem.path, problem.code) == ("hooks[0].options.attempts", "wrong-type")


SAMPLES = {
    "run": '"x"', "post": '"https://a/b"', "prompt": '"is it so?"', "mcp": '"server/tool"', "commit": '"m"',
    "push": '"origin"', **dict.fromkeys(ANSWERS, '"words"'),
}  # fmt: skip


def test_each_key_that_says_what_a_hook_runs_is_read_written_described_and_counted() -> None:
    """What the recipe of a handler in CONTRIBUTING.md asks of this dialect."""
    described = DIALECT.schema()["properties"]["hooks"]["items"]["properties"]
    kinds = set()
    assert SAMPLES.keys() == set(HANDLERS) <= described.keys()
    for key, value in SAMPLES.items():
        (spec,) = parse(f'[[hooks]]\nevent = "PreToolUse"\n{key} = {value}\n').specs
        (again,) = parse(DIALECT.profile.write([spec])).specs
        assert again.action == spec.action and not isinstance(spec.action, Unusable)
        assert spec.handler in DIALECT.profile.can.handlers
        kinds.add(type(spec.action))
    assert kinds == set(get_args(Action)) - {
        Inline,
        Unusable,
    }  # callbacks are code, and nobody writes what is broken
