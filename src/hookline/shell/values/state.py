"""What a shell knows while a line runs: variables, functions, the folder; and what two ways may have left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import filterfalse

from hookline.model.record import replace
from hookline.shell.reading import MOST_CHOICES, UNSET, Hole, Parts, Unset, Word

Changes = dict[str, object]


LONGEST_VALUE = 20_000
CODE_LISTS = frozenset(("BASH_ALIASES", "BASH_CMDS"))  # of what names run
CODE_VARIABLES = frozenset(("PROMPT_COMMAND", "PS0", "PS1", "PS2", "PS4"))
INPUT = "input that is not told by the line"
SEVERAL = "may have one of several values by then"
LIST = "may be a list by then"
KEYED = "may be a list by names by then"


def is_number(text: str) -> bool:
    """Whether bash takes it for the same number as Python does: few digits, none of them octal."""
    return text.isascii() and text.isdigit() and len(text) < 9 and (text == "0" or text[0] != "0")


def by_nothing(expression: str) -> bool:
    """Whether it divides by 0, which bash refuses."""
    divides = "/" in expression or "%" in expression
    return divides and re.search(r"[/%]\s*0+(?![\w.])", expression) is not None


def is_list(value: object) -> bool:
    """Whether it is an Array, by what nothing else has: most lines load no more of that."""
    return hasattr(value, "keyed")


def is_joined(parts: Parts) -> bool:
    """Whether it stands for what several ways may have left, which may be nothing, or a list."""
    return any(isinstance(part, Hole) and part.why.endswith((SEVERAL, LIST, KEYED)) for part in parts)


# The keys of what is kept beside variables; none of them is a variable's name.
POSITIONALS = "@"
ZERO = "0"
FOLDER = "/"
FORMER_FOLDER = "/-"
STACK = "/+"
BEGAN = "/0"  # the folder in which the line begins, as `PWD` tells it
OPTIONS = "-"
PERHAPS = "perhaps"  # what is kept by `export_key` of a variable that need not be exported
SPRUNG = "sprung"  # the same of a variable that a trap sets between any two commands
READONLY = "readonly"  # what is kept by `odd_key` of a variable that takes no other value


def function_key(name: str) -> str:
    return name + "()"


def alias_key(name: str) -> str:
    return "alias " + name


def export_key(name: str) -> str:
    return "export " + name


def odd_key(name: str) -> str:
    """Of a variable whose assignments do more than assign (`declare -i`, `-n`, `-u`)."""
    return "odd " + name


def shut_key(name: str) -> str:
    """Of a file that the line may have made nobody's to write."""
    return f"shut {name}"


def descriptor_key(number: int) -> str:
    """Of what an open descriptor gives: a Stream."""
    return f"descriptor {number}"


class State:
    """Slots by name, and a journal of each branch that may or may not be taken, so that it can be taken back.

    A variable without a slot comes from outside of the line. Joining costs what was changed, not what is kept.
    """

    def __init__(self) -> None:
        self.slots: dict[str, object] = {}
        self.journals: list[Changes] = []
        self.redefined: set[str] = set()  # functions and aliases that were others before

    def begin(self, variables: Mapping[str, str]) -> None:
        """With what the line begins with."""
        self.slots.update(zip(variables, zip(variables.values(), strict=True), strict=True))
        self.slots.update(dict.fromkeys(filterfalse(variables.get, variables), ()))
        self.slots[BEGAN] = self.slots.get("PWD")

    def put(self, key: str, value: object) -> None:
        """Keeps a value; None forgets it."""
        if self.journals:
            self.journals[-1].setdefault(key, self.slots.get(key))
        if (
            isinstance(value, tuple)
            and key not in self.redefined
            and _another(key, self.slots.get(key), value)
        ):
            self.redefined.add(key)
        if value is None:
            self.slots.pop(key, None)
        else:
            self.slots[key] = value

    def enters(self) -> None:
        """`cd` sets `OLDPWD` to what `PWD` holds, and `PWD` anew."""
        self.put("OLDPWD", self.slots["PWD"] if self.is_set_anew("PWD") else None)
        self.put("PWD", self.slots.get(BEGAN))

    def is_set_anew(self, name: str) -> bool:
        """Whether the line set one of these itself."""
        held = self.slots.get(name)
        return held is not None and not (name == "PWD" and held == self.slots.get(BEGAN))

    def former_folder(self) -> Word:
        """Where `cd -` leads."""
        held = self.slots.get("OLDPWD" if self.is_set_anew("OLDPWD") else FORMER_FOLDER)
        found = Word(held) if isinstance(held, tuple) else held
        told = isinstance(found, Word) and (held is found or found.prefix.startswith("/"))
        return found if told and isinstance(found, Word) else Word((_FORMER,))

    def branch(self) -> None:
        self.journals.append({})

    def rewind(self) -> Changes:
        """Takes back what changed since `branch`, and tells what it was changed to."""
        journal = self.journals.pop()
        changes = {key: self.slots.get(key) for key in journal}
        for key, value in journal.items():
            if value is None:
                self.slots.pop(key, None)
            else:
                self.slots[key] = value
        return changes

    def commit(self) -> Changes:
        """Keeps what changed since `branch`, and tells what it was changed to."""
        journal = self.journals.pop()
        if self.journals:
            outer = self.journals[-1]
            for key, value in journal.items():
                outer.setdefault(key, value)
        return {key: self.slots.get(key) for key in journal}

    def adopt(self, ways: list[Changes]) -> None:
        """One of these happened, and nobody knows which."""
        if len(ways) == 1:
            for key, value in ways[0].items():
                self.put(key, value)
            return
        for key in {key: None for way in ways for key in way}:
            now = self.slots.get(key)
            values = [way.get(key, now) if key in way else now for way in ways]
            first = values[0]
            same = all(value is first or value == first for value in values[1:])
            self.put(key, first if same else joined(key, values))

    def forget(self, keys: list[str]) -> None:
        """What stands in these slots may be another value by now."""
        for key in keys:
            now = self.slots.get(key)
            known = is_code(key) and key not in self.redefined  # once it is there, it is this one
            self.put(key, joined(key, [now, None if known else _CHANGED]))

    def set_outside(self, but: tuple[str, ...]) -> None:
        """Code that nobody has seen ran in this shell: what is set may be set anew, as from outside of the line."""
        from hookline.shell.values.arrays import Array

        for key, value in list(self.slots.items()):
            if key not in but and (
                key == POSITIONALS or (key.isidentifier() and isinstance(value, tuple | Array))
            ):
                self.put(key, joined(key, [value, None]))

    def repeated(self, changed: Changes) -> None:
        """What ran any number of times left this behind each time: of a function its code is kept."""
        for key, value in changed.items():
            if not is_code(key) and key != OPTIONS:
                left = [value] if _kind(value) else []  # it stays a list, whatever is assigned to it
                self.put(key, joined(key, [self.slots.get(key), *left, _CHANGED]))
                continue
            lost = [_CHANGED] if key in self.redefined else []
            self.put(key, joined(key, [self.slots.get(key), value, *lost]))

    def more(self, known: Changes, changed: Changes) -> Changes:
        """What changed, beyond that."""
        found: Changes = {}
        for key, value in changed.items():
            both = joined(key, [known[key], value]) if key in known and is_code(key) else value
            if key not in known or (is_code(key) and both != known[key]):
                found[key] = both
        return found


