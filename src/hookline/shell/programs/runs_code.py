"""Code and scripts that a command runs, by the table: in its words, in files that it names, in what it reads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hookline.model.record import replace
from hookline.shell.programs.arguments import Arguments, program_name
from hookline.shell.programs.conditions import folders, target_words
from hookline.shell.programs.table import Deed
from hookline.shell.reading import (
    MOST_CHOICES,
    Argv,
    Code,
    Command,
    Hole,
    Inner,
    Script,
    Word,
    descriptor_of,
    glued,
)
from hookline.system.patterns.late import late

SHELLS = frozenset(("sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "rbash", "yash", "fish", "powershell"))
_SPOKEN = {"fish": "sh", "powershell": "sh", "yash": "sh"}  # what they share with a shell is read as that
_TASKS = (
    "npm:",
    "yarn:",
    "pnpm:",
    "bun:",
    "node:",
    "deno:",
)  # tasks of a package, by name or by a pattern of names


_LIKE_CODE = late(r"[\s(;]")  # no file is called so that a program reads


def code_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """Code in words, or in the values of options."""
    from hookline.shell.code.pieces import joined, quoted, typed

    language, names = deed.targets[0], deed.targets[1:]
    options = [name for name in names if name[0] in "-+"]
    numbers = [name for name in names if name[0].isdigit() or name == "*"]
    folder = next(iter(folders(given)), None)
    for name in options:
        for value in given.values(name):
            first = _split_by_env(value) if how == "env" else value
            text = joined((first, *map(quoted, given.operands))) if "join" in names else value
            further = () if language == "sh" and how != "fish" else tuple(given.operands)
            yield from texts_in(command, text, language, f"{how} {name}", folder, further)
    if options and given.loose and not any(map(given.has, options)):
        behind = (
            given.operands[given.operands.index(given.loose[0]) + 1 :]
            if given.loose[0] in given.operands
            else ()
        )
        for word in (each for each in behind if _LIKE_CODE.search(each.literal or "")):
            yield from texts_in(command, word, language, f"{how} {options[0]}", folder, ())
    for name in (name for name in names if name[-1] == "="):
        for value in target_words(name, given):
            if value.literal:  # where a variable of the line's stands, it names a plain compiler
                yield from texts_in(command, value, language, f"{how} {name}", folder, ())
    for name in numbers:
        words = tuple(given.operands) if name == "*" else _numbered(given, name)
        if not words and not ("adds" in names and command.stdin is not None):
            continue
        if "each" in names:
            for word in (each for each in words if not each.prefix.startswith(_TASKS)):
                yield from texts_in(command, word, language, how, folder, ())
            continue
        further = given.operands[int(name.rstrip("-")) :] if "args" in names else ()
        by = f"{how} -c" if "args" in names else how
        if "adds" in names:
            from hookline.shell.programs.feeds import lines_of_parallel

            yield from lines_of_parallel(command, words, how)
        elif language in ("socat", "sql"):
            for word in words:
                yield from texts_in(command, word, language, how, folder, ())
        else:
            text = typed(words) if "typed" in names else joined(words)
            yield from texts_in(command, text, language, by, folder, further)


_LETTERS = dict(zip("_tnfrv", " \t\n\f\r\v", strict=True))
_OF_ENV = r"""(?s)(?:\\c|(?<!\S)#).*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|\\.|[|&;<>()*?\[\]{}~!`]"""


def _split_by_env(word: Word) -> Word:
    """What `env -S` parts, as a shell would read it: `\\_` is a blank, and nothing runs, joins or sends elsewhere."""

    def read(found: re.Match[str]) -> str:
        text = found[0]
        if text[0] == '"':
            return re.sub(r"\\([_tnfrv])|(\\.)|`", lambda each: each[2] or _LETTERS.get(each[1], "\\`"), text)
        if text[0] == "#" or text[:2] in ("\\c", "\\_"):
            return " " * (text == "\\_")  # the others begin what is left out
        if text[0] == "\\":
            return f"'{_LETTERS[text[1:]]}'" if text[1:] in _LETTERS else text
        inner = re.sub(r"\\([\\'])", r"\1", text[1:-1]) if text[0] == "'" else text
        return "'" + inner.replace("'", "'\\''") + "'"

    parts = [re.sub(_OF_ENV, read, part) if isinstance(part, str) else part for part in word.parts]
    return Word(("env ", *parts), word.start, word.end)  # it reads what it parts as words of its own


def _numbered(given: Arguments, name: str) -> tuple[Word, ...]:
    if name[-1] == "-":
        words = given.operands[int(name[:-1]) - 1 :]
        return words[bool(words) and words[0].literal == "--" :]  # `ssh host -- x`
    return given.operands[int(name) - 1 : int(name)]


def texts_in(
    command: Command, text: Word, language: str, how: str, cwd: Word | None, further: tuple[Word, ...]
) -> Iterator[Inner]:
    """Code of a shell as it is; of other languages, the commands that can be seen in it."""
    language = _spoken(language, command)
    if language == "powershell" and text.holes:
        text = _kept_environment(text)
    if language in SHELLS and not (language == "powershell" and text.literal is not None):
        language = _SPOKEN.get(language, language)
        if command.words and program_name(command.words[0]) in _NEAR and text.literal is not None:
            from hookline.shell.code.near_shells import in_bash

            text = Word((in_bash(program_name(command.words[0]), text.literal),), text.start, text.end)
            language = "bash"
        stdin = _left_of(text) if text is command.stdin else None if "-c" in how else command.stdin
        yield Code(text, how, further, language, cwd=cwd, stdin=stdin)
    elif language == "git-alias":
        yield Code(text, how)
    elif len(text.holes) == len(text.parts) == 1 and text.holes[0].text.startswith("< "):
        yield Script(Word((text.holes[0].text[2:],)), how, language=language)
    else:
        from hookline.shell.code.languages import commands_of_code

        kept_nowhere = language == "sql" and (_in_memory(command) or _of_a_test(command))
        for each in commands_of_code(_with_values(text, command, language, further), language, how):
            if kept_nowhere and isinstance(each, Argv) and each.words[0].literal == "python:discard":
                continue
            yield each if cwd is None or each.cwd is not None else replace(each, cwd=cwd)


def _kept_environment(text: Word) -> Word:
    """`"ri $env:TEMP"`, of which another shell takes `$env` for a variable: what is meant is PowerShell's own."""
    behind = (*text.parts[1:], "")
    parts = (
        part.text if isinstance(part, Hole) and part.text == "$env" and str(after).startswith(":") else part
        for part, after in zip(text.parts, behind, strict=True)
    )
    return Word(glued(parts), text.start, text.end)


_NEAR = ("fish", "nu", "elvish", "csh", "tcsh", "xonsh")
_PRINTS = frozenset(("-batch", "-bail", "-box", "-csv", "-header", "-json", "-line", "-markdown", "-table"))


def _in_memory(command: Command) -> bool:
    """`sqlite3 -readonly`, and `:memory:`, which has nothing to lose unless it opens a file as well; before it only how
    to print.
    """
    if command.words[0].literal in ("sqlite3", "duckdb") and any(
        word.literal in ("-readonly", "--readonly") for word in command.words[1:-1]
    ):
        return True
    given = [*command.words[1:], *([command.stdin] if command.stdin is not None else ())]
    texts = [word.literal for word in given]
    opens = re.compile(r"(?i)attach|^\s*\.(?:open|restore|read|load|shell|system)", re.MULTILINE)
    before = texts[: texts.index(":memory:")] if ":memory:" in texts else [""]
    return _PRINTS.issuperset(before) and not any(text is None or opens.search(text) for text in texts)


_TESTS = late(r"(?i)(?:^|[/_-])test(?:[_-]\w+)?(?:\.(?:db|sqlite3?))?$|^/tmp/[\w-]+\.(?:db|sqlite3?)$")
_ELSEWHERE = late(r"(?i)\bdatabase\b|\bschema\b|\buse\s|attach|\\c|^\s*\.|[\w`\"]\.[\w`\"]")


def _of_a_test(command: Command) -> bool:
    """`psql app_test -c …`: the database is called a test's, and nothing leads to another one."""
    from hookline.shell.programs.arguments import given_to
    from hookline.shell.programs.table import programs as shipped

    given = given_to(command, shipped())
    if given.path[:1] not in (("psql",), ("mysql",), ("mariadb",), ("sqlite3",)):
        return False
    names = [word.literal or "" for word in (*given.values("-d"), *given.values("-D"), *given.operands[:1])]
    code = [each.value for each in given.options if each.value is not None and {"-c", "-e"} & {*each.names}]
    texts = [
        word.literal for word in (*code, *given.operands[1:], *([command.stdin] if command.stdin else ()))
    ]
    plain = all(text is not None and not _ELSEWHERE.search(text) for text in texts)
    return bool(names) and all(map(_TESTS.search, names)) and plain


def _spoken(language: str, command: Command) -> str:
    """Of code for a shell, which one it is that reads it."""
    name = program_name(command.words[0]) if language == "sh" and command.words else ""
    return name if name in SHELLS and name != "fish" else language


def _with_values(text: Word, command: Command, language: str, further: tuple[Word, ...]) -> Word:
    """Code of another language, with its arguments, and the values of variables that it looks up and the line sets."""
    variables = {name: value.literal for name, value in command.assignments}
    known = {name: value for name, value in variables.items() if value is not None}
    arguments = [word.literal for word in further]
    if not (known or arguments) or text.literal is None:
        return text
    from hookline.shell.code.environment import with_arguments, with_environment

    read = with_environment(text.literal, known) if known else text.literal
    return Word((with_arguments(read, language, arguments),), text.start, text.end)


def script_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """Scripts that words, or values of options, name, in the folder where the program works."""
    language, folder = deed.targets[0], next(iter(folders(given)), None)
    for name in deed.targets[1:]:
        words = given.values(name) if name[0] == "-" else tuple(target_words(name, given))
        for word in words[:1]:
            if language == "python" and word.literal == "-":
                continue
            if language == "make":
                yield from _made_in_line(command, word, f"{how} -f", folder)
                continue
            if descriptor_of(word) == "0" and command.stdin is not None:
                further = (word, *given.operands[1:])
                yield from texts_in(command, command.stdin, language, f"{how} reads it", None, further)
                continue
            spoken = _spoken(language, command)
            spoken = _SPOKEN.get(spoken, spoken)
            yield Script(word, f"script {word.literal or '?'}", given.operands[1:], spoken, cwd=folder)


def properties_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """A program and its arguments, each the value of a setting (`-Dexec.executable=git -Dexec.args='push -f'`)."""
    option, *names = deed.targets
    texts = (value.literal or "" for value in given.values(option))
    settings = {name: value for name, _, value in (text.partition("=") for text in texts)}
    if names[0] in settings:
        text = " ".join(settings.get(name, "") for name in names)
        yield Code(Word((text,)), f"{how} {option}{names[0]}")


def _made_in_line(command: Command, word: Word, how: str, folder: Word | None) -> Iterator[Inner]:
    """A makefile that the line itself writes; who runs one of the workspace's wants what stands in it."""
    only = word.parts[0] if len(word.parts) == 1 else None
    if isinstance(only, Hole) and only.content is not None:
        yield from texts_in(command, only.content, "make", how, None, ())
    elif descriptor_of(word) != "0":
        yield Script(word, how, language="tasks", cwd=folder)
    elif command.stdin is not None:
        yield from texts_in(command, command.stdin, "make", how, folder, ())


def orders_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """What a server is told to do, in words or in what the program reads."""
    from hookline.shell.code.languages import commands_of_code

    for name in deed.targets:
        words = (command.stdin,) if name == "stdin" else target_words(name, given)
        for word in words:
            if word is not None and any(isinstance(part, str) for part in word.parts):
                yield from commands_of_code(word, "orders", how)


_LEFT = "what is left of the code that a shell reads"


def input_of(command: Command, given: Arguments, deed: Deed, how: str) -> Iterator[Inner]:
    """What the program reads as code."""
    if command.stdin is None:
        return
    language = deed.targets[0] if deed.targets[0] != "remote" else "sh"
    if deed.targets[0] == "remote" and len(given.operands) != 1:
        return
    text = _cron_lines(command.stdin) if language == "cron" else command.stdin
    rest = given.operands
    further = (command.words[0], *rest) if given.has("-s") else ()
    if language not in SHELLS and rest and rest[0].literal == "-" and given.dashes != 0:
        further = rest[1:]  # `python3 - a b`
    yield from texts_in(
        command,
        text,
        "sh" if language == "cron" else language,
        f"{how} reads it",
        next(folders(given), None),
        further,
    )


def _left_of(code: Word) -> Word:
    """What code that is read from the input may read there itself: the lines behind its own."""
    if code.literal is None:
        return Word((Hole("words", _LEFT),))
    lines = code.literal.strip("\n").split("\n")
    few = lines[1 : 1 + MOST_CHOICES]
    behind = tuple(Word(("\n".join(lines[at:]) + "\n",)) for at in range(1, 1 + len(few)))
    return Word(
        (Hole("words", _LEFT, choices=(*behind, Word(())), only=len(few) == len(lines) - 1),) if few else ()
    )


def _cron_lines(word: Word) -> Word:
    """The commands of a crontab, without their times."""
    text = word.literal
    if text is None:
        return word
    rows = [line.split(None, 1 if line.startswith("@") else 5) for line in text.splitlines()]
    return Word(("\n".join(row[-1] for row in rows if len(row) in (2, 6)),), word.start, word.end)
