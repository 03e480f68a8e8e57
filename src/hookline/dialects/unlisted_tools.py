"""What a tool does that no table names, such as an MCP server's: by the words of its name and of its arguments.

Nobody can list the tools of all servers, nor what an agent calls its own tomorrow; but `create_text_file` with a
`relative_path` says what it does. What says nothing has no effect here: users add rows of their own (`[[tools]]`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hookline.dialects.program_lines import line_of_git, line_of_program
from hookline.dialects.service_calls import deeds_at_a_service
from hookline.dialects.service_names import is_started, texts_of
from hookline.dialects.spelling import folded
from hookline.dialects.tool_lines import (
    ONLY_LOOKS,
    flat,
    line_of_code,
    line_of_download,
    line_of_machine,
    line_of_secret,
)
from hookline.dialects.tools import ARGUMENTS
from hookline.model.typing import Any
from hookline.shell.reading import Argv

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_SHELL = frozenset(("bash", "cmd", "command", "commands", "exec", "execute", "powershell", "process", "pwsh", "run",
                    "sh", "shell", "stdin", "terminal", "zsh"))  # fmt: skip
_VERBS = {
    **dict.fromkeys(("append", "apply", "copy", "create", "edit", "generate", "insert", "make", "mkdir", "modify",
                     "multiedit", "new", "overwrite", "patch", "prepend", "propose", "replace", "save", "screenshot",
                     "store", "touch", "unpack", "unzip", "update", "write"), "write"),
    **dict.fromkeys(("clear", "delete", "erase", "remove", "rm", "trash", "truncate", "unlink"), "delete"),
    **dict.fromkeys(("attach", "cat", "compress", "drop", "find", "get", "grep", "head", "list", "load", "open",
                     "post", "read", "search", "send", "share", "show", "tail", "upload", "view", "zip"), "read"),
    **dict.fromkeys(("browse", "download", "fetch", "goto", "navigate", "request", "scrape", "visit",
                     "webfetch"), "connect"),
    **dict.fromkeys(("move", "mv", "rename"), "move"),
}  # fmt: skip
_COMMANDS = ("command", "cmd", "commandline", "commands", "shellcommand", "clicommand")
_FOLDERS = ("workdir", "workingdirectory", "workingdir", "cwd", "directory", "dirpath", "dir", "cd")
_VARIABLES = ("env", "environment", "variables")
_PROGRAMS = ("program", "executable", "binary", "exe", "file")  # beside a list of arguments
_TYPED = (
    "input",
    "inputtext",
    "sendtext",
    "chars",
    "keys",
    "text",
    "data",
    "script",
)  # what goes to a shell that runs
_TERMINALS = frozenset(("bash", "powershell", "pwsh", "shell", "stdin", "terminal", "zsh"))
_MULTIPLEXERS = frozenset(("iterm", "screen", "tmux", "zellij"))
_OF_A_PROCESS = frozenset(
    ("process", "write", "send", "input", "to", "interact", "command", "with")
)  # `write-process`, `send_command_input`, no more than that
_PATHS = frozenset((
    "absolutepath", "dest", "destination", "destinationpath", "destpath", "dir", "directory", "dirname",
    "downloadpath", "file", "filename", "filepath", "filepaths", "files", "folder", "fullpath", "inputdirectory",
    "inputpath", "localfile", "localpath", "newpath", "notebook", "notebookpath", "outputdir", "outputfile",
    "outputpath", "path", "pathinproject", "paths", "relativepath", "savedir", "savepath", "targetfile",
    "targetnotebook", "targetpath", "uri",
))  # fmt: skip
_ATTACHED = frozenset(
    ("attachment", "attachmentpath", "attachmentpaths", "attachments", "document", "sourcefile")
)
_ADDRESSES = frozenset(("url", "urls", "uri", "href", "endpoint"))
_PATCHES = frozenset(("diff", "input", "patch", "patchtext"))
_PARTS = frozenset(("block", "cell", "line", "lines", "range", "symbol", "text"))  # of a file, which stays
_FROM = frozenset(
    ("localsrcdir", "localsrcfile", "oldpath", "source", "sourcefile", "sourcepath", "src", "from")
)
_DEEDS = ("action", "command", "mode", "operation")  # of a tool for several things, `text_editor` say
_CALLERS = frozenset(("call", "execute", "invoke", "proxy", "run"))
_CALLED = ("tool", "toolname", "recipientname", "name")
_CALLED_WITH = ("parameters", "arguments", "args", "input", "toolinput")


def shell_line(name: str, given: Mapping[str, Any]) -> str:
    """The line that a tool gives to a shell; empty for one that seems to have none."""
    words = _words(name)
    fields = {folded(str(key)): value for part in _parts(given) for key, value in part.items() if value}
    if (
        line := line_of_code(words, _words(*name.split("__")), fields)
        or line_of_git(name, given)
        or line_of_program(name, given, fields)
        or line_of_machine(words, _words(*name.split("__")), fields)
        or line_of_download(words, fields)
        or line_of_secret(name, given, fields)
    ):
        return line
    arguments = next((fields[key] for key in ARGUMENTS if key in fields), None)
    if any(map(is_started, fields)) and fields.keys().isdisjoint(_COMMANDS):
        arguments = None  # of what a service runs under that name
    listed = arguments.split() if isinstance(arguments, str) else arguments
    if isinstance(listed, list):
        listed = list(flat(listed))
    program = next((fields[key] for key in _PROGRAMS if isinstance(fields.get(key), str)), "")
    if program and isinstance(listed, list):
        from shlex import join

        return join((program, *map(str, listed)))
    typed = words & _TERMINALS or (words & {"process", "input"} and words <= _OF_A_PROCESS)
    typed = typed or ("keys" in fields and not _words(*name.split("__")).isdisjoint(_MULTIPLEXERS))
    if not (typed or words & _SHELL or "clicommand" in fields):
        line = next((fields[key] for key in _COMMANDS if key in fields), "")
        is_line = isinstance(line, str) and len(line.split()) > 1  # one word may be what an editor is to do
        return line if is_line and not words & (ONLY_LOOKS | _VERBS.keys()) else ""
    keys = (*_COMMANDS, *(_TYPED if typed else ()))
    value = next((fields[key] for key in keys if key in fields), arguments)
    value = fields["input"] if value is None and isinstance(fields.get("input"), list) else value
    if isinstance(value, str) and isinstance(listed, list) and not fields.keys().isdisjoint(_COMMANDS):
        value = [*value.split(), *listed]
    told = line_of_list(value, "commands" in fields) if isinstance(value, list) else value
    if isinstance(told, str) and isinstance(typed_in := fields.get("stdin"), str):
        from shlex import quote

        return f"echo {quote(typed_in)} | {told}"
    return told if isinstance(told, str) else ""


def _parts(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What a call is given, what stands within it first: `{"task": {"command": …}}`."""
    inner = next((each for each in given.values() if isinstance(each, dict)), None)
    return [*(_parts(inner) if inner else ()), given]


