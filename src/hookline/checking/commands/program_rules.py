"""Scripts that a hook names: are they there, and can they start?"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.commands.beside import SCRIPT_ENDS, WINDOWS_ENDS, fitting, sourced_and_missing
from hookline.checking.commands.does_nothing import does_nothing
from hookline.checking.commands.interpreters import interpreter_problems, swapped_shells
from hookline.checking.commands.only_reading import only_reads
from hookline.checking.comments import without_comments
from hookline.checking.lines import HookLine, Started
from hookline.model.errors import Problem, make_executable, unix_line_ends
from hookline.system import files
from hookline.system.patterns.late import late

_VARIABLE = late(r"\$\{?(\w+)(?::-\.)?\}?")
_ASSIGNED = late(r"(?m)^[ \t]*(\w+)=\"?\$\{?(\w+)(?::-\.)?\}?\"?[ \t]*$")
_IF_EXECUTABLE = late(
    r"(?:\[\[?|\btest)\s+-x\s+(?P<path>\"?\$\{?(?P<name>\w+)\}?\"?|[^\s\]]*/[^\s\]]+)(?:\s+\]\]?)?\s*(?:&&|;\s*then)"
)
_IS_PYTHON = late(
    r"(?m)\A#![^\n]*python|^import \w|^from \w+ import|^def \w+\(", needs=("import", "def ", "python")
)
_OUT = late(r"(?m)^[ \t]*#[ \t]*(?:if\b[^\n]*:|return\b|\w+(?:\.\w+)*[ \t]*(?:=(?!=)|\())", needs=("#",))
_INERT = late(
    r"[ \t]*(?:set [-+][^\n;]*|(?:sys\.|process\.)?exit[ (]*0?\)?;?|pass|:|true|import sys"
    r"|[\"']use strict[\"'];?|param\(.*\)|\w+=\"?\$\(cat\)\"?|cat *>+ */dev/null"
    r"|@echo off|\$ErrorActionPreference *=.*)?[ \t]*"
)
_DOCUMENTED = late(r"\A\s*(?:\"\"\"[\s\S]*?\"\"\"|\'\'\'[\s\S]*?\'\'\')|/\*[\s\S]*?(?:\*/|(?P<open>\Z))")
_SHELL = late(r"#![^\n]*\b(?:ba|z|da)?sh\b")
_MEANS_NO = late(r"block|guard|protect|deny|denied|prevent|forbid|secur|secret|danger|valid", re.IGNORECASE)
# the first line of a script for `cmd` that a shell passes over: a label there, and a command that does nothing here
_FOR_BOTH = late(r"(?:#!|:[ \t]*<<|:;|:[ \t]*['\"]|@?(?:echo off|goto)[^\n]*\|\|)", re.IGNORECASE)
_LARGEST_SCRIPT = 64 * 1024
_SHELL_ENDS = (".sh", ".bash", ".zsh")
_SHELL_RUNS = (*_SHELL_ENDS, *WINDOWS_ENDS)  # a `.cmd` may be both: a shell script with a head for Windows
_FOLDERS = (
    ".claude/hooks",
    ".cursor/hooks",
    ".github/hooks",
    ".gemini/hooks",
    ".codex/hooks",
    "scripts",
    "hooks",
)
# where else a script of that name may lie
_AROUND = ("*", ".*", "*/*", ".*/*", "*/*/*", ".*/*/*")
_HAS_BACKSLASHES = late(r"[^\s\"';|&]*[\w.}%]\\[^\s\"';|&]+", needs=("\\",))
_NO_SCRIPT = (
    "/dev/", "/proc/", "/bin/", "/usr/", "/sbin/", "/opt/", "/etc/", "/snap/", "/nix/", "/Applications/",
)  # fmt: skip


def program_problems(line: HookLine, *, everywhere: bool = False) -> Iterator[Problem]:
    """What keeps the scripts of a line from starting.

    Those of the workspace and of the plugin belong to what is checked; with `everywhere` also those of this
    machine: of the home folder, and other full paths.
    """
    folder = line.entry.spec.means.cwd
    if isinstance(folder, str) and folder and not set(folder) & set("$~{") and not os.path.isdir(line.start):
        words = f"`{folder}`, where it is to start, does not exist"
        yield line.entry.problem("missing-start", words, "mend the path or make the folder", severity="error")
        return
    yield from swapped_shells(line)
    for each in line.started:
        path = line.absolute(each)
        if _is_looked_at(line, each, path, everywhere):
            yield from _problems(line, each, path)


def _is_looked_at(line: HookLine, each: Started, path: str, everywhere: bool) -> bool:
    known = line.entry.traps.beside_file
    if not each.rooted and ((line.entry.spec.scope == "user" and not known) or line.plugin_root):
        return False  # where that begins is known to the session alone
    if each.path[1:2] == ":":
        return False  # a drive of another machine
    if not os.path.isdir(os.path.dirname(path)) and not each.rooted and each.path != each.typed:
        return False  # after a `cd` into a folder that comes later
    inside = [line.workspace, *([line.plugin_root] if line.plugin_root else [])]
    if any(path.startswith(folder + os.sep) for folder in inside):
        return not _is_made(path, line.workspace)
    beside = (
        each.typed.startswith("../") and line.entry.spec.scope == "project" and not line.entry.traps.moves
    )
    return (everywhere or beside) and not path.startswith(_NO_SCRIPT)


def _is_made(path: str, workspace: str) -> bool:
    """Whether it is something a build or an installation puts there, which a fresh clone lacks."""
    parts = os.path.relpath(path, workspace).split(os.sep)
    return bool(
        {"node_modules", ".venv", "venv", "dist", "build", "target", "out", "bin"} & set(parts[:-1])
    ) and (not os.path.lexists(path))


def _problems(line: HookLine, each: Started, path: str) -> Iterator[Problem]:
    entry = line.entry
    code = "missing-program" if each.directly else "missing-script"
    severity = "error" if each.certain else "warning"
    if not os.path.lexists(path) and (_may_be_missing(line, each) or _is_beside(line, each)):
        return
    if not os.path.lexists(path):
        words, hint = f"`{each.shown}` does not exist", ""
        if meant := _with_backslashes(line, each):
            slashed = re.sub(r"\\+", "/", meant)
            hint = f"write `{slashed}`, which Windows takes too"
            if "\\" not in each.path:
                words = f"a shell takes the `\\` out of `{meant}`, and {words}"
        elif _is_ignored(path, line.workspace):
            words, severity = f"{words}, and `.gitignore` keeps it out of a clone", "warning"
            hint = "commit it, or let what is committed make it before the first session"
        hint = hint or _nearby(line, path, each.directly)
        yield entry.at_line(code, words, hint, severity=severity)
    elif os.path.isdir(path):
        yield entry.at_line("not-a-program", f"`{each.shown}` is a folder", severity=severity)
    elif not os.path.exists(path):
        yield entry.at_line(
            "dangling-link", f"`{each.shown}` links to nothing", "mend the link", severity=severity
        )
    elif each.directly and not os.access(path, os.X_OK) and _is_for_a_shell(path):
        hint = make_executable(os.path.relpath(path))
        yield entry.at_line("not-executable", f"`{each.shown}` is not executable", hint, severity=severity)
    else:
        yield from _text_problems(line, each, path)


def _is_for_a_shell(path: str) -> bool:
    """Whether a script is not for Windows alone: one for both hides its head for `cmd` from a shell."""
    if not path.endswith((".ps1", ".cmd", ".bat", ".exe")):
        return True
    kept = files.read_text(path, _LARGEST_SCRIPT) if path.endswith((".cmd", ".bat")) else None
    return kept is not None and kept.state == "text" and bool(_FOR_BOTH.match(kept.text))


def _may_be_missing(line: HookLine, each: Started) -> bool:
    """Whether the line passes over a script of the user's own: it looks if it is there, or has another to run."""
    if each.certain or line.absolute(each).startswith(line.workspace + os.sep):
        return False
    name = os.path.basename(each.path)
    looked_for = rf"-[efrsx]\s+[\"']?[^\s\"';]*{re.escape(name)}(?![\w.])"
    others = (other for other in line.started if other != each and os.path.basename(other.path) == name)
    return bool(re.search(looked_for, line.text)) or any(
        os.path.exists(line.absolute(other)) for other in others
    )


