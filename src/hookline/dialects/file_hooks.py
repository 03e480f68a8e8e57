"""What file hooks share, whoever wrote them: the files one is about, how its end is told, how often it is tried.

Source: Discobot's Hooks Module document, Non-Blocking Hook Flow.
"""

from __future__ import annotations

from hookline.model.hooks import HookSpec
from hookline.model.results import RawResult
from hookline.model.typing import Iterable

MAX_ATTEMPTS = 3


def matching_files(spec: HookSpec, paths: Iterable[str]) -> tuple[str, ...]:
    """The workspace-relative paths a file hook is about: fitting its pattern, not ignored; order kept."""
    from hookline.system.patterns.globs import compile_glob, match_workspace_glob

    wanted = match_workspace_glob(spec.matcher.text if spec.matcher else "*")
    ignored = [
        compile_glob(glob, dot=True, basename="/" not in glob) for glob in spec.options.get("ignore", ())
    ]
    return tuple(
        path for path in paths if wanted.matches(path) and not any(glob.matches(path) for glob in ignored)
    )


def log_text(spec: HookSpec, raw: RawResult) -> str:
    """The hook's merged output with a last line on how it ended, when that was not by itself."""
    output = raw.stdout + raw.stderr
    ending = unusual_end(spec, raw)
    if not ending:
        return output
    gap = "" if not output or output.endswith("\n") else "\n"
    return f"{output}{gap}{ending}\n"


def exit_number(raw: RawResult) -> int:
    """The exit code as a shell would tell it: 124 time-out, 126 or 127 not started, 128+n signal."""
    if raw.status_code is not None:
        return raw.status_code
    if raw.timed_out:
        return 124
    if raw.launch_error:
        return 127
    if raw.signal:
        return 128 + raw.signal
    return raw.exit_code if raw.exit_code is not None else 1


def unusual_end(spec: HookSpec, raw: RawResult) -> str:
    """How it ended, in words, where that was not by an exit code; else empty."""
    if raw.timed_out:
        return f"timed out after {spec.timeout_s:g} seconds"
    if raw.launch_error:
        return f"could not be started: {raw.launch_error}"
    if raw.signal:
        return f"killed by signal {raw.signal}"
    return ""
