"""What keeps the hooks of a workspace from running, told before it does: each finding says what to do."""

from __future__ import annotations

import os

from hookline.cli.listing import unasked_models
from hookline.model.hooks import Command
from hookline.model.record import Record
from hookline.system import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hookline.engine.opening import Opened
    from hookline.model.hooks import HookSpec

ERROR, WARNING, NOTE = "error", "warning", "note"

INTERPRETERS = frozenset(
    ("sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "ruby", "perl", "php", "deno", "bun")
)
_SHELL_WORDS = frozenset(
    [
        "alias", "bg", "bind", "break", "builtin", "caller", "case", "cd", "command", "compgen",
        "complete", "continue", "coproc", "declare", "dirs", "disown", "do", "done", "echo", "elif",
        "else", "enable", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for",
        "function", "getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local",
        "logout", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readarray", "readonly",
        "return", "select", "set", "shift", "shopt", "source", "suspend", "test", "then", "time",
        "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until",
        "wait", "while", ".", ":", "[", "[[", "!", "{", "}", "(",
    ]
)  # fmt: skip
_QUOTES = str.maketrans("", "", "\"'")
_SCRIPT_ENDS = (".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl")


class Finding(Record):
    """One thing found. `severity`: error (cannot work), warning (probably not meant), note."""

    severity: str
    code: str
    subject: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        text = f"{self.severity}: {self.subject}: {self.message}"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


def hook_findings(spec: HookSpec, workspace: str, search_path: str) -> Iterator[Finding]:
    """Whether the program of a hook is there and can start."""
    if spec.matcher is not None and spec.matcher.kind == "never":
        yield _finding(WARNING, "dead-matcher", spec, f"matcher `{spec.matcher.text}` can never match")
    if not isinstance(spec.action, Command):
        return
    words = list(spec.action.argv) if spec.action.argv else _first_words(spec.action.line)
    if not words:
        return
    program = _in_place(words[0], workspace)
    if spec.action.argv or "/" in program:
        yield from _program_findings(spec, program, workspace, search_path)
    elif _is_plain(program) and program not in _SHELL_WORDS and not _which(program, search_path):
        hint = f"install it, or name it by its full path; looked in {search_path}"
        yield _finding(ERROR, "missing-program", spec, f"`{program}` is not on PATH", hint)
    if os.path.basename(program) in INTERPRETERS:
        yield from _script_findings(spec, words[1:], workspace)


def path_findings(search_path: str) -> Iterator[Finding]:
    """Entries of PATH that cannot be meant."""
    for entry in search_path.split(":"):
        if not os.path.isabs(entry):
            message = (
                f"the entry `{entry}` depends on the current folder: a repository could put programs there"
            )
            yield Finding(WARNING, "relative-path", "PATH", message, "remove it")
        elif not os.path.isdir(entry):
            yield Finding(NOTE, "missing-folder", "PATH", f"`{entry}` does not exist")


def variable_findings(variables: Mapping[str, str]) -> Iterator[Finding]:
    """Variables that do not mean what they seem to."""
    trust = variables.get("HOOKLINE_TRUST", "")
    if trust not in ("", "workspace"):
        message = f"`{trust}` has no meaning, so nothing more is trusted"
        yield Finding(WARNING, "bad-variable", "HOOKLINE_TRUST", message, "the only value is `workspace`")
    if trust == "workspace":
        yield Finding(NOTE, "trusting", "HOOKLINE_TRUST", "every hook of the workspace runs unreviewed")
    switch = variables.get("DISCOBOT_HOOKS_ENABLED", "true")
    if switch != "true":
        message = f"is `{switch}`, so Discobot's hooks are off"
        yield Finding(WARNING, "switched-off", "DISCOBOT_HOOKS_ENABLED", message, "unset it")
    if variables.get("HOOKLINE_ENV", "") not in ("", "clean"):
        yield Finding(WARNING, "bad-variable", "HOOKLINE_ENV", "has no meaning", "the only value is `clean`")
    temporary = files.temporary_dir()
    if not os.access(temporary, os.W_OK | os.X_OK):
        yield Finding(ERROR, "no-temporary", "TMPDIR", f"`{temporary}` cannot be written", "set TMPDIR")


def config_findings(opened: Opened) -> Iterator[Finding]:
    """The problems of `hookline check`."""
    for problem in (*opened.hooks.problems, *unasked_models(opened)):
        place = f"{problem.source}:{problem.line}" if problem.line else problem.source
        message = f"{problem.path}: {problem.message}" if problem.path else problem.message
        yield Finding(problem.severity, problem.code, place, message, problem.hint)


def trust_findings(opened: Opened, specs: tuple[HookSpec, ...]) -> Iterator[Finding]:
    """Hooks that wait for a person, and a store that cannot be used."""
    if opened.store.problem:
        yield Finding(
            ERROR, "trust-store", "trust", opened.store.problem, "nothing is trusted until it is mended"
        )
    if fault := opened.store.verify_log():
        yield Finding(ERROR, "trust-log", "trust", fault, "see `hookline trust --log`; review again")
    for spec in specs:
        state = opened.trust.shown_state(spec)
        if state in ("untrusted", "modified"):
            hint = "review it with `hookline trust`"
            yield _finding(
                WARNING,
                state,
                spec,
                f"is {state} and does not run" if state == "untrusted" else "was changed",
                hint,
            )
        if why := opened.trust.disabled_by(spec):
            yield _finding(NOTE, "disabled", spec, why)


def kept_findings(opened: Opened) -> Iterator[Finding]:
    """Broken files that were set aside."""
    for folder in (opened.paths.state_home, opened.paths.config_home):
        for entry in files.list_dir(folder).entries:
            if ".corrupt-" in entry.name:
                hint = "nothing needs it any more: look at it, then remove it"
                yield Finding(NOTE, "set-aside", entry.path, "was broken and set aside", hint)


def _program_findings(spec: HookSpec, program: str, workspace: str, search_path: str) -> Iterator[Finding]:
    if not _is_plain(program):
        return
    if "/" not in program:
        if not _which(program, search_path):
            yield _finding(
                ERROR, "missing-program", spec, f"`{program}` is not on PATH", f"looked in {search_path}"
            )
        return
    path = os.path.join(workspace, program)
    if not os.path.lexists(path):
        yield _finding(
            ERROR, "missing-program", spec, f"`{program}` does not exist", "mend the path or add the file"
        )
    elif os.path.isdir(path):
        yield _finding(ERROR, "not-a-program", spec, f"`{program}` is a folder")
    elif not os.path.exists(path):
        yield _finding(ERROR, "dangling-link", spec, f"`{program}` links to nothing", "mend the link")
    elif not os.access(path, os.X_OK):
        yield _finding(
            ERROR, "not-executable", spec, f"`{program}` is not executable", f"run `chmod +x {program}`"
        )
    else:
        yield from _first_line_findings(spec, program, path, search_path)


def _first_line_findings(spec: HookSpec, program: str, path: str, search_path: str) -> Iterator[Finding]:
    first = files.read_head(path, 512).content.split(b"\n", 1)[0]
    if first.startswith(b"\xef\xbb\xbf"):
        message = f"`{program}` starts with a byte order mark, so the system cannot run it"
        yield _finding(ERROR, "byte-order-mark", spec, message, "save it as UTF-8 without one")
        return
    if first.startswith(b"\x7fELF"):
        return
    if not first.startswith(b"#!"):
        message = f"`{program}` does not start with `#!`"
        yield _finding(WARNING, "no-shebang", spec, message, "put the interpreter on the first line")
        return
    line = first[2:].decode("utf-8", "replace")
    if line.endswith("\r"):
        message = f"`{program}` has Windows line ends; the system looks for an interpreter named `…\\r`"
        yield _finding(ERROR, "crlf", spec, message, f"run `sed -i 's/\\r$//' {program}`")
        return
    yield from _interpreter_findings(spec, program, line.split(), search_path)


def _interpreter_findings(
    spec: HookSpec, program: str, words: list[str], search_path: str
) -> Iterator[Finding]:
    if not words:
        yield _finding(ERROR, "no-shebang", spec, f"`{program}` names no interpreter on its first line")
        return
    if os.path.basename(words[0]) != "env":
        if not os.access(words[0], os.X_OK):
            message = f"`{program}` needs `{words[0]}`, which is not there"
            yield _finding(ERROR, "missing-interpreter", spec, message, "install it or mend the first line")
        return
    names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if names and not _which(names[0], search_path):
        message = f"`{program}` needs `{names[0]}`, which is not on PATH"
        yield _finding(ERROR, "missing-interpreter", spec, message, f"install it; looked in {search_path}")


def _script_findings(spec: HookSpec, words: list[str], workspace: str) -> Iterator[Finding]:
    """The script an interpreter is given: it need not be executable, but it must be there."""
    script = _in_place(words[0], workspace) if words else ""
    if script.endswith(_SCRIPT_ENDS) and _is_plain(script):
        path = os.path.join(workspace, script)
        if not os.path.exists(path):
            yield _finding(
                ERROR, "missing-script", spec, f"`{script}` does not exist", "mend the path or add the file"
            )
        elif b"\r\n" in files.read_head(path, 4096).content and script.endswith((".sh", ".bash", ".zsh")):
            hint = f"run `sed -i 's/\\r$//' {script}`"
            yield _finding(
                ERROR, "crlf", spec, f"`{script}` has Windows line ends, which a shell takes for text", hint
            )


def _first_words(line: str) -> list[str]:
    """The words of the first command of a shell line, as far as they are plain; assignments are skipped."""
    words = line.split()
    while words and "=" in words[0].split("/")[0] and not words[0].startswith("="):
        words.pop(0)
    return [word.rstrip(";").translate(_QUOTES) for word in words]


def _in_place(word: str, workspace: str) -> str:
    for name in ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR", "PWD"):
        word = word.replace(f"${{{name}}}", workspace).replace(f"${name}", workspace)
    return word


def _is_plain(word: str) -> bool:
    return bool(word) and not set(word) & set("$`*?[]{}()<>|&;~\\!=") and "://" not in word


def _which(program: str, search_path: str) -> str | None:
    from shutil import which

    absolute = [
        entry for entry in search_path.split(":") if os.path.isabs(entry)
    ]  # the others are not searched
    return which(program, path=":".join(absolute))


def _finding(severity: str, code: str, spec: HookSpec, message: str, hint: str = "") -> Finding:
    place = f"{spec.source}:{spec.line}" if spec.line else spec.source
    return Finding(severity, code, f"{place} ({spec.id})", message, hint)