def line_of_list(listed: list[object], each_a_line: bool = False) -> str:
    """A program and its arguments as a line; a list that holds whole lines, as no program has a blank in its name.

    What stands in a further list may be more arguments, or a line of its own: it is read as both.
    """
    from shlex import join

    lines: list[str] = []
    for part in (listed, *(each for each in listed if isinstance(each, (list, dict)))):
        words = list(flat(part))
        if not words:
            continue  # it says nothing
        whole = [word for word in words if len(word.split()) > 1]
        is_apart = (each_a_line and part is listed) or words[0] in whole
        lines += words if is_apart else [join(words), *(whole if isinstance(part, dict) else ())]
    return "\n".join(lines)


def _variables(given: Any) -> Iterator[tuple[str, Any]]:
    """Names and values: of an object, of lines or a list of `A=b`, or of `{"name": "A", "value": "b"}` each."""
    if isinstance(given, dict):
        yield from ((str(key), value) for key, value in given.items())
    for each in given.splitlines() if isinstance(given, str) else given if isinstance(given, list) else ():
        if isinstance(each, dict):
            yield str(each.get("name", each.get("key", ""))), each.get("value", "")
        elif isinstance(each, str):
            name, _, value = each.partition("=")
            yield name, value


def set_before(given: Mapping[str, Any], cwd: str, home: str) -> str:
    """Another folder in which a call has its line run, and the variables that it sets for it, as lines before that."""
    from posixpath import join, normpath
    from shlex import quote

    fields = {folded(str(key)): value for key, value in given.items()}
    folder = next((text for key in _FOLDERS if isinstance(text := fields.get(key), str) and text), "")
    folder = home + folder[1:] if folder == "~" or folder.startswith("~/") else folder
    found = (pair for key in _VARIABLES for pair in _variables(fields.get(key)))
    sets = (f"export {key}={quote(str(value))}\n" for key, value in found if key.isidentifier())
    moves = folder and normpath(join(cwd, folder)) != normpath(cwd)
    return f"cd {quote(folder)}\n" * bool(moves) + "".join(sets)


