"""Files, folders and the environment: the one place the rest of the engine reads and writes them."""

from __future__ import annotations

import errno
import os
import stat
import time

from hookline.model.errors import StateError
from hookline.model.record import Record, replace
from hookline.model.typing import Iterable, Literal, Mapping
from hookline.system import acting
from hookline.system.removal import remove_tree as remove_tree

FilePath = str | os.PathLike[str]
FileState = Literal["missing", "empty", "unreadable", "undecodable", "text"]

TEXT_LIMIT = 4 * 1024 * 1024
HEAD_LIMIT = 64 * 1024
ABSENT = (errno.ENOENT, errno.ENOTDIR)
# By `id`: each takes in every path that is read, listed or looked for meanwhile.
lookers: dict[int, set[str]] = {}


class FileBytes(Record):
    """What was found at a path: `state` is missing, empty, unreadable or bytes.

    `size` is that of the whole file in bytes, also when `content` holds only its head (`truncated`);
    `mode` holds the permission bits; `real_path` has every symbolic link resolved, but that of
    what is missing is the path as it was given.
    """

    state: Literal["missing", "empty", "unreadable", "bytes"]
    content: bytes = b""
    reason: str = ""
    mode: int = 0
    size: int = 0
    mtime_ns: int = 0
    is_symlink: bool = False
    real_path: str = ""
    truncated: bool = False


class FileText(Record):
    """A text file in one of five states; `text` keeps its line ends and any byte order mark.

    A blank file is `empty` (its blanks are in `text`); `reason` says in words why there is no text.
    """

    state: FileState
    text: str = ""
    reason: str = ""
    mode: int = 0
    size: int = 0
    mtime_ns: int = 0
    is_symlink: bool = False
    real_path: str = ""


class Entry(Record):
    """One name in a folder; `kind` is that of the target when it is a symbolic link."""

    name: str
    path: str
    kind: Literal["file", "directory", "other", "dangling"]
    is_symlink: bool = False


class Listing(Record):
    """A folder's entries by name; `state` tells a missing folder from one that cannot be read."""

    state: Literal["missing", "unreadable", "listed"]
    entries: tuple[Entry, ...] = ()
    reason: str = ""


def read_text(path: FilePath, limit: int = TEXT_LIMIT) -> FileText:
    """The UTF-8 text at `path`; a file of more than `limit` bytes is unreadable. Never raises."""
    found = read_bytes(path, limit)
    place = (found.mode, found.size, found.mtime_ns, found.is_symlink, found.real_path)
    if found.state != "bytes":
        return FileText(found.state, "", found.reason, *place)
    try:
        text = found.content.decode("utf-8")
    except UnicodeDecodeError as error:
        return FileText("undecodable", "", undecodable(found.content, error), *place)
    if text[:2].count("\0") == 1:  # without its mark UTF-16 of plain letters is UTF-8, too
        return FileText("undecodable", "", "is UTF-16, not UTF-8", *place)
    if not text.strip(" \t\r\n\ufeff"):
        return FileText("empty", text, "holds only blanks", *place)
    return FileText("text", text, "", *place)


def read_bytes(path: FilePath, limit: int = TEXT_LIMIT) -> FileBytes:
    """The bytes at `path`; a file of more than `limit` bytes is unreadable."""
    found = read_head(path, limit)
    if not found.truncated:
        return found
    reason = f"is larger than {limit} bytes"
    return replace(found, state="unreadable", content=b"", reason=reason, truncated=False)


