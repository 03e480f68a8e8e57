"""`hookline list` and `hookline check`: every file, every hook, every fault."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.program import Program, stem

FIELDS = [
    "id", "name", "dialect", "event", "native_event", "matcher", "handler", "command", "timeout_s",
    "source", "line", "trust", "enabled",
]  # fmt: skip
BROKEN = """{"hooks": {
 "PreToolUse": [
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}, {"type": "comand"}, 5]},
  {"matcher": "Bash"},
  7
 ],
 "PreToolUs": [{"hooks": [{"type": "command", "command": "true"}]}],
 "Stop": 5
}}
"""
LOST = {
    "discobot": {".discobot/hooks/a.sh": "#!/bin/sh\n#---\n# type: fille\n#---\n"},
    "iteratr": {".iteratr.hooks.yml": "hooks:\n  session_strt:\n    - command: x\n"},
    "autoagent": {".autoagent/config.json": '{"hooks": {"PreExecutionStrt": [{"type": "command", "command": "x"}]}}'},
    "gencode": {".gen/settings.json": BROKEN},
    "cocode": {".cocode/hooks.toml": '[[hooks]]\nevent = "PreToolUs"\n[hooks.shell]\ncommand = "x"\n'},
    "claude": {".claude/settings.json": BROKEN},
    "gemini": {".gemini/settings.json": BROKEN.replace("PreToolUs", "BeforeTol")},
    "codex": {".codex/hooks.json": BROKEN},
}  # fmt: skip


def configure(program: Program, files: dict[str, str]) -> None:
    for path, text in files.items():
        program.write(path, text, 0o755 if path.endswith(".sh") else None)


def test_each_hook_is_one_object_with_the_agreed_fields(program: Program) -> None:
    program.write(
        ".gen/settings.json",
        '{"hooks": {"PreToolUse": [\n{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}',
    )
    done = program("list", "--json")
    (hook,) = json.loads(done.stdout)
    assert (done.returncode, list(hook)) == (0, FIELDS)
    assert stem(hook["id"]) == "gencode:PreToolUse"
    assert hook == {
        "id": hook["id"], "name": hook["id"], "dialect": "gencode",
        "event": "PreToolUse", "native_event": "PreToolUse", "matcher": "Bash", "handler": "command",
        "command": "true", "timeout_s": 60.0, "source": ".gen/settings.json", "line": 2,
        "trust": "trusted", "enabled": True,
    }  # fmt: skip


def test_without_a_terminal_tables_are_as_wide_as_columns_says_and_else_uncut(program: Program) -> None:
    line = "true " + "wide " * 60
    entry = {"hooks": [{"type": "command", "command": line}]}
    program.write(".claude/settings.json", json.dumps({"hooks": {"Stop": [entry]}}))
    widest = {}
    for said in ("100", "60", "0", "wide", ""):
        program.environment["COLUMNS"] = said
        done = program("list")
        widest[said] = max(map(len, done.stdout.splitlines()))
        assert (line.strip() in done.stdout) == (said not in ("100", "60"))
    assert widest["100"] <= 100 and widest["60"] <= 60
    assert widest["0"] == widest["wide"] == widest[""] > 300


def test_hooks_are_the_same_from_a_folder_below(program: Program) -> None:
    configure(program, LOST["gencode"])
    below = program.workspace / "a/b"
    below.mkdir(parents=True)
    assert program("list", "--json", cwd=below).stdout == program("list", "--json").stdout


def test_entries_that_call_hookline_are_one_counted_line(program: Program) -> None:
    """They are no hooks of the user's; `--all` and `--json` have them."""
    program.write(".cursor/hooks.json", '{"version": 1, "hooks": {"stop": [{"command": "echo mine"}]}}')
    program("install", "cursor")
    entries = json.loads(program("list", "--json").stdout)
    _, _, mine, ours = program("list").stdout.splitlines()
    assert "echo mine" in mine
    assert ours == (
        f"{len(entries) - 1} entries of .cursor/hooks.json call hookline for Cursor (`--all` shows a row for each)"
    )
    assert len(program("list", "--all").stdout.splitlines()) == 2 + len(entries)


