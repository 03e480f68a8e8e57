"""One policy for many machines: signed, held also without the bus, and everybody knows who has which version."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from tests.nats_server import NatsServer, nats_server
from tests.program import Program
from tests.waiting import DEADLINE_S, until

from hookline.engine.opening import open_engine
from hookline.hosts.fleet.holding import PER_SUBJECT, fleet_log, policy_subject
from hookline.state.trust import store

RULE = '[[hooks]]\nname = "{}"\nevent = "PreToolUse"\nshell = "git push --force"\ndeny = "no"\n'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NatsServer]:
    with nats_server(tmp_path_factory.mktemp("jetstream")) as started:
        yield started


class Fleet:
    """A publisher with a key, and machines in folders of their own."""

    def __init__(self, program: Program, server: NatsServer, root: Path) -> None:
        self.program, self.root = program, root
        self.bus = ("--bus", server.url, "--group", root.name)
        self.key, self.signers = root / "key", root / "signers"
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self.key)], check=True
        )
        self.signers.write_text(f"ann@x {self.key.with_suffix('.pub').read_text()}")
        self.policy = root / "policy"
        self.policy.mkdir()

    def publish(
        self, name: str, key: Path | None = None, by: str = "ann@x"
    ) -> subprocess.CompletedProcess[str]:
        (self.policy / "hooks.toml").write_text("managed_only = true\n" + RULE.format(name))
        words = ("fleet", "publish", str(self.policy), "--key", str(key or self.key), "--by", by, *self.bus)
        return self.program(*words)

    def words(self, machine: str, *more: str) -> tuple[str, ...]:
        to = ("--to", str(self.root / machine), "--signers", str(self.signers), "--name", machine)
        return ("fleet", "hold", *to, *self.bus, *more)

    def once(self, machine: str) -> subprocess.CompletedProcess[str]:
        return self.program(*self.words(machine, "--once"))

    def held(self, machine: str) -> str:
        path = self.root / machine / "hooks.toml"
        return path.read_text() if path.exists() else ""

    def status(self) -> dict[str, tuple[int, bool, str]]:
        machines = json.loads(self.program("fleet", "status", "--json", *self.bus).stdout)["machines"]
        return {each["host"]: (each["version"], each["current"], each["fault"]) for each in machines}

    @contextmanager
    def holding(self, machine: str, *more: str) -> Iterator[None]:
        process = self.program.start(*self.words(machine, *more), stderr=subprocess.DEVNULL)
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=DEADLINE_S) == 143


@pytest.fixture
def fleet(program: Program, server: NatsServer, tmp_path: Path) -> Fleet:
    return Fleet(program, server, tmp_path)


def test_a_policy_is_published_once_and_every_machine_says_what_it_holds(fleet: Fleet) -> None:
    (fleet.policy / "guard.sh").write_text("#!/bin/sh\nexit 0\n")
    (fleet.policy / "guard.sh").chmod(0o755)
    assert "published version 1" in fleet.publish("first").stdout
    (fleet.root / "one").mkdir()
    (fleet.root / "one/hooks.toml").write_text("# mine\n")
    assert (fleet.once("one").returncode, fleet.once("two").returncode) == (0, 0)
    assert '"first"' in fleet.held("one") and fleet.held("one") == fleet.held("two")
    assert (fleet.root / "one/hooks.toml.before-fleet").read_text() == "# mine\n"
    assert (fleet.root / "two/guard.sh").stat().st_mode & 0o100
    (fleet.policy / "guard.sh").unlink()
    assert "published version 2" in fleet.publish("second").stdout
    assert fleet.once("two").returncode == 0
    assert '"second"' in fleet.held("two") and not (fleet.root / "two/guard.sh").exists()
    assert fleet.status() == {"one": (1, False, ""), "two": (2, True, "")}
    shown = fleet.program("fleet", "status", *fleet.bus)
    assert shown.returncode == 1 and "behind" in shown.stdout and "current" in shown.stdout


def test_an_image_is_not_made_without_a_policy(fleet: Fleet) -> None:
    done = fleet.once("one")
    assert (done.returncode, "nothing was published for" in done.stderr) == (64, True)
    assert not (fleet.root / "one").exists()


def test_what_nobody_on_the_list_signed_is_refused_and_told(fleet: Fleet) -> None:
    fleet.publish("first")
    fleet.once("one")
    other = fleet.root / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(other)], check=True)
    assert fleet.publish("evil", other).returncode == 0
    done = fleet.once("one")
    assert (done.returncode, '"first"' in fleet.held("one")) == (1, True)
    assert "refused" in done.stderr
    version, current, fault = fleet.status()["one"]
    assert (version, current, bool(fault)) == (1, False, True)
    assert fleet.once("one.of.many").returncode == 1
    assert set(fleet.status()) == {"one", "one-of-many"}
    fleet.signers.unlink()
    assert "nobody may publish" in fleet.once("two").stderr and fleet.held("two") == ""


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: (folder / "trusted").write_text("sha256:short\n"), "is no fingerprint"),
        (lambda folder: (folder / "link").symlink_to("/etc/passwd"), "symbolic link"),
        (lambda folder: (folder / "big").write_bytes(b"x" * 600_000), "larger than 524288 bytes"),
        (lambda folder: os.mkfifo(folder / "pipe"), "`pipe` is no file"),
        (lambda folder: (folder / "fleet.json").write_text("{}"), "`fleet.json` is each machine's own"),
        (lambda folder: (folder / "fleet-signers").write_text("x"), "`fleet-signers` is each machine's own"),
    ],
)
def test_a_policy_that_would_not_hold_is_not_published(
    fleet: Fleet, spoil: Callable[[Path], object], words: str
) -> None:
    spoil(fleet.policy)
    done = fleet.publish("x")
    assert (done.returncode, words in done.stderr) == (1, True), done.stderr


def test_a_name_that_no_list_of_signers_can_have_does_not_sign(fleet: Fleet) -> None:
    for name in ("ann smith", "*", "a,b"):
        done = fleet.publish("first", by=name)
        assert (done.returncode, "cannot stand in a list of signers" in done.stderr) == (64, True)


def test_a_folder_in_git_is_published_without_its_history(fleet: Fleet) -> None:
    subprocess.run(["git", "init", "-q", str(fleet.policy)], check=True)
    (fleet.policy / "..odd").write_text("x")
    assert fleet.publish("first").returncode == 0
    assert fleet.once("one").returncode == 0
    assert {each.name for each in (fleet.root / "one").iterdir()} == {"hooks.toml", "fleet.json", "..odd"}


def test_a_policy_that_no_machine_can_read_is_told_and_replaced(fleet: Fleet, server: NatsServer) -> None:
    fleet.publish("first")

    async def junk() -> None:
        log = fleet_log(server.url, print)
        await log.append(policy_subject(fleet.root.name), {"policy": '{"schema": 1}', "signature": ""})
        await log.close()

    asyncio.run(junk())
    shown = fleet.program("fleet", "status", *fleet.bus)
    assert (shown.returncode, "counts nowhere" in shown.stderr) == (1, True), shown.stderr
    image = fleet.once("one")  # holds the last one that can be held, and says so
    assert (image.returncode, '"first"' in fleet.held("one"), "refused" in image.stderr) == (1, True, True)
    assert "published version 2" in fleet.publish("second").stdout
    assert fleet.once("one").returncode == 0 and fleet.status() == {"one": (2, True, "")}


def test_a_policy_is_newer_than_what_machines_hold_whatever_the_log_has_lost(
    fleet: Fleet, server: NatsServer
) -> None:
    fleet.publish("first")
    fleet.publish("second")
    fleet.once("one")

    async def junk() -> None:
        log = fleet_log(server.url, print)
        for _ in range(PER_SUBJECT + 1):
            await log.append(policy_subject(fleet.root.name), {"policy": "junk", "signature": ""})
        await log.close()

    asyncio.run(junk())
    assert "published version 3" in fleet.publish("third").stdout
    assert fleet.once("one").returncode == 0 and fleet.status() == {"one": (3, True, "")}


def test_a_hooks_file_that_cannot_be_kept_is_not_replaced(fleet: Fleet) -> None:
    fleet.publish("first")
    (fleet.root / "one").mkdir()
    (fleet.root / "one/hooks.toml").write_text("# " + "x" * (4 << 20))
    done = fleet.once("one")
    assert (done.returncode, "cannot be kept" in done.stderr) == (1, True)
    assert len(fleet.held("one")) > 4 << 20


def test_what_cannot_be_written_is_told_and_written_when_it_can_be(fleet: Fleet) -> None:
    (fleet.policy / "bin").mkdir()
    (fleet.policy / "bin/guard.sh").write_text("true\n")
    fleet.publish("first")
    (fleet.root / "one").mkdir()
    (fleet.root / "one/hooks.toml").write_text("# mine\n")
    (fleet.root / "one/bin").write_text("in its place")
    done = fleet.once("one")
    assert (done.returncode, "cannot be written" in done.stderr) == (1, True)
    version, current, fault = fleet.status()["one"]
    assert (version, current, "bin" in fault) == (1, False, True)
    (fleet.root / "one/bin").unlink()
    assert fleet.once("one").returncode == 0
    assert fleet.status() == {"one": (1, True, "")} and '"first"' in fleet.held("one")
    assert (fleet.root / "one/hooks.toml.before-fleet").read_text() == "# mine\n"


def test_a_broken_hooks_file_is_not_published(fleet: Fleet) -> None:
    (fleet.policy / "hooks.toml").write_text('[[hooks]]\nevent = "PreToolUse"\nden = "x"\n')
    words = ("fleet", "publish", str(fleet.policy), "--key", str(fleet.key), *fleet.bus)
    done = fleet.program(*words)
    assert done.returncode == 1 and "hooks.toml:1" in done.stderr
    (fleet.policy / "hooks.toml").write_bytes(b"# caf\xe9\n")
    done = fleet.program(*words)
    assert (done.returncode, "`hooks.toml` is not UTF-8" in done.stderr) == (1, True), done.stderr


def test_a_machine_goes_on_holding_while_the_bus_is_away_and_takes_up_what_it_missed(
    fleet: Fleet, server: NatsServer
) -> None:
    fleet.publish("first")
    with fleet.holding("one"):
        until(lambda: '"first"' in fleet.held("one"))
        server.stop()
        server.start()
        fleet.publish("second")
        until(lambda: '"second"' in fleet.held("one"))
        until(lambda: fleet.status().get("one") == (2, True, ""))
    server.stop()
    try:
        (fleet.root / "one/hooks.toml").write_text("# an agent was here\n")
        with fleet.holding("one"):
            until(lambda: '"second"' in fleet.held("one"))
    finally:
        server.start()


def test_a_fleet_attests_over_the_bus_and_a_silent_machine_is_named(fleet: Fleet) -> None:
    program = fleet.program
    program.write(".hookline/hooks.toml", RULE.format("no-force"))
    program("install", "claude", "--scope", "local")
    fleet.publish("first")
    with fleet.holding("one", "--attest", str(program.workspace)):
        until(lambda: "one" in fleet.status())
        done = program("attest", "--json", "--wait", "60", *fleet.bus)
        fleet.once("gone")
        silent = program("attest", "--wait", "0.1", *fleet.bus)
    assert (silent.returncode, "gone: it did not answer" in silent.stdout) == (1, True)
    found = json.loads(done.stdout)
    assert (done.returncode, found["silent"]) == (0, [])
    (machine,) = found["machines"]
    (proof,) = machine["attested"][0]["guards"]
    assert (machine["host"], proof["name"], proof["state"], proof["verdict"]) == (
        "one",
        "no-force",
        "fired",
        "deny",
    )


def test_what_the_machine_trusts_runs_in_any_repository(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program.write(".hookline/hooks.toml", RULE.format("no-force"))
    environment = {**program.environment, "HOOKLINE_TRUST": ""}

    def state() -> tuple[str, str]:
        opened = open_engine(str(program.workspace), environment=environment, history=False)
        (spec,) = [each for each in opened.hooks.specs if each.scope == "project"]
        return opened.trust.state(spec), opened.trust.digest(spec)

    monkeypatch.setattr(store, "MACHINE_TRUST", str(tmp_path / "trusted"))
    before, fingerprint = state()
    (tmp_path / "trusted").write_text(f"{fingerprint}  # reviewed by ann\n")
    assert (before, state()[0]) == ("untrusted", "trusted")


class Monitor(BaseHTTPRequestHandler):
    config: ClassVar[dict[str, object]] = {}

    def do_GET(self) -> None:
        body = json.dumps({"config": self.config}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(
    ("config", "severity", "words"),
    [
        ({"sync_interval": 1000, "sync_always": True}, "note", "`always`"),
        ({"sync_interval": 30_000_000_000}, "warning", "`sync_interval` is 30 s: after a power failure"),
        ({"max_storage": 1}, "warning", "`sync_interval` is 120 s"),
        ({}, "warning", "JetStream is off"),
    ],
)
def test_doctor_says_whether_the_bus_may_lose_what_it_acknowledged(
    program: Program, monkeypatch: pytest.MonkeyPatch, config: dict[str, object], severity: str, words: str
) -> None:
    from hookline.cli.hooks.doctor import bus_findings

    monkeypatch.setattr(Monitor, "config", config)
    with HTTPServer(("127.0.0.1", 0), Monitor) as monitor:
        thread = threading.Thread(target=monitor.handle_request)
        thread.start()
        (found,) = bus_findings(
            "nats://ann:secret@10.0.0.5:4222", f"http://127.0.0.1:{monitor.server_address[1]}"
        )
        thread.join()
    assert (found.severity, words in found.message, found.subject) == (severity, True, "nats://10.0.0.5:4222")


def test_doctor_says_so_when_the_bus_does_not_tell(program: Program) -> None:
    words = ("doctor", "--json", "--bus", "nats://127.0.0.1:1", "--bus-monitor", "http://127.0.0.1:1")
    (found,) = [each for each in json.loads(program(*words).stdout) if each["code"] == "bus-sync-unknown"]
    assert "unless it is `always`, after a power failure" in found["message"]
