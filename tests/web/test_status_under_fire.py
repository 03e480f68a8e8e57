"""status.json under rivals and sudden death: valid at every instant, and no count lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from tests.waiting import DEADLINE_S
from tests.web.serving import Serving, write

RIVAL = """
import sys
from hookline.state.status import StatusStore
store = StatusStore(sys.argv[1])
for number in range(int(sys.argv[3])):
    store.record_run(sys.argv[2], "rival", "pre-commit", number % 2, "/log")
    store.add_pending([f"{sys.argv[2]}-{number % 3}"])
"""


def rival(serving: Serving, name: str, rounds: int) -> subprocess.Popen[bytes]:
    """Another process that writes to the same status, as a git hook does."""
    return subprocess.Popen(
        [sys.executable, "-c", RIVAL, str(serving.folder), name, str(rounds)],
        env=serving.program.environment,
    )


class Watcher:
    """Reads the file all the time, without the lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.broken: list[str] = []
        self.reads = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Watcher:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.002):
            try:
                text = self.path.read_text()
            except FileNotFoundError:
                continue
            self.reads += 1
            try:
                json.loads(text)
            except ValueError:
                self.broken.append(text)


def test_no_count_is_lost_between_the_server_and_other_writers(serving: Serving) -> None:
    """The server, two git hooks and a rerun write at once."""
    serving.hook("go.sh", body="true")
    serving.start(write("a.go", "1"), {"text": "one"})
    with Watcher(serving.folder / "status.json") as watcher:
        rivals = [rival(serving, name, 40) for name in ("one", "two")]
        serving.say("go")
        for _ in range(3):
            serving.ask("POST", "/hooks/go/rerun")
        assert [process.wait(DEADLINE_S) for process in rivals] == [0, 0]
        serving.idle()
    hooks = serving.status["hooks"]
    assert (hooks["one"]["runCount"], hooks["two"]["runCount"], hooks["one"]["failCount"]) == (40, 40, 20)
    assert hooks["go"]["runCount"] == 4
    assert (watcher.broken, watcher.reads > 0) == ([], True)
    assert serving.get("/hooks/status") == serving.status


def test_the_file_is_whole_whenever_the_server_dies(serving: Serving) -> None:
    """Killed at different moments of an evaluation, the obligation is there and the file is JSON."""
    serving.hook("go.sh", body="sleep 0.05; exit 1")
    with Watcher(serving.folder / "status.json") as watcher:
        for moment in range(4):
            serving.start(write("a.go", str(moment)), {"text": "one"})
            path = serving.folder / "status.json"
            seen = {path.stat().st_mtime_ns if path.exists() else 0}
            serving.say("go")
            # A slow reader misses writes in between: after the first one the end will do as well
            end = time.monotonic() + 1
            while len(seen) < moment + 2 and (len(seen) < 2 or time.monotonic() < end):
                seen.add(path.stat().st_mtime_ns if path.exists() else 0)
            serving.stop(signal.SIGKILL)
            content = json.loads(path.read_text())
            assert set(content["pendingHooks"]) <= {"go"}
    assert watcher.broken == []
    serving.start(write("a.go", "at last"), {"text": "two"}, {"text": "three"})
    serving.say("again")
    serving.until(lambda: serving.status["hooks"].get("go", {}).get("runCount", 0) > 0, "the run")


def test_a_broken_status_is_set_aside_and_hooks_go_on(serving: Serving) -> None:
    serving.hook("go.sh", body="true")
    serving.folder.mkdir(parents=True)
    (serving.folder / "status.json").write_text('{"hooks": {')
    serving.start(write("a.go", "1"), {"text": "one"})
    serving.say("go")
    serving.until(lambda: "go" in serving.status["hooks"] and not serving.status["pendingHooks"], "the run")
    (kept,) = serving.folder.glob("status.json.corrupt-*")
    assert kept.read_text() == '{"hooks": {'
    assert "is not JSON" in serving.talk