def _is_beside(line: HookLine, each: Started) -> bool:
    """Whether a path leads to a script from the folder of the hooks file, where some versions of an agent start it."""
    beside = os.path.join(os.path.dirname(line.entry.file.path), each.path)
    return line.entry.traps.starts_beside and os.path.isfile(beside)


def _is_inert(text: str) -> bool:
    """Whether what it was to do is told in comments alone; one that is empty on purpose has none."""
    rest = text.partition("\n")[2] if text.startswith("#!") else text
    bare = _DOCUMENTED.sub(lambda found: found[0] if found["open"] is not None else "", rest)
    bare = without_comments(bare)
    return bare.strip() != rest.strip() and all(map(_INERT.fullmatch, bare.splitlines()))


def _is_idle(script: str) -> bool:
    """Whether it is Python whose work was put into comments."""
    return bool(_IS_PYTHON.search(script) and _OUT.search(script)) and does_nothing(script)


def _reads_in_vain(text: str) -> bool:
    """The same of a script of a shell that takes its input apart before."""
    return _SHELL.match(text) is not None and only_reads(text)


def _text_problems(line: HookLine, each: Started, path: str) -> Iterator[Problem]:
    found = files.read_head(path, 4096)
    head = found.content
    first = head.split(b"\n", 1)[0]
    if found.state == "unreadable":
        if each.directly and not os.path.isfile(path):
            severity = "error" if line.entry.guards else "warning"
            yield line.entry.at_line("not-a-program", f"`{each.shown}` {found.reason}", severity=severity)
    elif len(head) < 4096 and not head.strip():
        severity = "error" if line.entry.guards else "warning"
        words = f"`{each.shown}` is empty"
        yield line.entry.at_line("empty-script", words, "write it, or take the hook out", severity=severity)
    elif (script := line.scripts.get(each.shown, "")) and (_is_inert(script) or _is_idle(script)):
        severity = "warning" if line.entry.guards and _MEANS_NO.search(os.path.basename(path)) else "notice"
        told = "has nothing but comments and an end" if _is_inert(script) else "has its work in comments"
        words = f"`{each.shown}` {told}: it does nothing"
        yield line.entry.at_line("empty-script", words, "write it, or take the hook out", severity=severity)
    elif _reads_in_vain(line.scripts.get(each.shown, "")):
        words = f"`{each.shown}` reads its input and ends: it does nothing with it"
        hint = "write it, or take the hook out"
        yield line.entry.at_line("empty-script", words, hint, severity="notice")
    elif each.directly and first.startswith(b"\xef\xbb\xbf"):
        words = f"`{each.shown}` starts with a byte order mark, so the system cannot run it"
        yield line.entry.at_line("byte-order-mark", words, "save it as UTF-8 without one", severity="error")
    elif (
        each.directly and first.startswith(b"#!") and first.endswith(b"\r") and not path.endswith(".ps1")
    ) or (b"\r\n" in head and path.endswith(_SHELL_ENDS)):
        words = f"`{each.shown}` has Windows line ends, which a shell takes for text"
        yield line.entry.at_line("crlf", words, unix_line_ends(each.shown), severity="error")
    elif each.directly and re.match(rb"\s+#!", head) and path.endswith(_SHELL_ENDS):
        words = f"`{each.shown}` has its `#!` behind an empty line, so `sh` runs it whatever that says"
        yield line.entry.at_line("no-shebang", words, "put it on the very first line", severity="warning")
    elif each.directly and not first.startswith(b"#!") and _needs_interpreter(line, path):
        words = f"`{each.shown}` does not start with `#!`"
        severity = "error" if each.certain else "warning"
        yield line.entry.at_line(
            "no-shebang", words, "put the interpreter on the first line", severity=severity
        )
    else:
        yield from interpreter_problems(line, each, path)
        for missing in sourced_and_missing(line.scripts.get(each.shown, ""), path, line.folders):
            words = f"`{each.shown}` reads `{missing}`, which does not exist"
            yield line.entry.at_line(
                "missing-script", words, "mend the path or add the file", severity="error"
            )
        for idle in _never_run(line, line.scripts.get(each.shown, "")):
            words = f"`{each.shown}` runs `{idle}` only where it is executable, and it is not"
            yield line.entry.at_line("not-executable", words, make_executable(idle))


