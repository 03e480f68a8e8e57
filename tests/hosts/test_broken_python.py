"""A Python that lacks what hookline needs, and a hookline that is gone: no tool is used while no guard can be asked."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from compileall import compile_dir
from pathlib import Path

import pytest
from tests.program import Program
from tests.resident_process import small_client as small_client

import hookline
from hookline.dialects import agent_names, dialect
from hookline.dialects.bridged import AgentDialect
from hookline.model.events import EventKind
from hookline.system.bridge_client import about_to_act

CALL = json.dumps({"session_id": "s", "tool_name": "Bash", "tool_input": {"command": "git push"}})
LITTLE = """import resource, sys
room = int(sys.argv.pop(1))
from hookline.cli.main import entry
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
sys.exit(entry())"""
WITHOUT = """import sys
sys.modules[sys.argv.pop(1)] = None
from hookline.cli.main import entry
sys.exit(entry())"""


UNREAD = """import sys
from hookline.dialects.hookline import Hookline
def parse(*given): raise MemoryError
Hookline.parse = parse
from hookline.cli.main import entry
sys.exit(entry())"""
FAILING = """import sys
import hookline.engine.loading as loading
words = sys.argv.pop(1)
def load_hooks(*given): raise MemoryError if words == "memory" else ValueError(words)
loading.load_hooks = load_hooks
from hookline.cli.main import entry
sys.exit(entry())"""


@pytest.mark.parametrize("words", ["memory", "field 'target' is required for NamedExpr"])
def test_where_nobody_can_tell_whether_a_guard_stands_a_tool_is_not_used(
    program: Program, words: str
) -> None:
    """Where memory is short Python fails in any words; and what is tried again then may end it without any."""
    for event, denied in (("PreToolUse", True), ("Stop", False), ("PostToolUse", False)):
        done = subprocess.run(
            [sys.executable, "-c", FAILING, words, "bridge", "claude", "--event", event], input=CALL,
            capture_output=True, text=True, cwd=program.workspace, env=program.environment, check=False,
        )  # fmt: skip
        assert (done.returncode == 2) == denied, done
        assert ("there is no memory left" if words == "memory" else words) in done.stderr, done
        tried_again = "that could not be dealt with" in done.stderr
        assert tried_again == (event != "Stop" and words != "memory"), done  # a turn's end asks no guard


def test_a_file_that_no_memory_was_left_for_is_not_taken_for_a_guard_that_is_off(program: Program) -> None:
    """That would let the call through, as a fault of the file's does where nothing is strict."""
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\ndeny = "no"\n')
    for agent, event in (("copilot", "preToolUse"), ("claude", "PreToolUse"), ("codex", "PreToolUse")):
        done = subprocess.run(
            [sys.executable, "-c", UNREAD, "bridge", agent, "--event", event], input=CALL,
            capture_output=True, text=True, cwd=program.workspace, env=program.environment, check=False,
        )  # fmt: skip
        assert done.returncode == 2 and "there is no memory left" in done.stderr, done


@pytest.mark.parametrize("missing", ["json", "hashlib", "select", "posixpath"])
def test_a_missing_module_of_python_is_a_denial_before_a_tool_and_ends_no_turn(
    program: Program, missing: str
) -> None:
    program.write(
        ".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n'
    )
    for event, denied in (("PreToolUse", True), ("Stop", False)):
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT, missing, "bridge", "claude", "--event", event], input=CALL,
            capture_output=True, text=True, cwd=program.workspace, env=program.environment, check=False,
        )  # fmt: skip
        assert (done.returncode == 2 or '"deny"' in done.stdout or '"ask"' in done.stdout) == denied, done


@pytest.mark.parametrize("event", ["PreToolUse", "Stop"])
def test_where_memory_runs_out_a_tool_is_not_used_and_a_turn_ends(program: Program, event: str) -> None:
    """From what Python has when it begins to more than a call needs: in between each import is the one that fails."""
    rule = '[[hooks]]\nevent = "PreToolUse"\nshell = "git push"\ndeny = "no"\n'
    program.write(".hookline/hooks.toml", rule)
    compile_dir(
        Path(hookline.__file__).parent, quiet=2
    )  # as an installation does: CPython's compiler may crash there
    answers = set()
    for room in range(0, 12_000_000, 1_000_000):
        done = subprocess.run(
            [sys.executable, "-c", LITTLE, str(room), "bridge", "claude", "--event", event], input=CALL,
            capture_output=True, text=True, cwd=program.workspace,
            env={**program.environment, "HOOKLINE_RESIDENT": "off"}, check=False,
        )  # fmt: skip
        denied = done.returncode == 2 or '"deny"' in done.stdout or '"ask"' in done.stdout
        assert denied == (event == "PreToolUse"), (room, done)
        answers.add(done.returncode)
    assert answers == ({0, 2} if event == "PreToolUse" else {0, 1})


def test_a_python_without_hookline_denies_and_says_what_to_do(small_client: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False)
    folder = tmp_path / "env/bin"
    client = folder / "hookline-bridge"
    client.write_bytes(small_client.read_bytes())
    client.chmod(0o755)
    (folder / "hookline").write_text(f"#!{folder}/python\n")
    (folder / "hookline").chmod(0o755)
    script = str(Path(__file__).parents[2] / "src/hookline/system/bridge_client.py")
    for starts in ([str(client)], [str(folder / "python"), "-IS", script]):
        for agent, event, code in (
            ("claude", "PreToolUse", 2),
            ("gemini", "BeforeTool", 2),
            ("claude", "Stop", 1),
        ):
            done = subprocess.run(
                [*starts, agent, "--event", event], input=CALL, capture_output=True, text=True, check=False,
                env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, cwd=tmp_path,
            )  # fmt: skip
            assert (done.returncode, done.stdout) == (code, ""), done
            assert "no hook was asked; mend that Python" in done.stderr and "Traceback" not in done.stderr
    (folder / "hookline").unlink()
    gone = subprocess.run(
        [client, "claude", "--event", "PreToolUse"], input=CALL, capture_output=True, text=True, check=False
    )
    assert (gone.returncode, "no hook was asked" in gone.stderr) == (2, True)


def test_every_agents_name_of_the_event_before_a_tool_is_known_as_one() -> None:
    for name in agent_names():
        speaker = dialect(name)
        assert isinstance(speaker, AgentDialect)
        if speaker.profile.plugin:  # its program denies by itself when nothing answers
            continue
        natives = [row.native for row in speaker.rows if row.kind is EventKind.PreToolUse]
        assert [native for native in natives if not about_to_act(native)] == [], name
    for native in ("Stop", "BeforeToolSelection", "SessionStart", "PreCompact", "pre-commit", "BeforeAgent"):
        assert not about_to_act(native)
