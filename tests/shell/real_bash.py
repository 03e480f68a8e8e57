"""What real bash starts when it runs lines: many lines in one process, in a folder of their own, in bounded time."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hookline.shell.reading import Command, Hole, Reading, Word
from hookline.shell.values.fields import FOUND

# A program that is not found is recorded with the words it would have received, and stands in for itself.
HANDLER = r"""
command_not_found_handle() {
  printf '%s\0' "$#" "${@//$'\n'/$'\x1e'}" >> "$__LOG"  # at each newline bash writes what it has, between others' words
  if (( ${EPOCHREALTIME/./} > __END )) && read -r _ _ _ __shell _ < "/proc/$BASHPID/stat"; then
    kill -9 "$__shell"  # a loop without an end
  fi
  [[ $1 != no* ]]
}
export -f command_not_found_handle
"""
LINES = r"""
__n=0
export __DRIVER=$$
while IFS= read -r -d '' __line; do
  cd "$__ROOT/$__n" || exit 1
  export __LOG=$__ROOT/log.$__n __END=$(( ${EPOCHREALTIME/./} + __MOST ))
  ( ulimit -t 1; PATH=$__BIN; unset __n __BIN __ROOT __MOST; set --
    LINE ) < /dev/null > /dev/null 2>&1
  (( __n++ ))
