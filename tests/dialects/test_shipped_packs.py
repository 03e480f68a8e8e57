"""The packs that come with hookline: each rule keeps its examples, and all together are tried on corpora."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest
from benchmarks.guards import measure
from tests.program import Program
from tools.packs import made

from hookline import Engine, make_event, open_engine
from hookline.dialects.hookline.packs import FOLDER, SHIPPED
from hookline.installing.packs import shipped_pack, shipped_text
from hookline.model.hooks import Answer

ROOT = Path(__file__).parent.parent.parent
KEPT_ELSEWHERE = ROOT.parent / "shared/data/commands"


def test_every_pack_in_the_folder_is_offered_and_explained() -> None:
    assert {path.stem for path in Path(FOLDER).glob("*.toml")} == set(SHIPPED)
    page = (ROOT / "docs" / "packs.md").read_text()
    assert [name for name in SHIPPED if f"| `{name}` | " not in page] == []


@pytest.mark.parametrize("name", SHIPPED)
def test_every_rule_keeps_its_examples_and_says_what_to_do_instead(name: str) -> None:
    from hookline.installing.packs import rules_of

    loaded = rules_of(shipped_text(name), name)
    assert [str(problem) for problem in loaded.problems] == []
    assert loaded.settings["about"]
    for spec in loaded.specs:
        examples = spec.rule.examples
        assert min(len(examples["met"]), len(examples["unmet"])) >= 3, spec.name
        assert isinstance(spec.action, Answer)
        assert "; instead: " in spec.action.text, spec.name


@pytest.mark.parametrize("name", SHIPPED)
def test_every_pattern_is_met_by_its_own_words(tmp_path: Path, name: str) -> None:
    shells = [row.get("shell", []) for row in tomllib.loads(shipped_text(name))["hooks"]]
    patterns = [each for shell in shells for each in (shell if isinstance(shell, list) else [shell])]
    tables = [
        f'[[hooks]]\nname = {json.dumps(each)}\nevent = "PreToolUse"\nshell = {json.dumps(each)}\ncontext = "met"\n'
        for each in patterns
    ]
    (tmp_path / ".hookline").mkdir()
    (tmp_path / ".hookline/hooks.toml").write_text("\n".join(tables))
    specs = open_engine(str(tmp_path), environment={}, history=False).engine.hooks.specs
    assert [spec.name for spec in specs] == patterns
    for pattern, spec in zip(patterns, specs, strict=True):
        given = {"command": pattern.replace("?", "x").replace("*", "x")}
        decision = Engine([spec]).fire_now(make_event("PreToolUse", tool_name="Bash", tool_input=given))
        assert decision.contexts == ("met",), pattern


@pytest.mark.parametrize("name", SHIPPED)
def test_the_file_that_is_read_at_every_event_says_the_same(name: str) -> None:
    """Run `python tools/packs.py` to write it anew."""
    assert Path(FOLDER, f"{name}.json").read_text() == made(name)


def test_what_is_to_be_stopped_is_and_harmless_lines_are_left_alone() -> None:
    totals = {name: measure.summary(judged) for name, judged in measure.measure(each=1).items()}
    stop, harmless = totals["stop"], totals["harmless"]
    assert stop["lines"] >= 1500 and harmless["lines"] >= 1000
    assert stop["silent"] == 0
    assert harmless["denied"] <= harmless["lines"] * 0.002
    assert harmless["denied"] + harmless["asked"] <= harmless["lines"] * 0.01


@pytest.mark.skipif(not KEPT_ELSEWHERE.is_dir(), reason="these corpora are kept elsewhere")
def test_so_are_lines_that_others_collected() -> None:
    files = [str(KEPT_ELSEWHERE / f"{name}.jsonl") for name in ("stop", "harmless")]
    totals = {name: measure.summary(judged) for name, judged in measure.measure(*files).items()}
    assert totals["stop"]["silent"] == 0
    assert totals["harmless"]["denied"] == 0
    assert totals["harmless"]["asked"] <= totals["harmless"]["lines"] * 0.01


def fired(program: Program, command: str, **environment: str) -> dict[str, object]:
    given = json.dumps({"tool_name": "Bash", "tool_input": {"command": command}})
    done = program("fire", "PreToolUse", "--json", stdin=given, environment=environment)
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("level", "force", "reset"),
    [("advisory", "none", "none"), ("balanced", "deny", "ask"), ("strict", "deny", "deny")],
)
def test_a_level_says_what_a_rule_answers(program: Program, level: str, force: str, reset: str) -> None:
    program.write(".hookline/hooks.toml", f'use = ["git"]\nlevel = "{level}"\n')
    assert fired(program, "env git push --force")["verdict"] == force
    found = fired(program, "sh -c 'git reset --hard'")
    assert found["verdict"] == reset
    said = [found["reason"], *found["context"]]  # type: ignore[misc]  # a list of texts
    assert any("commit or stash them first" in str(text) for text in said)
    assert fired(program, "git push")["verdict"] == "none"


def test_rules_of_hookline_itself_need_no_review_and_can_be_switched_off(program: Program) -> None:
    program.environment["HOOKLINE_TRUST"] = ""
    config = program.write(".hookline/hooks.toml", 'use = ["git"]\n')
    assert fired(program, "git push -f")["verdict"] == "deny"
    config.write_text('use = ["git"]\noff = ["git/force-push"]\n')
    assert fired(program, "git push -f")["verdict"] == "none"
    config.write_text('use = ["git"]\n')
    assert program("disable", "git/force-push").returncode == 0
    assert fired(program, "git push -f")["verdict"] == "none"


def test_a_pack_that_two_files_take_in_counts_once_where_it_is_strictest(program: Program) -> None:
    program.write(".hookline/hooks.toml", 'use = ["git"]\nlevel = "advisory"\noff = ["force-push"]\n')
    own = program.home / ".config" / "hookline"
    own.mkdir(parents=True)
    (own / "hooks.toml").write_text('use = ["git"]\nlevel = "strict"\n')
    assert fired(program, "git push -f")["verdict"] == "deny"
    assert fired(program, "git reset --hard")["verdict"] == "deny"
    hooks = json.loads(program("list", "--json").stdout)
    names = [hook["name"] for hook in hooks]
    assert len(names) == len(set(names)) == len(shipped_pack("git").rules)


def test_rules_of_packs_are_listed_with_their_place_and_shown(program: Program) -> None:
    program.write(".hookline/hooks.toml", 'use = ["self"]\n')
    assert program("check").returncode == 0
    (hook,) = json.loads(program("list", "--json").stdout)
    assert (hook["id"], hook["source"], hook["trust"]) == ("hookline:self/guards", "pack self", "trusted")
    listed = program("packs", "list").stdout
    assert all(name in listed for name in SHIPPED)
    shown = program("packs", "show", "self").stdout
    assert "does: tamper" in shown and "hookline trust --yes" in shown


def test_a_process_without_such_a_rule_loads_nothing_of_it(program: Program) -> None:
    script = (
        "import sys; from hookline.cli.main import main; main(sys.argv[1:]); "
        "print([name for name in sys.modules if '.shell.' in name or 'packs' in name], file=sys.stderr)"
    )
    program.write(".hookline/hooks.toml", '[[hooks]]\nevent = "PreToolUse"\ntool = "Write"\ndeny = "no"\n')
    import subprocess

    done = subprocess.run(
        [sys.executable, "-c", script, "fire", "PreToolUse"], cwd=program.workspace, env=program.environment,
        input='{"tool_name": "Bash", "tool_input": {"command": "ls"}}', capture_output=True, text=True,
    )  # fmt: skip
    assert done.stderr.strip().endswith("[]"), done.stderr