_FORMER = Hole("word", "the folder before", "$OLDPWD")
_CHANGED = object()  # stands for a value that nobody followed


def is_code(key: str) -> bool:
    return key.endswith("()") or key.startswith("alias ")


def _another(key: str, before: object, now: tuple[object, ...]) -> bool:
    """Whether a name of code stood for some that it does not stand for any more."""
    if not is_code(key) or not isinstance(before, tuple):
        return False
    return any(each is not None and all(each is not other for other in now) for each in before)


def joined(key: str, values: list[object]) -> object:
    """What is known where one of several values is right."""
    if is_code(key):
        alternatives: list[object] = []
        for value in values:
            for each in value if isinstance(value, tuple) else (value,):
                if each not in alternatives:
                    alternatives.append(each)
        return tuple(alternatives)
    if key.startswith(("export ", "odd ")):
        known = next((value for value in values if value), None)
        sure = key[0] == "o" or (all(values) and PERHAPS not in values)
        return known if sure else known and PERHAPS
    if key == OPTIONS:
        texts = [value if isinstance(value, str) else "" for value in values]
        # one that is perhaps set counts as set, but not the one by which patterns are none
        letters = dict.fromkeys("".join(texts))
        return "".join(each for each in letters if each != "f" or all("f" in text for text in texts)) or None
    if key in (FOLDER, FORMER_FOLDER):
        return one_of_folders(values)
    if key in (POSITIONALS, STACK):
        if key == STACK:
            return UNSET
        from hookline.shell.values.arrays import one_of

        return one_of(values)
    if key.startswith("descriptor "):
        return None
    name = key.removeprefix("file ")
    kinds = set(map(_kind, values))
    if LIST in kinds:
        from hookline.shell.values.arrays import either

        if (found := either(name, values)) is not None:
            return found
    why = f"`{name}` {KEYED if KEYED in kinds else LIST if LIST in kinds else SEVERAL}"
    choices, only, outside = _choices(values)
    shown = name if name != key else f"${key}"
    return (Hole("words", why, shown, outside=outside, choices=choices, only=only),)


def _kind(value: object) -> str:
    """What a value may be besides text: LIST, KEYED, or nothing."""
    if is_list(value):
        return KEYED if getattr(value, "keyed", False) else LIST
    whys = [part.why for part in value if isinstance(part, Hole)] if isinstance(value, tuple) else []
    return next((kind for kind in (KEYED, LIST) if any(why.endswith(kind) for why in whys)), "")


def one_of_folders(values: list[object]) -> Word:
    """A folder that is one of several; what is not told leaves the line where it began, or is nobody's to know."""
    found: dict[str | None, Word] = {}
    for value in values:
        first, *rest = value.parts if isinstance(value, Word) and value.parts else ("",)
        several = isinstance(first, Hole) and first.only
        for begins in first.choices if isinstance(first, Hole) and several else (Word((first,)),):
            way = Word((*begins.parts, *rest)) if value is not _CHANGED else Word((_FOLDER,))
            found[way.literal] = way
    known = None not in found and len(found) <= MOST_CHOICES
    return Word((replace(_FOLDER, choices=tuple(found.values()), only=True) if known else _FOLDER,))


_FOLDER = Hole("word", "the line enters one of several folders", "$PWD")


def _choices(values: list[object]) -> tuple[tuple[Word, ...], bool, bool]:
    """The values that are known, whether these are all, and whether the others come from outside of the line."""
    found: dict[Word, None] = {}
    only = outside = True
    for value in values:
        hole = value[0] if isinstance(value, tuple) and len(value) == 1 else None
        if isinstance(hole, Hole):
            found |= dict.fromkeys(hole.choices)
            only = only and hole.only
            outside = outside and ((hole.outside and hole.why != INPUT) or hole.only)
        elif isinstance(value, Unset):
            found[Word(())] = None
        elif isinstance(value, tuple) and all(isinstance(part, str) for part in value):
            found[Word(value)] = None
        else:
            only = False
            outside = outside and value is None
    few = len(found) <= MOST_CHOICES
    return tuple(found)[:MOST_CHOICES], only and few, outside and few and not only