done
wait
"""
IN_BASH = 'eval "unset __line; $__line"'
IN_SH = 'exec sh -c "$__line" sh'
MOST_HOLES = 4
_FOLDER = "the folder of a program"
PROGRAMS = ("bash", "cat", "base64", "tr", "tee", "echo", "printf")
CHANGING = ("cp", "mv", "ln", "mkdir", "rm", "dd", "sed", "sort", "install")  # files
STARTING = ("env", "xargs", "find", "sh")  # these look for programs by themselves, and find the stand-ins
STAND_INS = ("ok", "ok1", "ok2", "no", "no1", "no2", "git")
STAND_IN = r"""#!%s
printf '%%s\0' $(( $# + 1 )) "${0##*/}" "$@" >> "$__LOG"
case $0 in */no*) exit 1; esac
"""
STARTER = """#!%s
PATH=%s exec %s "$@"
"""
WAITING = 5  # seconds of one process: for what never comes
SPINNING = 0.25  # seconds of processor time; bash itself only knows whole ones
TICK = 1 / os.sysconf("SC_CLK_TCK")


def recorder(folder: Path) -> Path | None:
    """What shells load in order to record by themselves; None where it cannot be made."""
    compiler, made = shutil.which("cc") or shutil.which("gcc"), folder / "recording.so"
    if compiler is None or sys.platform != "linux":
        return None
    source = Path(__file__).with_name("recording.c")
    command = [compiler, "-O2", "-shared", "-fPIC", "-o", str(made), str(source)]
    return made if subprocess.run(command, capture_output=True).returncode == 0 else None


def started(
    lines: list[str], folder: Path, seconds: float = 60, in_shell: str = IN_BASH, loaded: Path | None = None
) -> list[list[list[str]]]:
    """For each line the words of every program that was not found, in order of their start.

    With a `recorder` to be `loaded` it takes half the time, and sees what `exec` starts as well.
    """
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name in (*PROGRAMS, *CHANGING, *(STARTING if loaded else ())):
        (programs / name).symlink_to(os.path.realpath(shutil.which(name) or "/bin/false"))
    bash = shutil.which("bash") or "bash"
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": "/none/home", "LC_ALL": "C.UTF-8", "FUNCNEST": "5",
        "__ROOT": str(folder), "__BIN": str(programs), "__MOST": "1500000",  # microseconds of one line
    }  # fmt: skip
    if loaded is not None:
        environment["LD_PRELOAD"] = str(loaded)
    else:
        _stand_in(folder, bash)
    driver = ("" if loaded else HANDLER) + LINES.replace("LINE )", f"{in_shell} )")
    for number in range(len(lines)):
        (folder / str(number)).mkdir()
    text = folder / "lines"  # of a file bash reads many letters at once, of a pipe one
    text.write_bytes("".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape"))
    with text.open() as given:
        running = subprocess.Popen(
            [bash, "-c", "ulimit -f 1000 -v 4000000\n" + driver], stdin=given,
            env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    try:
        _wait(running, time.monotonic() + seconds)  # what it recorded until then counts
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    return [_recorded(folder / f"log.{number}") for number in range(len(lines))]


def _stand_in(folder: Path, bash: str) -> None:
    """Programs of the names that lines use, for those that ask no shell what stands in for one."""
    (folder / "known").mkdir()
    for name in STAND_INS:
        _program(folder / "known" / name, STAND_IN % (shutil.which("sh") or bash))
    for name in STARTING:
        path = f"{folder / 'bin'}:{folder / 'known'}"
        _program(folder / "bin" / name, STARTER % (bash, path, shutil.which(name) or "/bin/false"))


def _program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _wait(driver: subprocess.Popen[bytes], end: float) -> None:
    """Until it is done, or the time is over; lines that go on without an end are stopped meanwhile."""
    begun: dict[int, float] = {}
    while (now := time.monotonic()) < end:
        with contextlib.suppress(subprocess.TimeoutExpired):
            driver.wait(0.1)
            return
        for process in _descendants(driver.pid):
            if now - begun.setdefault(process, now) > WAITING or _seconds(process) > SPINNING:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)


def _descendants(process: int) -> list[int]:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []  # it has just ended
    return [found for child in children for found in (int(child), *_descendants(int(child)))]


def _seconds(process: int) -> float:
    """The processor time that it took, without its children's."""
    try:
        times = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    except OSError:
        return 0
    return sum(map(int, times)) * TICK


def _recorded(log: Path) -> list[list[str]]:
    if not log.exists():
        return []
    words = log.read_bytes().decode("utf-8", "surrogateescape").replace("\x1e", "\n").split("\0")[:-1]
    found, at = [], 0
    while at < len(words) and words[at].isdecimal():  # a line that was killed may leave half a record
        count = int(words[at])
        found.append(words[at + 1 : at + 1 + count])
        at += 1 + count
    return found


def fits(command: Command, argv: Sequence[str]) -> bool:
    """Whether these may be the command's words, whatever its holes become."""
    text = "".join(f"{word}\x1f" for word in argv)
    holes = sum(len(word.holes) for word in command.words)
    loosely = holes > 0 and _fits_loosely(command, text)
    if holes > MOST_HOLES or not loosely:  # making a pattern is dear, and few would fit
        return loosely
    pattern = "".join(_word_pattern(word) for word in command.words)
    return re.fullmatch(pattern, text) is not None


def _fits_loosely(command: Command, text: str) -> bool:
    """Whether the texts between the holes stand in it in order; patterns with many holes take too long."""
    at = 0
    sure = [word for word in command.words if not any(hole.why in (FOUND, _FOLDER) for hole in word.holes)]
    for part in (part for word in sure for part in word.parts if isinstance(part, str)):
        at = text.find(part, at) + len(part)
        if at < len(part):
            return False
    return True


def _word_pattern(word: Word) -> str:
    if not word.single and all(not isinstance(part, str) for part in word.parts):
        return r"(?:[^\x1f]*\x1f)*"
    if any(isinstance(part, Hole) and part.why == FOUND for part in word.parts):
        return _path_pattern(word)
    text = "".join(map(_part_pattern, word.parts))
    first = word.parts[0] if word.parts else ""
    if isinstance(first, Hole) and first.why == _FOLDER:
        return rf"(?:(?:{text})?\x1f)?"  # known to be open: one that is not there has no path
    return text + r"\x1f"


def _part_pattern(part: str | Hole) -> str:
    return re.escape(part) if isinstance(part, str) else r"[^\x1f]*" if part.kind == "word" else r"[\s\S]*"


def _path_pattern(word: Word) -> str:
    """Of files below a folder: any number of them, and of the folder itself."""
    pieces = [
        r"\x00[^\x1f]*" if isinstance(part, Hole) and part.why == FOUND else _part_pattern(part)
        for part in word.parts
    ]
    text = re.sub(r"^\\x00", "", "".join(pieces))  # with nothing before it, it is the whole path
    return "(?:" + re.sub(r"/?\\x00\[\^\\x1f\]\*", r"(?:/[^\\x1f]*)?", text) + r"\x1f)*"


def disagreement(reading: Reading, recorded: list[list[str]]) -> str:
    """What bash started and the reader, who was sure, did not see; empty if nothing."""
    if reading.unknowns or reading.opaque:
        return ""
    seen = {command.argv for command in reading.commands}
    for argv in dict.fromkeys(tuple(argv) for argv in recorded if len("".join(argv)) < 1000):
        if argv not in seen and not any(fits(command, argv) for command in reading.commands):
            return f"bash started {list(argv)}"
    return ""
