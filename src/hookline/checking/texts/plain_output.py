"""Lines that only print text, or only look at the code, at events where nobody reads what they print."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.answers.heard import acts, heard, outcome_of, what_is_read
from hookline.checking.lines import HookLine
from hookline.checking.plain_lines import LOOKING
from hookline.checking.texts.hearing import shows_output
from hookline.dialects import is_agent
from hookline.model.errors import Problem
from hookline.model.events import EventKind
from hookline.model.results import Outcome, RawResult
from hookline.shell.reading import Command
from hookline.system import files
from hookline.system.patterns.late import late

_PRINTERS = frozenset({"echo", "printf", "cat", "true", ":", "exit"})
_BESIDE = _PRINTERS | {
    "cd", "head", "tail", "wc", "sort", "uniq", "grep", "sed", "tr", "cut", "jq", "basename", "[", "test",
}  # fmt: skip
_RUN_BY = frozenset({
    "npx", "npm", "bun", "pnpm", "yarn", "bunx", "uvx", "uv", "poetry", "pipenv", "bundle", "xargs", "time", "exec",
    "timeout", "gtimeout", "nice", "stdbuf",
})  # fmt: skip
_QUIET = frozenset({"grep", "rg", "git", "cargo", "go"})  # which report on standard error, or nothing
_LOOKING = frozenset({
    ("ruff", "check"), ("cargo", "check"), ("cargo", "test"), ("cargo", "clippy"), ("go", "vet"), ("go", "test"),
    ("git", "status"), ("git", "diff"), ("git", "log"), ("biome", "check"), ("biome", "lint"), ("dotnet", "test"),
    ("just", "lint"), ("just", "test"), ("just", "check"), ("make", "lint"), ("make", "test"), ("make", "check"),
    ("make", "tests"), ("make", "typecheck"),
    ("task", "lint"), ("task", "test"),
    ("mix", "test"), ("swift", "test"), ("flutter", "test"), ("flutter", "analyze"), ("mvn", "test"),
    ("manage.py", "test"), ("manage.py", "check"),
})  # fmt: skip
# programs that rewrite code, and the options by which they only say what they would rewrite
_FORMATTERS = frozenset({
    "ruff", "black", "isort", "prettier", "biome", "rustfmt", "clang-format", "shfmt", "yapf", "ktfmt", "swiftformat",
    "cargo", "dotnet", "deno", "mix", "terraform", "dprint",
})  # fmt: skip
_ONLY_SAYS = frozenset({
    "--check", "--check-only", "-check", "--list-different", "--verify-no-changes", "--check-formatted",
})  # fmt: skip
# the code of what was looked with is lost: behind a pipe, or by what follows
_ENDS_WELL = late(
    r"(?:(?<!\|)\|\s*(?:head|tail|wc|sort|uniq|sed|cat)\b[^|;&]*|(?:\|\||;)\s*(?:true|:|exit 0))"
    r"\s*(?:;\s*(?:fi|done|\})\s*)*$",
    needs=("|", ";"),
)
# what looks at all that is installed, and tells of it on standard output
_AUDITS = frozenset(
    {("npm", "audit"), ("pnpm", "audit"), ("yarn", "audit"), ("cargo", "audit"), ("git-secrets", "--scan")}
)
_NUMBER = late(r"\d+(?:\.\d+)?[smhd]?")
_MANAGERS = frozenset({"npm", "bun", "pnpm", "yarn", "deno"})
_BUILDERS = _MANAGERS | {"cargo", "go", "dotnet", "swift", "./gradlew", "gradlew", "cmake"}
_CHECK = late(
    r"(?:lint|test|type|check|ktlintCheck|detekt)(?![\w-]*:fix)",
    needs=("lint", "test", "type", "check", "detekt"),
)  # as scripts of a project are called
_AFTER = frozenset({
    EventKind.PostToolUse, EventKind.Stop, EventKind.SubagentStop, EventKind.TaskCompleted, EventKind.TeammateIdle,
})  # fmt: skip
_LONGEST_PACKAGE = 256 * 1024
FOR_THE_MODEL = frozenset({EventKind.SessionStart, EventKind.UserPromptSubmit, EventKind.SubagentStart})
_SENT_ELSEWHERE = late(r"(?<!2)>\s*(?!&|/dev/null)\S|\btee\b|hookSpecificOutput|systemMessage|\{")


def unread_output(line: HookLine) -> Iterator[Problem]:
    """Lines that only print text, at events where nobody reads it."""
    entry = line.entry
    silent = entry.traps.silent
    if (
        entry.rule is None
        or not (silent or _is_to_nobody(line))
        or not (_only_prints(line) or _only_looks(line))
    ):
        return
    if entry.spec.kind in entry.traps.json_only:
        words = f"{entry.speaker.title} takes JSON or nothing at `{entry.spec.native_event}`: plain text fails the hook"
        yield entry.at_line("plain-output", words, 'print `{"systemMessage": "…"}` instead')
    elif not is_heard(line):
        words = f"{reader_of(line)} reads plain output {read_where(line)}"
        hint = 'print `{"systemMessage": "…"}` for the person, or use an event whose output the agent reads'
        hearsay = any(key.endswith(".systemMessage") for key in entry.traps.hearsay)
        hint = hint if silent and not hearsay else what_is_read(entry)
        if not (line.entry.spec.background or _only_prints(line) or _loses_code(line)):
            code = 123 if _is_fed(line) else 1
            words = f"what `{line.text}` reports reaches nobody at `{entry.spec.native_event}`"
            words += f": it ends with {code} then"
            hint = "send it to standard error and end with 2: `… >&2 || exit 2`"
        yield entry.at_line("unread-output", words, hint)


def _is_to_nobody(line: HookLine) -> bool:
    """Whether the agent's own reader makes nothing of plain words, and shows them to nobody."""
    entry = line.entry
    if not is_agent(entry.speaker.name) or entry.spec.conduct.rewake:
        return False
    outcome = outcome_of(entry, "some words")
    return not (acts(outcome) or is_told(line, outcome))


