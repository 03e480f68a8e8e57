"""`hookline attest`: guards that are registered and never fire are found, each by what is wrong with it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

from hookline.engine.opening import open_engine
from hookline.installing.attesting import attest
from hookline.installing.canaries import Attested
from hookline.state.history import History
from hookline.state.paths import Paths

HOOKS = """\
[[hooks]]
name = "no-force"
event = "PreToolUse"
shell = "git push --force"
deny = "no force"

[[hooks]]
name = "script"
event = "PreToolUse"
match = "Bash"
run = "./guard.sh"

[[hooks]]
name = "prompt"
event = "UserPromptSubmit"
run = "cat > /dev/null"

[[hooks]]
name = "commit"
event = "PreCommit"
run = "true"
"""
OWN = {
    "hooks": {
        "PreToolUse": [
            {"matcher": "Write|Edit", "hooks": [{"type": "command", "command": "./guard.sh", "timeout": 5}]}
        ]
    }
}
LOCAL = ".claude/settings.local.json"


class Site:
    """A workspace in which all guards fire, brought back to that before each test."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.workspace = program.workspace
        del program.environment["HOOKLINE_TRUST"]
        program.write(".hookline/hooks.toml", HOOKS)
        program.write("guard.sh", "#!/bin/sh\ncat >/dev/null\nexit 0\n", 0o755)
        program.write(".claude/settings.json", json.dumps(OWN))
        for words in (["install", "claude", "--scope", "local"], ["install", "git"], ["trust", "--yes"]):
            done = program(*words)
            assert done.returncode == 0, done
        self._kept = program.home.parent / "kept"
        for folder in (program.home, program.workspace):
            shutil.copytree(folder, self._kept / folder.name, symlinks=True)

    def restore(self) -> None:
        for folder in (self.program.home, self.program.workspace):
            shutil.rmtree(folder)
            shutil.copytree(self._kept / folder.name, folder, symlinks=True)

    def attest(self, *agents: str) -> Attested:
        environment = self.program.environment
        opened = open_engine(str(self.workspace), environment=environment, history=False)
        with History(Paths.from_environment(environment, environment["HOME"]).history_file) as history:
            return asyncio.run(attest(opened, history, agents))

    def trust(self) -> None:
        assert self.program("trust", "--yes").returncode == 0

    def change(self, path: str, work: Callable[[Any], None]) -> None:
        content = json.loads((self.workspace / path).read_text())
        work(content)
        (self.workspace / path).write_text(json.dumps(content))

    def swap(self, path: str, before: str, after: str) -> None:
        text = (self.workspace / path).read_text()
        assert before in text
        (self.workspace / path).write_text(text.replace(before, after))

    def mode(self, path: str, mode: int) -> None:
        (self.workspace / path).chmod(mode)

    def guard(self, text: str, mode: int = 0o755) -> None:
        self.program.write("guard.sh", text, mode)
        self.trust()

    def git(self, *words: str) -> None:
        subprocess.run(
            ["git", *words], cwd=self.workspace, check=True, env={**os.environ, **self.program.environment}
        )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Site:
    root = tmp_path_factory.mktemp("attest")
    for name in ("home", "work"):
        (root / name).mkdir()
    subprocess.run(
        ["git", "init", "-q", str(root / "work")], check=True, env={**os.environ, "HOME": str(root / "home")}
    )
    return Site(Program(root / "home", root / "work"))


@pytest.fixture
def site(made: Site) -> Iterator[Site]:
    made.restore()
    return made


def entry(content: Any) -> Any:
    return content["hooks"]["PreToolUse"][-1]


def no_file(site: Site) -> None:
    (site.workspace / LOCAL).unlink()


def python_gone(site: Site) -> None:
    site.swap(LOCAL, str(Path(sys.executable).parent), "/gone")


def wrong_event(site: Site) -> None:
    def work(content: Any) -> None:
        content["hooks"]["PostToolUse"] = content["hooks"].pop("PreToolUse")

    site.change(LOCAL, work)


def other_agent(site: Site) -> None:
    site.swap(LOCAL, "bridge claude --event PreToolUse", "bridge gemini --event BeforeTool")


def dead_entry(site: Site) -> None:
    site.change(LOCAL, lambda content: entry(content).update(matcher="bash"))


def swallowed(site: Site) -> None:
    site.swap(LOCAL, "--event PreToolUse #", "--event PreToolUse >/dev/null #")


def in_background(site: Site) -> None:
    site.change(LOCAL, lambda content: entry(content)["hooks"][0].update({"async": True}))


def elsewhere(site: Site) -> None:
    other = site.workspace.parent / "elsewhere"
    other.mkdir(exist_ok=True)
    site.swap(LOCAL, "--event PreToolUse #", f"--event PreToolUse --workspace {other} #")


