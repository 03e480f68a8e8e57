"""Lines that start several scripts one after another: whose code arrives, and who gets the input."""

from __future__ import annotations

import os
from collections.abc import Iterator

from hookline.checking.answers.script_rules import blocks_by_exit
from hookline.checking.commands.by_pattern import files_of, is_of_files, passed_by_run_parts, spread
from hookline.checking.exits.lost_exits import PASSED_ON
from hookline.checking.lines import HookLine
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.system.patterns.late import late

_OTHERWISE = late(r"\|\||\bif\b|\bwhile\b|!")
_FED = late(r"(?<!\|)\|(?!\|)|<|\bcat\b|\bread\b")
_MAY_BE_EMPTY = late(r"\[\[?\s|\btest\b|\bcontinue\b|nullglob|2>\s*/dev/null")
_RUNNERS = frozenset({"bash", "sh", "zsh", "dash", "python3", "python", "node", ".", "source"})
_LOOP = late(r"\bfor\s+\w+\s+in\b")
_READS_ALL = late(
    r"\$\(\s*(?:cat\s*\)|jq\b|<\s*/dev/stdin)|(?m:^[ \t]*(?:jq\b|cat\s*(?:\||$)))|\bsys\.stdin\b|process\.stdin\b"
    r"|readFileSync\(\s*(?:0|[\"']/dev/stdin)|STDIN\.read|\[Console\]::In|\$input\b"
)
# programs that end by a code of their own, whatever the scripts say that they start
_OWN_CODE = {"find -exec": "`find`", "xargs": "`xargs`", "parallel": "`parallel`", "run-parts": "`run-parts`"}


def in_turn_problems(line: HookLine) -> Iterator[Problem]:
    """A guard whose exit code another command takes the place of, and a script whose input one before it has read."""
    entry = line.entry
    if not is_agent(entry.speaker.name) or entry.argv or line.shell == "powershell":
        return
    names = list(dict.fromkeys(each.shown for each in line.started if each.shown in line.scripts))
    guards = [name for name in names if blocks_by_exit(line.scripts[name])] if entry.guards else []
    runner = _runner(line, guards) if "||" not in line.text else ""
    if runner:
        words = f"`{guards[0]}` blocks with exit code 2, and {runner} ends by a code of its own: nothing is blocked"
        yield entry.at_line("lost-exit", words, 'run each by itself: `for f in …; do "$f" || exit $?; done`')
    elif guards[:-1] and _LOOP.search(line.text) and not _handed_on(line.text):
        words = f"`{guards[0]}` blocks with exit code 2, and the loop ends with the code of its last script"
        yield entry.at_line("lost-exit", words, "write `|| exit $?` behind what it runs")
    readers = [name for name in names if _READS_ALL.search(line.scripts[name])]
    if (
        readers[1:]
        and not _FED.search(line.text)
        and not _OTHERWISE.search(line.text.replace("|| exit $?", ""))
    ):
        words = f"`{readers[0]}` reads the whole input, and `{readers[1]}` behind it gets none"
        hint = 'keep it, `input=$(cat)`, and give it to each: `echo "$input" | …`'
        yield entry.at_line("no-input", words, hint, severity="error" if entry.guards else "warning")


def pattern_problems(line: HookLine) -> Iterator[Problem]:
    """Scripts that are named by a pattern, or as a folder, and that the line never starts."""
    if line.shell == "powershell":
        return
    for command in line.filled.commands:
        name = os.path.basename(command.words[0].literal or "") if command.words else ""
        at = 1 if name in _RUNNERS else 0
        word = command.words[at] if len(command.words) > at else None
        if name == "run-parts":
            for passed in passed_by_run_parts(command, line.start)[:1]:
                words = f"`run-parts` takes no name with a dot, so `{_shown(line, passed)}` is passed over"
                yield line.entry.at_line(
                    "passed-over", words, "write `--regex '\\.sh$'` behind it", severity="error"
                )
        elif word is not None and is_of_files(word) and command.cwd.literal is not None:
            found = files_of(word, command, line.start)
            if found is None:
                continue
            if len(found) > 1 and any(hole.kind == "glob" for hole in word.holes):
                words = f"only `{_shown(line, found[0])}` is run: the names of the others that fit are its arguments"
                hint = 'write `for f in …; do "$f" || exit $?; done`'
                yield line.entry.at_line("passed-over", words, hint, severity="error")
            elif not found and not _MAY_BE_EMPTY.search(line.text):
                begun = word.prefix[: word.prefix.rfind("/") + 1]
                folder = os.path.normpath(os.path.join(line.start, command.cwd.literal, begun))
                kept = os.listdir(folder) if os.path.isdir(folder) else [""]
                if f"{folder}/".startswith(line.workspace + os.sep) and kept:
                    text = "".join(part if isinstance(part, str) else part.text or "*" for part in word.parts)
                    words = f"no file fits `{_shown(line, text)}`"
                    yield line.entry.at_line(
                        "missing-script", words, "mend the path or add the file", severity="error"
                    )


def _shown(line: HookLine, path: str) -> str:
    return path.removeprefix(line.workspace + os.sep)


def _handed_on(text: str) -> bool:
    return bool(PASSED_ON.search(text) or _OTHERWISE.search(text))


def _runner(line: HookLine, guards: list[str]) -> str:
    """The program that starts one of these scripts and keeps its code to itself."""
    ends = tuple(f"/{name}".rpartition("/")[2] for name in guards)
    for command in line.filled.commands if ends else ():
        name = command.words[0].literal if command.words else ""
        by = command.via[-1].how if command.via and name != "run-parts" else name
        if by in _OWN_CODE:
            for each in spread(command, line.start):
                if any((word.literal or "").rpartition("/")[2] in ends for word in each.words[:3]):
                    return _OWN_CODE[by]
    return ""
