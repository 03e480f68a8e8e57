"""Hands a bridged call to the resident process; run as `python -IS bridge_client.py AGENT --event NAME`.

A script of its own, without a single import of hookline or of the library: starting Python is all it costs.
Whenever nobody takes the call, it becomes `hookline bridge` with the same input.
"""

import posix
import sys
from _signal import SIGALRM, alarm, signal  # `signal` loads enum
from _socket import AF_UNIX, SO_PEERCRED, SOCK_STREAM, SOL_SOCKET, socket
from time import monotonic

TAKE_S = 1.0  # how long the resident may take to say that it works on the call
SILENT_S = 10  # of an agent that does not close our input
AT_ONCE = 1 << 20
ACTS = (
    "pretool", "prerun", "prewrite", "preread", "premcp",
    "beforetool", "beforetab", "beforeshell", "beforemcp", "beforeread", "permissionrequest",
)  # fmt: skip
# A Python that lacks what hookline needs denies: the agent's tool is not used while no guard can be asked.
PROGRAM = """import sys
try:
    from hookline.cli.main import entry
except Exception as error:
    sys.stderr.write(
        f"hookline cannot run in {sys.executable} ({error}), so no hook was asked; mend that Python, "
        "or take the entries of hookline out of the settings of the agent\\n"
    )
    sys.exit(CODE)
sys.exit(entry())"""


def main(arguments: list[str]) -> None:
    """Writes the answer and leaves with its exit code."""
    began = monotonic()
    payload = read_all()
    if arguments[:1] == ["bridge"]:
        arguments = arguments[1:]
    if len(arguments) != 3 or arguments[1] != "--event":
        become_hookline(arguments, payload)
        return
    try:
        code, out, err = ask(arguments[0], arguments[2], payload, began)
        write_all(1, out)  # where nobody reads it, hookline knows what to do about that
    except Exception:  # whatever it is, a guard must be asked all the same
        waited = str(int((monotonic() - began) * 1000))
        become_hookline([*arguments, "--waited", waited], payload)
        return
    try:
        write_all(2, err)
    except OSError:
        pass
    posix._exit(code)


def read_all() -> bytes:
    """Standard input to its end, or until nothing came for too long: then what came is the call."""
    chunks = []
    signal(SIGALRM, stop_reading)
    try:
        posix.set_blocking(0, True)  # else there may be nothing yet, which is not the end
        while True:
            alarm(SILENT_S)
            chunk = posix.read(0, AT_ONCE)
            if not chunk:
                break
            chunks.append(chunk)
    except OSError:
        pass
    alarm(0)
    return b"".join(chunks)


def stop_reading(*_: object) -> None:
    """What the alarm does."""
    raise TimeoutError


def write_all(handle: int, content: bytes) -> None:
    """All of it, whatever the pipe takes at a time."""
    posix.set_blocking(handle, True)
    while content:
        content = content[posix.write(handle, content) :]


def ask(agent: str, event: str, payload: bytes, began: float) -> tuple[int, bytes, bytes]:
    """`(exit code, stdout, stderr)` from the resident. Raises OSError when it does not take the call, goes away,
    says what is no answer, or has none when the time is up.
    """
    connection = connect()
    connection.settimeout(TAKE_S)
    connection.sendall(request(agent, event, payload))
    word = receive(connection, 5, monotonic() + TAKE_S)
    if word[:1] != b"T":
        raise OSError("refused")
    end = began + int.from_bytes(word[1:], sys.byteorder) / 1000
    head = receive(connection, 13, end)
    if head[:1] != b"A":
        raise OSError("no answer")
    code, out, err = (int.from_bytes(head[at : at + 4], sys.byteorder) for at in (1, 5, 9))
    return code, receive(connection, out, end), receive(connection, err, end)


def request(agent: str, event: str, payload: bytes) -> bytes:
    """The bytes of the call; `hosts/resident/frames.py` says how they are laid out."""
    words = [word.encode("utf-8", "surrogateescape") for word in (agent, event)]
    strings = [version(), *words, b"", directory()]
    strings += [name + b"=" + value for name, value in posix.environ.items()]
    block = b"\0".join(strings) + b"\0"
    sizes = (len(strings), len(block), len(payload))
    return b"HKL1" + b"".join(size.to_bytes(4, sys.byteorder) for size in sizes) + block + payload


def connect() -> socket:
    """A connection to this user's own resident. Raises OSError."""
    place = posix.open(folder(), posix.O_RDONLY | posix.O_DIRECTORY)
    connection = socket(AF_UNIX, SOCK_STREAM)
    connection.settimeout(TAKE_S)
    connection.connect(f"/proc/self/fd/{place}/socket")
    credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    if int.from_bytes(credentials[4:8], sys.byteorder) != posix.geteuid():
        raise OSError("somebody else's")
    return connection


def folder() -> bytes:
    """Where the socket is: as `hookline.state.paths` has it."""
    state = posix.environ.get(b"XDG_STATE_HOME", b"")
    if state[:1] != b"/":
        state = posix.environ.get(b"HOME", b"") + b"/.local/state"
    if state[:1] != b"/":
        raise OSError("no home to look in")
    return state + b"/hookline/resident"


def directory() -> bytes:
    """The current directory, `/` when it is gone."""
    try:
        return posix.getcwdb()
    except OSError:
        return b"/"


def version() -> bytes:
    """Ours, read from the package this script belongs to."""
    path = __file__.rpartition("/system/")[0] + "/__init__.py"
    handle = posix.open(path, posix.O_RDONLY)
    return posix.read(handle, 4096).partition(b'__version__ = "')[2].partition(b'"')[0]


def receive(connection: socket, size: int, end: float) -> bytes:
    """Exactly that many bytes; OSError when the other end goes away, or when it is `end`."""
    found = []
    while size:
        left = end - monotonic()
        if left <= 0:
            raise OSError("too late")
        connection.settimeout(left)
        chunk = connection.recv(min(size, AT_ONCE))
        if not chunk:
            raise OSError("closed")
        found.append(chunk)
        size -= len(chunk)
    return b"".join(found)


def about_to_act(event: str) -> bool:
    """Whether an event, by its agent's name, says that a tool is about to be used, which a guard may forbid."""
    plain = event.replace("_", "").replace("-", "").lower()
    return plain.startswith(ACTS) and plain != "beforetoolselection"


def become_hookline(arguments: list[str], payload: bytes) -> None:
    """Does it all in this process after all."""
    handle = posix.memfd_create("payload", 0)
    write_all(handle, payload)
    posix.lseek(handle, 0, 0)
    posix.dup2(handle, 0)
    acting = len(arguments) > 2 and about_to_act(arguments[2])
    program = PROGRAM.replace("CODE", "2" if acting else "1")
    words = [sys.executable, "-I", "-c", program, "bridge", *arguments]
    posix.execve(sys.executable, words, posix.environ)


if __name__ == "__main__":
    main(sys.argv[1:])