def dead_matcher(site: Site) -> None:
    site.swap(".hookline/hooks.toml", 'match = "Bash"', 'match = "bash"')
    site.trust()


def dead_own_matcher(site: Site) -> None:
    site.swap(".claude/settings.json", "Write|Edit", "write_file")
    site.trust()


def a_new_guard(site: Site) -> None:
    site.swap(".hookline/hooks.toml", '"no force"', '"not at all"')


def disabled(site: Site) -> None:
    assert site.program("disable", "script").returncode == 0


def no_such_program(site: Site) -> None:
    site.swap(".hookline/hooks.toml", "./guard.sh", "no-such-program-at-all")
    site.trust()


def broken_rule(site: Site) -> None:
    site.swap(".hookline/hooks.toml", 'run = "./guard.sh"', 'rum = "./guard.sh"')


def wrong_user_settings(site: Site) -> None:
    path = site.program.home / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"disableAllHooks": true}')


def adopted_gone(site: Site) -> None:
    assert site.program("install", "claude", "--adopt").returncode == 0
    site.trust()
    (moved,) = (site.workspace / ".hookline/adopted").rglob("*.json")
    moved.unlink()


def adopted_and_its_record_gone(site: Site) -> None:
    assert site.program("install", "claude", "--adopt").returncode == 0
    site.trust()
    shutil.rmtree(site.workspace / ".hookline/adopted")


def too_slow(site: Site) -> None:
    site.swap(".claude/settings.json", '"timeout": 5', '"timeout": 0.2')
    site.swap(".hookline/hooks.toml", 'run = "./guard.sh"', 'run = "./guard.sh"\ntimeout = "200ms"')
    site.guard("#!/bin/sh\nexec sleep 600\n")


FAULTS: dict[str, tuple[Callable[[Site], None], str]] = {
    "not installed": (no_file, "not-installed"),
    "the bridge is not where the entry says": (python_gone, "entry-fails"),
    "the entry stands at another event": (wrong_event, "no-entry"),
    "the entry is another agent's": (other_agent, "no-entry"),
    "the entry's matcher fits no tool": (dead_entry, "entry-never-matches"),
    "the entry's answer is thrown away": (swallowed, "answer-lost"),
    "the entry runs in the background": (in_background, "answer-lost"),
    "the entry asks another workspace": (elsewhere, "wrong-workspace"),
    "a matcher fits no tool": (dead_matcher, "never-matches"),
    "a matcher of the agent's own": (dead_own_matcher, "never-matches"),
    "not trusted": (a_new_guard, "untrusted"),
    "switched off": (disabled, "disabled"),
    "changed bytes": (lambda site: site.program.write("guard.sh", "#!/bin/sh\nexit 0\n", 0o755) and None, "untrusted"),
    "not executable": (lambda site: site.guard("#!/bin/sh\nexit 0\n", 0o644), "guard-fails"),
    "an interpreter that is not there": (lambda site: site.guard("#!/gone/sh\nexit 0\n"), "guard-fails"),
    "exit 127": (no_such_program, "guard-fails"),
    "it crashes": (lambda site: site.guard("#!/bin/sh\nkill -SEGV $$\n"), "guard-fails"),
    "it takes too long": (too_slow, "guard-fails"),
    "an entry that cannot be read": (broken_rule, "invalid"),
    "a file that cannot be read": (lambda site: site.swap(".hookline/hooks.toml", "[[hooks]]", "[[hooks"), "invalid"),
    "settings that are no JSON": (lambda site: site.swap(LOCAL, "{", "{,"), "config"),
    "hooks switched off there": (
        lambda site: site.change(LOCAL, lambda content: content.update(disableAllHooks=True)), "config",
    ),
    "hooks switched off for the user": (wrong_user_settings, "config"),
    "moved hooks are gone": (adopted_gone, "adopted-gone"),
    "moved hooks are gone without a trace": (adopted_and_its_record_gone, "adopted-gone"),
    "an event that there is not": (
        lambda site: site.swap(".hookline/hooks.toml", '"UserPromptSubmit"', '"UserPromptSubmitted"'), "invalid",
    ),
    "git looks for its hooks elsewhere": (
        lambda site: site.git("config", "core.hooksPath", "/dev/null"), "git-not-called",
    ),
    "git's hook is not executable": (lambda site: site.mode(".git/hooks/pre-commit", stat.S_IRUSR), "git-not-called"),
}  # fmt: skip


