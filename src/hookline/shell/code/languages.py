"""Code of other languages than a shell's: the commands and effects that can be seen in it.

What a call does is said as the command that does the same (`os.remove("x")` as `rm x`), or, where there is none,
as a pseudo program of the table (`python:write`). What cannot be seen into is `python:opaque`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hookline.shell.code.awk_sed import commands_of_awk, commands_of_sed
from hookline.shell.code.pieces import argv, code, each_way, lost, opaque, unescaped
from hookline.shell.reading import LONG_LINE, Argv, Code, Inner, Word

LONGEST = 65_536  # of code; nobody follows what is longer
_SCRIPTED = ("javascript", "perl", "ruby", "php", "lua", "lisp", "osascript", "script")
# What is read may be made to take long: no two repeats here can match the same letters one after the other.
_VIM_BANG = re.compile(r"(?:^|[|:\s])!+\s*([^|]+)|\bsystem(?:list)?\(\s*['\"]([^'\"]*)['\"]")
_VIM_FILE = re.compile(
    r"(?:^|[|:\n])[^\S\n]*+[\d%,$]*+(w|wq|x|write|saveas|sav|r|read|e|E|edit)!?\s++(?!!)([^\s|!]+)"
)
_SSH_COMMANDS = re.compile(  # and those of `systemd-run -p` and `wget -e`
    r"(?is)\s*(?:(?:Proxy|Local|KnownHosts|Remote)Command|Exec(?:Start|Stop|Reload|Condition)\w*|use_?askpass)"
    r"\s*(?:=|\s)\s*[-+@!:]*(.*)"
)


def commands_of_code(text: Word, language: str, how: str, line: int = LONGEST) -> Iterator[Inner]:
    """What a piece of code runs and does, as far as that can be seen; `line`: letters of the line."""
    if any(hole.only and hole.choices for hole in text.holes):
        for way in each_way(text):
            yield from commands_of_code(way, language, how, line)
        return
    texts = [part for part in text.parts if isinstance(part, str)]
    if sum(map(len, texts)) > LONGEST or (language in _TASKS and not texts):
        yield lost(how)
        return
    literal = text.literal
    if language in _TASKS:
        yield from _TASKS[language]("".join(p if isinstance(p, str) else "_" for p in text.parts), how)
        return
    if not texts or language not in LANGUAGES:
        yield opaque(how)
        return
    if literal is None:
        from hookline.shell.code.with_holes import named, with_holes

        known, holes = named(text)
        yield from (with_holes(each, holes) for each in commands_of_code(Word((known,)), language, how, line))
        return
    if read := _READERS.get(language):
        yield from read(literal, how)
    elif language == "python":
        from hookline.shell.code.python_code import commands_of_python

        yield from commands_of_python(literal, how)
    elif LONG_LINE < len(literal) <= line:  # so it is no file's
        yield lost(how)
    else:
        from hookline.shell.code.script_code import commands_of_script

        yield from commands_of_script(literal, how)


def language_of(script: str) -> str:
    """The language of a script that is started by its path: what its `#!` says, a shell's without one."""
    if not script.startswith("#!"):
        return "sh"
    words = [word.rpartition("/")[2] for word in script[2:].partition("\n")[0].split()]
    names = [word for word in words if not word.startswith("-") and "=" not in word and word != "env"]
    name = names[0].rstrip("0123456789.") if names else "sh"
    return "javascript" if name in ("node", "nodejs", "deno", "bun") else name


def _vim(text: str, how: str) -> Iterator[Inner]:
    if "lua" in text:
        yield from commands_of_code(Word((text,)), "lua", how)
    for found in _VIM_FILE.finditer(text):
        yield argv(how, "python:read" if found[1][0] in "reE" else "python:write", found[2])
    for found in _VIM_BANG.finditer(text):
        yield code((found[1] or found[2] or "").strip(), how)


def _sql(text: str, how: str) -> Iterator[Inner]:
    from hookline.shell.code.databases import commands_of_sql

    yield from commands_of_sql(text, how)


def _orders(text: str, how: str) -> Iterator[Inner]:
    from hookline.shell.code.databases import sent_to_databases

    yield from sent_to_databases(text, how)


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


