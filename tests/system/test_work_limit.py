"""Work of our own ends within its limit, wherever that can be had, and gives back what others use."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import pytest
from tests.waiting import DEADLINE_S

from hookline.system.loops.work_limit import EachLimited, TookTooLong, limited


def spin() -> None:
    while True:
        pass


def test_work_is_ended_and_the_next_has_its_whole_time() -> None:
    for _ in range(2):
        with pytest.raises(TookTooLong, match=r"longer than 0\.05 s"):
            limited(0.05, spin)
    assert limited(5.0, sum, (1, 2)) == 3
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_work_within_work_has_the_limit_of_the_outer_one() -> None:
    with pytest.raises(TookTooLong, match=r"0\.05 s"):
        limited(0.05, limited, 60.0, spin)


def test_of_several_pieces_under_one_timer_each_has_the_whole_limit() -> None:
    def spend(seconds: float) -> int:
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        return 1

    with EachLimited(0.2):
        assert sum(limited(60.0, spend, 0.1) for _ in range(4)) == 4
        spend(0.4)  # what is done between them has no limit
        with pytest.raises(TookTooLong, match=r"0\.2 s"):
            limited(60.0, spin)
        assert limited(60.0, spend, 0.1) == 1
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_an_error_of_the_work_ends_its_limit() -> None:
    with pytest.raises(ZeroDivisionError):
        limited(0.05, divmod, 1, 0)
    signal.raise_signal(signal.SIGVTALRM)  # one that comes late is nobody's
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_a_signal_that_the_program_has_a_use_for_stays_its_own() -> None:
    script = (
        "import signal; from hookline.system.loops.work_limit import limited\n"
        "heard = []\nlimited(1.0, int)\nsignal.signal(signal.SIGVTALRM, lambda *_: heard.append(1))\n"
        "limited(0.01, lambda: sum(range(3_000_000)))\nsignal.raise_signal(signal.SIGVTALRM)\nprint(heard)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=DEADLINE_S)
    assert (done.stdout, done.stderr) == ("[1]\n", "")


def test_other_threads_work_without_a_limit_and_disturb_none() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(limited(0.001, sum, range(300_000))))
    thread.start()
    thread.join()
    assert found == [sum(range(300_000))]
    with pytest.raises(TookTooLong):
        limited(0.05, spin)
