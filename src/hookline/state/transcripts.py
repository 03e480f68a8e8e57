"""Conversations as JSON lines, one file for each session, so that they can be listed and gone on with."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence

from hookline.model.errors import HooklineError, StateError, UsageError, Warn, unheard
from hookline.model.record import Record
from hookline.model.rendering import iso_time
from hookline.model.short_json import json_or, whole_text
from hookline.model.typing import Any
from hookline.state.paths import checked_session_id, kept_path, path_of
from hookline.system.files import append_line, ensure_dir, list_dir, read_head, read_text, remove
from hookline.system.locks import file_lock
from hookline.system.processes.tags import is_alive, process_mark

Message = Mapping[str, Any]

READ_LIMIT = 256 << 20
HEAD_LIMIT = 64 << 10
TITLE_LIMIT = 120
INTERRUPTED = "interrupted before it ended"


class Kept(Record):
    """A session on disk. `title` is its first prompt in one line; times are ISO 8601 in UTC; `host` is the
    command that began it.
    """

    id: str
    workspace: str
    model: str
    started_at: str
    path: str
    title: str = ""
    changed_ns: int = 0
    host: str = "run"


class Transcript:
    """The file of one session. Messages are appended as they come; trouble with the disk goes to `warn`."""

    def __init__(self, path: str, warn: Warn = unheard) -> None:
        self.path = path
        self._warn = warn

    def add(self, message: Message) -> None:
        """Appends one message."""
        self._append({"type": "message", "at": iso_time(), "message": dict(message)})

    def restart(self, messages: Sequence[Message]) -> None:
        """Notes that the conversation was replaced (compacted, cleared); what was before stays readable."""
        self._append({"type": "restart", "at": iso_time(), "messages": [dict(each) for each in messages]})

    def add_shown(self, role: str, metadata: Mapping[str, Any], text: str = "") -> None:
        """What people are shown beside the user's next message, or behind the assistant's last; no model reads it.

        `text` is the user's message itself, from when it was accepted until the conversation has it.
        """
        words = {"text": text} if text else {}
        self._append({"type": "shown", "at": iso_time(), "role": role, "metadata": dict(metadata), **words})

    def _append(self, line: Mapping[str, Any], *, anew: bool = False) -> bool:
        """False only where it was to be the first line of a new file, and there is one."""
        text = whole_text(json.dumps(line, ensure_ascii=False, default=str))
        try:
            return append_line(self.path, text, mode=0o600, anew=anew)
        except (HooklineError, OSError) as error:
            self._tell(error)
            return True

    def _tell(self, error: Exception) -> None:
        self._warn(f"the transcript is not kept: {error}")
        self._warn = unheard  # once is enough


class TranscriptStore:
    """The transcripts below `folder` (`$XDG_STATE_HOME/hookline/transcripts`) of all workspaces."""

    def __init__(self, folder: str, warn: Warn = unheard) -> None:
        self.folder = folder
        self._warn = warn

    def path_of(self, session_id: str) -> str:
        """Where that session is kept. Raises UsageError for an id that is no safe file name."""
        return os.path.join(self.folder, f"{checked_session_id(session_id)}.jsonl")

    def begin(self, session_id: str, workspace: str, model: str, host: str = "run") -> Transcript:
        """A new session's transcript, or the one to go on with when there is one of that id.

        It is in use from here on until this process ends. Raises UsageError while another one has it in use.
        """
        path = self.path_of(session_id)
        transcript = Transcript(path, self._warn)
        head = {"type": "session", "id": session_id, "at": iso_time(), "workspace": kept_path(workspace)}
        first = {**head, "model": model, "host": host, "process": process_mark()}
        try:
            ensure_dir(self.folder, 0o700)
            if not transcript._append(first, anew=True):
                with file_lock(path):  # so that nobody removes it between these lines
                    for mark in _marks(path):
                        if mark != process_mark() and is_alive(mark):
                            words = f"session `{session_id}` is in use by process {mark.partition(':')[0]}"
                            raise UsageError(words, "wait for its end, or begin a new session")
                    again = {"type": "use", "at": iso_time(), "process": process_mark()}
                    transcript._append(again if os.path.exists(path) else first)
        except (StateError, OSError) as error:
            transcript._tell(error)
        return transcript

    def forget(self, session_id: str) -> None:
        """Removes a conversation; nothing happens when there is none of that id."""
        path = self.path_of(session_id)
        if os.path.exists(path):
            with file_lock(path):
                remove(path)

    def prune(self, older_than_s: float, keep: int = 0, workspace: str | None = None) -> tuple[str, ...]:
        """Removes conversations (of a workspace) nothing was added to for so long; returns their ids.

        Never the newest `keep`, and never one that a living process has in use.
        """
        oldest_ns = time.time_ns() - int(older_than_s * 1e9)
        old = (kept for kept in self.list(workspace)[keep:] if kept.changed_ns < oldest_ns)
        return tuple(kept.id for kept in old if self._removed(kept, oldest_ns))

    def _removed(self, kept: Kept, oldest_ns: int) -> bool:
        with file_lock(kept.path):
            now = _kept(kept.path)
            if now is None or now.changed_ns >= oldest_ns or _in_use(kept.path):
                return False
            return remove(kept.path)

    def list(self, workspace: str | None = None) -> tuple[Kept, ...]:
        """The sessions of a workspace (default: of all), the one that changed last first."""
        found = [kept for kept in self._every() if workspace is None or kept.workspace == workspace]
        return tuple(sorted(found, key=lambda kept: kept.changed_ns, reverse=True))

    def find(self, session_id: str) -> Kept | None:
        """The session with this id, or the only one whose id begins so."""
        every = [kept for kept in self._every() if kept.id.startswith(session_id)]
        exact = [kept for kept in every if kept.id == session_id]
        found = exact or every
        return found[0] if len(found) == 1 else None

    def exact(self, session_id: str) -> Kept | None:
        """The session with just this id, without a look at any other."""
        path = self.path_of(session_id)
        kept = _kept(path) if os.path.exists(path) else None
        return kept if kept is not None and kept.id == session_id else None

    def messages(self, kept: Kept) -> tuple[Message, ...]:
        """The conversation, fit to go on with: torn lines are skipped, open tool calls get an answer."""
        found: list[Message] = []
        for line in _lines(read_text(kept.path, READ_LIMIT).text):
            for messages, anew in _added_by(line):
                found = [*([] if anew else found), *messages]
        return tuple(_closed(found))

    def seen(self, kept: Kept) -> tuple[Message, ...]:
        """The conversation as a person had it: also what only a summary tells the model, and not that summary.

        A message has `metadata` where something was shown beside it; one of the assistant's may have only that. A
        message of the user's that was accepted and never got into the conversation is one as well.
        """
        found: list[Message] = []
        waiting: Message = {}  # shown, and not in the conversation yet
        for line in _lines(read_text(kept.path, READ_LIMIT).text):
            if line.get("type") == "shown" and isinstance(line.get("metadata"), dict):
                found += _alone(waiting)
                waiting = _shown(line)
                if line.get("role") == "assistant":
                    found.append(waiting)
                    waiting = {}
            for messages, anew in _added_by(line):
                if anew and not messages:
                    found = []  # cleared
                elif not anew:
                    about = waiting.get("metadata")
                    found += [{**each, "metadata": about} if about else each for each in messages]
                    waiting = {}
        return tuple(_closed([*found, *_alone(waiting)]))

    def _every(self) -> Iterator[Kept]:
        for entry in list_dir(self.folder).entries:
            if entry.name.endswith(".jsonl") and (kept := _kept(entry.path)):
                yield kept


def _kept(path: str) -> Kept | None:
    found = read_head(path, HEAD_LIMIT)
    lines = list(_lines(found.content.decode("utf-8", "replace")))
    if not lines or lines[0].get("type") != "session":
        return None
    head = lines[0]
    title = next((_title(line["message"]) for line in lines[1:] if line.get("type") == "message"), "")
    return Kept(
        str(head.get("id", "")),
        path_of(kept_path(str(head.get("workspace", "")))),  # older ones have it as their locale spelled it
        str(head.get("model", "")),
        str(head.get("at", "")),
        path,
        title,
        found.mtime_ns or 0,
        str(head.get("host", "run")),
    )


def _in_use(path: str) -> bool:
    return any(is_alive(mark) for mark in _marks(path))


def _marks(path: str) -> Sequence[str]:
    """The processes that took it up, each by its own word."""
    text = read_text(path, READ_LIMIT).text
    begun = [line.get("process") for line in _lines(text.partition("\n")[0])]
    # not line by line: what was torn by a kill has no end of its own
    taken_up = re.findall(r'\{"type": "use", "at": "[^"]*", "process": "([^"]*)"\}', text)
    return [*filter(None, begun), *taken_up]


def _added_by(line: Mapping[str, Any]) -> Iterator[tuple[list[Message], bool]]:
    """What a line adds to a conversation, if anything; True where that takes the place of all before."""
    if line.get("type") == "restart":
        yield [each for each in line.get("messages", ()) if _is_message(each)], True
    elif line.get("type") == "message" and _is_message(line.get("message")):
        yield [line["message"]], False


def _shown(line: Mapping[str, Any]) -> Message:
    text = line.get("text")
    about = {"metadata": line["metadata"]} if line["metadata"] else {}
    return {"role": line.get("role"), "content": [{"type": "text", "text": text}] if text else [], **about}


def _alone(waiting: Message) -> list[Message]:
    """The message itself, where its own words are known."""
    return [waiting] if waiting.get("content") else []


def _title(message: Message) -> str:
    texts = [block.get("text", "") for block in message.get("content", ()) if block.get("type") == "text"]
    return " ".join(" ".join(texts).split())[:TITLE_LIMIT]


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        value = json_or(line)
        if isinstance(value, dict):
            yield value


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and value.get("role") in ("user", "assistant") and "content" in value


def _closed(messages: Sequence[Message]) -> Iterator[Message]:
    """Every tool call is followed by its result, as models demand, also after a kill in between."""
    for place, message in enumerate(messages):
        yield message
        calls = [block["id"] for block in message["content"] if block.get("type") == "tool_use"]
        after = messages[place + 1]["content"] if place + 1 < len(messages) else ()
        answered = {block.get("tool_use_id") for block in after}
        missing = [each for each in calls if each not in answered]
        if missing:
            words = {"type": "tool_result", "content": INTERRUPTED, "is_error": True}
            yield {"role": "user", "content": [{**words, "tool_use_id": each} for each in missing]}
