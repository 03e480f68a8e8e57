"""Settings, scripts and orders of single programs, as far as they run something: vim, ssh, curl, socat, tcl, TeX, …"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.shell.code.languages import commands_of_code
from hookline.shell.code.pieces import Reads, argv, code, lost, opaque
from hookline.shell.reading import Argv, Code, Inner, Word
from hookline.system.patterns.late import late

# What is read may be made to take long: no two repeats here can match the same letters one after the other.
_VIM_BANG = late(r"(?:^|[|:\s])!+\s*([^|]+)|\bsystem(?:list)?\(\s*['\"]([^'\"]*)['\"]")
_VIM_FILE = late(
    r"(?:^|[|:\n])[^\S\n]*+[\d%,$]*+(w|wq|x|write|saveas|sav|r|read|e|E|edit)!?\s++(?!!)([^\s|!]+)"
)
_SSH_COMMANDS = late(  # and those of `systemd-run -p` and `wget -e`
    r"(?is)\s*(?:(?:Proxy|Local|KnownHosts|Remote)Command|Exec(?:Start|Stop|Reload|Condition)\w*|use_?askpass)"
    r"\s*(?:=|\s)\s*[-+@!:]*(.*)"
)
_MACROS = late(
    r"%\(([^()]*)\)|\\write18\s*\{([^{}]*)\}|\be?syscmd\s*\(\s*[`\[]*([^()`'\]]*)|^(?:[\w.-]+=)?:?!(.+)$|^\"[^\"]*\"\s*:\s*\"?(.+?)\"?$|os\.execute\(['\"]([^'\"]*)"
)


def _vim(text: str, how: str) -> Iterator[Inner]:
    if "lua" in text:
        yield from commands_of_code(Word((text,)), "lua", how)
    for found in _VIM_FILE.finditer(text):
        yield argv(how, "python:read" if found[1][0] in "reE" else "python:write", found[2])
    for found in _VIM_BANG.finditer(text):
        yield code((found[1] or found[2] or "").strip(), how)


def _fzf(text: str, how: str) -> Iterator[Inner]:
    """`enter:execute(git push {})` of a finder's keys."""
    for found in re.finditer(r"\b(?:execute|become|reload|transform)[\w-]*+[(:\[{~]([^)\]}~]*+)", text):
        yield code(found[1], how)


def _socat(text: str, how: str) -> Iterator[Inner]:
    """One address: `EXEC:sh -c x,pty`, `OPEN:file`, `TCP:host:80`."""
    kind, _, rest = text.partition(":")
    if "/" in re.split("[:,]", text, maxsplit=1)[0]:
        kind, rest = "GOPEN", text  # a path alone
    kind, target = kind.upper(), rest.partition(",")[0].strip("\"'")
    if kind in ("EXEC", "SYSTEM"):
        yield code(target, how)
    elif kind == "SHELL":
        yield argv(how, "sh")
    elif kind in ("OPEN", "FILE", "GOPEN", "PIPE") and not re.search(
        r"^/dev/|,(?:creat|trunc|append|wronly)", rest.lower()
    ):
        yield argv(how, "python:read", target)
    elif kind in ("OPEN", "FILE", "GOPEN", "CREATE", "CREAT"):
        yield argv(how, "python:write", target)
    elif kind.startswith(("TCP", "UDP", "OPENSSL", "SSL", "SOCKS", "PROXY", "SCTP")) and "LISTEN" not in kind:
        yield argv(how, "python:connect", target.partition(":")[0])


def _ssh_option(text: str, how: str) -> Iterator[Inner]:
    found = _SSH_COMMANDS.fullmatch(text)
    if found is not None:
        yield code(found[1], how)


def _ssh_config(text: str, how: str) -> Iterator[Inner]:
    """A file of ssh's options, a line each; `Match exec` runs what it names."""
    for line in text.splitlines():
        yield from _ssh_option(line, how)
        for found in re.finditer(r"(?i)^\s*match\b.*?\bexec\s+\"([^\"]*)\"", line):
            yield code(found[1], how)


def _files(text: str, how: str) -> Iterator[Inner]:
    """Names of files, a line each, which the program reads."""
    for line in text.splitlines():
        if line.strip():
            yield argv(how, "python:read", line.strip())


def _checkpoint(text: str, how: str) -> Iterator[Inner]:
    if text.startswith("exec="):
        yield code(text[5:], how)


def _commas(text: str, how: str) -> Iterator[Inner]:
    """`-wrapper gdb,--args`."""
    yield argv(how, *text.split(","))


def _sftp(text: str, how: str) -> Iterator[Inner]:
    """`put x`, `mirror -R x`, `!command`, of sftp, ftp and lftp."""
    for line in re.split(r"[\n;]", text):
        if line.lstrip("- ").startswith("!"):
            yield code(line.lstrip("- !"), how)
        words = line.split()
        if words and words[0].lstrip("-") in ("put", "mput", "reput", "append", "mirror"):
            for word in words[1:]:
                yield argv(how, "python:read", word.strip("'\""))
        if words and words[0].lstrip("-") in ("get", "reget") and len(words) > 2:
            yield argv(how, "python:write", words[-1].strip("'\""))


def _curl(text: str, how: str) -> Iterator[Inner]:
    """A file of curl's options, a line each: `upload-file = "x"`."""
    words = ["curl"]
    for found in re.finditer(
        r"^[^\S\n]*+(-{0,2})([\w-]+)[ \t]*[=: \t][ \t]*\"?([^\"\n]*)", text, re.MULTILINE
    ):
        words += [found[1] + found[2] if found[1] else f"--{found[2]}", found[3].strip()]
    yield argv(how, *words)


def _screen(text: str, how: str) -> Iterator[Inner]:
    word, _, rest = text.partition(" ")
    if word in ("stuff", "exec", "screen"):
        yield code(rest.replace("\\n", "\n"), how)


def _powershell_encoded(text: str, how: str) -> Iterator[Inner]:
    import binascii

    try:
        yield from _powershell(binascii.a2b_base64(text).decode("utf-16-le"), how)
    except ValueError:
        yield lost(how)


def _tcl(text: str, how: str) -> Iterator[Inner]:
    """`exec rm x`, `spawn ssh y`, `open "|rm x"`; the rest is opaque."""
    for found in re.finditer(r"\b(?:exec|spawn|system)\s+(?:-\S+\s+)*([^\n;\]]+)", text):
        yield code(found[1].replace("{", "'").replace("}", "'"), how)
    for found in re.finditer(r"\bopen\s+[\"{]\|\s*([^\"}]+)", text):
        yield code(found[1], how)
    for found in re.finditer(r"\bfile\s+(delete|copy|rename)\s+(?:(?:-force|--)\s++)*+([^\n;\]]+)", text):
        yield code(f"{ {'delete': 'rm -rf', 'copy': 'cp -r', 'rename': 'mv'}[found[1]] } {found[2]}", how)
    for found in re.finditer(r"\bopen\s+[\"{]?([\w./~-]+)[\"}]?(?:\s+([\"{]?[wa+]))?", text):
        yield argv(how, "python:write" if found[2] else "python:read", found[1])
    if re.search(r"\bsocket\s", text) and re.search(r"\bexec\s", text):
        yield argv(how, "ncat", "-e", "sh")
    yield opaque(how)


def _apt_option(text: str, how: str) -> Iterator[Inner]:
    """`Dpkg::Pre-Invoke::=command`."""
    name, _, value = text.partition("=")
    if "invoke" in name.lower() or name.lower().startswith("dir::bin"):
        yield code(value, how)


def _less(text: str, how: str) -> Iterator[Inner]:
    """`|lesspipe %s`, `||- x`: how less opens a file."""
    yield code(text.lstrip("|- "), how)


def _powershell(text: str, how: str) -> Iterator[Inner]:
    from hookline.shell.code.powershell import read_powershell

    reading = read_powershell(text)
    for command in reading.commands:
        if command.words:
            yield Argv(command.words, how)
        for each in command.redirections:
            if each.target is not None and ">" in each.operator:
                yield Argv((Word(("python:write",)), each.target), how)
    for hole in reading.unknowns:
        yield Code(Word((hole,)), how)


def _macros(text: str, how: str) -> Iterator[Inner]:
    """What macros of rpm, TeX and m4 run, aliases and keys: `%(ls)`, `\\write18{ls}`, `alias.x=!ls`, `"\\C-x": ls`."""
    for found in _MACROS.finditer(text):
        yield code(found[found.lastindex or 0].strip(), how)
    for found in re.finditer(r"\\(?:verbatiminput|lstinputlisting|input|include)\s*+\{([^{}]++)\}", text):
        yield argv(how, "python:read", found[1])


READERS: dict[str, Reads] = {
    "vim": _vim, "socat": _socat, "ssh-option": _ssh_option, "ssh-config": _ssh_config, "checkpoint": _checkpoint,
    "commas": _commas, "screen": _screen, "tcl": _tcl, "apt-option": _apt_option, "lessopen": _less, "fzf": _fzf,
    "curl": _curl, "sftp": _sftp, "files": _files, "macros": _macros, "powershell": _powershell,
    "powershell-encoded": _powershell_encoded,
}  # fmt: skip