def _cmake(text: str, how: str) -> Iterator[Inner]:
    """`execute_process(COMMAND …)`, which may have several, and files that are removed; the rest is opaque."""
    for found in re.finditer(r"(?i)\bexecute_process\s*\(([^()]*)\)", text):
        for command in re.split(r"\bCOMMAND\b", found[1])[1:]:
            yield code(re.split(_CMAKE_WORDS, command)[0].strip(), how)
    for found in re.finditer(r"(?i)\bfile\s*+\(\s*+REMOVE(?:_RECURSE)?\s++([^()]*+)\)", text):
        yield code(f"rm -rf {found[1]}", how)
    yield opaque(how)


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


def _make(text: str, how: str) -> Iterator[Inner]:
    """Recipes and `$(shell …)`; the rest of a makefile is opaque."""
    yield from _recipes(text, how)
    for found in re.finditer(r"\$\(shell\s++([^()]*+)\)", text):
        yield code(found[1], how)
    for found in re.finditer(r"\$\(file\s++(>>?|<)\s*+([^\s,()]++)", text):
        yield argv(how, "python:read" if found[1] == "<" else "python:write", found[2])
    yield opaque(how)


def _recipes(text: str, how: str) -> Iterator[Inner]:
    """What stands further in, or behind a rule's `;`, with the values of make's variables; others are the shell's."""
    values, left = dict(_MADE_VALUE.findall(text)), min(LONGEST // 8, 2 * len(text))

    def valued(found: re.Match[str]) -> str:
        nonlocal left
        value = values.get(found[1], "") if left > 0 else ""
        left -= len(value)
        return value or f"${{{found[1]}}}"

    for line in text.replace("\\\n", " ").splitlines():
        inline = _INLINE.match(line)
        if not inline and not (line[:1].isspace() and line.strip()):
            continue
        line = inline[1] if inline else _TASK_MARK.sub("", line.strip())
        for _ in range(3):  # a value may name further ones
            line = _MADE_NAME.sub(valued, line)
        yield code(_MADE_NAME.sub(r"${\1}", line).strip().lstrip("@-+").replace("$$", "$"), how)


def _cargo_setting(text: str, how: str) -> Iterator[Inner]:
    """A setting of cargo's that names a program: `build.rustc-wrapper="x"`, `target.x.runner=["sh", "-c", "x"]`."""
    found = _CARGO_PROGRAM.search(text)
    value = found[1] if found is not None else ""
    if value.startswith("["):
        yield argv(how, *(unescaped(each[0] or each[1]) for each in _TOML_TEXT.findall(value)))
    elif value:
        yield code(unescaped(value.strip("\"' ")), how)


def _package(text: str, how: str) -> Iterator[Inner]:
    """The scripts of a `package.json`."""
    import json

    try:
        scripts = json.loads(text).get("scripts", {})
        lines = [str(line) for line in scripts.values()]
    except (ValueError, AttributeError, RecursionError):
        lines = re.findall(r':\s*"((?:[^"\\]|\\.)*)"', text)
    for line in lines:
        yield code(line, how)


def _tasks(text: str, how: str) -> Iterator[Inner]:
    """What stands further in, as recipes do, and the strings that a task runs (`sh "git push"`)."""
    yield from _recipes(text, how)
    for found in _TASK_WORDS.finditer(text):
        yield argv(how, *re.findall(r"[\"']([^\"']*)[\"']", found[1]))
    for found in _TASK_LIST.finditer(text):
        for each in found[1].split(","):
            yield code(each.strip(" \"'"), how)
    for found in _TASK_CALL.finditer(text):
        yield code(unescaped(found[2]), how)


def _package_setting(text: str, how: str) -> Iterator[Inner]:
    """`scripts.x=git push` of `npm pkg set`."""
    name, _, value = text.partition("=")
    if name.startswith("scripts"):
        yield code(value, how)


def _less(text: str, how: str) -> Iterator[Inner]:
    """`|lesspipe %s`, `||- x`: how less opens a file."""
    yield code(text.lstrip("|- "), how)


def _cmd(text: str, how: str) -> Iterator[Inner]:
    from hookline.shell.code.cmd_lines import commands_of_cmd

    yield from commands_of_cmd(text, how)


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


def _dockerfile(text: str, how: str) -> Iterator[Inner]:
    from hookline.shell.code.containers import of_dockerfile

    yield from of_dockerfile(text, how)


def _compose(text: str, how: str) -> Iterator[Inner]:
    from hookline.shell.code.containers import of_compose

    yield from of_compose(text, how)


def _patched(text: str, how: str) -> Iterator[Inner]:
    from hookline.shell.code.patches import commands_of_patch

    yield from commands_of_patch(text, how)


_INLINE = re.compile(r"[\w./%$(){}-]+(?:[ \t]+[\w./%$(){}-]+)*[ \t]*::?[^;=]*;(.+)")  # `all: x.o ; cc x.o`
_MADE_VALUE = re.compile(r"(?m)^(?:(?:export|override)\s+)*([A-Za-z_]\w*)[ \t]*[:?+]{0,2}=[ \t]*(.{0,400})$")
_MADE_NAME = re.compile(r"(?<!\$)\$[({]([A-Za-z_]\w*)[)}]")
_CARGO_PROGRAM = re.compile(
    r"(?:^|[.{,\s])(?:runner|linker|rustc|rustc-(?:workspace-)?wrapper|rustdoc|credential-provider)\s*=\s*(.+)",
    re.DOTALL,
)
_TOML_TEXT = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'")
_CMAKE_WORDS = (
    r"\b(?:WORKING_DIRECTORY|TIMEOUT|(?:RESULTS?|OUTPUT|ERROR|COMMAND|ECHO)_\w+|INPUT_FILE|ENCODING)\b"
)
_TASK_MARK = re.compile(
    r"^(?:[-@+]+\s*)?(?:-\s+)?(?:(?:ansible\.builtin\.)?(?:cmd|run|command|script|sh|shell|raw)\s*:\s*)?"
)
_TASK_CALL = re.compile(
    r"\b(?:sh|run|exec|execute|system|local|shell|spawn|cmds)\w*+\s*+(?:[(:\[]\s*+){0,2}([\"'])((?:\\.|(?!\1).)+)\1"
)
_TASK_WORDS = re.compile(  # of gradle and nox
    r"\b(?:commandLine\s*+[(=]?|s(?:ession)?\.run(?:_always|_install)?\s*+\()\s*+([\"'][^\n]*+)"
)
_TASK_LIST = re.compile(r"\bcmds?\s*+:\s*+\[([^\]\n]++)\]")
_TASKS: dict[str, Callable[[str, str], Iterator[Inner]]] = {
    "package": _package,
    "tasks": _tasks,
    "cmake": _cmake,
    "curl": _curl,
    "sftp": _sftp,
    "ssh-config": _ssh_config,
    "files": _files,
    "sql-file": _sql,
    "dockerfile": _dockerfile,
    "compose": _compose,
}
_MACROS = re.compile(
    r"%\(([^()]*)\)|\\write18\s*\{([^{}]*)\}|\be?syscmd\s*\(\s*[`\[]*([^()`'\]]*)|^(?:[\w.-]+=)?:?!(.+)$|^\"[^\"]*\"\s*:\s*\"?(.+?)\"?$|os\.execute\(['\"]([^'\"]*)"
)


def _macros(text: str, how: str) -> Iterator[Inner]:
    """What macros of rpm, TeX and m4 run, aliases and keys: `%(ls)`, `\\write18{ls}`, `alias.x=!ls`, `"\\C-x": ls`."""
    for found in _MACROS.finditer(text):
        yield code(found[found.lastindex or 0].strip(), how)
    for found in re.finditer(r"\\(?:verbatiminput|lstinputlisting|input|include)\s*+\{([^{}]++)\}", text):
        yield argv(how, "python:read", found[1])


_READERS: dict[str, Callable[[str, str], Iterator[Inner]]] = {
    "awk": commands_of_awk, "sed": commands_of_sed, "vim": _vim, "sql": _sql, "orders": _orders, "socat": _socat,
    "ssh-option": _ssh_option, "checkpoint": _checkpoint, "commas": _commas, "screen": _screen, "make": _make,
    "tcl": _tcl, "apt-option": _apt_option, "package-setting": _package_setting, "lessopen": _less, "cmd": _cmd,
    "fzf": _fzf, "cargo-setting": _cargo_setting,
    "powershell": _powershell, "powershell-encoded": _powershell_encoded, "patch": _patched,
    "macros": _macros,
}  # fmt: skip
LANGUAGES = frozenset((*_READERS, *_SCRIPTED, "python"))
