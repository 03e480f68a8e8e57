"""Makes docs/images/demo.svg from a real run of `hookline demo` on a terminal of 118 columns.

Run it when the demo's output changed: `python tools/picture.py`. Needs the `terminal` extra.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLUMNS = 118
TARGET = Path(__file__).parent.parent / "docs" / "images" / "demo.svg"


def main() -> None:
    shown = run_demo().split("where to look next")[0].rstrip()
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("$ python3 do.py demo\n" + shown))
    svg = console.export_svg(title="hookline demo", unique_id="demo")
    # No web fonts: the picture must look the same without a network.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)
    TARGET.write_text(svg)
    print(f"{TARGET}: {len(svg) // 1024} KiB")


def run_demo() -> str:
    """The demo's output on a pseudo-terminal, colours included."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 60, COLUMNS, 0, 0))
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "TERM": "xterm-256color"}
        process = subprocess.Popen(
            [sys.executable, "-m", "hookline", "demo"],
            stdin=follower, stdout=follower, stderr=follower, env=environment, close_fds=True,
        )  # fmt: skip
        os.close(follower)
        chunks = []
        while True:
            try:
                chunk = os.read(leader, 65536)
            except OSError:
                break
            if not chunk:
                break
            chunks.append(chunk)
        process.wait()
    return b"".join(chunks).decode().replace("\r\n", "\n")


if __name__ == "__main__":
    main()