def line_of_shell(name: str, given: Mapping[str, Any]) -> str:
    """The line of a shell whose `command` holds none: by what its arguments are called, or all their texts."""
    return shell_line(name, given) or "\n".join(text for _, text in texts_of(given, "", 0))


def said_otherwise(name: str, given: Mapping[str, Any]) -> str | None:
    """What a shell runs or a file tool is about, under a name that is not its own."""
    paths = (path for _, path in effects(name, given) if path is not None)
    return shell_line(name, given) or next(paths, None)


def calls_inside(caller: str, given: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The calls of other tools in one that makes several of them (`batch`, `parallel`), or any (`call_tool`)."""
    calls_one = _words(caller) & _CALLERS
    for listed in ([given] if calls_one else [], *given.values()):
        for each in listed if isinstance(listed, list) else ():
            fields = (
                {folded(str(key)): value for key, value in each.items()} if isinstance(each, dict) else {}
            )
            name = next((fields[key] for key in _CALLED if isinstance(fields.get(key), str)), "")
            found = next((fields[key] for key in _CALLED_WITH if isinstance(fields.get(key), dict)), None)
            if name and found is not None:
                yield name.rpartition(".")[2], found


def effects(name: str, given: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """Each effect (`read`, `write`, `delete`, `connect`) and its path or address; None: it says no path.

    What is done at a service, `discard` say, has none.
    """
    told = _words(*(str(given.get(key, "")) for key in _DEEDS))
    # a tool for several things does what it is told to: `text_editor` may be asked to `view`
    words = told if told and {_VERBS.get(word) for word in told} == {"read"} else _words(name) | told
    yield from ((effect, None) for effect in deeds_at_a_service(name, given))
    found = dict.fromkeys(_VERBS[word] for word in words if word in _VERBS)
    # `read_and_update`, `find_replace`: what changes something counts, not what it looks at for that
    verb = next((each for each in ("move", "delete", "write", "connect", "read") if each in found), "")
    if not verb and words & {"file", "files"} and ("input" in words or "selector" in given):
        verb = "read"  # `set_input_files` of a page
    if verb == "delete" and words & _PARTS:
        verb = "write"
    copies = verb == "move" or "copy" in words
    if verb == "write" and isinstance(files := given.get("files"), dict):  # `{"files": {"a.txt": "x"}}`
        yield from ((verb, str(path)) for path in files)
    any_path = False
    for key, text in texts_of(given, "", 0):
        address = "://" in text and not text.startswith("file://")
        if key in _ADDRESSES and (
            address or verb == "connect" or (key == "url" and text.startswith("file://"))
        ):
            yield "connect" if address else "read", text.removeprefix("file://")
        elif key in ("extractto", "extractpath"):
            any_path = True
            yield "write", text
        elif key in _ATTACHED and not text.startswith("data:"):
            yield "read", text.removeprefix("file://")
        elif not verb:
            continue
        elif key in _PATCHES and verb == "write" and "\n+++ " in f"\n{text}":
            any_path = True
            yield from _of_patch(text)
        elif key == "prompt" and verb == "connect":
            yield from (("connect", each) for each in re.findall(r"https?://[^\s\"'<>]+", text))
        elif key in _FROM and not address and (verb in ("move", "write") or (verb == "read" and "/" in text)):
            any_path = True
            yield ("delete" if verb == "move" else "read"), text
        elif verb == "read" and (key == "include" or (key == "target" and "/" in text)):
            yield "read", text.removeprefix("file://")
        elif (
            (key in _PATHS or (key == "to" and copies))
            and (verb != "connect" or "download" in words)
            and not address
        ):
            any_path = True
            if verb == "connect":
                yield "write", text
                continue
            yield ("write" if verb == "move" else verb), text.removeprefix("file://")
    if not any_path and words & {"file", "files"} and verb in ("write", "delete", "move"):
        yield ("write" if verb == "move" else verb), None


def _of_patch(text: str) -> Iterator[tuple[str, str]]:
    from hookline.shell.code.patches import commands_of_patch

    for each in commands_of_patch(text, "patch"):
        if isinstance(each, Argv) and len(each.words) == 2:
            yield ("delete" if each.words[0].literal == "rm" else "write"), each.words[1].prefix


def _words(*names: str) -> frozenset[str]:
    tools = (name.rpartition("__")[2] for name in names if " " not in name)
    return frozenset(word.lower() for tool in tools for word in _WORD.findall(tool))
