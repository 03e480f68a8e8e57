"""A line to a service's own port on this machine: the service is started for it, and waited for."""

from __future__ import annotations

import asyncio
import ssl

from hookline.hosts.turns.services import Service, Services
from hookline.hosts.turns.workspace_files import Refused
from hookline.model.record import Record

LOOPBACK = ("127.0.0.1", "::1")
START_S = 30.0
CONNECT_S = 5.0
LOOK_S = 0.05
READ_LIMIT = 64 * 1024


class Line(Record):
    """A connection to a service; whoever got it closes the writer."""

    service: Service
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @property
    def origin(self) -> str:
        """What the service takes for its own address."""
        service = self.service
        return f"http://localhost:{service.http}" if service.http else f"https://localhost:{service.https}"


def wake(services: Services, service_id: str) -> None:
    """Starts the service unless it runs, or is somebody else's to run."""
    service = services.get(service_id)
    if port_of(service) and not service.is_passive and not services.is_running(service_id):
        services.start(service_id)


async def reach(services: Services, service_id: str, own_port: int) -> Line:
    """A new connection to the service; one that has just been started gets `START_S` seconds to listen.

    Raises Refused: 404 for no such service, 400 for one without a port, 502 when it ended or its port is our
    own (it would be our own API that answers), 503 when it does not run or does not listen.
    """
    service = services.get(service_id)
    port = port_of(service)
    if not port:
        raise Refused("service_has_no_port", 400, "its front matter has neither `http` nor `https`")
    if port == own_port:
        raise Refused("service_port_is_ours", 502, f"hookline itself listens on port {port}")
    if not service.is_passive and not services.is_running(service_id):
        raise Refused("service_not_running", 503, f"POST /services/{service_id}/start starts it")
    end = asyncio.get_running_loop().time() + (0.0 if service.is_passive else START_S)
    while True:
        line = await _connected(service, port)
        if line is not None:
            return line
        if not service.is_passive and not services.is_running(service_id):
            raise Refused("service_ended", 502, f"exit code {services.exit_code_of(service_id)}")
        if asyncio.get_running_loop().time() >= end:
            raise Refused("service_not_answering", 503, f"nothing listens on port {port}")
        await asyncio.sleep(LOOK_S)


def port_of(service: Service) -> int:
    return service.http or service.https


async def _connected(service: Service, port: int) -> Line | None:
    for address in LOOPBACK:
        try:
            async with asyncio.timeout(CONNECT_S):
                streams = await asyncio.open_connection(
                    address, port, limit=READ_LIMIT, ssl=None if service.http else _unproved()
                )
        except (OSError, TimeoutError):
            continue
        return Line(service, *streams)
    return None


def _unproved() -> ssl.SSLContext:
    """Development servers on this machine have certificates that nobody signed."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
