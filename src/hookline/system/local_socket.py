"""Unix sockets in a private folder: only this user connects, whatever the length of the path.

The folder is reached through a descriptor, because an address holds no more than 107 bytes.
"""

from __future__ import annotations

import _socket
import os
import struct
from _socket import socket as Caller
from socket import socket

from hookline.model.errors import StateError

NAME = "socket"
_CREDENTIALS = struct.Struct("3i")  # process, user, group


def listen(folder: str) -> socket:
    """A listening socket, mode 0600, in `folder`, which is made mode 0700. Raises StateError."""
    import socket

    os.makedirs(folder, mode=0o700, exist_ok=True)
    _check_private(folder)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
    try:
        try:
            os.unlink(NAME, dir_fd=place)
        except FileNotFoundError:
            pass
        old = os.umask(0o177)
        try:
            listener.bind(f"/proc/self/fd/{place}/{NAME}")
        finally:
            os.umask(old)
        listener.listen(128)
        return listener
    except OSError as error:
        listener.close()
        raise StateError(f"cannot listen in `{folder}`: {error}") from error
    finally:
        os.close(place)


def connect(folder: str, timeout_s: float) -> socket | None:
    """A connection to whoever listens in `folder`; None when nobody of this user does."""
    import socket

    try:
        _check_private(folder)
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, StateError):
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        connection.settimeout(timeout_s)
        connection.connect(f"/proc/self/fd/{place}/{NAME}")
        if peer_user(connection) == os.geteuid():
            return connection
    except OSError:
        pass
    finally:
        os.close(place)
    connection.close()
    return None


def accept(listener: socket) -> Caller | None:
    """Whoever called next, when it is this user; None when nobody did, or another."""
    try:
        handle, _ = listener._accept()  # type: ignore[attr-defined]  # what `accept` itself calls
        # Named, the family need not be asked for; and the class around it costs more than a read
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, handle)
        connection.setblocking(False)
    except OSError:
        return None
    if peer_user(connection) == os.geteuid():
        return connection
    connection.close()
    return None


def remove(folder: str) -> None:
    """Takes the socket away."""
    try:
        os.unlink(os.path.join(folder, NAME))
    except OSError:
        pass


def peer_user(connection: Caller) -> int:
    """The user id at the other end, as the kernel knows it."""
    found = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(found)[1])


def _check_private(folder: str) -> None:
    found = os.stat(folder)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise StateError(f"`{folder}` is not a private folder of this user", "remove it, and try again")
