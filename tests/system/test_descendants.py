"""Who belongs to a run: everything that comes of it, whatever it does to get away, and nobody else."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.waiting import DEADLINE_S, is_running
from tests.zoo import zoo

from hookline.system.loops.loop import current_loop, gather, run, run_asyncio
from hookline.system.processes import descendants
from hookline.system.processes import tags as brands
from hookline.system.processes.process import ProcessRequest, ProcessResult, Stop, run_process

Run = Callable[[Coroutine[Any, Any, Any]], Any]
PATH = {"PATH": "/usr/bin:/bin"}
HOOKLINE_PATH = os.pathsep.join(path for path in sys.path if path)
SLEEP: tuple[str, list[str], dict[str, str]] = ("/bin/sleep", ["sleep", "3600"], {})
QUIET = "</dev/null >/dev/null 2>&1"
ESCAPE = f"env -i setsid sleep 3600 {QUIET} & echo $!"
needs_brands = pytest.mark.skipif(not brands.new_brand(), reason="this system lets no process be branded")


@pytest.fixture(params=[run, run_asyncio], ids=["poll", "asyncio"])
def drive(request: pytest.FixtureRequest) -> Run:
    return request.param


@pytest.fixture
def strangers() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes of the program that embeds us; ended after the test."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.kill()
        process.wait()


def shell(script: str, **more: Any) -> ProcessRequest:
    env = more.pop("env", PATH)
    return ProcessRequest(argv=("sh", "-c", script), cwd="/", env=env, **more)


def gone(pid: int) -> bool:
    """What has been killed may take a busy machine a while to die."""
    until = time.monotonic() + DEADLINE_S
    while is_running(pid):
        if time.monotonic() > until:
            return False
        time.sleep(0.005)
    return True


@needs_brands
def test_an_escape_among_twenty_hooks_is_ended_and_the_others_keep_theirs(drive: Run, tmp_path: Path) -> None:
    """Each neighbour has a child that left in the same way, and still needs it."""
    release, pids = tmp_path / "release", set[int]()
    script = (
        f"{ESCAPE}; while [ ! -e '{release}' ]; do sleep 0.02; done\n"
        "kill -0 $! && echo untouched; kill $!; wait $!; exit 0"
    )

    async def main() -> tuple[list[ProcessResult], ProcessResult]:
        ready = current_loop().create_future()

        def listen(_: str, chunk: bytes) -> None:
            pids.update(int(word) for word in chunk.split() if word.isdigit())
            if len(pids) == 19 and not ready.done():
                ready.set_result(None)

        asked = [run_process(shell(script, on_output=listen)) for _ in range(19)]
        neighbours = current_loop().create_task(gather(asked, 19))
        await ready
        escaping = await run_process(shell(ESCAPE))
        release.touch()
        return await neighbours, escaping

    neighbours, escaping = drive(main())
    escaped = int(escaping.stdout.text)
    assert (escaping.killed_after_exit, gone(escaped)) == ((escaped,), True)
    assert [result.stdout.text.split()[1:] for result in neighbours] == [["untouched"]] * 19
    assert [result.killed_after_exit for result in neighbours] == [()] * 19


@needs_brands
def test_an_escape_is_ended_with_a_hook_that_is_stopped(drive: Run) -> None:
    stop = Stop()
    ask = shell(f"{ESCAPE}; sleep 3600", stop=stop, on_output=lambda *_: stop.request())
    result = drive(run_process(ask))
    assert (result.cancelled, result.survivors) == (True, ())
    assert gone(int(result.stdout.text))


def test_a_daemon_of_the_embedding_program_survives(
    drive: Run, strangers: list[subprocess.Popen[bytes]]
) -> None:
    """Started before, during and in the very moment of hooks, by another thread, with an empty environment."""
    enough = threading.Event()

    def start_daemon() -> None:
        strangers.append(subprocess.Popen(["/bin/sleep", "3600"], env={}, start_new_session=True))

    def start_many() -> None:
        while not enough.is_set() and len(strangers) < 60:
            start_daemon()

    async def main() -> list[ProcessResult]:
        return await gather([run_process(shell(ESCAPE)) for _ in range(30)], 5)

    start_daemon()
    threads = [threading.Thread(target=start_many) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        results = drive(main())
    finally:
        enough.set()
        for thread in threads:
            thread.join()
    assert [stranger.poll() for stranger in strangers] == [None] * len(strangers)
    if brands.new_brand():
        assert [result.killed_after_exit for result in results] == [(int(r.stdout.text),) for r in results]


@needs_brands
def test_what_another_thread_starts_while_a_hook_is_started_is_left_alone(
    drive: Run, monkeypatch: pytest.MonkeyPatch, strangers: list[subprocess.Popen[bytes]]
) -> None:
    """It has inherited the brand that this process had at that moment, but not the policy of our thread."""

    def start_branded(brand: int, start: Callable[..., int], arguments: Sequence[object]) -> int:
        def start_both(*_: object) -> int:
            leader = start(*arguments)
            thread = threading.Thread(target=start_daemon)
            thread.start()
            thread.join()
            return leader

        return real(brand, start_both, ())

    def start_daemon() -> None:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))  # as a thread that was there before
        strangers.append(subprocess.Popen(["/bin/sleep", "3600"], env={}, start_new_session=True))

    real = brands.start_branded
    monkeypatch.setattr("hookline.system.processes.spawn.start_branded", start_branded)
    monkeypatch.setattr(brands._thread, "_count", lambda: 1)
    result = drive(run_process(shell(ESCAPE)))
    inherited = brands.brands_of(strangers[0].pid)
    assert inherited is not None and brands.are_related(brands.new_brand(), inherited)
    assert brands.owner_of(strangers[0].pid) == 0
    assert result.killed_after_exit == (int(result.stdout.text),)
    assert strangers[0].poll() is None


@needs_brands
@pytest.mark.parametrize("threads", [0, 1])
def test_a_hook_runs_under_the_usual_policy_and_so_do_we(
    drive: Run, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    monkeypatch.setattr(brands._thread, "_count", lambda: threads)
    policies, stop = list[int](), Stop()

    def listen(_: str, chunk: bytes) -> None:
        policies.append(os.sched_getscheduler(int(chunk)))
        stop.request()

    drive(run_process(shell("echo $$; sleep 3600", on_output=listen, stop=stop)))
    assert (policies, os.sched_getscheduler(0)) == ([os.SCHED_OTHER], os.SCHED_OTHER)


@needs_brands
def test_where_the_policy_cannot_be_set_the_hook_is_branded_once_it_runs(
    drive: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(brands._thread, "_count", lambda: 1)
    monkeypatch.setattr(brands, "_late", [])
    owners, stop = list[int](), Stop()

    def listen(_: str, chunk: bytes) -> None:
        owners.append(brands.owner_of(int(chunk)))
        stop.request()

    assert drive(run_process(shell("echo $$; sleep 3600", on_output=listen, stop=stop))).cancelled
    assert owners == [brands.brand_owner(brands.process_mark())]
    assert not brands.are_all((-1, -1))  # what was started earlier has none: the run id may still tell


@needs_brands
def test_a_signal_handler_may_start_a_process_while_one_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brands._thread, "_count", lambda: 1)
    before = brands.brands_of(os.getpid())
    inner = lambda: brands.start_branded(brands.new_brand(), os.posix_spawn, SLEEP)  # noqa: E731
    pids: list[int] = []

    def outer() -> int:
        pids.append(inner())
        return os.posix_spawn(*SLEEP)

    pids.append(brands.start_branded(brands.new_brand(), outer, ()))
    try:
        assert len({brands.brands_of(pid) for pid in pids}) == 2
        assert (brands.brands_of(os.getpid()), os.sched_getscheduler(0)) == (before, os.SCHED_OTHER)
    finally:
        for pid in pids:
            os.kill(pid, 9)
            os.waitpid(pid, 0)


@needs_brands
@pytest.mark.parametrize("inner_dies", [False, True])
def test_an_escape_from_a_run_within_a_run_is_ended(drive: Run, tmp_path: Path, inner_dies: bool) -> None:
    """By the inner hookline or, when that was killed outright, by the outer one."""
    script = f"env -i setsid sleep 3600 {QUIET} & echo $! >'{tmp_path}/pid'" + "; kill -9 $PPID" * inner_dies
    inner = (
        "import os\nfrom hookline.system.loops.loop import run\n"
        "from hookline.system.processes.process import ProcessRequest, run_process\n"
        f"ask = ProcessRequest(('sh', '-c', {script!r}), '/', dict(os.environ))\n"
        "print(*run(run_process(ask)).killed_after_exit)\n"
    )
    env = {**PATH, "PYTHONPATH": HOOKLINE_PATH}
    result = drive(run_process(ProcessRequest((sys.executable, "-S", "-c", inner), "/", env)))
    pid = int((tmp_path / "pid").read_text())
    assert gone(pid) and result.survivors == ()
    assert (result.stdout.text, pid in result.killed_after_exit) == (
        "" if inner_dies else f"{pid}\n", inner_dies
    )  # fmt: skip


@needs_brands
def test_our_own_limit_is_as_before_whether_the_program_starts_or_not(drive: Run) -> None:
    before = brands.brands_of(os.getpid())
    assert drive(run_process(shell("true"))).exit_code == 0
    assert drive(run_process(ProcessRequest(("/no/such/program",), "/", PATH))).launch_code == 127
    with pytest.raises(ZeroDivisionError):
        brands.start_branded(brands.new_brand(), lambda: 1 // 0, ())
    assert brands.brands_of(os.getpid()) == before


@needs_brands
def test_every_run_has_a_brand_of_its_own_under_its_hooklines_mark() -> None:
    given = {brands.new_brand() for _ in range(1000)}
    assert len(given) == 1000
    owner = brands.brand_owner(brands.process_mark())
    pid = brands.start_branded(given.pop(), os.posix_spawn, SLEEP)
    try:
        assert brands.owner_of(pid) == owner != brands.owner_of(os.getpid())
    finally:
        os.kill(pid, 9)
        os.waitpid(pid, 0)


@pytest.mark.parametrize("name", ["setsid-escapee", "daemon-escapee"])
def test_where_nothing_can_be_branded_the_run_id_still_tells(
    drive: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(brands, "_kinds", [0])
    hook = zoo(tmp_path / "zoo", python=sys.executable)[name]
    result = drive(run_process(ProcessRequest((str(hook),), "/", PATH)))
    assert result.killed_after_exit == (int(result.stdout.text),)
    assert gone(int(result.stdout.text))


@pytest.mark.parametrize("refusal", [PermissionError, ValueError])
def test_a_system_that_refuses_the_limit_gives_no_brand(
    drive: Run, monkeypatch: pytest.MonkeyPatch, refusal: type[Exception]
) -> None:
    def refuse(pid: int, limit: int, *new: tuple[int, int]) -> tuple[int, int]:
        if new:
            raise refusal
        return (-1, -1)

    monkeypatch.setattr(brands, "prlimit", refuse)
    monkeypatch.setattr(brands, "_kinds", [])
    assert brands.new_brand() == 0
    result = drive(run_process(shell("sleep 3600 >/dev/null 2>&1 & echo $!")))
    assert result.killed_after_exit == (int(result.stdout.text),)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_ends_an_escape_as_well_and_does_not_wait_for_others_environments() -> None:
    script = (
        "import os\nfrom hookline.system.loops.loop import run\n"
        "from hookline.system.processes.process import ProcessRequest, run_process\n"
        "from hookline.system.processes import descendants, launch\nimport resource\n"
        "os.setgroups([]); os.setgid(65534); os.setuid(65534)\n"
        f"result = run(run_process(ProcessRequest(('sh', '-c', {ESCAPE!r}), '/', {PATH!r})))\n"
        "descendants._EXEC_PAUSE_S = 3600\n"
        "print(result.stdout.text, *result.killed_after_exit, descendants._environment(os.getppid()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], env={**PATH, "PYTHONPATH": HOOKLINE_PATH}, capture_output=True,
        text=True, timeout=DEADLINE_S,
    )  # fmt: skip
    first, *ended, environment = done.stdout.split() or [done.stderr]
    assert environment == "b''"
    if brands.new_brand():
        assert ended == [first] and gone(int(first))


def test_a_stranger_is_looked_at_once_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(descendants.Family, "strangers", {})
    family = descendants.Family()
    family.begin(os.getpid(), "HOOKLINE_RUN_ID=none", brands.new_brand())
    try:
        asked: list[int] = []
        monkeypatch.setattr(os, "getpgid", lambda pid: asked.append(pid) or 1)
        monkeypatch.setattr(os, "getsid", lambda pid: 0)
        assert family._members([1, 1], descendants._lives) == [] and asked == [1]
        later = time.monotonic() + 3600
        monkeypatch.setattr(time, "monotonic", lambda: later)
        assert family._members([1], descendants._lives) == [] and asked == [1, 1]
    finally:
        descendants.Family.leaders.discard(os.getpid())
