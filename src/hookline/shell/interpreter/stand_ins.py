"""Code with holes in it: a letter of private use stands for each while the code is taken apart."""

from __future__ import annotations

import re

from hookline.model.record import replace
from hookline.shell.interpreter.printing import OF_FILE, SETS_UP
from hookline.shell.programs.one_word import finds_program, is_one_word
from hookline.shell.reading import FITTING, FOUND, NAMED, Command, Hole, Parts, Script, Word
from hookline.shell.values.running import Running
from hookline.shell.values.state import INPUT
from hookline.system.patterns.late import late

_STANDS_FOR = 0xF0000  # letters of private use stand for holes while code is taken apart
_STAND_IN = "[\U000f0000-\U000ffffe]"
# One within the name of a variable, or at the end of `{1..3}`.
_IN_SYNTAX = (
    rf"\$\{{?[!#]?[A-Za-z0-9_]*{_STAND_IN}|\{{{_STAND_IN}\.\.|\.\.{_STAND_IN}[^\s{{}}]*\}}"
    rf"|(?:^|[\s;&|(])[A-Za-z0-9_]*{_STAND_IN}(?:[A-Za-z0-9_]|{_STAND_IN})*(?:\[[^\]\s]*\])?\+?="
)
_TILDE = rf"~[A-Za-z0-9_.+-]*{_STAND_IN}"
_ESCAPED = rf"(?<!\\)(?:\\\\)*\\{_STAND_IN}"
_INNOCENT = frozenset(
    ["$HOME", "$PWD", "$OLDPWD", "$USER", "$LOGNAME", "$TMPDIR", "$HOSTNAME", "$SHELL", "$UID", "$EUID", "$PPID",
     "$RANDOM", "$SECONDS", "$LINENO", "$?", "$$", "$!", "$#", "$-", "~", "$0", " "]
)  # fmt: skip


_PATTERN_LETTERS = r"[*?\[\]./~\-_+@,:=A-Za-z0-9]*"
_VARIABLE = late(r"\$(?:\w+|\{\w+(?::?-[\w./$-]*)?\})\Z")  # from outside, with a plain default perhaps


def is_words(hole: Hole) -> bool:
    """Whether it is taken for words in code, as it would be in a line: a variable from outside, names of files.

    What somebody types is no such value: whoever feeds the line writes it.
    """
    if (hole.choices and hole.text[:2] not in ("${", "$(")) or hole.why == INPUT:
        return False
    if hole.outside and _VARIABLE.match(hole.text):
        return True
    return hole.why in (FOUND, FITTING, NAMED) or is_one_word(hole)


class StandIns(Running):
    """The part of the reader that reads code of which it does not know every letter."""

    def run_script(self, inner: Script, command: Command) -> None:
        raise NotImplementedError

    def with_stand_ins(self, parts: Parts, how: str, command: Command) -> str | None:
        """Code as one text, in which a letter of its own stands for each hole; None where it is in a file."""
        texts, letter = [], ""
        files = [part.text[2:] for part in parts if isinstance(part, Hole) and part.text.startswith("< ")]
        if files and len(files) == len(parts):
            for file in files:
                self.run_script(Script(Word((file,)), how), command)
            return None
        for part in parts:
            if isinstance(part, str):
                texts.append(part)
                continue
            if part.why == SETS_UP and part.choices:
                texts.append(part.choices[0].literal or "")
                continue
            if part.why in (SETS_UP, OF_FILE) and len(parts) == 1:
                self.opaque[replace(part, why=f"`{how}` runs {part.why}")] = None
                return None
            if part.kind == "glob" and re.fullmatch(_PATTERN_LETTERS, part.text):
                texts.append(part.text)  # it fits the same files once more
                continue
            letter = chr(_STANDS_FOR + len(self.stand_ins) % 0xFFFE)
            self.stand_ins[letter] = part
            texts.append(letter)
        code = "".join(texts)
        if "\0" in code:
            self.unknown(f"a shell leaves out what is no letter in the code of `{how}`, or refuses all of it")
        for escaped in re.findall(_ESCAPED, code) if letter else ():
            hole = self.stand_ins[escaped[-1]]
            if hole.text not in _INNOCENT:
                self.unknown(
                    f"a backslash before it in the code of `{how}` may mean another letter", hole.text
                )
        if not code.isascii() and (found := re.search(_IN_SYNTAX, code)):
            self.unknown(
                f"a part of the code that `{how}` runs, which is not told, may be of a name", found[0]
            )
        return code

    def stood_for(self, text: str, quoted: bool) -> list[str | Hole]:
        """The parts of a text of such code."""
        parts: list[str | Hole] = []
        plain = ""
        for letter in text:
            hole = self.stand_ins.get(letter)
            if hole is None:
                plain += letter
                continue
            if not quoted and hole.text not in _INNOCENT:
                self.part_of_code(hole, is_words(hole))
            parts += [plain, replace(hole, kind="word" if quoted else "words")]
            plain = ""
        if not quoted and re.search(_TILDE, text):
            return [Hole("words", "bash may take it for a home folder", "~")]
        return [part for part in (*parts, plain) if part != ""]

    def part_of_code(self, hole: Hole, as_words: bool = False) -> None:
        """It may be more code; the one who `outside` says set it is trusted where it stands for words alone."""
        self.unknowns[Hole("words", f"it becomes part of code: {hole.why}", hole.text, outside=as_words)] = (
            None
        )

    def runs_part_of_code(self, word: Word) -> None:
        """`sh -c "$X y"`: what begins a command of the code is its program, as a file is that was found."""
        begins, ends = word.parts[:1], word.parts[-1] if word.parts else ""
        file = isinstance(ends, str) and "/" in ends
        behind = word.parts[1] if file and len(word.parts) > 1 else None
        below = isinstance(behind, str) and behind[0] == "/"  # `$ANDROID_HOME/bin/adb`
        for hole in word.holes:
            told = hole.outside or hole.text in _INNOCENT
            if finds_program(hole) or (file and not hole.outside and is_one_word(hole)):
                continue  # `$(which vim) x`, `$(brew --prefix llvm)/bin/clang`
            if below and begins == (hole,) and hole.outside and _VARIABLE.match(hole.text):
                continue
            if (begins == (hole,) or not told) and any(
                (hole.why, hole.text) == (each.why, each.text) for each in self.stand_ins.values()
            ):
                self.part_of_code(hole)