def reader_of(line: HookLine, stderr: bool = False) -> str:
    """Who reads plain words that the model does not."""
    return "the person alone" if outcome_of(line.entry, "some words", stderr).messages else "nobody"


def read_where(line: HookLine) -> str:
    """Where the words of a hook are read, or are not."""
    return "of an `async` hook" if line.entry.spec.background else f"at `{line.entry.spec.native_event}`"


def is_told(line: HookLine, outcome: Outcome) -> bool:
    """Whether plain words come to somebody they are for: at some events that is the model, not the person."""
    effects = line.entry.rule.effects if line.entry.rule else ()
    return shows_output(line) or (
        bool(outcome.messages) and not ("context" in effects and line.entry.spec.kind in FOR_THE_MODEL)
    )


def _only_looks(line: HookLine) -> bool:
    """Whether nothing but a test of the code is run, whose result no exit code tells: `tsc --noEmit | head`."""
    lost = line.entry.spec.background or _loses_code(line) or _ends_unheard(line)
    if not lost or _SENT_ELSEWHERE.search(line.text):
        return False
    texts = [
        [word.literal or "" for word in command.words] for command in line.bare.commands if command.words
    ]
    cut = "| tail" in line.text or "| head" in line.text  # to be read
    fed = any(words[0] == "jq" for words in texts)  # by what a search is for a name
    looking = [
        words
        for words in texts
        if (looks(words) and not (fed and words[0] in _QUIET)) or (cut and builds(words))
    ]
    known = [*looking, *filter(builds, texts)]
    return bool(looking) and all(
        words[0] in _BESIDE or any(words == each[-len(words) :] for each in known) for words in texts
    )  # what a runner starts is listed too


def _loses_code(line: HookLine) -> bool:
    return bool(_ENDS_WELL.search(line.text) or (line.entry.rule and not line.entry.rule.effects))


def _ends_unheard(line: HookLine) -> bool:
    """Whether the line is one look at the code after the fact, of whose code 1 nothing comes, and would of 2."""
    one, two = (heard(line.entry, RawResult(exit_code=code, stdout="x", stderr="x")) for code in (1, 2))
    run = [command for command in line.bare.commands if command.words and not command.via]
    words = [word.literal or "" for word in run[-1].words] if run else []
    fed = _is_fed(line)
    if len(run) > 1 and not fed:
        each = [[word.literal or "" for word in command.words] for command in run]
        return (
            len(run) == line.text.count("&&") + 1
            and all(looks(words) or builds(words) for words in each)
            and not any(_mends(line, words) or not _QUIET.isdisjoint(words[:1]) for words in each)
            and not set(line.text.replace("&&", "")) & set(";|&<>\n")
            and line.entry.spec.kind in _AFTER
            and acts(two)
            and not acts(one)
        )
    return (
        (len(run) == 1 or (fed and len(run) == 2))
        and line.entry.spec.kind in _AFTER
        and acts(two)
        and not acts(one)
        and not set(line.text.rpartition("xargs")[2] if fed else line.text) & set(";|&<>\n")
        and looks(words)
        and _QUIET.isdisjoint(words[:5] if fed else words[:1])
        and not _mends(line, words)
    )


