"""What a failed Discobot hook says: the text that goes back to the agent, the log and the user."""

from __future__ import annotations

from hookline.dialects.file_hooks import MAX_ATTEMPTS, exit_number, unusual_end
from hookline.dialects.plain_text import one_line, plain_text
from hookline.model.hooks import HookSpec
from hookline.model.results import RawResult
from hookline.model.typing import Sequence

MAX_INLINE_LINES = 200
MAX_INLINE_BYTES = 5 * 1024
MAX_NAMED_FILES = 20
TAIL_LINES = 15


def failure_message(
    spec: HookSpec,
    files: Sequence[str],
    exit_code: int,
    output: str,
    log_path: str,
    attempt: int = 1,
    max_attempts: int = MAX_ATTEMPTS,
) -> str:
    """The instruction an agent gets for a failed file hook, in Discobot's own words.

    Output of at most 200 lines and 5 KiB stands in the text; of more, only the way to the log does, and
    without a log (`log_path` empty) its last 15 lines. `attempt` counts from 1, never above the maximum.
    """
    pattern = spec.matcher.text if spec.matcher else "*"
    count = f"(Attempt {max(1, min(attempt, max_attempts))}/{max_attempts})"
    head = (
        f'[Discobot Hook Failed] "{one_line(spec.name)}" (pattern: {pattern})\n\n'
        f"Files: {_named(files)}\nExit code: {exit_code}\n\n"
    )
    text = plain_text(output).strip()
    if is_short(text):
        body = f"Output:\n{text or '(no output)'}\n\n"
        return f"{head}{body}Please fix the issues and ensure the hook passes. {count}"
    lines = text.count("\n") + 1
    if not log_path:
        body = f"Output is large ({lines} lines). It ends with:\n{_tail(text)}\n\n"
        return f"{head}{body}Please fix the issues and ensure the hook passes. {count}"
    body = f"Output is large ({lines} lines). Full output saved to:\n  {log_path}\n\n"
    return f"{head}{body}Please read the file to see the full output and address the issues. {count}"


def is_short(text: str) -> bool:
    """Whether output stands in the message itself: both limits must hold, and both are inclusive."""
    if text.count("\n") >= MAX_INLINE_LINES:
        return False
    return len(text.encode("utf-8", "replace")) <= MAX_INLINE_BYTES


def short_message(spec: HookSpec, raw: RawResult) -> str:
    """One line for the user: which hook failed, and how."""
    ending = unusual_end(spec, raw)
    return f"{spec.native_event} hook `{spec.name}` failed: {ending or f'exit code {exit_number(raw)}'}"


def _named(files: Sequence[str]) -> str:
    if not files:
        return "(none)"
    named = ", ".join(one_line(name) for name in files[:MAX_NAMED_FILES])
    more = len(files) - MAX_NAMED_FILES
    return f"{named}, and {more} more" if more > 0 else named


def _tail(text: str) -> str:
    tail = "\n".join(text.split("\n")[-TAIL_LINES:])
    octets = tail.encode("utf-8", "replace")
    if len(octets) <= MAX_INLINE_BYTES:
        return tail
    return "…" + octets[-MAX_INLINE_BYTES:].decode("utf-8", "ignore")
