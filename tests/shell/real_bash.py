"""What real bash starts when it runs lines: many lines in one process, in a folder of their own, in bounded time."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from hookline.shell.reading import Command, Reading, Word

# A program that is not found is recorded with the words it would have received, and stands in for itself.
DRIVER = r"""
command_not_found_handle() {
  printf '%s\0' "$#" "${@//$'\n'/$'\x1e'}" >> "$__LOG"  # at each newline bash writes what it has, between others' words
  if (( ${EPOCHREALTIME/./} > __END )) && read -r _ _ _ __shell _ < "/proc/$BASHPID/stat"; then
    kill -9 "$__shell"  # a loop without an end
  fi
  [[ $1 != no* ]]
}
export -f command_not_found_handle
__n=0
while IFS= read -r -d '' __line; do
  cd "$__ROOT/$__n" || exit 1
  export __LOG=$__ROOT/log.$__n __END=$(( ${EPOCHREALTIME/./} + 300000 ))
  ( ulimit -t 1; PATH=$__BIN; unset __n __BIN __ROOT; set --
    eval "unset __line; $__line" ) < /dev/null > /dev/null 2>&1
  (( __n++ ))
done
wait
"""
MOST_HOLES = 4
PROGRAMS = ("bash", "cat", "base64", "tr")


def started(lines: list[str], folder: Path, seconds: float = 60) -> list[list[list[str]]]:
    """For each line the words of every program that was not found, in order of their start."""
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name) or "/bin/false")
    environment = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8", "FUNCNEST": "5",
        "__ROOT": str(folder), "__BIN": str(programs),
    }  # fmt: skip
    bash = shutil.which("bash") or "bash"
    for number in range(len(lines)):
        (folder / str(number)).mkdir()
    text = "".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape")
    running = subprocess.Popen(
        [bash, "-c", "ulimit -f 1000 -v 4000000\n" + DRIVER], stdin=subprocess.PIPE, env=environment, cwd=folder,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        running.communicate(text, timeout=seconds)
    except subprocess.TimeoutExpired:
        pass  # what it recorded until then counts
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
        running.wait()
    return [_recorded(folder / f"log.{number}") for number in range(len(lines))]


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


def fits(command: Command, argv: list[str]) -> bool:
    """Whether these may be the command's words, whatever its holes become."""
    if sum(len(word.holes) for word in command.words) > MOST_HOLES:
        return _fits_loosely(command, "".join(f"{text}\x1f" for text in argv))
    pattern = "".join(_word_pattern(word) for word in command.words)
    return re.fullmatch(pattern, "".join(f"{text}\x1f" for text in argv)) is not None


def _fits_loosely(command: Command, text: str) -> bool:
    """Whether the texts between the holes stand in it in order; patterns with many holes take too long."""
    at = 0
    for part in (part for word in command.words for part in word.parts if isinstance(part, str)):
        at = text.find(part, at) + len(part)
        if at < len(part):
            return False
    return True


def _word_pattern(word: Word) -> str:
    if not word.single and all(not isinstance(part, str) for part in word.parts):
        return r"(?:[^\x1f]*\x1f)*"
    pieces = [
        re.escape(part) if isinstance(part, str) else r"[^\x1f]*" if part.kind == "word" else r"[\s\S]*"
        for part in word.parts
    ]
    return "".join(pieces) + r"\x1f"


def disagreement(reading: Reading, recorded: list[list[str]]) -> str:
    """What bash started and the reader, who was sure, did not see; empty if nothing."""
    if reading.unknowns or reading.opaque:
        return ""
    for argv in {tuple(argv): argv for argv in recorded if len("".join(argv)) < 1000}.values():
        if not any(fits(command, argv) for command in reading.commands):
            return f"bash started {argv}"
    return ""