def _is_fed(line: HookLine) -> bool:
    """Whether a program is given the file of the call by `xargs`, which ends with 123 for whatever it ends with."""
    run = [command.words[0].literal for command in line.bare.commands if command.words and not command.via]
    return run[0:1] == ["jq"] and run[1:] == ["xargs"]


def _mends(line: HookLine, words: list[str]) -> bool:
    """Whether a script of the project by this name changes files, as `eslint --fix`."""
    kept = files.read_text(os.path.join(line.start, "package.json"), _LONGEST_PACKAGE)
    named = re.search(rf'"{re.escape(words[-1])}"\s*:\s*"([^"\n]*)"', kept.text)
    return named is not None and bool(re.search(r"--(?:fix|write|apply)|\bformat\b", named[1]))


def looks(words: list[str]) -> bool:
    """Whether a command only looks at the code, and changes nothing by it."""
    if any(word.startswith(("--fix", "--write", "-w", "--update")) for word in words):
        return False
    named = (
        words[2 if words[1:2] in (["run"], ["task"]) else 1 :] if words[:1] and words[0] in _MANAGERS else []
    )
    if _CHECK.match(next(iter(named), "")) or (tuple(words[:2]) in _AUDITS and "fix" not in words):
        return True
    while words and (words[0] in _RUN_BY or (words[0] in ("python", "python3") and words[1:2] == ["-m"])):
        words = words[2 if words[1:2] in (["-m"], ["run"], ["exec"], ["x"], ["dlx"]) else 1 :]
        while words and (words[0].startswith("-") or _NUMBER.fullmatch(words[0])):
            words = words[1:]
    if not words:
        return False
    if words[0] in ("python", "python3") and words[1:2] == ["manage.py"]:
        words = words[1:]
    if words[0] == "make" and words[1:2] == ["-C"]:
        words = [words[0], *words[3:]]
    if words[0].endswith("gradlew"):
        return any(map(_CHECK.match, words[1:]))
    name = words[0].rpartition("/")[2]
    if name in _FORMATTERS and not _ONLY_SAYS.isdisjoint(words):
        return True
    return name in LOOKING or tuple(words[:2]) in _LOOKING


def builds(words: list[str]) -> bool:
    """Whether a command makes the whole project."""
    return words[0] in _BUILDERS and not {"build", "--build"}.isdisjoint(words[1:3])


def is_heard(line: HookLine) -> bool:
    rule, kind = line.entry.rule, line.entry.spec.kind
    if line.entry.spec.background:
        return False
    promised = kind in line.entry.traps.promises
    return promised or getattr(rule, "plain_context", False) or kind is EventKind.WorktreeCreate


def _only_prints(line: HookLine) -> bool:
    commands = [command for command in line.bare.commands if command.words]
    if not commands or line.bare.unknowns:
        return False
    printing = [command for command in commands if command.words[0].literal in ("echo", "printf", "cat")]
    return bool(printing) and all(map(_is_harmless, commands)) and not any(map(_is_answer, printing))


def _is_harmless(command: Command) -> bool:
    """Whether it does nothing but print, on standard output or standard error."""
    name = command.words[0].literal
    elsewhere = [each for each in command.redirections if each.operator in (">", ">>", ">|", "&>", "<>")]
    if name not in _PRINTERS or elsewhere:
        return False
    if name == "exit":
        return [word.literal for word in command.words[1:]] in ([], ["0"])
    return name != "cat" or len(command.words) == 1


def _is_answer(command: Command) -> bool:
    """Whether what it prints is JSON, or may be."""
    texts = [
        *(word.literal for word in command.words[1:]),
        *(each.body.literal for each in command.redirections if each.body),
    ]
    if command.stdin is not None and command.words[0].literal == "cat":
        texts.append(command.stdin.literal)
    if command.words[0].literal == "cat" and not texts:
        return True  # what it was given itself
    return any(
        text is None or text.lstrip().startswith(("{", "\\033", "\\e", "\\a", "\x1b")) for text in texts
    )
