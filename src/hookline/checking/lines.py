"""What a hook's command line runs, with the folders filled in that are known here."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cached_property

from hookline.checking.commands.beside import SCRIPT_ENDS, wrapped
from hookline.checking.commands.captured import keeps_output
from hookline.checking.comments import without_comments
from hookline.checking.entries import Entry
from hookline.checking.plain_lines import is_plain
from hookline.model.hooks import Answer
from hookline.model.record import Record
from hookline.shell import read_commands
from hookline.shell.programs.inner import inner_of
from hookline.shell.reading import TASKS, Command, Reading, Script, Word
from hookline.system import files
from hookline.system.modules import attribute
from hookline.system.patterns.late import late

PLUGIN_ROOTS = (
    "CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "CURSOR_PLUGIN_ROOT", "COPILOT_PLUGIN_ROOT", "DROID_PLUGIN_ROOT",
    "extensionPath",
)  # fmt: skip
_PERCENT = late(r"%(\w+)%")
_LONGEST_SCRIPT = 256 * 1024
_ROOT = "GIT_TOPLEVEL_FOLDER"
_GIT_ROOT = late(
    r"(?:\$\(|`)\s*git(?:\s+-C\s+\S+)?\s+rev-parse\s+--show-toplevel(?:\s*2>\s*/dev/null)?"
    r"(?:\s*\|\|\s*(?:pwd|echo\s+[\".$\w]+))?\s*(?:\)|`)",
    needs=("rev-parse",),
)
_WINDOWS = late(
    r"%\w+%|\b(?:powershell|pwsh|cmd)(?:\.exe)?\b|\.(?:ps1|bat|cmd|exe)\b|\b[A-Za-z]:\\",
    re.IGNORECASE,
    needs=("%", "powershell", "pwsh", "cmd", "ps1", "bat", "exe", ":\\"),
)
_IN_PLUGIN = late(r"/plugins/[^/]+/hooks/hooks\.json$", needs=("/plugins/",))
# a script by its folder, in a line that puts the rest of its path together
_NAMED = late(r"(?:[\w.-]+[/\\])+[\w.-]+", needs=("/", "\\"))
_TAKES_IN = late(
    r"(?m)^[ \t]*(?:\.|source)[ \t]+\S|\brequire\([\"']\.|\bfrom[ \t]+[\"']\."
    r"|^[ \t]*(?:from[ \t]+\S+[ \t]+)?import[ \t]",
    needs=(".", "source", "import"),
)
_OWN_END = late(r"\b_?[eE]xit(?:\(\s*[a-z]\w*\s*\)|[ \t]+\"?\$)|\bexitCode\s*=\s*[a-z]", needs=("xit",))
_ONLY_LOOKS = late(
    r"\s*(?:chmod|cat|ls|rm|cp|mv|touch|git|shellcheck|ruff|npx|echo|printf)\b",
    needs=("chmod", "cat", "ls", "rm", "cp", "mv", "touch", "git", "shellcheck", "ruff", "npx", "echo", "printf"),
)  # fmt: skip
BY_PATTERN = late(
    r"[*?]|\brun-parts\b|/[^\s/]*\[", needs=("*", "?", "run-parts", "[")
)  # what files may be named by
# a script that asks what it was called with, or for which event
BY_WORDS = late(
    r"\bargv\b|\$\{?[1-9@*#]|\bparse_args\b|\bgetopts\b|\$args\b|(?i:\bparam[ \t]*\()|\bDeno\.args\b",
    needs=("argv", "$", "parse_args", "getopts", "aram", "Deno"),
)
# a script of the same project that another one starts, whose standard error is nobody's but its own
STARTS_ANOTHER = late(
    r"\b(?:bash|sh|zsh|python3?|node)[ \t]+(?:-\w+[ \t]+)*\"?\$(?:\{?\w+\}?|\(dirname [^()\n]{1,40}\))/"
    r"(?>(?:(?!2>)[^\n|&;>])*)(?!2>)"
)
_BY_EVENT = late(r"(?i:event_?name|\bevent\b|action_name)|[\"'] in \w", needs=("vent", "action_name", " in "))
_BACKSLASH = late(r"(?<=[\w.$}%:~])\\+(?=[\w.$])")
_RUNNERS = frozenset(
    {"bun", "deno", "tsx", "ts-node", "ts-node-esm", "vite-node", "node", "python", "osascript"}
)
# a line of `cmd` names its scripts as one of PowerShell does
_SHELLS = {
    "sh": "sh",
    "bash": "bash",
    "zsh": "zsh",
    **dict.fromkeys(("pwsh", "powershell", "cmd"), "powershell"),
}


class Started(Record):
    """A file that a line starts.

    `path` is absolute, or relative to where the hook happens to start when `rooted` is false; `typed` is as the
    line has it, after its `cd`. `directly`: the system starts it, so it needs its execute bit. `certain` is
    false where the line may pass it over.
    """

    path: str
    typed: str
    shown: str
    rooted: bool
    directly: bool
    certain: bool
    by: str = ""  # the program that runs it, where it does not start by itself


class HookLine:
    """One hook's line, read. `home` and `workspace` are the folders that stand for themselves."""

    def __init__(self, entry: Entry, workspace: str, home: str, *, sure: bool = False) -> None:
        self.entry = entry
        self.sure = sure  # whether its scripts are without what may be for another event, agent or argument
        self.workspace = workspace
        self.home = home
        self.chosen: set[str] = set()  # scripts of which `scripts` has but what runs for this hook
        self.written: dict[str, str] = {}  # scripts as they stand in their files
        self.captured: set[str] = set()  # those whose output another script takes, and answers for itself

    def further(self) -> Iterator[HookLine]:
        """The other lines of the hook, for other systems or shells."""
        return (HookLine(entry, self.workspace, self.home) for entry in self.entry.further())

    @cached_property
    def text(self) -> str:
        """The line; of a program with arguments what a shell would want to be told."""
        argv = self.entry.argv
        return " ".join(map(_quoted, argv)) if argv else self.entry.line

    @cached_property
    def is_plain(self) -> bool:
        """Whether it has no text to look at: plain words, and no script that is here."""
        if isinstance(self.entry.spec.action, Answer):
            return False
        return not self.text or (is_plain(self.text) and not self.scripts)

    @cached_property
    def bare(self) -> Reading:
        """The line as it stands, every variable unknown."""
        return read_commands(_GIT_ROOT.sub(f"${_ROOT}", self.text), self.shell)

    @cached_property
    def filled(self) -> Reading:
        """The line with the folders it names."""
        if is_plain(self.text):
            return self.bare
        line = _GIT_ROOT.sub(f"${_ROOT}", self.text)
        if self.shell == "powershell" or _WINDOWS.search(line):
            line = _PERCENT.sub(self._filled_by_cmd, _BACKSLASH.sub("/", line))
        return read_commands(line, self.shell, variables=self.folders)

    def _filled_by_cmd(self, found: re.Match[str]) -> str:
        name = found[1] if found[1] != "USERPROFILE" else "HOME"
        return f"${{{name}}}" if name in self.folders else found[0]

    @property
    def shell(self) -> str:
        return "bash" if self.entry.argv else _SHELLS.get(self.entry.shell, "bash")

    @cached_property
    def folders(self) -> dict[str, str]:
        """The variables that name a folder known here."""
        profile = self.entry.speaker.profile
        names = {*profile.words.variables, *profile.traps.sets, profile.traps.root}
        found = {name: self.workspace for name in names if name.endswith(("_PROJECT_DIR", "_CWD"))}
        if self.plugin_root:
            found.update(dict.fromkeys(PLUGIN_ROOTS, self.plugin_root))
        return {**found, "HOME": self.home, _ROOT: self.workspace}

    @property
    def plugin_root(self) -> str:
        """The folder of the plugin the hook belongs to; empty for others."""
        if root := self.entry.spec.origin.plugin_root:
            return str(root)
        path = self.entry.file.path
        own = self.entry.spec.scope == "plugin" or _IN_PLUGIN.search(path)
        return os.path.dirname(os.path.dirname(path)) if own else ""

    @property
    def start(self) -> str:
        """The folder the hook starts in, as far as the config says it; relative paths begin there."""
        folder = self.entry.spec.means.cwd
        if isinstance(folder, str) and "${" in folder:
            folder = ""  # `line_rules` tells of it
        if self.entry.traps.beside_file and self.entry.spec.scope == "user":
            return os.path.dirname(self.entry.spec.path)
        return os.path.join(self.workspace, folder) if isinstance(folder, str) and folder else self.workspace

    @cached_property
    def started(self) -> tuple[Started, ...]:
        """The scripts and programs that are given by a path."""
        return tuple(dict.fromkeys(self._started()))

    @cached_property
    def scripts(self) -> dict[str, str]:
        """The texts of the scripts that are here, by the name the line gives them."""
        found = {}
        for each in self.started:
            path = self.kept_at(self.absolute(each))
            shown = each.shown if path == self.absolute(each) else os.path.relpath(path, self.workspace)
            kept = files.read_text(path, _LONGEST_SCRIPT)
            if kept.state == "text" and "\0" not in kept.text:
                self.written[shown] = kept.text
                found[shown] = self._as_run(each, shown, self._whole(shown, path, kept.text))
                handed = tuple(self._handed_to(path))
                above = [found[shown]]
                for name, text in handed:
                    if any(map(keeps_output, above)):
                        self.captured.add(name)
                    above.append(self._reached(os.path.basename(name), name, text))
                for name, text in (*self._behind(path, kept.text), *handed):
                    self.written.setdefault(name, text)
                    found[name] = self._whole(name, os.path.join(self.workspace, name), text)
                    if self.sure:
                        found[name] = self._without_doubt(name, found[name], None)
        return found or dict(self._named())

    def _whole(self, shown: str, path: str, text: str) -> str:
        """A script with what it calls of files beside it, its own functions that end it as ends."""
        if _TAKES_IN.search(text):
            with_taken_in = attribute("hookline.checking.scripts.taken_in", "with_taken_in")
            text = with_taken_in(shown, text, path, {**self.folders, "PWD": self.workspace})
        if _OWN_END.search(text):
            text = attribute("hookline.checking.steps.own_ends", "with_own_ends")(shown, text)
        return text

    def _as_run(self, started: Started, shown: str, text: str) -> str:
        """A script without what the arguments of the line, or the event, keep from running."""
        as_run = text
        if BY_WORDS.search(text) or _BY_EVENT.search(text):
            as_run = self._reached(started.typed, shown, text)
            self.chosen.update({shown} if as_run != text else ())
        return self._without_doubt(shown, as_run, self._words_behind(started.typed)) if self.sure else as_run

    def _without_doubt(self, shown: str, text: str, words: tuple[str, ...] | None) -> str:
        without_doubt = attribute("hookline.checking.runs.reached", "without_doubt")
        return str(without_doubt(self.entry, shown, text, words))

    def _reached(self, typed: str, shown: str, text: str) -> str:
        as_run_by = attribute("hookline.checking.runs.reached", "as_run_by")
        return str(as_run_by(self.entry, shown, text, self._words_behind(typed)))

    def _words_behind(self, typed: str) -> tuple[str, ...] | None:
        """The arguments that a script is given; None where they are not known."""
        found = []
        for command in self._commands():
            at = next((n for n, each in enumerate(command.words) if each.literal == typed), -1)
            if at >= 0:
                found.append(tuple(word.literal for word in command.words[at + 1 :]))
        return tuple(map(str, found[0])) if len(set(found)) == 1 and None not in found[0] else None

    def _named(self) -> Iterator[tuple[str, str]]:
        """Scripts of the workspace that a line names in a way that cannot be followed."""
        for word in _NAMED.findall(self.text) if not _ONLY_LOOKS.match(self.text) else ():
            path = self.kept_at("/" + word.replace("\\", "/"))
            kept = files.read_text(path, _LONGEST_SCRIPT) if path.endswith(SCRIPT_ENDS) else None
            if kept is not None and kept.state == "text" and path.startswith(self.workspace + os.sep):
                shown = os.path.relpath(path, self.workspace)
                yield shown, self._whole(shown, path, kept.text)

    def _handed_to(self, path: str) -> Iterator[tuple[str, str]]:
        """Scripts that a script of the workspace is told to start, by a path or a name beside it."""
        name = os.path.basename(path)
        words = [
            word.literal or ""
            for command in self.filled.commands
            if any(os.path.basename(each.literal or "") == name for each in command.words[:-1])
            for word in command.words[1:]
        ]
        for word in words:
            folders = self.start, os.path.dirname(path)
            places = (os.path.normpath(os.path.join(each, word)) for each in folders)
            inner = next((each for each in places if each != path and os.path.isfile(each)), "")
            if word.endswith(SCRIPT_ENDS) and inner.startswith(self.workspace + os.sep):
                kept = files.read_text(inner, _LONGEST_SCRIPT)
                if kept.state == "text" and "\0" not in kept.text:
                    yield os.path.relpath(inner, self.workspace), kept.text

    def kept_at(self, path: str) -> str:
        """Where the workspace has a script that is named by a path on another machine."""
        if os.path.lexists(path):
            return path
        parts = path.replace("\\", "/").split("/")
        tails = [os.path.join(self.workspace, *parts[at:]) for at in range(1, len(parts) - 1)]
        if path.startswith(self.workspace + os.sep):  # or beside the file that names it, or above that
            beside, tail = os.path.dirname(self.entry.file.path), os.path.relpath(path, self.start)
            tails += [os.path.join(beside, tail), os.path.join(os.path.dirname(beside), tail)]
        return next((each for each in tails if os.path.isfile(each)), path)

    @cached_property
    def texts(self) -> tuple[tuple[str, str, str], ...]:
        """The line, then its scripts: the name (of the line none), what it is called, and the text without comments."""
        found = {"": self.text, **self.scripts}
        return tuple(
            (name, f"`{name}`" if name else "the line", without_comments(text, name))
            for name, text in found.items()
        )

    @property
    def heard_texts(self) -> tuple[tuple[str, str, str], ...]:
        """Of the texts those whose output comes to the agent."""
        return tuple(each for each in self.texts if each[0] not in self.captured)

    def _behind(self, path: str, text: str) -> Iterator[tuple[str, str]]:
        """The script that another does nothing but start, from its own folder, and those that it runs in turn."""
        found = [wrapped(text, path, self.folders, self.workspace)]
        if BY_PATTERN.search(text):
            run_in_turn = attribute("hookline.checking.commands.by_pattern", "run_in_turn")
            found += run_in_turn(text, path, {**self.folders, "PWD": self.workspace})
        for inner in filter(None, found):
            kept = files.read_text(inner, _LONGEST_SCRIPT)
            if kept.state == "text" and "\0" not in kept.text:
                yield os.path.relpath(inner, self.workspace), kept.text

    def absolute(self, started: Started) -> str:
        """Where the file is, if the hook starts where it should."""
        return os.path.normpath(os.path.join(self.start, started.path))

    def _started(self) -> Iterator[Started]:
        for command in self._commands():
            if not command.words or any(step.how == "xargs" for step in command.via[1:]):
                continue
            program = command.words[0].literal
            if program is not None and _is_path(program, command):
                directly = (
                    not by_runner(command) and self.shell != "powershell"
                )  # Windows asks for no execute bit
                yield from self._one(command.words[0], command, directly)
            for inner in inner_of(command):
                if not isinstance(inner, Script) or inner.path is command.words[0]:
                    continue
                if inner.language not in TASKS and not _behind_unknown(
                    inner.path, command
                ):  # whose files the tool finds for itself
                    yield from self._one(inner.path, command, False, _folder_of(command))
            yield from self._run_otherwise(command)
        if "_DIR" in self.text and (" -c" in self.text or " -e" in self.text):
            yield from attribute("hookline.checking.commands.by_code", "by_code")(self.text, self.folders)

    def _commands(self) -> Iterator[Command]:
        """The commands of the line, one for each file that a pattern stands for."""
        if not BY_PATTERN.search(self.text):
            return iter(self.filled.commands)
        spread = attribute("hookline.checking.commands.by_pattern", "spread")
        return (each for read in self.filled.commands for each in spread(read, self.start))

    def _run_otherwise(self, command: Command) -> Iterator[Started]:
        """Scripts of runners and of `source`, which the table of programs does not tell."""
        name = os.path.basename(command.words[0].literal or "")
        if name not in _RUNNERS and name not in (".", "source"):
            return
        for word in command.words[1:3]:
            text = word.literal or ""
            if text.endswith(SCRIPT_ENDS) or (name in (".", "source") and "/" in text):
                yield from self._one(word, command, False)
                return

    def _one(
        self, word: Word, command: Command, directly: bool, inside: Word | None = None
    ) -> Iterator[Started]:
        text, folder = word.literal, command.cwd.literal
        if text and text.startswith("~/") and self.shell == "powershell":
            text = self.home + text[1:]
        if inside is not None:  # the program goes there first
            folder = os.path.join(folder or "", inside.literal) if inside.literal else None
        if not text or _is_pattern(text) or text.startswith("-") or text.endswith("/"):
            return
        absolute = os.path.isabs(text) or bool(re.match(r"[A-Za-z]:[\\/]", text))
        if folder is None and not absolute:
            return
        path = text if absolute else os.path.join(folder or "", text)
        rooted = absolute or os.path.isabs(folder or "")
        shown = os.path.relpath(path, self.workspace) if path.startswith(self.workspace + os.sep) else text
        by = "" if directly or word is command.words[0] else command.words[0].literal or ""
        yield Started(path, text, shown, rooted, directly, command.certain, os.path.basename(by))


