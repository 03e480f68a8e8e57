"""One SQLite file shared by many processes; trouble with it is told, never raised into a hook's way."""

from __future__ import annotations

import os
import time
from _thread import RLock

from hookline.model.errors import StateError, Warn, unheard
from hookline.model.typing import TYPE_CHECKING, Any, Callable, TypeVar
from hookline.system.files import ensure_dir, read_head, write_atomic
from hookline.system.locks import file_lock
from hookline.system.modules import text_beside

if TYPE_CHECKING:
    from sqlite3 import Connection, Error

    T = TypeVar("T")

BUSY_TIMEOUT_S = 5.0
# SQLITE_CORRUPT and SQLITE_NOTADB: the file itself is beyond repair.
CORRUPT = (11, 26)

SCHEMA = 3  # what the last step of `migrations.sql` makes


def migrations() -> list[str]:
    """The steps to the newest schema, in SQL."""
    return text_beside(__name__, "migrations.sql").split("-- next\n")


def driver() -> Any:
    """SQLite's module without the date converters around it, which we do not use and which cost 2 ms."""
    try:
        import _sqlite3 as found
    except ImportError:
        import sqlite3 as found  # type: ignore[no-redef]
    return found


class Database:
    """`path` is made when first written to, mode 0600, in WAL mode, at the newest schema.

    `warn` hears every problem once, in words. A broken file is renamed to `<path>.corrupt-<time>`.
    """

    def __init__(self, path: str, warn: Warn = unheard) -> None:
        self.path = path
        self._warn = warn
        self._told: set[str] = set()
        self._connection: Connection | None = None
        self._process = 0
        self.file: tuple[int, int] | None = None  # which file is open: the path may come to name another
        self._lock = RLock()

    def run(self, work: Callable[[Connection], T], otherwise: T) -> T:
        """What `work` returns, done in one transaction; `otherwise` when the database cannot be used."""
        return self._attempt(lambda: self._transaction(work), otherwise)

    def read(self, work: Callable[[Connection], T], otherwise: T) -> T:
        """As `run`, for a single query: it waits for no writer."""
        return self._attempt(lambda: work(self._opened()), otherwise)

    def look(self, work: Callable[[Connection], T]) -> T:
        """As `read`, of the file as it is: one that is broken stays where it is. Raises StateError."""
        with self._lock:
            try:
                return work(self._opened())
            except driver().Error as error:
                state = "is broken" if self._is_corrupt(error) else "cannot be used"
                raise StateError(f"`{self.path}` {state}: {error}") from error
            except (OSError, UnicodeError) as error:
                raise StateError(f"`{self.path}` cannot be used: {error}") from error

    def prepare(self) -> None:
        """Opens it now, if it is not open yet."""
        if self._connection is None:
            self.read(lambda _: None, None)

    def _attempt(self, attempt: Callable[[], T], otherwise: T) -> T:
        sqlite3 = driver()

        with self._lock:
            for _ in range(2):
                try:
                    return attempt()
                except sqlite3.Error as error:
                    if not self._is_corrupt(error):
                        found = read_head(self.path, 1)  # a pipe or a folder is told as what it is
                        why = found.reason if found.state == "unreadable" else error
                        self.tell(f"`{self.path}` cannot be used: {why}")
                        return otherwise
                    self._set_aside_quietly()
                except (StateError, OSError, UnicodeError) as error:
                    self.tell(str(error))
                    return otherwise
        return otherwise

    @property
    def problem(self) -> str:
        """What was told so far."""
        return "; ".join(sorted(self._told))

    def tell_of_folder(self) -> None:
        """Tells why there can be no file, unless it was just never made."""
        folder = os.path.dirname(self.path)
        if self._told:
            return
        while not os.path.lexists(folder) and folder != os.path.dirname(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder):
            self.tell(f"`{self.path}` cannot be used: `{folder}` is no folder")
        elif not os.access(folder, os.R_OK | os.X_OK):
            self.tell(f"`{self.path}` cannot be used: `{folder}` may not be read")

    @property
    def exists(self) -> bool:
        return os.path.exists(self.path)

    def close(self) -> None:
        with self._lock:
            if self._connection is not None and self._process == os.getpid():
                self._connection.close()
            self._connection = None

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _transaction(self, work: Callable[[Connection], T]) -> T:
        connection = self._opened()
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _opened(self) -> Connection:
        # A connection must not cross a fork, nor outlive its file: SQLite goes on in a deleted one, unheard.
        if self._connection is not None and self._process == os.getpid():
            if self.file == _identity(self.path):
                return self._connection
            self._connection.close()
        self._connection = self._open()
        self._process, self.file = os.getpid(), _identity(self.path)
        return self._connection

    def _open(self) -> Connection:
        if not os.path.exists(self.path):
            ensure_dir(os.path.dirname(self.path), 0o700)
            with file_lock(self.path):
                if read_head(self.path, 1).state == "missing":
                    write_atomic(self.path, b"", mode=0o600, fsync=False)
        connection = _connected(self.path)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version < SCHEMA:
                self._migrate(connection)
            elif version > SCHEMA:
                raise StateError(f"`{self.path}` was written by a newer hookline (schema {version})")
        except BaseException:
            connection.close()
            raise
        return connection

    def _migrate(self, connection: Connection) -> None:
        with file_lock(self.path):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version == 0:
                connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
                connection.execute("PRAGMA journal_mode=WAL")
            for number, script in enumerate(migrations()[version:], version + 1):
                connection.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version={number}; COMMIT;")

    def _is_corrupt(self, error: Error) -> bool:
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in CORRUPT

    def _set_aside_quietly(self) -> None:
        try:
            self._set_aside()
        except (StateError, OSError) as error:
            self.tell(str(error))

    def _set_aside(self) -> None:
        self.close()
        with file_lock(self.path):
            if self._is_sound():
                return  # another process was faster
            aside = f"{self.path}.corrupt-{int(time.time() * 1000)}"
            os.replace(self.path, aside)
            for end in ("-wal", "-shm"):
                if os.path.exists(self.path + end):
                    os.replace(self.path + end, aside + end)
        self.tell(f"`{self.path}` was broken; it is kept as `{aside}` and a new one was begun")

    def _is_sound(self) -> bool:
        sqlite3 = driver()

        try:
            connection = _connected(self.path)
        except sqlite3.Error:
            return False
        try:
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
            return found is not None and found[0] == "ok"
        except sqlite3.Error:
            return False
        finally:
            connection.close()

    def tell(self, words: str) -> None:
        """Warns once of each thing."""
        if words not in self._told:
            self._told.add(words)
            self._warn(words)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _connected(path: str) -> Connection:
    sqlite3 = driver()
    connection: Connection = sqlite3.connect(
        path, BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection
