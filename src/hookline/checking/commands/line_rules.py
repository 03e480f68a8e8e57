"""Mistakes in what a hook runs, by its command line alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.commands.beside import SCRIPT_ENDS
from hookline.checking.commands.variables import empty_here, meant_by, never_set, placeholders, unfilled
from hookline.checking.entries import Entry
from hookline.checking.lines import HookLine, Started
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.model.events import event_from_payload
from hookline.model.hooks import GitCommit
from hookline.model.record import replace
from hookline.shell.reading import Word
from hookline.system.modules import attribute
from hookline.system.patterns.late import late

_BASH_WORDS = {
    "source": "write `.` instead", "declare": "", "shopt": "", "pushd": "", "popd": "", "mapfile": "", "readarray": "",
}  # fmt: skip
_BASH_TEXT = (
    (late(r"\$\{\w+(?:,,?|\^\^?|//?[^}]{0,200}+|:\d+(?::\d+)?)\}", needs=("${",)), "this expansion"),
    (late(r"(?:^|[;&|{]|\s)\w+=\((?!\()", needs=("=(",)), "an array"),
    (late(r"(?:^|[;&|{])[ \t]*function\s+\w+", needs=("function",)), "`function`"),
    (late(r"&>", needs=("&>",)), "`&>`"),
)
_IN_QUOTES = late(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL, needs=("'", '"'))
_ARGUMENT = late(r"(?<!\\)\$(?:[1-9](?!\w)|\{[1-9]\})", needs=("$",))
_TAKES_ARGUMENTS = late(r"\s-\w*c\s|\bset\s+--|\(\)\s*\{|\bfunction\b|\bfor\s+\w+\s*;|\bawk\b|\bperl\b")
_LOOKED_FOR = late(
    r"(?:(?<!\[)\[\[?|\btest)\s+-[defrs]\s+[\"']?(?P<path>\w[\w.-]*/[\w./-]*\w)[\"']?(?=\s|\]|;|&|$)",
    needs=("[", "test"),
)
_GOES = late(r"\b(?:cd|pushd)\b")
_SINGLE_QUOTED = late(r"'[^']*'", needs=("'",))
_PERSONAL = late(
    r"(?<![\w./-])(?:/Users|/home|/[a-z]/Users|/mnt/[a-z]/Users|[A-Za-z]:[\\/]+Users)[\\/]+"
    r"([^\\/\s\"']+(?: [^\\/\s\"']+)?)[\\/]"
    r"|(?<![\w./-])(?:/run)?/media/([^\\/\s\"']+)/[^\\/\s\"']+/"
    r"|(?<![\w./-])/Volumes[\\/]+([^\\/\s\"']+)[^\\/\"']*[\\/]"
    r"|(?<![\w/$%])(?:([D-Zd-z]):(?!\\+[ntr](?:[$\s\"']|\Z))[\\/]+|[Cc]:[\\/]+(?!Program|Windows|Users))[\w$][^\s\"']*",
    needs=("/Users", "/home", "/media", "/Volumes", ":/", ":\\"),
)
# a folder that holds the project itself, as its path goes on in the folder of an agent
_ELSEWHERE = late(
    r"(?<![\w./$}~-])/(?!(?:Users|home|etc|usr|opt|var|tmp|app|workspaces?|Library|root|mnt|media|Volumes)/)([\w.-]+)/"
    r"(?:[\w.-]+/)*?(?=\.(?:claude|codex|cursor|gemini|github|factory|windsurf|qwen)/)",
    needs=("/",),
)
_GIVEN_PERSONAL = late(
    r"(?:(?:=|\bcd|\bexec|\bsource|\b(?:ba|z)?sh|\bpython3?|\bnode|\bPath\(|\bopen\()\s*[rf]?[\"']?|\w[\"']?:\s*[rf]?[\"'`]"
    r"|\b(?:\w+Sync|join|resolve|spawn)\(\s*\[?[\"'`]|\b(?:Join-Path|Set-Location|Get-Content|Test-Path)\s+(?:-\w+\s+)?[\"']?)"
    r"(?P<path>(?:/Users|/home|[A-Za-z]:[\\/]+Users)[\\/]+(?P<who>[^\\/\s\"'|*)]+)[\\/])(?=[\w.])"
)
# a folder of a drive of one's own, which PowerShell takes for where all is
_DRIVE = late(
    r"(?m)^\$(?P<name>\w+)[ \t]*=[ \t]*([\"'])(?P<path>[D-Zd-z]:[\\/](?!Program)\w[^\"'$\n]*)\2[ \t]*\r?$",
    needs=(":\\", ":/"),
)
_FOLDER_KEYS = ("cwd", "working_directory", "workingDirectory")  # where a hook starts
_EVERYBODYS = frozenset(
    {"Shared", "Public", "runner", "vscode", "node", "codespace", "linuxbrew", "coder", "gitpod"}
)
_RUNNERS = frozenset(
    {"sh", "bash", "zsh", "dash", "python", "python3", "node", "bun", "ruby", "perl", "exec", "source", "."}
)
_KEPT = late(r"~/|\$(?:HOME|PWD|\w+_PROJECT_DIR|\{(?:HOME|PWD|\w+_PROJECT_DIR)\})/", needs=("~/", "$"))
_PERCENT, _BY_CMD = late(r"%([A-Z]\w+)%(?=[\\/])", needs=("%",)), late(r"(?i:\bcmd(?:\.exe)?[\"']?\s+/)")
_SHELL_WORDS = frozenset({"|", "||", "&&", ";", ">", ">>", "<", "2>&1", "&"})
_READS_INPUT = late(
    r"\s*(?:if\s+|!\s+|\w+=[\"']?\$\()*"
    r"(jq(?!\s+(?:-\w+\s+)*-\w*n)(?=\s)|hookline get(?=\s)|cat(?=\s*[|)])|read(?=\s+-?\w)"
    r"|grep(?:\s+-\w+)*\s+(?:'[^']*'|\"[^\"]*\"|[\w.]+)(?=\s*(?:[&|;>]|$)))",
    needs=("jq", "hookline", "cat", "read", "grep"),
)
_FOLDERS = late(
    r"^\$\{?(?:\w+_PROJECT_DIR|\w+_WORKSPACE_(?:PATH|ROOT|DIR)|\w*PLUGIN_ROOT|GIT_TOPLEVEL_FOLDER|PWD)\b"
)


def line_problems(line: HookLine) -> Iterator[Problem]:
    """What is wrong with a line, whatever stands at its paths."""
    if not line.text:
        return
    yield from _unset_variables(line)
    folder = line.entry.spec.means.cwd
    if isinstance(folder, str) and "${" in folder:
        words = f"nobody fills in `{folder}`, so there is no such folder to start in"
        yield line.entry.problem(
            "unset-variable", words, "name a folder of the project; `.` is the project itself", key="cwd"
        )
    yield from _empty_input(line)
    yield from personal_paths(line)
    if line.entry.argv:
        yield from _relative_scripts(line)
        yield from _shell_syntax(line)
        return
    yield from _bashisms(line)
    yield from _arguments_of_nobody(line)
    if not line.is_plain:
        yield from attribute("hookline.checking.texts.plain_output", "unread_output")(line)
    yield from _relative_scripts(line)
    yield from _never_expanded(line)
    yield from _of_another_shell(line)
    yield from _unquoted_folders(line)


# -- variables and paths ------------------------------------------------------------------------------


def _unset_variables(line: HookLine) -> Iterator[Problem]:
    for name in empty_here(line.text, line.entry):
        words = f"`{name}` is empty at `{line.entry.spec.native_event}`"
        yield line.entry.at_line("unset-variable", words, "use a value that this event has")
    names = never_set(line.text, line.entry, in_plugin=bool(line.plugin_root), folders=True)
    for name in names:
        words = f"{line.entry.speaker.title} never sets `{name}` here: nothing stands there"
        yield line.entry.at_line("unset-variable", words, _instead(line, name))
    for name in placeholders(line.text, line.entry):
        words = f"nobody fills in `{name}`: it stays as it is"
        yield line.entry.at_line("unset-variable", words, _instead(line, name))


def _arguments_of_nobody(line: HookLine) -> Iterator[Problem]:
    """`$1` in a line, which is given no arguments; in code for another shell or program it may be right."""
    found = None if line.shell == "powershell" else _ARGUMENT.search(_SINGLE_QUOTED.sub("''", line.text))
    if found and not _TAKES_ARGUMENTS.search(line.text):
        hint = _instead(line, "command") if is_agent(line.entry.speaker.name) else ""
        words = f"a hook's line is given no arguments, so `{found[0]}` is empty"
        yield line.entry.at_line("unset-variable", words, hint)


def _empty_input(line: HookLine) -> Iterator[Problem]:
    """A line that begins with a look at standard input, where its hook is given none."""
    entry = line.entry
    if entry.rule is None or is_agent(entry.speaker.name):
        return
    statements = (
        each for text in line.scripts.values() if text.startswith("#!") for each in text.splitlines()
    )
    reader = next(filter(None, map(_READS_INPUT.match, (line.text, *statements))), None)
    if reader is None:
        return
    event = event_from_payload(entry.spec.kind, {}, session_id="s", cwd="/", workspace="/", at=0.0)
    if not entry.speaker.hook_input(event, entry.spec).stdin:
        words = f"`{reader[1].strip()}` reads standard input, which is empty here"
        hint = f"`hookline docs {entry.speaker.name}` says how a hook there learns what happened"
        yield entry.at_line("no-input", words, hint)


def placeholder_problems(entry: Entry) -> Iterator[Problem]:
    """Placeholders of a line, or of a commit's message, that the event has no value for."""
    text = entry.spec.action.message if isinstance(entry.spec.action, GitCommit) else entry.line
    key = "message" if isinstance(entry.spec.action, GitCommit) else "command"
    for words, hint in unfilled(text, entry):
        yield entry.problem("unset-variable", words, hint, key=key)