def _folder_of(command: Command) -> Word | None:
    """The folder that a program is told to go to before it looks for its script: `uv run --directory hooks a.py`."""
    found = [at for at, word in enumerate(command.words[:-1]) if word.literal in ("--directory", "--cwd")]
    return command.words[found[0] + 1] if found else None


def _behind_unknown(word: Word, command: Command) -> bool:
    """Whether a word that nobody knows stands before it, which is the script rather than an option."""
    before = command.words[1 : command.words.index(word)] if word in command.words else ()
    return any(each.literal is None for each in before)


def _is_path(program: str, command: Command) -> bool:
    if by_runner(command):  # any other word is the name of a package, `@scope/name@1.2` too
        return program.endswith(SCRIPT_ENDS) or program.startswith(("./", "../", "/"))
    return "/" in program


def by_runner(command: Command) -> bool:
    """Whether `uv run`, `npx` or the like starts it: a script without execute bit, or a package it finds itself."""
    ends = (" run", "npx", "bunx", "pnpx", "dlx", "uvx", " exec", " x")
    return bool(command.via) and command.via[-1].how.endswith(ends)


def _is_pattern(text: str) -> bool:
    return bool(set(text) & set("*?[]{}<>|&;$%`\n")) or "://" in text


def _quoted(word: str) -> str:
    """An argument as it is, but that a shell would fill in `${…}` as the agent does."""
    return '"' + re.sub(r'(["`\\])|\$(?!\{)', lambda found: "\\" + found[0], word) + '"'
