"""Many readers and many sessions at once: everybody gets everything, and nobody waits for others' hooks."""

from __future__ import annotations

import asyncio
import json
import subprocess

from tests.web.serving import Serving, write

READERS = 40


def test_every_reader_gets_every_event_once_and_in_order(serving: Serving) -> None:
    """Entries are made into bytes once for all readers, and sent together when many come at once."""
    calls = [{"name": "Bash", "input": {"command": f"echo {n}"}} for n in range(60)]
    serving.start({"text": "begin", "tool_calls": calls}, {"text": "end"})

    async def reader() -> list[str]:
        link, writer = await asyncio.open_connection("127.0.0.1", serving.port, limit=1 << 22)
        head = f"Host: localhost\r\nAuthorization: Bearer {serving.token}\r\nAccept: text/event-stream"
        writer.write(f"GET /default/chat/stream HTTP/1.1\r\n{head}\r\n\r\n".encode())
        found = []
        while line := await link.readline():
            if line.startswith(b"id: "):
                found.append(line.decode().strip())
            if b"completion-end" in line:
                writer.close()
                return found
        raise AssertionError("the stream ended")

    async def all_of_them() -> list[list[str]]:
        readers = [asyncio.create_task(reader()) for _ in range(READERS)]
        await asyncio.sleep(0)
        await asyncio.to_thread(serving.say, "go")
        return list(await asyncio.gather(*readers))

    found = asyncio.run(all_of_them())
    chunks = [[name for name in each if ":" in name and name.startswith("id: ")] for each in found]
    longest = max(chunks, key=len)
    assert len(longest) > 180 and len(set(longest)) == len(longest)
    assert all(each == longest[-len(each) :] or each == longest for each in chunks)


def test_a_session_without_changes_does_not_wait_for_another_sessions_hooks(serving: Serving) -> None:
    """The first one's hook runs until the second has been judged."""
    body = "echo started > started.ran; until test -e judged.ran; do sleep 0.02; done"
    serving.hook("slow.sh", "name: Slow", "type: file", "pattern: '*.py'", body=body)
    author = ("-c", "user.name=a", "-c", "user.email=a@localhost")
    subprocess.run(["git", "add", "-A"], cwd=serving.root, check=True)
    subprocess.run(["git", *author, "commit", "-qm", "begin"], cwd=serving.root, check=True)
    serving.start(write("a.py", "1"), {"text": "one"}, {"text": "two"}, {"text": "three"})
    serving.say("go", "/default/sessions/second/chat")  # writes, and makes the hook run
    serving.until((serving.root / "started.ran").exists)
    (serving.root / "a.py").unlink()  # so that nothing differs from what the third finds
    serving.say("hello", "/default/sessions/third/chat")
    serving.idle("/default/sessions/third/chat")
    assert serving.get("/default/sessions/second/chat/status")["evaluating"] is True
    (serving.root / "judged.ran").write_text("")
    serving.idle("/default/sessions/second/chat")
    assert json.dumps(serving.get("/default/sessions/third/chat")).count("two") == 1
