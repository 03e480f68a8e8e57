"""Hands a bridged call to the resident process; run as `python -IS bridge_client.py AGENT --event NAME`.

A script of its own, without a single import of hookline or of the library: starting Python is all it costs.
Whenever nobody takes the call, it becomes `hookline bridge` with the same input.
"""

import posix
import sys
from _socket import AF_UNIX, SO_PEERCRED, SOCK_STREAM, SOL_SOCKET, socket, timeout

TAKE_S = 1.0  # how long the resident may take to say that it works on the call
MARGIN_S = 0.5  # how much later than promised an answer may come


def main(arguments: list[str]) -> None:
    """Writes the answer and leaves with its exit code."""
    payload = read_all()
    if arguments[:1] == ["bridge"]:
        arguments = arguments[1:]
    taken = len(arguments) == 3 and arguments[1] == "--event"
    reply = ask(arguments[0], arguments[2], payload) if taken else None
    if reply is None:
        become_hookline(arguments, payload)
        return
    code, out, err = reply
    write_all(2, err)
    write_all(1, out)
    posix._exit(code)


def read_all() -> bytes:
    """Standard input to its end."""
    chunks = []
    while chunk := posix.read(0, 1 << 20):
        chunks.append(chunk)
    return b"".join(chunks)


def write_all(handle: int, content: bytes) -> None:
    """All of it, whatever the pipe takes at a time."""
    while content:
        content = content[posix.write(handle, content) :]


def ask(agent: str, event: str, payload: bytes) -> tuple[int, bytes, bytes] | None:
    """`(exit code, stdout, stderr)` from the resident; None when it does not take the call."""
    connection = connect()
    if connection is None:
        return None
    try:
        connection.settimeout(TAKE_S)
        connection.sendall(request(agent, event, payload))
        word = receive(connection, 5)
        if word[:1] != b"T":
            return None
    except OSError:
        return None
    connection.settimeout(int.from_bytes(word[1:], sys.byteorder) / 1000 + MARGIN_S)
    try:
        head = receive(connection, 13)
        code, out, err = (int.from_bytes(head[at : at + 4], sys.byteorder) for at in (1, 5, 9))
        return code, receive(connection, out), receive(connection, err)
    except timeout:
        return 0, b"", b"hookline: the resident process did not answer in time; no hook's opinion was heard\n"
    except OSError:
        return None


def request(agent: str, event: str, payload: bytes) -> bytes:
    """The bytes of the call; `hosts/resident/frames.py` says how they are laid out."""
    strings = [version(), agent.encode(), event.encode(), b"", directory()]
    strings += [name + b"=" + value for name, value in posix.environ.items()]
    block = b"\0".join(strings) + b"\0"
    sizes = (len(strings), len(block), len(payload))
    return b"HKL1" + b"".join(size.to_bytes(4, sys.byteorder) for size in sizes) + block + payload


def connect() -> socket | None:
    """A connection to this user's own resident, or None."""
    try:
        place = posix.open(folder(), posix.O_RDONLY | posix.O_DIRECTORY)
        connection = socket(AF_UNIX, SOCK_STREAM)
        connection.settimeout(TAKE_S)
        connection.connect(f"/proc/self/fd/{place}/socket")
        credentials = connection.getsockopt(SOL_SOCKET, SO_PEERCRED, 12)
    except OSError:
        return None
    same = int.from_bytes(credentials[4:8], sys.byteorder) == posix.geteuid()
    return connection if same else None


def folder() -> bytes:
    """Where the socket is: as `hookline.state.paths` has it."""
    state = posix.environ.get(b"XDG_STATE_HOME", b"")
    if state[:1] != b"/":
        state = posix.environ.get(b"HOME", b"") + b"/.local/state"
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


def receive(connection: socket, size: int) -> bytes:
    """Exactly that many bytes; OSError when the other end goes away."""
    found = b""
    while len(found) < size:
        chunk = connection.recv(size - len(found))
        if not chunk:
            raise OSError("closed")
        found += chunk
    return found


def become_hookline(arguments: list[str], payload: bytes) -> None:
    """Does it all in this process after all."""
    handle = posix.memfd_create("payload", 0)
    write_all(handle, payload)
    posix.lseek(handle, 0, 0)
    posix.dup2(handle, 0)
    words = [sys.executable, "-I", "-m", "hookline", "bridge", *arguments]
    posix.execve(sys.executable, words, posix.environ)


if __name__ == "__main__":
    main(sys.argv[1:])
