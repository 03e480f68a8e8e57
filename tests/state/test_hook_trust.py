"""What the engine may run is pinned when a session begins."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from hookline.model.events import EventKind
from hookline.model.hooks import Command, HookSpec, Matcher, Unusable, Webhook
from hookline.model.record import replace
from hookline.state.paths import Paths
from hookline.state.trust.fingerprint import (
    KEPT_BYTES,
    canonical,
    definition,
    given_name,
    identified,
    sha256,
)
from hookline.state.trust.hook_trust import HookTrust
from hookline.state.trust.store import TrustStore
from hookline.system.workspace.freshness import TICK_NS


def hook(line: str = "sh check.sh", **more: Any) -> HookSpec:
    given = {"source": ".gen/settings.json", "files": ("check.sh",), **more}
    return HookSpec("g:1", "gencode", EventKind.Stop, "Stop", Command(line), **given)


@pytest.fixture
def store(tmp_path: Path) -> TrustStore:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "check.sh").write_text("exit 0\n")
    return TrustStore(Paths.from_environment({}, str(tmp_path / "home")), str(tmp_path / "work"))


def test_a_hook_edited_during_a_session_stops_running_in_it(store: TrustStore) -> None:
    store.accept([hook()], "ann")
    session = HookTrust(store, [hook()])
    assert (session.state(hook()), session.still_reviewed(hook())) == ("trusted", True)
    Path(store.workspace, "check.sh").write_text("exit 1\n")
    assert (session.state(hook()), session.still_reviewed(hook())) == ("trusted", False)
    assert HookTrust(store, [hook()]).state(hook()) == "modified"


def test_programs_of_a_session_that_stays_are_handed_out_as_reviewed_or_not_at_all(store: TrustStore) -> None:
    script = Path(store.workspace, "check.sh")
    store.accept([hook()], "ann")
    spec = hook()
    session = HookTrust(store, [spec])
    time.sleep(TICK_NS * 1.1e-9)
    for _ in range(5):
        programs = session.reviewed_programs(spec)
        assert programs is not None
        assert [program.content for program in programs.values()] == [b"exit 0\n"]
    script.write_text("exit 1\n")
    os.utime(script, (1, 1))
    assert session.reviewed_programs(spec) is None
    script.write_text("exit 0\n")
    assert session.reviewed_programs(spec) == programs
    store.revoke("ann")
    assert session.reviewed_programs(spec) is None


@pytest.mark.parametrize("content", [b"", b"x" * (KEPT_BYTES + 1)], ids=["empty", "too large to be kept"])
def test_programs_of_any_size_are_handed_out_each_time(store: TrustStore, content: bytes) -> None:
    Path(store.workspace, "check.sh").write_bytes(content)
    spec = hook()
    store.accept([spec], "ann")
    session = HookTrust(store, [spec])
    time.sleep(TICK_NS * 1.1e-9)
    for _ in range(5):
        programs = session.reviewed_programs(spec)
        assert programs is not None
        assert [program.content for program in programs.values()] == [content] * bool(content)


def test_a_hook_accepted_during_a_session_waits_for_the_next_load(store: TrustStore) -> None:
    session = HookTrust(store, [hook()])
    assert session.state(hook()) == "untrusted"
    store.accept([hook()], "ann")
    assert (session.state(hook()), session.still_reviewed(hook())) == ("untrusted", False)
    assert HookTrust(store, [hook()]).still_reviewed(hook())


def test_revoking_ends_a_running_sessions_trust(store: TrustStore) -> None:
    store.accept([hook()], "ann")
    session = HookTrust(store, [hook()])
    assert session.still_reviewed(hook())
    store.revoke("ann")
    assert not session.still_reviewed(hook())


def test_users_hooks_are_pinned_at_first_sight_and_a_change_is_an_alarm_not_a_stop(
    store: TrustStore,
) -> None:
    first = hook("echo a", scope="user", source="~/.claude/settings.json", files=())
    HookTrust(store, [first])
    changed = hook("echo b", scope="user", source="~/.claude/settings.json", files=())
    session = HookTrust(store, [changed])
    assert (session.state(changed), session.still_reviewed(changed)) == ("trusted", True)
    assert list(session.alarms()) == ["g:1"]
    store.set_strict(True, "ann")
    strict = HookTrust(store, [changed])
    assert (strict.is_strict, strict.state(changed), strict.alarms()) == (True, "modified", {})


def test_a_switched_off_hook_says_by_whom(store: TrustStore) -> None:
    store.disable(hook(), "ann")
    session = HookTrust(store, [hook()])
    assert session.disabled_by(hook()) == "disabled by ann; `hookline enable g:1` brings it back"
    store.enable(hook(), "ann")
    assert HookTrust(store, [hook()]).disabled_by(hook()) is None


def test_a_hook_is_known_by_its_definition_whoever_its_neighbours_are() -> None:
    changes: tuple[dict[str, Any], ...] = (
        {}, {"timeout_s": 60}, {"timeout_s": 60.0}, {"grace_s": 2}, {"source": "é.json"}, {"name": "Stop 1"},
        {"name": "mine"}, {"condition": "Bash(git *)"}, {"condition": {"a": 1}}, {"env": {"A": "é"}},
        {"blocking": False}, {"background": True}, {"once": True}, {"on_failure": "block"}, {"enabled": False},
        {"matcher": Matcher("exact", 'a"\ud800')}, {"matcher": Matcher("regex", "/ws/x/y")},
        {"options": {"n": 1}}, {"options": {"n": True}}, {"options": {"n": 1.0}},
        {"action": Command("/ws/x/run é\0")}, {"action": Command(argv=("a", "/ws/x"))},
        {"action": Command("l", shell=("bash", "-c"))}, {"action": Webhook("http://x")}, {"action": Unusable("no")},
    )  # fmt: skip
    specs = [replace(hook("true é"), **each) for each in changes]
    neighbours = [each for one in specs for other in specs for each in (one, other)]
    for spec, found in zip(neighbours, identified(neighbours, "/ws/x"), strict=True):
        meaning = definition(spec, "/ws/x")
        del meaning["enabled"]
        if isinstance(spec.action, Unusable):
            meaning["action"] = "no"
        assert found.digest == sha256(canonical([spec.source, given_name(spec), meaning])), spec
