"""Scripts that a PowerShell line writes before it runs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import join, quote

from hookline.model.record import replace
from hookline.shell.reading import Command, Redirection, Word

_WRITES = {
    "set-content": False, "sc": False, "out-file": False, "new-item": False, "ni": False, "add-content": True,
    "ac": True,
}  # fmt: skip
_TAKE_VALUES = ("-encoding", "-itemtype", "-type", "-width", "-name")
_ANY = 'printf %s x; eval "$TEXT_OF_A_SCRIPT"'  # what nobody can tell
_PRINTS = ("echo", "write-output", "printf")
_RUNS = frozenset(
    (
        "pwsh",
        "powershell",
        ".",
        "source",
        "python",
        "python3",
        "py",
        "node",
        "bash",
        "sh",
        "ruby",
        "perl",
        "cmd",
    )
)
_SCRIPTS = (".ps1", ".cmd", ".bat", ".sh", ".py", ".js", ".mjs", ".rb", ".pl")


class Files:
    """What the line wrote to which scripts, as far as it has the text."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._texts: dict[str, str] = {}
        self._untold: set[str] = set()

    def noted(self, command: Command) -> Command:
        """A command; where it writes a script, and the line has what, also with the redirection that does the same."""
        name = (command.words[0].literal or "").lower() if command.words else ""
        for each in command.redirections:
            if each.operator.startswith(">") and each.target is not None and each.fd is None:
                self._write(_plain(each.target), self._printed(command, name), ">>" in each.operator)
        if name not in _WRITES:
            for known in [
                known for known in self._texts if any(known in word.prefix for word in command.words[1:])
            ]:
                self._write(known, None, False)  # it may do something to it
            return command
        path, value, appends = _given(command, _WRITES[name])
        if path is None or not _plain(path).lower().endswith(_SCRIPTS):
            return command
        self._write(_plain(path), value, appends)
        if value is None:
            return command
        return replace(
            command, redirections=(*command.redirections, Redirection(None, ">>" if appends else ">", path))
        )

    def _write(self, name: str, text: str | None, appends: bool) -> None:
        before = self._texts.pop(name, "") if appends else ""
        if not appends:
            self._untold.discard(name)
        if text is None:
            self._untold.add(name)
        else:
            self._texts[name] = f"{before}{text}\n"

    def _printed(self, command: Command, name: str) -> str | None:
        """What a command prints: a text that stands alone, or what `echo` is given."""
        argv = command.argv
        if argv is None or name in _PRINTS:
            return None if argv is None else " ".join(argv[1:])
        alone = len(argv) == 1 and self._line[command.start : command.start + 1] in ("'", '"', "@")
        return argv[0] if alone else None

    def run_by(self, command: Command) -> str:
        """A line for bash that writes and runs the script which a command runs; empty if it runs none of these."""
        argv = command.argv if self._texts or self._untold else None
        if not argv:
            return ""
        program = argv[0].lower().removesuffix(".exe")
        words = argv[1:] if program in _RUNS else argv[:1]
        names = [_plain(Word((word,))) for word in words]
        if not self._untold.isdisjoint(names):
            return _ANY
        name = next((name for name in names if name in self._texts), "")
        if not name:
            return ""
        runs = (
            f"./{name}"
            if program not in _RUNS or name.lower().endswith((".ps1", ".cmd", ".bat"))
            else join(argv)
        )
        return f"printf %s {quote(self._texts[name])} > {quote(name)}; {runs}"


def _plain(word: Word) -> str:
    return (word.literal or "").replace("\\", "/").removeprefix("./")


def _given(command: Command, appends: bool) -> tuple[Word | None, str | None, bool]:
    """The file that a cmdlet writes, and what, where the line has it."""
    path, value = None, None
    left: list[Word] = []
    words = iter(command.words[1:])
    for word in words:
        option = word.prefix.lower() if word.prefix[:1] == "-" else ""
        if option in ("-path", "-literalpath", "-filepath"):
            path = next(words, None)
        elif option in ("-value", "-inputobject"):
            value = next(words, None)
        elif option in _TAKE_VALUES:
            next(words, None)
        elif option == "-append":
            appends = True
        elif not option:
            left.append(word)
    path = path or (left.pop(0) if left else None)
    value = value or (left[0] if len(left) == 1 else command.stdin if not left else None)
    return path, value.literal if value is not None else None, appends


def in_order(line: str, commands: Sequence[Command]) -> Iterator[tuple[Command, str]]:
    """Each command, and the line for bash by which a script that was written before is run."""
    files = Files(line)
    for command in commands:
        runs = files.run_by(command)
        yield command if runs else files.noted(command), runs
