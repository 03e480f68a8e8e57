"""`hookline doctor`: every reason a hook cannot run is told before it does not, with what to do."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program


def configure(program: Program, command: str, matcher: str = "Bash") -> None:
    hooks = {"PreToolUse": [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}
    program.write(".gen/settings.json", json.dumps({"hooks": hooks}))


def findings(program: Program, code: int | None = None, **environment: str) -> dict[str, Any]:
    done = program("doctor", "--json", environment=environment)
    assert code in (None, done.returncode), done.stdout + done.stderr
    return {each["code"]: each for each in json.loads(done.stdout)}


def test_where_all_is_well_it_says_so(program: Program) -> None:
    configure(program, "echo fine")
    done = program("doctor")
    assert done.returncode == 0
    assert done.stdout.endswith(": 1 hook, 0 errors, 0 warnings\n")


@pytest.mark.parametrize(
    ("command", "script", "mode", "code"),
    [
        ("./guard.sh", None, 0o755, "missing-program"),
        ("./guard.sh --fast", "#!/bin/sh\n", 0o644, "not-executable"),
        ("./guard.sh", "#!/bin/sh\r\ntrue\r\n", 0o755, "crlf"),
        ("./guard.sh", "\ufeff#!/bin/sh\n", 0o755, "byte-order-mark"),
        ("./guard.sh", "#!/no/such/interpreter\n", 0o755, "missing-interpreter"),
        ("./guard.sh", "#!/usr/bin/env no-such-interpreter\n", 0o755, "missing-interpreter"),
        ("FOO=1 no-such-program x", None, 0o755, "missing-program"),
        ("sh guard.sh", None, 0o755, "missing-script"),
        ("bash guard.sh", "echo hi\r\nexit 0\r\n", 0o644, "crlf"),
        ('"$CLAUDE_PROJECT_DIR"/guard.sh', "#!/bin/sh\n", 0o644, "not-executable"),
        ("./guard.cmd", ": << 'END'\n@echo off\nEND\nexit 0\n", 0o644, "not-executable"),
    ],
)
def test_a_hook_that_cannot_start_is_an_error(
    program: Program, command: str, script: str | None, mode: int, code: str
) -> None:
    configure(program, command)
    if script is not None:
        path = program.write("guard.cmd" if ".cmd" in command else "guard.sh", "", mode)
        path.write_bytes(script.encode())
    found = findings(program, 1)
    assert found[code]["severity"] == "error"
    assert "gencode:PreToolUse:" in found[code]["subject"]


@pytest.mark.parametrize(
    "command",
    ["cd x && ./y", "test -f a", "$TOOL run", "sh -c 'echo hi'", "[ -f x ] || exit 2", "echo a | cat"],
)
def test_a_line_that_may_well_work_is_left_alone(program: Program, command: str) -> None:
    configure(program, command)
    assert {"missing-program", "missing-script"} & set(findings(program, 0)) == set()


def test_problems_of_the_config_are_told_too(program: Program) -> None:
    program.write(".gen/settings.json", '{"hooks": {"PreToolUs": []}}')
    assert findings(program, 1)["unknown-event"]["hint"] == "did you mean `PreToolUse`?"


def test_untrusted_hooks_and_useless_variables_are_told(program: Program) -> None:
    configure(program, "true")
    found = findings(program, 0, HOOKLINE_TRUST="yes", PATH=f"{os.environ['PATH']}:.")
    assert found["untrusted"]["hint"] == "review it with `hookline trust`"
    assert found["bad-variable"]["subject"] == "HOOKLINE_TRUST"
    assert found["relative-path"]["severity"] == "warning"


def test_a_hook_that_its_agent_runs_without_our_review_is_not_said_to_stand_still(program: Program) -> None:
    configure(program, "true")
    entry = {"matcher": "Edit", "hooks": [{"type": "command", "command": "true"}]}
    program.write(
        ".claude/settings.json", json.dumps({"hooks": {"PostToolUse": [entry, entry | {"matcher": "Write"}]}})
    )
    told = findings(program, 0, HOOKLINE_TRUST="")["untrusted"]["message"]
    assert told.startswith("hookline runs 3 hooks only after a review: ")
    assert told.endswith("; Claude Code runs 2 of them itself all the same")


def test_a_precommit_hook_that_git_does_not_call_is_told(program: Program, tmp_path: Path) -> None:
    program.write(".discobot/hooks/lint.sh", "#!/bin/sh\n#---\n# type: pre-commit\n#---\n", 0o755)
    assert findings(program, 0)["not-installed"]["hint"] == "run `hookline install git`"
    git = ["git", "-C", str(program.workspace), "config", "core.hooksPath", str(tmp_path / "nowhere")]
    subprocess.run(git, check=True)
    assert str(tmp_path / "nowhere") in findings(program, 0)["no-hooks-folder"]["message"]


def test_what_was_set_aside_is_told(program: Program) -> None:
    folder = program.home / ".local/state/hookline"
    folder.mkdir(parents=True)
    (folder / "history.db.corrupt-17").write_text("x")
    assert findings(program, 0)["set-aside"]["subject"] == str(folder / "history.db.corrupt-17")


def test_what_killed_writers_left_is_told_a_day_later(program: Program) -> None:
    """Killed in the middle of a real write; one that is under way, and other people's files, are nobody's fault."""
    program.write(".hookline/hooks.toml", "")
    for folder in (program.workspace / ".hookline", program.home / ".local/state/hookline/waiting"):
        folder.mkdir(parents=True, exist_ok=True)
        kill = "import os; os.rename = lambda *names: os.kill(os.getpid(), 9)"
        line = (
            f"{kill}; from hookline.system.files import write_atomic; write_atomic('{folder}/a.json', b'x')"
        )
        assert program.python("-c", line).returncode == -9
        (left,) = folder.glob(".a.json.*.tmp")
        assert "unfinished-write" not in findings(program, 0)
        for name in (left, folder / ".theirs.tmp"):
            name.touch()
            os.utime(name, (1.0, 1.0))
        found = findings(program, 0)["unfinished-write"]
        assert (found["subject"], left.name in found["message"]) == (str(folder), True)
        assert "theirs" not in found["message"]
        left.unlink()


def test_agents_on_the_path_are_found(program: Program, tmp_path: Path) -> None:
    agent = tmp_path / "bin/claude"
    agent.parent.mkdir()
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    found = findings(program, 0, PATH=f"{agent.parent}:{os.environ['PATH']}")
    assert found["agent"]["message"] == f"found at `{agent}`"


def test_what_killed_ones_left_is_one_line_with_a_count(program: Program, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    for number in range(3):
        (temporary / f"hookline-999999999:{number}-run").mkdir(parents=True)
    told = program("doctor", environment={"TMPDIR": str(temporary)}).stdout
    line = f"note: {temporary}: removed 3 folders that a killed hookline had left [leftover]\n"
    assert (told.count("removed"), line in told, list(temporary.iterdir())) == (1, True, [])


def test_what_a_package_manager_runs_by_name_is_no_program_of_this_machine(program: Program) -> None:
    for name in ("pnpm", "yarn"):
        program.write(f"bin/{name}", "#!/bin/sh\n", 0o755)
        configure(program, f"no-such-program; {name} tidy")
        path = f"{program.workspace / 'bin'}:/usr/bin:/bin"
        told = program("doctor", environment={"PATH": path, "HOOKLINE_TRUST": ""}).stdout
        assert "`tidy` is not on PATH" not in told
        assert "`no-such-program` is not on PATH" in told


def test_the_cause_is_told_once_and_not_for_every_hook(program: Program) -> None:
    hooks = {
        "Stop": [{"hooks": [{"type": "command", "command": f"no-such-program-{n} x"} for n in range(4)]}]
    }
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}))
    done = program("doctor", environment={"HOOKLINE_TRUST": ""})
    assert done.returncode == 1
    assert done.stdout.count("is not on PATH") == 4
    assert sum(os.environ["PATH"] in line for line in done.stdout.splitlines()) == 1
    (line,) = [line for line in done.stdout.splitlines() if "[untrusted]" in line]
    assert "4 hooks" in line


def test_a_word_of_a_substitution_is_no_program(program: Program) -> None:
    configure(program, "FILE=$(printf -- '-r' | cat) && test -f \"$FILE\"")
    assert "missing-program" not in findings(program)


def test_scripts_of_the_home_folder_are_looked_for(program: Program) -> None:
    for line in ("~/.claude/hooks/log.sh", '"$HOME/tools/guard.sh"', "bash ~/x/y.sh"):
        configure(program, line)
        assert {"missing-program", "missing-script"} & set(findings(program, 1))
    (program.home / "log.sh").write_text("#!/bin/sh\n")
    configure(program, "~/log.sh")
    assert findings(program, 1)["not-executable"]["severity"] == "error"


def test_a_state_folder_that_cannot_be_is_an_error(program: Program) -> None:
    configure(program, "true")
    blocked = program.write("file", "")
    assert findings(program, 1, XDG_STATE_HOME=f"{blocked}/state")["state-unwritable"]["severity"] == "error"


@pytest.mark.parametrize("make", [Path.mkdir, lambda path: path.write_bytes(b"no database" * 1000)])
def test_a_history_that_cannot_be_used_is_an_error(program: Program, make: Callable[[Path], object]) -> None:
    configure(program, "true")
    state = program.home / ".local/state/hookline"
    state.mkdir(parents=True)
    assert "state-unwritable" not in findings(program)
    make(state / "history.db")
    found = findings(program, 1)["state-unwritable"]
    assert (found["severity"], found["subject"]) == ("error", str(state / "history.db"))
    assert list(state.iterdir()) == [state / "history.db"]


def test_gemini_skips_gits_hooks(program: Program) -> None:
    program.write(".discobot/hooks/a.sh", "#!/bin/sh\n#---\n# type: pre-commit\n#---\n", 0o755)
    assert "git-hooks-cleared" not in findings(program)
    program.write(".gemini/settings.json", "{}")
    assert findings(program)["git-hooks-cleared"]["severity"] == "warning"


def test_a_script_that_lost_its_execute_bit_fails_doctor(program: Program) -> None:
    program.write(".discobot/hooks/a.sh", "#!/bin/sh\n#---\n# type: pre-commit\n#---\n", 0o644)
    assert findings(program, 1)["not-executable"]["severity"] == "error"


@pytest.mark.parametrize(("matcher", "code"), [("Bsh", 1), ("bash", 1), ("Bash", 0), ("Teleporter", 0)])
def test_gencodes_dead_matchers_fail_doctor(program: Program, matcher: str, code: int) -> None:
    configure(program, "true", matcher)
    assert ("dead-matcher" in findings(program, code)) is bool(code)


def test_a_matcher_that_is_no_pattern_is_told_once(program: Program) -> None:
    configure(program, "true", "(Bash")
    (program.workspace / ".gen").rename(program.workspace / ".claude")
    told = json.loads(program("doctor", "--json").stdout)
    assert [each["severity"] for each in told if each["code"] == "dead-matcher"] == ["error"]


def test_our_own_entries_are_known_and_what_only_mentions_us_is_not(program: Program) -> None:
    assert program("install", "claude").returncode == 0
    found = findings(program, HOOKLINE_TRUST="")
    assert "untrusted" not in found and "missing-program" not in found
    program.write(
        ".claude/settings.local.json",
        json.dumps(
            {
                "hooks": {
                    "Stop": [
                        {
                            "hooks": [
                                {
                                    "type": "command",
                                    "command": "./my-guard # see hookline bridge claude --event Stop",
                                }
                            ]
                        }
                    ]
                }
            }
        ),
    )
    assert "missing-program" in findings(program, 1)


def test_an_entry_whose_hookline_is_gone_fails_doctor(program: Program) -> None:
    line = "/nosuch/bin/hookline-bridge bridge claude --event PreToolUse # hookline"
    program.write(
        ".claude/settings.json",
        json.dumps({"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": line}]}]}}),
    )
    assert findings(program, 1)["install"]["severity"] == "error"


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_scripts_that_git_passes_over_are_told(program: Program, encoding: str) -> None:
    folder = program.workspace / ".git" / "hooks"
    folder.mkdir(exist_ok=True)
    for name, mode in (
        ("pre-commit", 0o644),
        ("commit-msg.sh", 0o755),
        ("pre-push", 0o755),
        ("notes.sh", 0o644),
        ("pre_rebase", 0o755),
        ("post-merge", 0o755),
        ("post-checkout", 0o755),
        ("post-rewrite", 0o755),
    ):
        end = "\r\n" if name == "post-merge" else "\n"
        text = {"post-checkout": "#!/no/such\n", "post-rewrite": '#!/bin/sh\n. "$(dirname "$0")/_/h.sh"\n'}
        (folder / name).write_bytes(
            f"{text.get(name, f'#!/bin/sh{end}true{end}')}# \u00e9{end}".encode(encoding)
        )
        (folder / name).chmod(mode)
    told = {each["code"]: each["message"] for each in json.loads(program("doctor", "--json").stdout)}
    done = program("doctor").stdout
    assert "git runs no `pre_rebase`: the hook is called `pre-rebase`" in done
    assert "post-merge` has a Windows line end" in told["crlf"]
    assert "post-checkout` needs `/no/such`" in told["missing-interpreter"]
    assert "post-rewrite` reads `_/h.sh`" in told["missing-script"]
    assert "pre-commit` is not executable" in told["not-executable"]
    assert "git runs no `commit-msg.sh`: the name of a hook has no ending" in done
    assert "pre-push" not in str(told) and "notes.sh" not in str(told)


def test_a_folder_of_git_hooks_that_is_set_and_missing_is_told(program: Program) -> None:
    subprocess.run(["git", "config", "core.hooksPath", ".husky/_"], cwd=program.workspace, check=True)
    assert findings(program)["no-hooks-folder"]["message"].endswith("which does not exist: git runs no hook")
    (program.workspace / ".husky" / "_").mkdir(parents=True)
    assert "no-hooks-folder" not in findings(program)


def test_a_line_to_copy_names_the_file_whatever_it_is_called(program: Program) -> None:
    name = "-it's $(touch made) `x` 1.sh"
    script = program.write(f".discobot/hooks/{name}", "#!/bin/sh\n#---\n# name: a\n# type: session\n#---\n")
    script.chmod(0o644)
    hooks = program.workspace / "git; hooks"
    subprocess.run(["git", "config", "core.hooksPath", "git; hooks"], cwd=program.workspace, check=True)
    hooks.mkdir()
    (hooks / "pre-push").write_bytes(b"#!/bin/sh\r\ntrue\r\n")
    (hooks / "pre-push").chmod(0o755)
    told = [*json.loads(program("check", "--json").stdout), *json.loads(program("doctor", "--json").stdout)]
    hints = [str(each["hint"]) for each in told if each["code"] in ("not-executable", "crlf")]
    assert len(hints) >= 2
    for hint in hints:
        line = hint.removeprefix("run `").removesuffix("`")
        subprocess.run(["sh", "-c", line], cwd=program.workspace, check=True)
    assert os.access(script, os.X_OK) and b"\r" not in (hooks / "pre-push").read_bytes()
    assert not (program.workspace / "made").exists()


def test_what_repeats_in_a_file_is_told_in_one_line(program: Program) -> None:
    program.write("hooks/a.sh", "#!/bin/sh\n", 0o755)
    one = [{"hooks": [{"type": "command", "command": "hooks/a.sh"}]}]
    hooks = dict.fromkeys(("PreToolUse", "Stop", "SessionStart"), one)
    program.write(".claude/settings.json", json.dumps({"hooks": hooks}, indent=1))
    done = program("doctor")
    assert done.stdout.count("[relative-script]") == 1 and "; also in line " in done.stdout
    every = [
        each for each in json.loads(program("doctor", "--json").stdout) if each["code"] == "relative-script"
    ]
    assert len(every) == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (bytes(200), "holds nothing but NUL bytes, as after a crash of the machine"),
        (b'{"schema": 1,\n\0\0}', "it holds NUL bytes, the first in line 2"),
        (b'{"schema": 1, "\xe9": 2}', "is not UTF-8: byte 0xe9 in line 1"),
        (b"[]", "is no trust store"),
        (b"<<<<<<< HEAD\n{}", "is not JSON ("),
    ],
)
def test_a_broken_trust_store_is_told_with_what_is_there_and_what_to_do(
    program: Program, content: bytes, words: str
) -> None:
    configure(program, "true")
    store = program.home / ".config/hookline/trust.json"
    store.parent.mkdir(parents=True)
    store.write_bytes(content)
    found = findings(program, 1)["trust-store"]
    assert words in found["message"] and "so no hook is trusted" in found["message"]
    assert found["hint"].startswith("mend it, or run `hookline trust`")
    assert program("trust", "--yes").returncode == 0
    assert "trust-store" not in findings(program)
    assert program("fire", "Bash", "ls", environment={"HOOKLINE_TRUST": ""}).returncode == 0


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_trust_store_in_another_encoding_is_read_all_the_same(program: Program, encoding: str) -> None:
    configure(program, "exit 2")
    assert program("trust", "--yes").returncode == 0
    store = program.home / ".config/hookline/trust.json"
    store.write_text(store.read_text(), encoding=encoding)
    assert program("fire", "Bash", "ls", environment={"HOOKLINE_TRUST": ""}).returncode == 2