def _never_run(line: HookLine, text: str) -> Iterator[str]:
    """The scripts of the workspace that a script passes over because they are not executable."""
    folders = {**line.folders}
    for name, of in _ASSIGNED.findall(text):
        folders.setdefault(name, folders.get(of, ""))
    for found in _IF_EXECUTABLE.finditer(text):
        looped = (
            re.search(rf"\bfor\s+{found['name']}\s+in\s+(\S+?)\s*(?:;|\n)", text) if found["name"] else None
        )
        path = _VARIABLE.sub(
            lambda each: folders.get(each[1]) or each[0], looped[1] if looped else found["path"]
        )
        there = [] if "$" in path else fitting(line.workspace, path.replace('"', "")) or []
        if there and not any(os.access(each, os.X_OK) for each in there):
            yield from (os.path.relpath(each, line.workspace) for each in there[:1])


def _needs_interpreter(line: HookLine, path: str) -> bool:
    """A shell runs a text without `#!` itself, as one of its own; where there is no shell nobody does."""
    return path.endswith(SCRIPT_ENDS) and (bool(line.entry.argv) or not path.endswith(_SHELL_RUNS))


def _with_backslashes(line: HookLine, each: Started) -> str:
    """The word of the line that becomes this path without its backslashes, and with slashes is one that is there."""
    for word in _HAS_BACKSLASHES.findall(line.text):
        tail = re.sub(r"^(?:\$\w+|\$\{\w+\}|%\w+%)", "", word)
        path = os.path.join(line.start, re.sub(r"\\+", "/", tail).lstrip("/"))
        read = (
            tail.replace("\\", ""),
            tail,
            tail.replace("\\\\", "\\"),
        )  # bare, in quotes, and written twice
        if each.path.endswith(read) and os.path.isfile(path):
            return str(word)
    return ""