def _instead(line: HookLine, name: str) -> str:
    root = line.entry.traps.root
    if meant := meant_by(name, line.entry):
        return f"did you mean `{meant}`?"
    bare = name.strip("{}$").lower()
    if "plugin" in bare:
        return "only a plugin's own hooks have it; name the script from the project" + (
            f": `${root}`" if root else ""
        )
    if "project" in bare or "workspace" in bare or bare.endswith(("dir", "root", "cwd")):
        return f"write `${root}`" if root else 'write `"$(git rev-parse --show-toplevel)"`'
    argument = "command" if "command" in bare else "file_path"
    field = "tool_name" if "name" in bare and "file" not in bare else "prompt" if "prompt" in bare else ""
    place_of = attribute("hookline.checking.fields.field_rules", "place_of")
    field = field or (line.entry.rule and place_of(line, argument)) or f"tool_input.{argument}"
    return f"the call is JSON on standard input: `jq -r .{field}` or `hookline get {field}`"


def personal_paths(line: HookLine) -> Iterator[Problem]:
    """Paths that one person's machine has, in what several people share."""
    scope, file = line.entry.spec.scope, line.entry.file
    if scope in ("project", "plugin"):
        yield from _personal_paths(line)
    elif scope == "local" and (found := list(_personal_paths(line))):
        if not attribute("hookline.system.repository.git", "is_tracked")(file.path):
            return
        hint = f"keep the file to yourself: `git rm --cached {file.source}`, and name it in `.gitignore`"
        yield from (replace(each, hint=hint) for each in found)


