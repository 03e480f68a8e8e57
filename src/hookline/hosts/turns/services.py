"""A workspace's services: programs in `.discobot/services/` that clients start, stop and listen to (Discobot)."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Mapping
from typing import Any

from hookline.dialects.discobot.frontmatter import parse_frontmatter, unique_ids
from hookline.hosts.turns.log import TurnLog
from hookline.hosts.turns.workspace_files import Refused
from hookline.model.record import Record
from hookline.model.rendering import iso_time
from hookline.system.files import list_dir, read_head
from hookline.system.processes.process import ProcessRequest, run_process
from hookline.system.processes.process_request import Stop
from hookline.system.repository.git import without_location

OUTPUT_LIMIT = 1024 * 1024
GRACE_S = 5.0
MOST_PORTS = 65535
LOOPBACK = ("127.0.0.1", "::1")
START_S = 30.0
CONNECT_S = 5.0
LOOK_S = 0.05
READ_LIMIT = 64 * 1024


class Service(Record):
    """One service file. `http` and `https` are ports (0: none); a passive one is run by somebody else."""

    id: str
    name: str
    file: str
    description: str = ""
    order: int = 0
    http: int = 0
    https: int = 0
    path: str = ""
    is_passive: bool = False


class Run:
    """One start of a service: its output, and how far it is."""

    def __init__(self) -> None:
        self.log = TurnLog()
        self.stop = Stop()
        self.state = "starting"
        self.started_at = iso_time()
        self.exit_code: int | None = None
        self.task: asyncio.Task[None] | None = None


class Services:
    """The services of one workspace. `start` and `stop` raise Refused with the status a client gets."""

    def __init__(self, workspace: str, environment: Mapping[str, str], home: str) -> None:
        self._workspace = workspace
        self._environment = without_location(environment)
        self._outputs = os.path.join(home, ".config", "discobot", "services", "output")
        self._runs: dict[str, Run] = {}

    def shown(self) -> list[dict[str, Any]]:
        """All services as they are on disk now, by their order and name, with their state."""
        return [self._as_json(service) for service in self._found()]

    def get(self, service_id: str) -> Service:
        found = next((each for each in self._found() if each.id == service_id), None)
        if found is None:
            raise Refused("service_not_found", 404)
        return found

    def start(self, service_id: str) -> Run:
        """Begins to run it; 409 while it runs, 400 when it is passive."""
        service = self.get(service_id)
        if service.is_passive:
            raise Refused("service_is_passive")
        if self.is_running(service_id):
            raise Refused("service_already_running", 409)
        run = self._runs[service_id] = Run()
        run.task = asyncio.get_running_loop().create_task(self._follow(service, run))
        return run

    def stop(self, service_id: str) -> Run:
        """TERM, and KILL after five seconds; 400 when it does not run."""
        self.get(service_id)
        run = self._runs.get(service_id)
        if run is None or not self.is_running(service_id):
            raise Refused("service_not_running")
        run.state = "stopping"
        run.stop.request()
        return run

    def run_of(self, service_id: str) -> Run | None:
        """Its last start, under way or over."""
        self.get(service_id)
        return self._runs.get(service_id)

    def is_running(self, service_id: str) -> bool:
        """Whether it was started here and has not ended."""
        run = self._runs.get(service_id)
        return run is not None and run.state != "stopped"

    def exit_code_of(self, service_id: str) -> int | None:
        """How its last start ended; None without one, and while it runs."""
        run = self._runs.get(service_id)
        return run.exit_code if run is not None else None

    def output_path(self, service_id: str) -> str:
        """The file with the output of the last start, at most 1 MB."""
        return os.path.join(self._outputs, f"{service_id}.out")

    async def close(self) -> None:
        """Ends all of them."""
        tasks = [run.task for run in self._runs.values() if run.task is not None and not run.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _found(self) -> list[Service]:
        folder = os.path.join(self._workspace, ".discobot", "services")
        entries = [
            entry
            for entry in list_dir(folder).entries
            if entry.kind == "file" and not entry.name.startswith(".")
        ]
        ids = unique_ids([entry.name for entry in entries])
        read = [_service(name, entry.path) for name, entry in zip(ids, entries, strict=True)]
        return sorted((each for each in read if each is not None), key=lambda each: (each.order, each.name))

    async def _follow(self, service: Service, run: Run) -> None:
        def hear(stream: str, chunk: bytes) -> None:
            text = chunk.decode("utf-8", "replace")
            run.log.append("output", {"type": stream, "data": text, "timestamp": iso_time()})

        run.state = "running"
        request = ProcessRequest(
            (service.file,),
            self._workspace,
            {**self._environment, "DISCOBOT_WORKSPACE": self._workspace},
            grace_s=GRACE_S,
            spill_path=self.output_path(service.id),
            spill_limit=OUTPUT_LIMIT,
            on_output=hear,
            stop=run.stop,
        )
        try:
            result = await run_process(request)
            run.exit_code = result.status_code
            if result.launch_error:
                run.log.append("output", {"type": "error", "data": result.launch_error})
        finally:
            run.state = "stopped"
            run.log.append("output", {"type": "exit", "exitCode": run.exit_code, "timestamp": iso_time()})
            run.log.close()

    def _as_json(self, service: Service) -> dict[str, Any]:
        run = self._runs.get(service.id)
        return {
            "id": service.id,
            "name": service.name,
            "description": service.description,
            "order": service.order,
            "http": service.http or None,
            "https": service.https or None,
            "path": os.path.relpath(service.file, self._workspace),
            "urlPath": service.path,
            "passive": service.is_passive,
            "status": run.state if run is not None else "stopped",
            "startedAt": run.started_at if run is not None else None,
            "exitCode": run.exit_code if run is not None else None,
        }


def _service(service_id: str, file: str) -> Service | None:
    head = read_head(file)
    text = head.content.decode("utf-8", "replace")
    front = parse_frontmatter(text)
    is_script = text.startswith("#!")
    if front.state != "found" or (is_script and not head.mode & 0o111):
        return None
    fields = front.fields
    return Service(
        service_id,
        fields.get("name") or service_id,
        file,
        fields.get("description", ""),
        _number(fields.get("order", "")),
        _number(fields.get("http", "")),
        _number(fields.get("https", "")),
        fields.get("path", ""),
        not is_script,
    )


def _number(text: str) -> int:
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0
    return number if number <= MOST_PORTS else 0


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