def _is_ignored(path: str, workspace: str) -> bool:
    """Whether `.gitignore` names the file, or a folder that it lies in."""
    rows = files.read_text(os.path.join(workspace, ".gitignore"), _LARGEST_SCRIPT).text.splitlines()
    named = {row.strip().strip("/") for row in rows}
    parts = os.path.relpath(path, workspace).split(os.sep)
    return any("/".join(parts[:at]) in named for at in range(1, len(parts) + 1))


def _nearby(line: HookLine, path: str, directly: bool) -> str:
    """A file of that name somewhere near, and whether it could start, or what to do in general."""
    name, workspace = os.path.basename(path), line.workspace
    places = [os.path.join(workspace, folder, name) for folder in _FOLDERS]
    near = next(filter(os.path.isfile, (*places, *_of_that_name(name, workspace))), "")
    if not near:
        return "mend the path or add the file"
    shown = os.path.relpath(near, workspace)
    idle = directly and not name.endswith(WINDOWS_ENDS) and not os.access(near, os.X_OK)
    also = f" It is not executable: {make_executable(shown)}" if idle else ""
    return f"did you mean `{shown}`?{also}"


def _of_that_name(name: str, workspace: str) -> list[str]:
    """The one file of a name in the workspace; none where several have it, or it lies deep."""
    if set(name) & set("*?["):
        return []
    found = [each for around in _AROUND for each in fitting(workspace, f"{around}/{name}") or ()]
    return found if len(found) == 1 else []