def _personal_paths(line: HookLine) -> Iterator[Problem]:
    for found in (*_PERSONAL.finditer(line.text), *_ELSEWHERE.finditer(line.text)):
        if found[1] not in _EVERYBODYS and not f"{line.workspace}/".startswith(found[0]):
            words = f"`{found[0]}` is a path on one person's machine, in a file that is shared"
            hint = "keep the script in the repository, and name it from the project root"
            yield line.entry.at_line("personal-path", words, hint)
            break
    node = line.entry.node
    for key in _FOLDER_KEYS if node else ():
        given = node.get(key) if node else None
        folder = str(given.value) if given is not None and given.kind == "string" else ""
        at = _PERSONAL.match(f"{folder}/")
        if at and at[1] not in _EVERYBODYS:
            words = f"`{folder}` is a folder on one person's machine, in a file that is shared"
            yield line.entry.problem("personal-path", words, "name it from the project root", key=key)
    for shown, _, text in line.texts[1:]:
        for found in _GIVEN_PERSONAL.finditer(text):
            if found["who"] not in _EVERYBODYS:
                words = f"`{shown}` has `{found['path']}`, a path on one person's machine"
                yield line.entry.at_line(
                    "personal-path", words, "name it from the project root, or from `$HOME`"
                )
                return
        drive = _DRIVE.search(text) if shown.endswith(".ps1") else None
        if drive and len(re.findall(rf"(?i)\${drive['name']}\b[ \t]*=(?!=)", text)) == 1:
            words = f"`{shown}` has `{drive['path']}`, a folder on one person's machine"
            yield line.entry.at_line("personal-path", words, "name it from `$PSScriptRoot`")
            return
    for each in line.started:
        own = each.path.startswith(line.home + os.sep) and each.path.endswith(SCRIPT_ENDS) and each.certain
        shown = os.path.relpath(each.path, line.home)
        at_home = (
            line.home.startswith(line.workspace)
            or "dotfiles" in f"{os.path.basename(line.workspace)}/{shown}"
        )
        if own and line.entry.spec.scope != "plugin" and not at_home:
            words = f"`~/{shown}` is in one person's home, and this file is shared"
            yield line.entry.at_line("personal-path", words, "keep the script in the repository")
            return


