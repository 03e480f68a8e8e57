"""Whether what was read from a set of files and folders is still what stands there.

A state is the kernel's own change time, size and identity of a file, which no edit leaves as they were: not
one of the same length, not one whose author set the time back. Clocks of file systems tick, so a file that
changed just before it was read could change again within the same tick; what is as fresh as that is not
relied on.

Most paths that matter do not exist (places where a config could be). None of them can appear without a change
to the nearest folder above, so usually only those folders are looked at.
"""

from __future__ import annotations

import os
import time

from hookline.model.typing import Iterable, Iterator

State = tuple[int, int, int, int] | None

TICK_NS = 50_000_000
COARSE_TICK_NS = 2_100_000_000  # where the file system keeps whole seconds, or every other one


BEING_WRITTEN_NS = 30_000_000
_LOOK_S = 0.01


def written_on(path: str, looks: int = 20) -> Iterator[None]:
    """Steps, at most so many and a hundredth of a second apart, while the file was changed a moment ago.

    Whoever replaces a file in place has it empty or cut off in between.
    """
    for _ in range(looks):
        try:
            age = time.time_ns() - os.stat(path).st_mtime_ns
        except (OSError, ValueError):
            return
        if not 0 <= age < BEING_WRITTEN_NS:
            return
        time.sleep(_LOOK_S)
        yield


class Freshness:
    """The state of `paths`, taken now; of those in `places` only whether they exist, and as what.

    `since_ns` is when reading them began, in nanoseconds since the epoch. Unless `is_settled`, one of them may
    have changed since then without a trace, or have gone, and none of it is relied on.
    """

    def __init__(self, paths: Iterable[str], places: Iterable[str], since_ns: int) -> None:
        self._paths = tuple(dict.fromkeys(paths))
        self._places = tuple(dict.fromkeys(places))
        self._before = self._states()
        self._landmarks: tuple[str, ...] = ()
        self._seen: list[State] = []
        around = states_of(landmarks_of((*self._paths, *self._places)))
        self.is_settled = settled((*self._before, *around), since_ns)

    def is_fresh(self, now_ns: int) -> bool:
        """Whether all of it is as it was read."""
        if not self.is_settled:
            return False
        if self._seen and states_of(self._landmarks) == self._seen:
            return True
        landmarks = landmarks_of((*self._paths, *self._places))
        seen = states_of(landmarks)  # before the closer look, so that nothing in between is missed
        if self._states() != self._before:
            return False
        self._landmarks, self._seen = landmarks, seen if settled(seen, now_ns) else []
        return True

    def _states(self) -> list[State]:
        places = [state and (0, 0, *state[2:]) for state in states_of(self._places)]
        return [*states_of(self._paths), *places]


def states_of(paths: Iterable[str]) -> list[State]:
    """The state of each path, None where nothing can be seen."""
    found: list[State] = []
    for path in paths:
        try:
            state = os.stat(path)
        except (OSError, ValueError):
            found.append(None)
        else:
            found.append((state.st_ctime_ns, state.st_size, state.st_ino, state.st_dev))
    return found


def settled(states: Iterable[State], now_ns: int) -> bool:
    """Whether a change after `now_ns` must show in each of these states."""
    for state in states:
        if state is not None:
            tick = TICK_NS if state[0] % 1_000_000_000 else COARSE_TICK_NS
            if state[0] + tick > now_ns:
                return False
    return True


def landmarks_of(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths that exist, and of each other one the nearest folder above that does."""
    found: dict[str, None] = {}
    for path in paths:
        while path not in found and not os.path.exists(path):
            above = os.path.dirname(path)
            if above == path or os.path.lexists(path):
                break  # a link to nothing: it may come to life without a change to its folder
            path = above
        found[path] = None
    return tuple(found)