def test_rules_of_packs_are_one_counted_line_but_for_those_that_are_off(program: Program) -> None:
    """They drown the few that somebody wrote; `--all` and `--json` have them."""
    program.write(".hookline/hooks.toml", 'use = ["git", "self"]\n')
    (only,) = program("list").stdout.splitlines()
    count = len(json.loads(program("list", "--json").stdout))
    assert only == f"{count} rules of the packs git, self (`--all` shows a row for each)"
    program("disable", "git/branch-delete")
    _, _, off, others = program("list").stdout.splitlines()
    assert "git/branch-delete" in off and "trusted, off" in off
    assert others.startswith(f"{count - 1} rules of the packs")
    assert len(program("list", "--all").stdout.splitlines()) == 2 + count


@pytest.mark.parametrize("dialect", LOST)
def test_explain_has_an_entry_of_an_unknown_event_with_the_nearest_name(
    program: Program, dialect: str
) -> None:
    """For every dialect that reads config."""
    configure(program, LOST[dialect])
    hooks = json.loads(program("explain", "PreToolUse", "--json").stdout)["hooks"]
    lost = [hook for hook in hooks if hook["status"] == "no_such_event"]
    assert lost and lost[0]["dialect"] == dialect
    assert "did you mean `" in lost[0]["why"]
    assert lost[0]["line"] > 0 or dialect == "discobot"


@pytest.mark.parametrize("dialect", ["gencode", "claude", "codex"])
def test_explain_has_every_broken_entry_with_its_line_and_reason(program: Program, dialect: str) -> None:
    """An entry that is no object at all is there as well."""
    configure(program, LOST[dialect])
    path = next(iter(LOST[dialect]))
    hooks = json.loads(program("explain", "PreToolUse", "--json").stdout)["hooks"]
    found = [(hook["line"], hook["why"]) for hook in hooks if hook["status"] == "invalid"]
    assert [line for line, _ in found] == [3, 3, 4, 5]
    assert [why.partition(": ")[0] for _, why in found] == [f"{path}:{line}" for line in (3, 3, 4, 5)]
    assert "expected an object, found 7" in found[-1][1]


def test_a_broken_entry_silences_itself_alone(program: Program) -> None:
    configure(program, LOST["gencode"])
    (only,) = json.loads(program("list", "--json").stdout)
    assert stem(only["id"]) == "gencode:PreToolUse"
    done = program("fire", "PreToolUse", "--json", stdin='{"tool_name": "Bash"}')
    statuses = {hook["id"]: hook["status"] for hook in json.loads(done.stdout)["hooks"]}
    assert statuses[only["id"]] == "ran"
    assert done.returncode == 1  # a guard was silenced
    assert "hooks.PreToolUse[1]: a group needs a list `hooks`" in done.stderr


def test_missing_empty_unreadable_and_unparseable_are_four_states(program: Program) -> None:
    program.write(".gen/settings.json", "{")
    program.write(".mycode/settings.json", "")
    (program.workspace / ".claude/settings.json").mkdir(parents=True)
    files = json.loads(program("list", "--files", "--json").stdout)
    states = {entry["source"]: entry["state"] for entry in files if entry["dialect"] == "gencode"}
    assert states[".gen/settings.json"] == "unparseable"
    assert states[".mycode/settings.json"] == "empty"
    assert states[".claude/settings.json"] == "unreadable"
    assert states[".gen/settings.local.json"] == "missing"