def _relative_scripts(line: HookLine) -> Iterator[Problem]:
    entry = line.entry
    plugin = bool(line.plugin_root)
    moves = entry.traps.moves or entry.traps.starts_below
    if not (moves or plugin) or entry.spec.means.cwd or (entry.key and line.shell == "powershell"):
        return  # nor is there one way to write it that both shells of Windows know
    for each in line.started:
        if each.typed.startswith("~/"):
            continue  # `_never_expanded` tells of it
        if each.rooted and not _of_the_project(line, each):
            continue
        if not each.rooted and plugin and not (moves and each.certain):
            continue
        root = f"${entry.traps.root}" if entry.traps.root else "$(git rev-parse --show-toplevel)"
        root = "${CLAUDE_PLUGIN_ROOT}" if plugin else root
        words = f"`{each.shown}` is looked for where the session stands, and that moves with `cd`"
        if entry.traps.starts_below:
            words = f"`{each.shown}` is looked for where {entry.speaker.title} was started, which may be a folder below"
        if plugin:
            words = f"`{each.shown}` is looked for in the user's project, not in the plugin"
        hint = f'write `"{root}"/{_below(line, each)}`'
        yield entry.at_line("relative-script", words, hint, severity="error" if plugin else "warning")
        return
    found = None if plugin or entry.traps.starts_below else _LOOKED_FOR.search(line.text)
    if found and not line.started and not _GOES.search(line.text, 0, found.start()):
        words = f"`{found['path']}` is looked for where the session stands, and that moves with `cd`"
        hint = f'write `"${entry.traps.root}"/{found["path"]}`' if entry.traps.root else ""
        yield entry.at_line("relative-script", words, hint)


def _of_the_project(line: HookLine, each: Started) -> bool:
    """Whether a plugin names its own file by the folder of the project it is used in."""
    named = "_PROJECT_DIR" in line.text or "--show-toplevel" in line.text
    inside = each.path.startswith(line.workspace + os.sep) and bool(line.plugin_root) and named
    return inside and os.path.exists(os.path.join(line.plugin_root, _below(line, each)))


def _below(line: HookLine, each: Started) -> str:
    return os.path.relpath(each.path, line.workspace) if each.rooted else each.path.removeprefix("./")


def _never_expanded(line: HookLine) -> Iterator[Problem]:
    """A program or script whose path begins with `~` or a variable in quotes that keep it as it is."""
    if any(name == "GEMINI_" for name in line.entry.speaker.profile.words.variables):
        return  # Gemini CLI fills these names in itself
    for command in line.bare.commands:
        runner = bool(command.words) and (command.words[0].literal or "").rpartition("/")[2] in _RUNNERS
        for word in command.words[: 2 if runner else 1]:
            found = _KEPT.match(word.literal or "")
            if found:
                kept = found[0].rstrip("/")
                words = f"`{kept}` stands in quotes that keep it as it is, so no file is found"
                right = "$HOME" if kept == "~" else kept
                yield line.entry.at_line("not-expanded", words, f'write `"{right}/…"`')
                return


def _of_another_shell(line: HookLine) -> Iterator[Problem]:
    """A variable as `cmd` writes it, in a line that `cmd` never runs."""
    found = _PERCENT.search(line.text) if line.entry.traps.no_cmd else None
    if found and not _BY_CMD.search(line.text):
        words = f"`{found[0]}` stays as it is, so no file is found: neither bash nor PowerShell fills it in"
        name = "HOME" if found[1] == "USERPROFILE" else found[1]
        yield line.entry.at_line("not-expanded", words, f'write `"${name}/…"`')


