"""Into what a command runs: the commands of its words, of its code, of a script, of an alias."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.grammar.pieces import Raw
from hookline.shell.grammar.tree import Simple
from hookline.shell.interpreter.stand_ins import StandIns
from hookline.shell.interpreter.walk import Walk
from hookline.shell.programs.table import SYSTEM_FOLDERS
from hookline.shell.reading import (
    NOWHERE,
    TASKS,
    Argv,
    Code,
    Command,
    Hole,
    Parts,
    Script,
    Step,
    Word,
    behind_nothing,
    descriptor_of,
    is_lost,
    resolved,
    shown,
)
from hookline.shell.values.arrays import Array, shifted
from hookline.shell.values.arrays import arguments as arguments_of
from hookline.shell.values.fields import is_written_at_once
from hookline.shell.values.redirecting import MOST_TEXTS, content_of, file_name, written_as
from hookline.shell.values.state import (
    FOLDER,
    FORMER_FOLDER,
    PERHAPS,
    POSITIONALS,
    ZERO,
    State,
    alias_key,
    export_key,
)
from hookline.shell.values.state import joined as either

SHELLS = frozenset({"sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "rbash", "busybox sh"})
MOST_OPTIONS = 20  # of `xargs`
LONGEST_SCRIPT = 65_536


def _language(text: Parts, name: str) -> str:
    """That of a script which is started by its path."""
    if name.lower().endswith((".bat", ".cmd", ".ps1")):
        return "powershell" if name.lower().endswith(".ps1") else "cmd"
    if not text or not isinstance(text[0], str) or not text[0].startswith("#!"):
        return "sh"
    from hookline.shell.code.languages import language_of

    return language_of(text[0])


class Following(Walk, StandIns):
    """The part of the reader that goes on where a command starts another."""

    def fed(self, command: Command) -> Command:
        """`xargs -a list`: what the line itself wrote to the list is what it reads."""
        if command.words[0].literal != "xargs":
            return command
        texts = [word.literal or "" for word in command.words[:MOST_OPTIONS]]
        for at, text in enumerate(texts):
            found = re.fullmatch(r"(?:-a|--arg-file=)(.+)", text)
            taken = 2 if text in ("-a", "--arg-file") else 1 if found else 0
            path = (
                Word((found[1],))
                if found
                else command.words[at + 1]
                if taken == 2 and texts[at + 1 :]
                else None
            )
            name = file_name(self, path) if path is not None else None
            if name is not None and name in self.files:
                words = (*command.words[:at], *command.words[at + taken :])
                return replace(command, words=words, stdin=Word(content_of(self, path or NOWHERE)))
        return command

    def unnamed(self, command: Command) -> None:
        word = command.words[0]
        first = word.parts[0] if len(word.parts) == 1 else ""
        if isinstance(first, Hole) and first.kind == "words" and is_lost(first):
            self.unknown(f"it is run as a command: {first.why}", first.text)
        self.runs_part_of_code(word)
        self.without_first(command)

    def without_first(self, command: Command, node: Simple | None = None) -> None:
        """`$SUDO rm x` where the variable is empty, and so are those behind it; builtins only in the line itself."""
        rest = behind_nothing(command.words)
        while self.stand_ins and rest and re.match(r"\w+\+?=", rest[0].prefix):
            rest = rest[1:]  # in code that a hole was put into, what follows it may be an assignment
        literal = rest[0].literal if rest else None
        if literal and not literal.startswith("-"):
            first = shown(command.words[0])
            if node is not None and self._perhaps_builtin(rest, first, command, node):
                return
            why = Hole("word", f"`{first}` may be nothing", choices=(Word(()),))
            self.follow(Argv((Word((literal, why), rest[0].start, rest[0].end), *rest[1:]), first), command)

    def _perhaps_builtin(self, words: tuple[Word, ...], how: str, command: Command, node: Simple) -> bool:
        from hookline.shell.interpreter.builtins import BUILTINS

        if not words or words[0].literal not in BUILTINS:
            return False
        self.doubt += 1
        self.state.branch()
        self.run_words(words, how, command, node)
        self.state.adopt([self.state.rewind(), {}])
        self.doubt -= 1
        return True

    # Code

    def run_code(self, inner: Code, command: Command) -> None:
        if inner.language not in SHELLS:
            self.opaque[Hole("words", f"`{inner.how}` runs code that is not a shell's", inner.language)] = (
                None
            )
            return
        text = self.with_stand_ins(inner.text.parts, inner.how, command)
        if text is None:
            self.unseen(inner)
            return
        word = inner.text if inner.text.end else Word((), command.start, command.end)
        if inner.assignments:
            command = replace(command, assignments=command.assignments + inner.assignments)
        if inner.same_shell:
            self.code(text, word)
            return
        self._apart(inner.language, inner.arguments, command, text, word, zero=True)

    def _apart(
        self,
        language: str,
        arguments: tuple[Word, ...],
        command: Command,
        text: str,
        word: Word,
        zero: bool,
    ) -> None:
        """Runs in a shell that knows only what is exported to it, and what is set for the command alone."""
        state, shell, held = self.state, self.shell, self.locals
        self.state = self._child(arguments, zero)
        slots = state.slots
        for name, value in command.assignments:
            perhaps = slots.get(export_key(name)) == PERHAPS and slots.get(name) == value.parts
            if name != "IFS" and not perhaps:  # a shell sets its own
                self.state.slots[name] = value.parts
                self.exported(name)
        self.shell = "bash" if language == "bash" else "zsh" if language == "zsh" else "sh"
        self.locals = []
        for key in self.state.slots if self.shell == "sh" else ():
            if key.endswith("()"):  # which dash does not know
                self.state.slots[key] = either(key, [self.state.slots[key], None])
        self.own_shell(lambda: self._started(command, text, word), by_lines="\n" in text.strip())
        self.state, self.shell, self.locals = state, shell, held

    def _started(self, command: Command, text: str, word: Word) -> None:
        """Runs the code of a shell, with what its own options set: `bash -O nullglob -c …`."""
        texts = [each.literal or "" for each in command.words]
        shell = bool(texts) and texts.pop(0).rpartition("/")[2] in SHELLS
        while shell and texts and texts[0][:1] in ("-", "+") and texts[0] not in ("--", "-c"):
            from hookline.shell.interpreter.builtins import named_option, set_option

            given = texts.pop(0)
            for letter in given[1:] if given[1:2] != "-" else "":
                name = texts.pop(0) if letter in "oO" and texts else None
                known = (
                    named_option(name, letter) if name is not None else letter if letter in "BCefku" else ""
                )
                set_option(self, given[0], known)
        self.code(text, word)

    def _child(self, arguments: tuple[Word, ...], zero: bool) -> State:
        child = State()
        slots = self.state.slots
        for name in self.exports:
            if slots.get(export_key(name)) and name in slots and not isinstance(slots[name], Array):
                sure = slots[export_key(name)] != PERHAPS
                child.slots[name] = slots[name] if sure else either(name, [slots[name], None])
                child.slots[export_key(name)] = True
        for key in (FOLDER, FORMER_FOLDER, *self.inherited):
            if key in slots:
                child.slots[key] = slots[key]
        if zero and arguments and arguments[0].single:
            child.slots[ZERO] = arguments[0].parts
        known = arguments_of(arguments)
        if known is not None:
            child.slots[POSITIONALS] = shifted(known, 1) if zero and arguments else known
        return child

    # Scripts

    def unseen(self, inner: Code | Script) -> None:
        """Who runs code in this shell that nobody has seen may have set all that is set."""
        if inner.same_shell:
            self.state.set_outside(self.inherited)

    def run_script(self, inner: Script, command: Command) -> None:
        if inner.language in TASKS:
            names = written_as(file_name(self, inner.path), self.files)
            if "*" in inner.path.prefix:
                for each in names:
                    self.run_script(replace(inner, path=Word((each,))), command)
                return
            if not names:
                return
        texts = self._script_texts(inner)
        if self.stdin is not None and inner.same_shell and descriptor_of(inner.path) == "0":
            self.stdin.empty(self.doubt)  # `. /dev/stdin`
        name = file_name(self, inner.path) or ""
        if self.besides and name:
            self.run_beside.add(name)
        if name in self.racing and not all(map(is_written_at_once, texts)):
            self.unknown("a script may run before all of it is written", name)
        if not texts and descriptor_of(inner.path):
            self.unknown("it runs what an open file holds", shown(inner.path))
            return
        if not texts and inner.instead is not None:
            self.unknowns[inner.instead] = None
            return
        if not texts:
            name = inner.path.literal or "…"
            why = f"`{inner.how}` runs the script `{name}`, which is not to be seen"
            self.opaque[Hole("words", why, name)] = None
            self.unseen(inner)
            return
        if len(texts) > MOST_TEXTS:
            self.unknown("a script may hold one of many texts", name)
        place = Word((), command.start, command.end)
        for text in texts:
            language = inner.language or _language(text, name)
            if language not in SHELLS:
                from hookline.shell.code.environment import of_script
                from hookline.shell.code.languages import commands_of_code

                if descriptor_of(inner.path) and any(map(is_lost, Word(tuple(text)).holes)):
                    self.unknown("it runs what an open file holds", shown(inner.path))
                read = of_script(Word(tuple(text)), language, inner.arguments)
                for found in commands_of_code(read, language, inner.how, len(self.line)):
                    self.follow(found, command)
                continue
            code = self.with_stand_ins(text, inner.how, command)
            if code is None:
                self.unseen(inner)
                continue
            self.doubt += len(texts) > 1
            if inner.same_shell:
                before = self.state.slots.get(POSITIONALS)
                self.sourced(code, inner.arguments, command)
                if inner.arguments:
                    self.state.put(POSITIONALS, before)
            else:
                self._apart(language, inner.arguments, command, code, place, zero=False)
            self.doubt -= len(texts) > 1

    def sourced(self, code: str, arguments: tuple[Word, ...], command: Command) -> None:
        """Runs a file in this shell; `return` ends only the file."""
        left, beyond = self.left, self.beyond
        if arguments:
            self.state.put(POSITIONALS, arguments_of(arguments))
        self.state.branch()
        self.left = False
        self.code(code, Word((), command.start, command.end))
        if self.left:
            self.state.forget(list(self.state.commit()))
        else:
            self.state.commit()
        self.left, self.beyond = left, beyond

    def _script_texts(self, inner: Script) -> list[Parts]:
        """What the script may hold, by what the line wrote or by what stands on disk."""
        known = self.files.get(file_name(self, inner.path) or "")
        contents = known if known is not None else [content_of(self, inner.path)]
        return [text for each in contents for text in self._opened(each, inner.path, known is not None)]

    def _opened(self, content: Parts, path: Word, written: bool) -> list[Parts]:
        only = content[0] if len(content) == 1 else None
        if not isinstance(only, Hole) or (only.text[:2] != "< " and (only.text or written)):
            return [content]
        source = only.text[2:]
        if source != path.literal and source.rpartition("/")[0] in SYSTEM_FOLDERS:
            return [(f'{source} "$@"',)]  # a program that was copied
        given = Word((source,)) if source else path
        written = written and file_name(self, given) != file_name(self, path)  # else what is there already
        full = resolved(self.folder(), given).literal
        text = self.open_script(full) if self.open_script is not None and full else None
        if text is None or "\0" in text[:200]:
            return [content] if written else []
        return [(text[:LONGEST_SCRIPT],)]

    # Aliases, prompts, and words that the shell itself looks up

    def aliased(self, node: Simple, name: str, text: str) -> None:
        """Reads on with an alias in the place of its name; that bash does so here is not certain."""
        held = self.state.slots.get(alias_key(name))
        if re.search(r"(?<!\S)#", text):
            self.unknown("an alias begins a comment", text)
        self.state.branch()
        self.state.put(alias_key(name), None)
        self.doubt += 1
        via, self.via = self.via, (*self.via, Step(f"alias {name}", node.start, node.end))
        for rest in self._behind_alias(text, node.source):
            self.code(text + rest, Word((), node.start, node.end))
        self.via = via
        self.doubt -= 1
        self.state.put(alias_key(name), held)
        self.state.adopt([self.state.rewind(), {}])

    def _behind_alias(self, text: str, source: str) -> list[str]:
        """What follows an alias: where its text ends in a blank, the next word may be one as well."""
        found = re.match(r"[ \t]*([^\s;&|<>()'\"\\$`]+)(.*)", source, re.DOTALL)
        texts = self.state.slots.get(alias_key(found[1])) if found and text[-1:] in (" ", "\t") else None
        ways = [source]
        for each in texts if found and isinstance(texts, tuple) else ():
            if isinstance(each, str) and found:
                if re.search(r"(?<!\S)#", each):
                    self.unknown("an alias begins a comment", each)
                self.spend(4 + (len(source) >> 1))
                ways += [each + rest for rest in self._behind_alias(each, found[2])]
        return ways

    def prompt(self, name: str, value: Parts, word: Raw) -> None:
        via, self.via = self.via, (*self.via, Step(name))
        self.doubt += 1
        self.state.branch()
        text = "".join(part for part in value if isinstance(part, str))
        if name == "PROMPT_COMMAND":
            self.code(text, Word((), word.start, word.end))
        elif "$(" in text or "`" in text:
            self.code(f': "{text}"', Word((), word.start, word.end))
        self.state.rewind()
        self.doubt -= 1
        self.via = via

    def run_words(self, words: tuple[Word, ...], how: str, command: Command, node: Simple) -> None:
        from hookline.shell.interpreter.builtins import BUILTINS, carry_out

        name = words[0].literal
        if name is None or name not in BUILTINS:
            self.follow(Argv(words, how), command)
            if name is None:
                self._perhaps_builtin(behind_nothing(words), shown(words[0]), command, node)
            return
        stdin = None if self.stdin is None else Word(self.stdin.parts)
        step = Step(how, command.words[0].start, command.words[0].end)
        found = Command(
            words, command.assignments, command.redirections, stdin, self.folder(), (*self.via, step),
            words[0].start, words[-1].end, self.doubt == 0 and not self.left,
        )  # fmt: skip
        self.commands.append(found)
        carry_out(self, name, found, node)