def test_a_file_that_two_dialects_read_is_called_empty_once(program: Program) -> None:
    program.write(".claude/settings.json", "")
    said = program("check").stderr
    assert said == "0 hooks, 0 errors, 0 warnings; .claude/settings.json is empty\n"


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_loop, "Too many levels of symbolic links"),
        (
            lambda path: path.symlink_to("/no/such/place"),
            "is a symbolic link to `/no/such/place`, which does not exist",
        ),
        (os.mkfifo, "is a named pipe, not a file"),
        (Path.mkdir, "is a folder, not a file"),
        (lambda path: path.write_bytes(b'{"hooks": "\xe4"}'), "is not UTF-8: byte 0xe4 in line 1"),
        (lambda path: path.write_text('{"hooks": {}}', encoding="utf-16-le"), "is UTF-16, not UTF-8"),
    ],
    ids=["loop", "lost", "pipe", "folder", "latin-1", "utf-16"],
)
def test_why_a_file_cannot_be_read_is_told_once(
    program: Program, make: Callable[[Path], object], reason: str
) -> None:
    """Two dialects read `.claude/settings.json`; the error stands there, and not twice."""
    (program.workspace / ".claude").mkdir()
    make(program.workspace / ".claude/settings.json")
    (problem,) = json.loads(program("check", "--json").stdout)
    assert problem["source"] == ".claude/settings.json"
    assert problem["message"] == f"cannot be read: {reason}; no hook of this file runs"
    assert program("list").stderr.count(reason) == 1
    assert (
        program("fire", "PreToolUse", stdin='{"tool_name": "Bash"}').stderr.count(
            "error: .claude/settings.json"
        )
        == 1
    )


@pytest.mark.parametrize(
    "folder", [".claude", ".hookline", ".discobot", ".gen", ".github", ".cursor", ".grok"]
)
def test_a_folder_that_a_link_leads_to_nothing_is_lost_and_not_absent(program: Program, folder: str) -> None:
    (program.workspace / folder).symlink_to("/no/such/place")
    call = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})
    done = program("fire", "PreToolUse", "--json", stdin=call)
    assert done.returncode == 1 and f"{folder}` is a symbolic link to `/no/such/place`" in done.stderr
    (program.workspace / "there").mkdir()
    (program.workspace / folder).unlink()
    (program.workspace / folder).symlink_to("there")
    done = program("fire", "PreToolUse", "--json", stdin=call)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("text", "code", "problems"), [(None, 0, 0), ("", 0, 0), ("{}", 0, 0), ("{", 1, 1)], ids=str
)
def test_check_fails_only_where_something_is_wrong(
    program: Program, text: str | None, code: int, problems: int
) -> None:
    if text is not None:
        program.write(".gen/settings.json", text)
    done = program("check", "--json")
    assert (done.returncode, len(json.loads(done.stdout))) == (code, problems)


def test_check_says_where_what_and_what_to_do(program: Program) -> None:
    configure(program, LOST["gencode"])
    done = program("check", "--json")
    found = {problem["path"]: problem for problem in json.loads(done.stdout)}
    assert done.returncode == 1
    assert found["hooks.PreToolUs"] == {
        "source": ".gen/settings.json", "line": 7, "column": 2, "path": "hooks.PreToolUs",
        "code": "unknown-event", "message": "there is no event `PreToolUs`; its hooks never run",
        "hint": "did you mean `PreToolUse`?", "severity": "error",
    }  # fmt: skip
    text = program("check")
    assert "error: .gen/settings.json:7:2: hooks.PreToolUs" in text.stdout
    assert "1 hook, 6 errors, 0 warnings" in text.stderr


def test_an_untrusted_hook_is_listed_and_named_with_the_way_out(program: Program) -> None:
    configure(program, LOST["cocode"])
    program.write(".cocode/hooks.toml", '[[hooks]]\nevent = "Stop"\n[hooks.shell]\ncommand = "x"\n')
    done = program("list", "--json", environment={"HOOKLINE_TRUST": ""})
    assert [hook["trust"] for hook in json.loads(done.stdout)] == ["untrusted"]
    assert "hookline trust" in program("list", environment={"HOOKLINE_TRUST": ""}).stderr


def test_only_the_dialects_and_events_asked_for_are_listed(program: Program, tmp_path: Path) -> None:
    configure(program, LOST["cocode"] | LOST["gencode"])
    program.write(".cocode/hooks.toml", '[[hooks]]\nevent = "Stop"\n[hooks.shell]\ncommand = "x"\n')
    done = program("list", "--event", "Stop", "--json")
    assert [stem(hook["id"]) for hook in json.loads(done.stdout)] == ["cocode:Stop"]
    assert json.loads(program("list", "--dialect", "iteratr", "--json").stdout) == []
    wrong = program("list", "--dialect", "itertr")
    assert (wrong.returncode, "did you mean `iteratr`?" in wrong.stderr) == (64, True)