def _unquoted_folders(line: HookLine) -> Iterator[Problem]:
    if any(name == "GEMINI_" for name in line.entry.speaker.profile.words.variables):
        return  # Gemini CLI fills these names in itself, quoted
    for word in _words(line):
        for part in word.parts:
            if isinstance(part, str) or part.kind != "words" or not _FOLDERS.match(part.text):
                continue
            shown = part.text.replace("$GIT_TOPLEVEL_FOLDER", "$(git rev-parse --show-toplevel)")
            broken = " " in line.workspace and line.plugin_root == ""
            words = f"`{shown}` is not quoted: a blank in the path ends it"
            hint = f'write `& "{shown}/…"`' if line.shell == "powershell" else f'write `"{shown}"`'
            yield line.entry.at_line("unquoted-path", words, hint, severity="error" if broken else "warning")
            return


def _words(line: HookLine) -> Iterator[Word]:
    """The words of the line itself, and of code it gives to a shell; a script's path is not code."""
    for command in line.bare.commands:
        inner = command.via and command.via[-1].how.endswith(" -c")
        if not inner or re.search(r"\s-\w*c\b|\beval\b", line.text):
            yield from command.words


# -- the shell ----------------------------------------------------------------------------------------


def _shell_syntax(line: HookLine) -> Iterator[Problem]:
    """`args` without a shell: what only a shell would understand."""
    argv = line.entry.argv
    if argv[0].rpartition("/")[2] in ("sh", "bash", "zsh", "dash", "cmd", "cmd.exe", "powershell", "pwsh"):
        if not any(word.lower() in ("-c", "/c", "-command", "-lc") for word in argv):
            yield from (_taken_as_it_is(line, word) for word in argv if word in _SHELL_WORDS)
        return
    filled = line.entry.traps.filled
    for word in argv:
        names = re.findall(r"\$\{([\w.]+)\}", word)
        rest = re.sub(r"\$\{[\w.]+\}", "", word)
        unfilled = [name for name in names if not _is_filled(name, filled)]
        if (
            re.search(r"\$\(|\$\{|\$[A-Za-z_]|`", rest)
            or unfilled
            or word.startswith("~/")
            or word in _SHELL_WORDS
        ):
            yield _taken_as_it_is(line, word)
            return
    if " " in argv[0].strip() and not re.search(r"^[A-Za-z]:\\|^/|^\.", argv[0]):
        words = f"with `args` the whole of `{argv[0]}` is taken as the name of a program"
        yield line.entry.problem("shell-in-args", words, "put its words into `args`", key="command")


def _taken_as_it_is(line: HookLine, word: str) -> Problem:
    words = f"with `args` there is no shell, so `{word}` is taken as it is"
    hint = "write the whole line in `command`, without `args`"
    return line.entry.problem("shell-in-args", words, hint, key="args")


def _is_filled(name: str, filled: frozenset[str]) -> bool:
    return name in filled or any(each.endswith(".") and name.startswith(each) for each in filled)


def _bashisms(line: HookLine) -> Iterator[Problem]:
    if line.shell != "sh":
        return
    found = next(_bash_only(line), "")
    if found:
        words = f"{found} is not known to `sh`, which runs this line"
        yield line.entry.at_line("bashism", words, _bash_hint(line))


def _bash_only(line: HookLine) -> Iterator[str]:
    for hole in line.bare.unknowns:
        if hole.why.endswith("is known to bash and not to dash"):
            yield hole.why.partition(" ")[0]
    for command in line.bare.commands:
        if any(step.how.startswith(("bash", "zsh")) for step in command.via) or not command.words:
            continue
        texts = [word.literal for word in command.words]
        if texts[0] in _BASH_WORDS:
            yield f"`{texts[0]}`"
        if texts[0] in ("[", "test") and "==" in texts:
            yield "`==` in `[`"
        if texts[0] == "set" and "pipefail" in texts:
            yield "`set -o pipefail`"
    if "bash" in line.text and re.search(r"\bbash\s+-\w*c\b", line.text):
        return
    expanded, outside = _SINGLE_QUOTED.sub("''", line.text), _IN_QUOTES.sub("''", line.text)
    for pattern, name in _BASH_TEXT:
        if pattern.search(expanded if name == "this expansion" else outside):
            yield name


def _bash_hint(line: HookLine) -> str:
    if line.entry.speaker.profile.can.shell_key:
        return 'add `"shell": "bash"`, or put the line into a script that begins with `#!/bin/bash`'
    return "put the line into a script that begins with `#!/bin/bash`"
