"""Agents that speak the Agent Client Protocol (version 1) on stdio; we are the client.

Source: the protocol's schema, https://agentclientprotocol.com; the requests are those iteratr makes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from hookline import __version__
from hookline.agents.base import AgentDied, AgentReply, AgentUpdate, ModelError, OnUpdate
from hookline.agents.jsonrpc import Answer, Peer, RpcClosed, RpcError
from hookline.model.errors import Warn, unheard
from hookline.system.processes.line_process import Conversation

PROTOCOL = 1
START_S = 60.0
CANCEL_S = 5.0
SILENCE = "the agent answered with nothing at all; often its login is missing"
_AUTH_REQUIRED = -32000
_SOUNDS = ("text", "thought", "tool_call", "tool_call_update")


class AcpAgent:
    """A program such as `opencode acp`, started when first needed and again after it died.

    `answer` gives the results of the agent's own requests (permission, files). `model` is chosen in every
    session. Raises ModelError when a turn fails, AgentDied when the program ended.
    """

    def __init__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        answer: Answer,
        *,
        model: str = "",
        warn: Warn = unheard,
    ) -> None:
        self._argv = tuple(argv)
        self._environment = environment
        self._answer = answer
        self._model = model
        self._warn = warn
        self._process: Conversation | None = None
        self._peer: Peer | None = None
        self._serving: asyncio.Task[None] | None = None
        self._capabilities: Mapping[str, Any] | None = None
        self._turns: dict[str, _Turn] = {}

    @property
    def name(self) -> str:
        return " ".join(self._argv)

    async def new_session(self, cwd: str, mcp_servers: Sequence[Mapping[str, Any]] = ()) -> str:
        """A fresh session; of servers with one name the first form is taken that the agent can reach."""
        peer = await self._running(cwd)
        servers = _reachable(mcp_servers, self._capabilities)
        created = await self._ask(peer, "session/new", {"cwd": cwd, "mcpServers": servers})
        session = created.get("sessionId")
        if not isinstance(session, str):
            raise ModelError(f"`{self._argv[0]}` answered session/new without a `sessionId`")
        await self._choose_model(peer, session, created)
        return session

    async def prompt(
        self, session: str, texts: Sequence[str], on_update: OnUpdate | None = None
    ) -> AgentReply:
        peer = self._peer
        if peer is None:
            raise AgentDied("the agent is not running")
        turn = self._turns[session] = _Turn(on_update)
        blocks = [{"type": "text", "text": text} for text in texts if text]
        asked = asyncio.ensure_future(
            self._ask(peer, "session/prompt", {"sessionId": session, "prompt": blocks})
        )
        try:
            result = await asyncio.shield(asked)
        except asyncio.CancelledError:
            await self._cancel(peer, session, asked)
            raise
        finally:
            self._turns.pop(session, None)
        return _reply(turn, str(result.get("stopReason") or "end_turn"))

    async def close(self) -> None:
        """Ends the program and whatever it started."""
        process, self._process, self._peer = self._process, None, None
        if process is not None:
            await process.stop()
        if self._serving is not None:
            self._serving.cancel()
            with suppress(asyncio.CancelledError):
                await self._serving
            self._serving = None

    # -- the connection -------------------------------------------------------------------------------

    async def _running(self, cwd: str) -> Peer:
        if self._peer is not None and self._process is not None and self._process.alive:
            return self._peer
        await self.close()
        self._process = process = await Conversation.begin(self._argv, cwd, self._environment)
        self._peer = peer = Peer(process.read_line, process.write, self._answer, self._hear)
        self._serving = asyncio.create_task(peer.serve())
        abilities = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": False}
        info = {"name": "hookline", "title": "hookline", "version": __version__}
        given = {"protocolVersion": PROTOCOL, "clientCapabilities": abilities, "clientInfo": info}
        try:
            async with asyncio.timeout(START_S):
                answer = await self._ask(peer, "initialize", given)
        except TimeoutError:
            await self.close()
            raise ModelError(f"`{self._argv[0]}` did not answer `initialize` in {START_S:g} s") from None
        if answer.get("protocolVersion") != PROTOCOL:
            await self.close()
            found = answer.get("protocolVersion")
            raise ModelError(f"`{self._argv[0]}` speaks ACP version {found!r}, wanted {PROTOCOL}")
        self._capabilities = answer.get("agentCapabilities")
        return peer

    async def _ask(self, peer: Peer, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        try:
            result = await peer.request(method, params)
        except RpcClosed:
            words = await self._process.last_words() if self._process is not None else "was stopped"
            self._peer = None
            raise AgentDied(f"the agent died during {method} ({words})") from None
        except RpcError as error:
            hint = "; log in with the agent's own program first" if error.code == _AUTH_REQUIRED else ""
            raise ModelError(f"{error.message}{hint}") from error
        return result if isinstance(result, dict) else {}

    async def _cancel(self, peer: Peer, session: str, asked: asyncio.Future[Any]) -> None:
        """Tells the agent to stop its turn and gives it a moment to do so."""
        with suppress(RpcClosed, ModelError, TimeoutError, asyncio.CancelledError):
            await peer.notify("session/cancel", {"sessionId": session})
            async with asyncio.timeout(CANCEL_S):
                await asked
        asked.cancel()

    async def _choose_model(self, peer: Peer, session: str, created: Mapping[str, Any]) -> None:
        if not self._model:
            return
        option = next(
            (each for each in created.get("configOptions") or () if each.get("category") == "model"), None
        )
        if option is not None and not created.get("models"):
            method = "session/set_config_option"
            given = {"sessionId": session, "configId": option["id"], "value": self._model}
        else:
            method, given = "session/set_model", {"sessionId": session, "modelId": self._model}
        try:
            await self._ask(peer, method, given)
        except AgentDied:
            raise
        except ModelError as error:
            raise ModelError(f"the agent does not take the model `{self._model}`: {error.message}") from error

    # -- what the agent reports -----------------------------------------------------------------------

    async def _hear(self, method: str, params: Mapping[str, Any]) -> None:
        turn = self._turns.get(str(params.get("sessionId")))
        given = params.get("update")
        if method != "session/update" or turn is None or not isinstance(given, dict):
            return
        update = update_from(given)
        if update is not None:
            await turn.take(update)


class _Turn:
    """What arrived since a prompt was sent."""

    def __init__(self, on_update: OnUpdate | None) -> None:
        self.text = ""
        self.sounds = 0
        self._on_update = on_update

    async def take(self, update: AgentUpdate) -> None:
        if update.type == "text":
            self.text += update.text
        if update.type in _SOUNDS and (update.text or update.tool_id):
            self.sounds += 1
        if self._on_update is not None:
            await self._on_update(update)


def update_from(given: Mapping[str, Any]) -> AgentUpdate | None:
    """One `session/update` in our words; None for what no host needs."""
    match given.get("sessionUpdate"):
        case "agent_message_chunk":
            return AgentUpdate("text", _chunk(given), fields=given)
        case "agent_thought_chunk":
            return AgentUpdate("thought", _chunk(given), fields=given)
        case "tool_call" | "tool_call_update" as type:
            return AgentUpdate(
                type,
                content_text(given.get("content")),
                str(given.get("toolCallId") or ""),
                str(given.get("title") or ""),
                str(given.get("status") or ("pending" if type == "tool_call" else "")),
                given,
            )
        case "plan":
            return AgentUpdate("plan", fields=given)
    return None


def content_text(content: object) -> str:
    """The text of a tool call's content blocks; of a diff its path."""
    texts = []
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "content":
            inner = block.get("content")
            texts.append(str(inner.get("text") or "") if isinstance(inner, dict) else "")
        elif isinstance(block, dict) and block.get("type") == "diff":
            texts.append(f"changes {block.get('path')}")
    return "\n".join(text for text in texts if text)


def _chunk(given: Mapping[str, Any]) -> str:
    content = given.get("content")
    return str(content.get("text") or "") if isinstance(content, dict) else ""


def _reply(turn: _Turn, stop_reason: str) -> AgentReply:
    if stop_reason in ("refusal", "cancelled"):
        raise ModelError(f"the agent ended its turn: {stop_reason}")
    if stop_reason == "end_turn" and not turn.sounds:
        raise ModelError(SILENCE)
    return AgentReply(turn.text, stop_reason)


def _reachable(
    servers: Sequence[Mapping[str, Any]], capabilities: Mapping[str, Any] | None
) -> list[Mapping[str, Any]]:
    """Every agent can start a server; one by URL only agents that say so, or that say nothing at all."""
    known = capabilities if isinstance(capabilities, dict) else {"mcpCapabilities": {"http": True}}
    remote = known.get("mcpCapabilities") or {}
    chosen: dict[str, Mapping[str, Any]] = {}
    for server in servers:
        if "type" not in server or remote.get(server["type"]):
            chosen.setdefault(str(server["name"]), server)
    return list(chosen.values())