def test_where_the_home_folder_is_the_workspace_a_hook_counts_once(program: Program) -> None:
    hook = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    program.write(".gen/settings.json", hook)
    done = program("list", "--json", environment={"HOME": str(program.workspace)})
    assert [stem(hook["id"]) for hook in json.loads(done.stdout)] == ["gencode:Stop"]


def test_who_asks_for_gencode_alone_gets_what_it_reads_in_claudes_settings(program: Program) -> None:
    """Such a file counts once, as Claude Code's; its guards are GenCode's all the same, unless switched off."""
    group = {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}
    program.write(
        ".claude/settings.json", json.dumps({"hooks": {"PreToolUse": [group], "PostToolBatch": [group]}})
    )
    program("trust", "--yes")
    call = json.dumps({"tool_name": "Bash", "tool_input": {"command": "ls"}})

    def found(*names: str) -> tuple[int, list[str]]:
        chosen = [word for name in names for word in ("--dialect", name)]
        listed = json.loads(program("list", *chosen, "--json").stdout)
        return program("fire", "PreToolUse", *chosen, stdin=call).returncode, [
            hook["event"] for hook in listed
        ]

    assert found() == found("claude") == found("claude", "gencode") == (2, ["PreToolUse", "PostToolBatch"])
    assert found("gencode") == (2, ["PreToolUse"])
    assert found("cocode") == (0, [])
    assert "no such hooks in" in program("list", "--dialect", "cocode").stdout
    program.write(".gen/settings.json", '{"claudeHooks": "off"}')
    assert found("gencode") == (0, [])


@pytest.mark.parametrize(
    "text", ["{", '{"hooks": {"PreToolUs": []}}', '{"hooks": {"PreToolUse": [{"matcher": "x"}]}}']
)
def test_a_fault_in_a_file_that_two_dialects_read_is_told_once(program: Program, text: str) -> None:
    program.write(".claude/settings.json", text)
    told = [problem["code"] for problem in json.loads(program("check", "--json").stdout)]
    assert len([code for code in told if code != "file-dropped"]) == 1
    hooks = json.loads(program("explain", "PreToolUse", "--json").stdout)["hooks"]
    assert len(hooks) == (0 if text in ("{", '{"hooks": {"PreToolUs": []}}') else 1)


def test_a_config_that_cannot_even_be_looked_for_is_a_problem(program: Program) -> None:
    """Its folder is a link to itself; what is not known to be absent is read, and told."""
    (program.workspace / ".hookline").symlink_to(".hookline")
    done = program("check")
    assert (done.returncode, ".hookline/hooks.toml" in done.stdout + done.stderr) == (1, True)


@pytest.mark.parametrize("command", ["list", "check", "doctor", "explain PreToolUse", "fire PreToolUse"])
def test_nothing_a_workspace_holds_steers_the_terminal(program: Program, command: str) -> None:
    """Looking at an untrusted repository is safe: its escape sequences are shown and do nothing."""
    hooks = [
        {"type": "command", "command": "true #\x1b[2J\x9b2J\r\u202e"},
        {"type": "\x1b[1A\x1b[2Kfine", "command": "x"},
    ]
    config = {"hooks": {"PreToolUse": [{"matcher": "\x1b]0;x\x07", "hooks": hooks}], "\x1b[31mStop": []}}
    program.write(".claude/settings.json", json.dumps(config))
    done = program(*command.split(), stdin='{"tool_name": "Bash"}')
    shown = (done.stdout + done.stderr).replace("\n", "")
    assert (shown.isprintable(), "\\x1b" in shown) == (True, True)


def test_one_long_cell_takes_no_other_row_apart_where_nothing_is_cut(program: Program) -> None:
    """As in `hookline list | less`: rules of packs are about long lists of names."""
    long, short = "|".join(f"Tool{n}" for n in range(300)), "Bash"
    hooks = [{"matcher": each, "hooks": [{"type": "command", "command": "true"}]} for each in (long, short)]
    program.write(".claude/settings.json", json.dumps({"hooks": {"PreToolUse": hooks}}))
    head, _, whole, row = program("list").stdout.splitlines()
    assert long in whole and whole.endswith("  true")
    assert row.index("Bash") == head.index("when") and len(row) < 200