def test_guards_that_fire_are_proven_and_nothing_is_wrong(site: Site) -> None:
    found = site.attest()
    assert found.lapses == ()
    assert found.agents == ("claude",)
    states = {
        (proof.agent, proof.name.rpartition(":")[0] or proof.name, proof.state, proof.verdict)
        for proof in found.proofs
    }
    assert states == {
        ("claude", "claude:PreToolUse", "fired", "none"),
        ("claude", "no-force", "fired", "deny"),
        ("claude", "script", "fired", "none"),
        ("claude", "prompt", "fired", "none"),
        ("git", "commit", "ready", ""),
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_a_guard_that_never_fires_is_found(site: Site, fault: str) -> None:
    seed, code = FAULTS[fault]
    seed(site)
    assert code in {lapse.code for lapse in site.attest().lapses}


def test_a_fault_as_text_json_and_sarif(site: Site) -> None:
    assert site.program("attest").returncode == 0
    a_new_guard(site)
    text, given, sarif = (
        site.program("attest", "--output-format", name) for name in ("text", "json", "sarif")
    )
    assert {done.returncode for done in (text, given, sarif)} == {1}
    assert "no-force (.hookline/hooks.toml:1): " in text.stdout
    assert "hint: review it with `hookline trust`" in text.stdout
    (lapse,) = json.loads(given.stdout)["lapses"]
    assert (lapse["code"], lapse["agent"], lapse["line"]) == ("untrusted", "claude", 1)
    run = json.loads(sarif.stdout)["runs"][0]
    assert run["tool"]["driver"]["rules"] == [{"id": "untrusted"}]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": ".hookline/hooks.toml"}, "region": {"startLine": 1}}
    assert site.program("attest", "--agent", "nobody").returncode == 64


def test_an_agent_that_is_named_must_call_us(site: Site) -> None:
    found = site.attest("gemini")
    assert [(lapse.agent, lapse.code) for lapse in found.lapses] == [("gemini", "not-installed")]


def test_every_way_of_being_called_is_proven_and_its_fault_found(site: Site) -> None:
    """A program inside of the agent, executables, an event for each kind of action, a list of hooks switched off."""
    agents = ("opencode", "cline", "windsurf", "gemini")
    for agent in agents:
        assert site.program("install", agent).returncode == 0
    found = site.attest(*agents)
    assert found.lapses == ()
    rules = {"no-force": "deny", "script": "none"}
    proven = {(proof.agent, proof.name, proof.state, proof.verdict) for proof in found.proofs}
    assert proven >= {(agent, name, "fired", said) for agent in agents for name, said in rules.items()}
    (plugin,) = (site.workspace / ".opencode").rglob("hookline.*")
    plugin.write_text(
        re.sub("const LAUNCHER = .*", 'const LAUNCHER = ["/gone/hookline-bridge"];', plugin.read_text())
    )
    site.mode(".clinerules/hooks/PreToolUse", stat.S_IRUSR)
    site.change(".windsurf/hooks.json", lambda content: content["hooks"].pop("pre_run_command"))
    site.change(
        ".gemini/settings.json", lambda content: content.update(hooksConfig={"disabled": ["hookline"]})
    )
    assert {(lapse.agent, lapse.code) for lapse in site.attest(*agents).lapses} >= {
        ("opencode", "entry-fails"), ("cline", "config"), ("windsurf", "entry-never-matches"), ("gemini", "config"),
    }  # fmt: skip


def test_a_removal_says_that_moved_hooks_are_missing(site: Site) -> None:
    adopted_and_its_record_gone(site)
    done = site.program("uninstall", "claude")
    assert (done.returncode, "is missing, so they are not put back" in done.stderr) == (0, True)
    assert "adopted-gone" not in {lapse.code for lapse in site.attest().lapses}


def test_entries_in_the_file_of_an_agent_are_asked_inside_of_that_agent(program: Program) -> None:
    """Written by hand, as Kiro's CLI 2 needs them."""
    program.write(".hookline/hooks.toml", HOOKS.partition('[[hooks]]\nname = "script"')[0])
    assert program("install", "kiro").returncode == 0
    installed = program.workspace / ".kiro/hooks/hookline.json"
    entries = json.loads(installed.read_text())["hooks"]
    (line,) = [each["action"]["command"] for each in entries if each["trigger"] == "PreToolUse"]
    program("uninstall", "kiro")
    own = {"command": "echo not here >&2; exit 2", "matcher": "fs_write"}
    ours = {"command": line.replace("PreToolUse", "preToolUse"), "timeout_ms": 20000}
    program.write(".kiro/agents/dev.json", json.dumps({"name": "dev", "hooks": {"preToolUse": [ours, own]}}))
    program("trust", "--yes")
    done = program("attest")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" fired ") == 2 and "0 faults" in done.stdout + done.stderr
