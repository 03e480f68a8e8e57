"""`hookline worker`: runs this workspace's guards for every host that asks over a bus."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from typing import Any

from hookline.cli import common, flags
from hookline.cli.ending import hearing
from hookline.engine.opening import open_engine
from hookline.hosts.bus_guards import Worker, subject_of
from hookline.hosts.user_judge import give_judge
from hookline.state.eventlog_nats import NatsEventLog
from hookline.system.loops.loop import run_asyncio

EXAMPLE = "hookline worker --bus nats://10.0.0.5:4222 --group guards"
DRAIN_S = 10.0


def run(arguments: list[str]) -> int:
    """Serves until a signal; then answers what it has begun, and ends."""
    parser = common.parser(
        "worker", "Answers guards' requests on a bus with this workspace's hooks.", EXAMPLE
    )
    flags.add_bus(parser, required=True)
    parser.add_argument(
        "--group", default="guards", metavar="G", help="workers of a group share its requests"
    )
    return run_asyncio(_serve(parser.parse_args(arguments)))


async def _serve(options: Namespace) -> int:
    subject = subject_of(options.group)
    workspace = common.workspace_of(options.workspace)
    opened = open_engine(workspace, warn=common.warn)
    give_judge(opened)
    common.name_untrusted(opened)
    log = NatsEventLog(options.bus, warn=common.warn)
    client = await log.client()
    worker = Worker(opened.engine, workspace)
    answering: set[asyncio.Task[None]] = set()

    async def reply(message: Any) -> None:
        await message.respond(await worker.answer(message.data))

    async def take(message: Any) -> None:
        task = asyncio.create_task(reply(message))
        answering.add(task)
        task.add_done_callback(answering.discard)

    listening = await client.subscribe(subject, queue=options.group, cb=take)
    await client.flush()
    common.print_line(f"answering for `{options.group}` with the hooks of {workspace}")
    sys.stdout.flush()
    heard: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def hear(number: int) -> None:
        if not heard.done():
            heard.set_result(number)

    with hearing(hear):
        await heard
        await listening.unsubscribe()
        if answering:
            await asyncio.wait(answering, timeout=DRAIN_S)
        await opened.engine.close()
        await log.close()
    return 128 + heard.result()