def file_stamp(path: FilePath) -> tuple[object, ...]:
    """What the file is and when it was changed last, links followed; another one after each change of it."""
    try:
        found, link = os.stat(path), os.lstat(path)
        turned = (os.path.realpath(path), link.st_ino, link.st_ctime_ns)  # elsewhere, and maybe back
        return (*turned, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    except (OSError, ValueError):
        return (os.fspath(path),)


def read_head(path: FilePath, limit: int = HEAD_LIMIT) -> FileBytes:
    """The first `limit` bytes at `path`, with `truncated` set when there are more."""
    name = os.fspath(path)
    note(name)
    try:
        # Opening a named pipe would wait for its writer for ever.
        handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        return _unopened(error, name)
    try:
        found, is_symlink, real_path = os.fstat(handle), os.path.islink(name), path_of(handle, name)
        place = (stat.S_IMODE(found.st_mode), found.st_size, found.st_mtime_ns, is_symlink, real_path)
        if not stat.S_ISREG(found.st_mode):
            return FileBytes("unreadable", b"", _no_file(found.st_mode), *place)
        content = _read_up_to(handle, limit + 1)
    except OSError as error:
        return _unopened(error, name)
    finally:
        os.close(handle)
    if not content:
        return FileBytes("empty", b"", "is empty", *place)
    return FileBytes("bytes", content[:limit], "", *place, len(content) > limit)


def path_of(handle: int, name: str) -> str:
    """As `os.path.realpath(name)`; the kernel is asked at once, instead of about every folder on the way."""
    try:
        found = os.readlink(f"/proc/self/fd/{handle}")
    except OSError:
        return os.path.realpath(name)
    is_path = found.startswith("/") and not found.endswith(" (deleted)")
    return found if is_path else os.path.realpath(name)


def is_file(path: str) -> bool:
    """Whether there is a file, for those who read it later."""
    note(path)
    return os.access(path, os.F_OK) and os.path.isfile(path)  # `stat` raises where nothing is


def is_dir(path: str) -> bool:
    """Whether there is a folder, for those who look into it later."""
    note(path)
    return os.path.isdir(path)


def note(path: str) -> None:
    """Tells whoever wants to know what was looked at."""
    for looker in tuple(lookers.values()):  # another thread may begin to look, or end
        looker.add(path)


def list_dir(path: FilePath) -> Listing:
    """The entries of a folder, sorted by name in code point order (the same in every locale)."""
    note(os.fspath(path))
    try:
        with os.scandir(path) as found:
            entries = [Entry(each.name, each.path, _entry_kind(each), each.is_symlink()) for each in found]
    except OSError as error:
        if error.errno in ABSENT and not os.path.isfile(path):
            return Listing("missing", (), "does not exist")
        return Listing("unreadable", (), words_of(error))
    return Listing("listed", tuple(sorted(entries, key=lambda entry: entry.name)))


def write_atomic(
    path: FilePath,
    data: bytes | str,
    *,
    mode: int | None = None,
    fsync: bool = True,
    sync_folder: bool = True,
    follow: bool = True,
) -> None:
    """Replace the file at `path` in one step: readers see the old content or the new, never a part.

    With `fsync` that also holds after a crash of the machine; without `sync_folder` such a crash may bring
    the old content back.

    A symbolic link stays one: what it names is replaced, unless it is not to `follow`. `mode` wins over the mode the
    file had, which wins over the umask. Text is written as UTF-8 with its line ends untouched. StateError when it
    cannot be done.
    """
    target = os.path.realpath(path) if follow else os.fspath(path)
    content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    try:
        before = os.stat(target) if os.path.exists(target) else None
        if mode is None and before is not None:
            mode = stat.S_IMODE(before.st_mode)
        _replace_file(target, content, mode, before, fsync)
        if fsync and sync_folder:
            _sync_folder(os.path.dirname(target))
    except OSError as error:
        raise StateError(f"cannot write `{os.fspath(path)}`: {words_of(error)}") from error


def ensure_dir(path: FilePath, mode: int = 0o777) -> str:
    """Make the folder and its parents; returns the path. `mode` (under the umask) is the last one's."""
    try:
        os.makedirs(path, mode, exist_ok=True)
    except OSError as error:
        raise StateError(f"cannot make the folder `{os.fspath(path)}`: {words_of(error)}") from error
    return os.fspath(path)


def remove(path: FilePath) -> bool:
    """Remove a file or a symbolic link; False when there was none."""
    try:
        os.unlink(path)
    except OSError as error:
        if error.errno in ABSENT:
            return False
        raise StateError(f"cannot remove `{os.fspath(path)}`: {words_of(error)}") from error
    return True


def make_executable(path: FilePath) -> None:
    """Gives the execute bit to everyone who may read the file. Raises StateError."""
    try:
        mode = os.stat(path).st_mode
        os.chmod(path, mode & 0o7777 | (mode & 0o444) >> 2)
    except OSError as error:
        raise StateError(f"`{os.fspath(path)}` cannot be made executable: {error.strerror}") from error


def append_line(path: FilePath, line: str, mode: int = 0o666, *, anew: bool = False) -> bool:
    """Add one line in a single write, so that lines of several processes never mix.

    With `anew` only where no file is yet; False where there is one.
    """
    content = line.encode("utf-8", "surrogateescape") + b"\n"
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK  # as in `read_head`
    try:
        handle = os.open(path, flags | (os.O_EXCL if anew else 0), mode)
        try:
            os.set_blocking(handle, True)
            _write_all(handle, content)
        finally:
            os.close(handle)
        return True
    except FileExistsError:
        return False
    except OSError as error:
        raise StateError(f"cannot write `{os.fspath(path)}`: {words_of(error)}") from error


def set_aside(path: FilePath) -> str:
    """Renames what is broken, whatever it is, and returns its new name; a link to it stays. Raises StateError."""
    target = os.path.realpath(path)
    aside = f"{target}.corrupt-{time.time_ns() // 1_000_000}"
    try:
        os.rename(target, aside)
    except OSError as error:
        raise StateError(f"cannot put `{target}` aside: {words_of(error)}") from error
    return aside


def environment() -> Mapping[str, str]:
    """A copy of this process's environment."""
    return dict(os.environ)


def variables(names: Iterable[str]) -> tuple[str, ...]:
    """The values of some variables of who is acted for, empty for those that are not set."""
    given = acting.variables()
    return tuple(given.get(name, "") for name in names)


def home(variables: Mapping[str, str] | None = None) -> str:
    """The user's home folder: `$HOME` where that is a whole path, else what the system knows.

    A relative one would have what a person decided looked for in whatever repository they stand in.
    """
    given = (acting.variables() if variables is None else variables).get("HOME", "")
    return (given.rstrip("/") or "/") if given[:1] == "/" else _known_home()


def _known_home() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a container's user of whom nobody knows
        return "/"


def temporary_dir() -> str:
    """The folder for files that live no longer than one event."""
    return os.environ.get("TMPDIR") or "/tmp"


def _unopened(error: OSError | ValueError, name: str) -> FileBytes:
    """Most places where a config could be have none, so the way there is followed only behind a link."""
    absent = isinstance(error, OSError) and error.errno in ABSENT
    is_symlink = os.path.islink(name)
    real_path = name if absent and not is_symlink else os.path.realpath(name)
    reason = "does not exist" if absent else words_of(error)
    if absent and is_symlink:
        reason = f"is a symbolic link to `{real_path}`, which does not exist"
    return FileBytes("missing" if absent else "unreadable", b"", reason, 0, 0, 0, is_symlink, real_path)


def undecodable(content: bytes, error: UnicodeDecodeError) -> str:
    """What bytes are that are no UTF-8."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "is UTF-16, not UTF-8"
    line = content.count(b"\n", 0, error.start) + 1
    return f"is not UTF-8: byte 0x{content[error.start]:02x} in line {line}"


def _read_up_to(handle: int, limit: int) -> bytes:
    parts: list[bytes] = []
    left = limit
    while left > 0 and (part := os.read(handle, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _write_all(handle: int, content: bytes) -> None:
    while content:
        content = content[os.write(handle, content) :]


def _replace_file(
    target: str, content: bytes, mode: int | None, before: os.stat_result | None, fsync: bool
) -> None:
    folder, name = os.path.split(target)
    temp = os.path.join(folder, f".{name[:80]}.{os.urandom(6).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    handle = os.open(temp, flags, 0o666 if mode is None else mode & 0o600)
    try:
        try:
            if before is not None and (before.st_uid, before.st_gid) != (os.geteuid(), os.getegid()):
                _keep_owner(handle, before)
            if mode is not None:
                os.fchmod(handle, mode)
            _write_all(handle, content)
            if fsync:
                os.fsync(handle)
        finally:
            os.close(handle)
        os.rename(temp, target)
    except BaseException:
        os.unlink(temp)
        raise


def _keep_owner(handle: int, before: os.stat_result) -> None:
    try:
        os.fchown(handle, before.st_uid, before.st_gid)
    except PermissionError:
        pass


def _sync_folder(folder: str) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError:
        pass  # some file systems have no folder sync; the rename itself was done
    finally:
        os.close(handle)


def _entry_kind(entry: os.DirEntry[str]) -> Literal["file", "directory", "other", "dangling"]:
    try:
        if entry.is_file():
            return "file"
        if entry.is_dir():
            return "directory"
    except OSError:  # a link to itself, or one into a place where nobody may look
        return "dangling"
    return "dangling" if entry.is_symlink() and not os.path.exists(entry.path) else "other"


def _no_file(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    return f"is {kinds.get(stat.S_IFMT(mode), 'a device')}, not a file"


def words_of(error: OSError | ValueError) -> str:
    if (
        isinstance(error, OSError) and error.errno == errno.ENXIO and error.filename
    ):  # a pipe that nobody reads
        return _no_file(os.stat(error.filename).st_mode)
    return str(getattr(error, "strerror", None) or error)