def test_a_file_of_many_faults_is_read_in_proportion_to_its_length(program: Program) -> None:
    """Each fault is told, on one line of the file as well; comparing each with all others took a minute."""
    program.write(".claude/settings.json", '{"hooks": {"PreToolUse": [' + "5," * 5_000 + "5]}}")
    done = program("check", "--dialect", "claude")
    assert (done.returncode, done.stderr) == (1, "0 hooks, 5002 errors, 0 warnings\n")


def test_a_file_of_too_many_hooks_is_one_that_cannot_be_read(program: Program) -> None:
    """Twins were counted one by one, so that a file of 400 kB took minutes at every event."""
    program.write(".claude/settings.json", '{"hooks": {"PreToolUse": [' + "5," * 12_000 + "5]}}")
    checked = program("check", "--dialect", "claude")
    assert checked.returncode == 1 and "it has 12001 hooks" in checked.stdout, checked.stdout[:500]
    decided = program("fire", "PreToolUse", "--json", stdin='{"tool_name": "Bash", "tool_input": {}}')
    assert "12001 hooks" in str(json.loads(decided.stdout)["degraded"]), decided.stdout[:500]
    assert len(decided.stdout + decided.stderr) < 20_000
    twins = '{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}'
    program.write(".claude/settings.json", '{"hooks": {"PreToolUse": [' + ",".join([twins] * 1_200) + "]}}")
    ids = [hook["id"] for hook in json.loads(program("list", "--json").stdout)]
    assert len(set(ids)) == 1_200 and ids[1] == f"{ids[0]}-2" and ids[-1] == f"{ids[0]}-1200"


def test_what_cannot_run_is_named_in_the_list(program: Program) -> None:
    """A commit guard that lost its execute bit or its first line, an event that does not exist, a broken entry."""
    front = "#---\n# name: Guard\n# type: pre-commit\n#---\nexit 1\n"
    program.write(".discobot/hooks/bare.sh", front, 0o755)
    program.write(".discobot/hooks/off.sh", f"#!/bin/sh\n{front}", 0o644)
    program.write(".iteratr.hooks.yml", "hooks:\n  pre_iterations:\n    - command: a\n")
    program.write(".claude/settings.json", BROKEN)
    shown = program("list").stderr
    for place in (
        ".discobot/hooks/bare.sh:1",
        ".discobot/hooks/off.sh:1",
        ".iteratr.hooks.yml:2",
        ".claude/settings.json:3",
    ):
        assert f"{place} cannot run: " in shown, shown
    assert program("list", "--json").stderr == shown
    decided = json.loads(program("fire", "PreCommit", "--json", stdin="{}").stdout)
    assert [(hook["id"], hook["status"]) for hook in decided["hooks"] if hook["dialect"] == "discobot"] == [
        ("bare", "invalid"), ("off", "disabled"),
    ]  # fmt: skip
    assert ["does not start with `#!`" in note for note in decided["degraded"]] == [True]
    found = json.loads(program("check", "--json").stdout)
    severities = {
        problem["source"]: problem["severity"] for problem in found if problem["source"].startswith(".")
    }
    assert severities[".discobot/hooks/bare.sh"] == severities[".iteratr.hooks.yml"] == "error"


def test_a_hook_that_its_agent_leaves_out_for_another_of_its_name_is_told(program: Program) -> None:
    text = '[[hooks]]\nname = "guard"\ntype = "pre_tool"\ncommand = "true"\n'
    program.write(".vibe/hooks.toml", text)
    (program.home / ".vibe").mkdir()
    (program.home / ".vibe/hooks.toml").write_text(text)
    told = "note: ~/.vibe/hooks.toml:1: Mistral Vibe runs `guard` of `.vibe/hooks.toml` in place of this one"
    assert told in program("list").stderr
    assert told not in program("list", "--event", "Stop").stderr
