"""What can go wrong, by who can put it right."""

from __future__ import annotations

import errno

from hookline.model.record import Record
from hookline.model.typing import Callable

Warn = Callable[[str], object]  # takes one line for whoever runs us


def unheard(told: object) -> None:
    """Takes what is told where nobody wants to hear it."""


_SHORTAGES = {
    errno.EMFILE: "no more files can be opened here; raise the limit (`ulimit -n`)",
    errno.ENFILE: "the system has no more files to open",
    errno.ENOMEM: "there is no memory left",
}


class HooklineError(Exception):
    """Base of all our errors: `message` states the fact, `hint` what to do."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(HooklineError):
    """The command line or an API call is wrong; the caller can mend it."""

    exit_code = 64


class PayloadError(UsageError):
    """An event's payload is not what the event needs."""


class ConfigError(HooklineError):
    """A config file is wrong; its author can mend it."""


class HandlerError(HooklineError):
    """A hook could not even be attempted; becomes a launch failure, never a crash."""


class StateError(HooklineError):
    """A state file cannot be read or written."""


# What the linker, and Python itself, say where memory ran out while they loaded something
_NO_MEMORY = (
    "failed to map",
    "cannot map",
    "annot allocate",
    "without exception set",
    "without setting an exception",
)


def no_memory(error: BaseException) -> bool:
    """Whether it is known to have failed because memory ran out."""
    error = _single(error)
    if isinstance(error, ImportError | SystemError):
        return any(map(own_words(error).__contains__, _NO_MEMORY))
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def shortage(error: BaseException) -> str:
    """What the system has no more of, where that is why something failed; else empty."""
    error = _single(error)
    if no_memory(error):
        return _SHORTAGES[errno.ENOMEM]
    if isinstance(error, RuntimeError) and "start new thread" in own_words(error):
        return "no more processes can be started here; raise the limit (`ulimit -u`)"
    if isinstance(error, ImportError) and "Too many open files" in own_words(error):
        return _SHORTAGES[errno.EMFILE]
    return _SHORTAGES.get(error.errno or 0, "") if isinstance(error, OSError) else ""


def _single(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def own_words(error: BaseException) -> str:
    """An error's name and words; the name alone where somebody's `__str__` fails itself."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return f"{type(error).__name__}, which cannot say more: its own `__str__` fails"


def failure_words(error: BaseException) -> str:
    """Any failure in one line: what the system has no more of, or the error's own name and words."""
    error = _single(error)
    return shortage(error) or own_words(error)


def defect_words(error: BaseException) -> str:
    """A failure that is ours and nobody else's, or that of a system which has no more to give, in one line."""
    return shortage(error) or f"defect in hookline: {own_words(error)}"


WHOLE_FILE = "*"
PERMISSIONS = "permissions"


class Problem(Record):
    """One fault in a config file: where, what was found, what was wanted, what to do.

    `code` is stable (`unknown-event`, `wrong-type`, …); `line` and `column` count from 1, 0 is unknown.
    `guard` tells whether the silenced entry could have blocked something. `lost` is the native event of an
    entry that is too broken to be a hook of its own (`?` when it names none, `WHOLE_FILE` when it may be any
    number of them, `PERMISSIONS` when it is a list of permission rules); empty when a hook stands for it, or none was
    meant.
    """

    source: str
    line: int
    column: int
    path: str
    code: str
    message: str
    hint: str = ""
    severity: str = "error"
    guard: bool = False
    lost: str = ""

    @property
    def where(self) -> str:
        """Its place, as people are shown it."""
        return f"{self.source}:{self.line}" if self.line else self.source

    @property
    def said(self) -> str:
        """Its message, behind the key that it is about."""
        return f"{self.path}: {self.message}" if self.path else self.message

    def __str__(self) -> str:
        place = ":".join(map(str, filter(None, (self.source, self.line, self.line and self.column))))
        text = f"{self.severity}: {place}: {self.said}"
        lines = [text, f"  hint: {self.hint}"] if self.hint else [text]
        return "\n".join(line.replace("\n", "\\n") for line in lines)


def make_executable(path: str) -> str:
    """A hint with a line to copy."""
    return f"run `chmod +x {as_word(path)}`"


def unix_line_ends(path: str) -> str:
    """The same for a script with Windows line ends."""
    return f"run `sed -i 's/\\r$//' {as_word(path)}`"


def as_word(path: str) -> str:
    """One word to a shell, whatever the path holds."""
    from shlex import quote

    if path.startswith("~/"):
        return "~/" + quote(path[2:])
    return quote(f"./{path}" if path.startswith("-") else path)
