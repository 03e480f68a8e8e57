"""Everything that is wrong with the hooks of a workspace, as far as files tell."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from hookline.checking.codes import graded
from hookline.checking.commands.line_rules import line_problems, placeholder_problems
from hookline.checking.commands.program_rules import program_problems
from hookline.checking.entries import ConfigFile, Entry, config_files
from hookline.checking.files import config_rules
from hookline.checking.files.broken_files import read_further
from hookline.checking.files.dead_matchers import renamed_problems
from hookline.checking.files.foreign_files import foreign_file
from hookline.checking.files.plugin_code import code_problems
from hookline.checking.files.rule_words import misspelt_commands, misspelt_permissions
from hookline.checking.files.stray_files import stray_files, strays, with_strays
from hookline.checking.files.time_rules import time_problems, time_problems_of
from hookline.checking.in_any_case import in_any_case
from hookline.checking.lines import BY_PATTERN, HookLine
from hookline.dialects import dialect
from hookline.dialects.base import Dialect, Loaded, SourceText
from hookline.engine.hookset import HookSet
from hookline.model.errors import Problem, defect_words
from hookline.model.hooks import noted
from hookline.model.record import replace
from hookline.system.modules import attribute
from hookline.system.patterns.late import late


def problems_of(
    hooks: HookSet, home: str, more: Iterable[Problem] = (), *, programs: bool = True
) -> tuple[Problem, ...]:
    """What the readers found and what people get wrong beside, by file and line.

    `more` are further ones; without `programs` nothing is said of scripts that are missing or cannot start.
    """
    hooks = read_further(hooks)
    lost = strays(hooks)
    told = tuple(stray_files(hooks, lost))
    hooks = with_strays(hooks, lost)
    read = (*(each for each in hooks.problems if each.code not in _NO_FAULTS), *told, *more)
    seen = tuple(dict.fromkeys(_seen(hooks, home, programs)))
    found = graded((*_without(read, seen, _BETTER_SEEN), *_without(seen, read, _BETTER_READ)))
    return _in_order(found)


def _in_order(found: Iterable[Problem]) -> tuple[Problem, ...]:
    found = list(_told_together(found))
    files = list(dict.fromkeys(problem.source for problem in found))
    return tuple(sorted(found, key=lambda problem: (files.index(problem.source), problem.line)))


# of what several names may be wrong in one way
_OF_NAMES = frozenset({"unset-variable", "unsent-field", "wrong-answer"})
_NAME = late(r"`[^`]*`")


def _told_together(found: Iterable[Problem]) -> Iterator[Problem]:
    """The problems; those that say the same of several names at one place are one, with all the names."""
    alike: dict[tuple[object, ...], list[Problem]] = {}
    for each in found:
        said = _NAME.findall(each.message)
        words = (_NAME.sub("`", each.message), _NAME.sub("`", each.hint), said[0] if said[1:] else "")
        key = (each.source, each.line, each.path, each.code, *words) if each.code in _OF_NAMES else (each,)
        alike.setdefault(key, []).append(each)
    for first, *others in alike.values():
        messages, hints = ([getattr(each, of) for each in (first, *others)] for of in ("message", "hint"))
        yield replace(first, message=_joined(messages), hint=_joined(hints)) if others else first


def _joined(texts: list[str]) -> str:
    """One of several texts that differ in their names, with the names of all."""
    names = zip(*map(_NAME.findall, texts), strict=True)
    return _NAME.sub(lambda _: ", ".join(dict.fromkeys(next(names))), texts[0])


# what one agent understands and another does not; of answers it is certain, of what is sent only where it is told off
_ANSWERS = frozenset({"wrong-answer", "weak-answer", "weak-exit", "unread-output", "plain-output"})
_BY_AGENT = _ANSWERS | {
    "unsent-field",
    "unsent-value",
    "idle-name",
    "unset-variable",
    "unset-default",
    "dead-pattern",
}
_ALIKE = {"idle-name": "unsent-value"}  # what is an idle name in one agent may be the only one for another
_NO_FAULTS = frozenset({"v1-habit"})  # a hint for `convert`, about files that are right
# of two findings at one place the more telling one is kept
_BETTER_SEEN = frozenset({"unknown-key", "implausible-time"})
_BETTER_READ = frozenset({"ineffective-key", "dead-matcher", "dead-condition", "not-executable"})


def _without(found: Iterable[Problem], others: Iterable[Problem], codes: frozenset[str]) -> Iterator[Problem]:
    """Those of `found` but the ones with such a code where `others` have something at the same place."""
    places = {(each.source, each.path) for each in others}
    return (each for each in found if each.code not in codes or (each.source, each.path) not in places)


def paths_of(hooks: HookSet) -> dict[str, str]:
    """The absolute path of every file that was looked at, by the name problems call it."""
    found = {entry.source.shown: entry.source.path for entry in hooks.loaded}
    found.update((spec.source, spec.path) for spec in hooks.specs if spec.path)
    return found


def _seen(hooks: HookSet, home: str, programs: bool) -> Iterator[Problem]:
    files = config_files(hooks)
    for file in {(os.path.realpath(file.path), file.text): file for file in files}.values():
        for look in _OF_FILES:
            yield from _found(partial(look, file), file.source, 0)
    further = tuple(each for each in _OF_LINES if programs or each is not program_problems)
    for entry in (each for file in files for each in file.entries if not each.spec.origin.bridge):
        if not entry.runs:  # as of an event of another version, or misspelt: what holds of its line at any
            line = HookLine(entry.meant, hooks.workspace, home)
            for each in (line, *line.further()):
                yield from _of_line(each, (), further)
    for line in _lines(files, hooks.workspace, home):
        by_entry = (config_rules.entry_problems, placeholder_problems, renamed_problems)
        told = list(_of_line(line, [partial(each, line.entry) for each in by_entry], further))
        yield from told
        said = {(each.code, each.message) for each in told}
        for also in line.further():
            yield from (each for each in _of_line(also, (), further) if (each.code, each.message) not in said)


def _permission_problems(file: ConfigFile) -> Iterable[Problem]:
    """Those of an agent's own settings; most files have nothing but hooks."""
    root = file.root
    if root is None or root.members.keys() <= {"hooks", "version", "$schema", "description"}:
        return ()
    permission_problems = attribute("hookline.checking.guards.fragile_rules", "permission_problems")
    return (*permission_problems(file), *misspelt_permissions(file))


_OF_FILES: Iterable[Callable[[ConfigFile], Iterable[Problem]]] = (
    config_rules.file_problems, _permission_problems, code_problems, foreign_file,
)  # fmt: skip
_Looks = Iterable[Callable[[HookLine], Iterable[Problem]]]
_OF_MATCHERS = frozenset({"dead-name", "dead-matcher"})
_OF_LINES: _Looks = (line_problems, program_problems)


def with_dropped(
    problems: Sequence[Problem], mended: Mapping[str, str], hooks: HookSet, home: str
) -> tuple[Problem, ...]:
    """The problems, and those of the lines of hooks that run only once their file is `mended`, at their place today."""
    said = {(each.source, each.code, each.message) for each in problems}
    added = [
        each
        for loaded in hooks.loaded
        if loaded.source.path in mended and loaded.dialect and (loaded.specs or loaded.problems)
        for each in _found(
            partial(_of_dropped, loaded, mended[loaded.source.path], hooks, home), loaded.source.shown, 0
        )
        if (each.source, each.code, each.message) not in said
    ]
    return _in_order((*problems, *graded(dict.fromkeys(added))))


def _of_dropped(loaded: Loaded, text: str, hooks: HookSet, home: str) -> Iterator[Problem]:
    source, speaker = loaded.source, dialect(loaded.dialect)
    again = speaker.parse(SourceText(source, "text", text, path=source.path, shown=source.shown))
    root = next((spec.origin.plugin_root for spec in loaded.specs), "")
    read = {(spec.native_event, spec.command) for spec in loaded.specs if spec.command}
    new = [
        noted(spec, plugin_root=root) for spec in again.specs if (spec.native_event, spec.command) not in read
    ]
    file = ConfigFile(loaded, speaker, new)
    yield from (_where_written(each, text, file) for each in again.problems if each.code in _OF_MATCHERS)
    file.beside = (file, *config_files(hooks))
    yield from time_problems(file)
    for first in _lines([file], hooks.workspace, home):
        yield from _of_line(first, (partial(time_problems_of, first.entry),), _OF_LINES)
        for line in first.further():
            yield from _of_line(line, (), _OF_LINES)


def _where_written(problem: Problem, mended: str, file: ConfigFile) -> Problem:
    """A finding about a matcher of a mended file at its place in the file as it is."""
    line = mended.split("\n")[problem.line - 1][problem.column - 1 :]
    nodes = file.root.walk() if file.root else ()
    there = (node for node in nodes if node.key == "matcher" and node.line >= problem.line)
    node = next((node for node in there if line.startswith(json.dumps(node.value, ensure_ascii=False))), None)
    return replace(problem, line=node.line, column=node.column, path=node.path) if node else problem


def _of_line(
    line: HookLine, looks: Iterable[Callable[[], Iterable[Problem]]], further: _Looks
) -> Iterable[Problem]:
    spec, other = line.entry.spec, line.entry.also_read_by
    if not line.is_plain:
        further = (*further, *attribute("hookline.checking.of_texts", "OF_TEXTS"))
    further = (*further, misspelt_commands)
    if line.scripts or "file_path" in line.text:
        further = (*further, *attribute("hookline.checking.of_scripts", "OF_SCRIPTS"))
    if BY_PATTERN.search(line.text):
        further = (*further, attribute("hookline.checking.commands.in_turn", "pattern_problems"))
    found = [each for look in looks for each in _found(look, spec.source, spec.line)]
    found += _told(line, further)
    if other:
        return _for_each(found, line, other, further)
    return _beside_others(found, line, further) if line.entry.sharing else found


def _beside_others(found: list[Problem], line: HookLine, looks: _Looks) -> Iterable[Problem]:
    """What is wrong with a hook of an event by its own agent's name, which another one takes too."""
    other = line.entry.taken_by if any(each.code in _BY_AGENT for each in found) else None
    if other is None:
        return found
    theirs = {_ALIKE.get(each.code, each.code) for each in _as_read_by(other, line, looks)}
    ends = f"; {other.title} takes it as it is"
    own = _sent_to(line.entry) - _sent_to(line.entry.read_by(other))
    return [
        replace(each, message=each.message + ends)
        if each.code in _BY_AGENT
        and _ALIKE.get(each.code, each.code) not in theirs
        and own.isdisjoint(name.strip("`.") for name in _NAME.findall(each.message))  # it has no such field
        else each
        for each in found
    ]


def _sent_to(entry: Entry) -> frozenset[str]:
    """The fields of what a hook is sent."""
    payload_of = attribute("hookline.checking.fields.field_rules", "payload_of")
    spec, given = entry.spec, {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    return frozenset(payload_of(entry.speaker.name, spec.native_event, spec.kind, given))


def _as_read_by(other: Dialect, line: HookLine, looks: _Looks) -> list[Problem]:
    return _told(HookLine(line.entry.read_by(other), line.workspace, line.home), looks)


def _told(line: HookLine, looks: _Looks) -> list[Problem]:
    """What is wrong with a line and its scripts whichever way they go that the event, the agent and the arguments of
    the hook leave open."""
    spec = line.entry.spec

    def seen_by(look: Callable[[HookLine], Iterable[Problem]], of: HookLine) -> list[Problem]:
        return list(_found(partial(look, of), spec.source, spec.line))

    told = {look: found for look in looks if (found := seen_by(look, line))}
    sure = HookLine(line.entry, line.workspace, line.home, sure=True)
    apart = bool(told and line.scripts) and sure.scripts != line.scripts
    return [
        each
        for look, found in told.items()
        for each in (in_any_case(found, seen_by(look, sure)) if apart else found)
    ]


def _for_each(
    found: list[Problem],
    line: HookLine,
    other: Dialect,
    looks: _Looks,
) -> Iterator[Problem]:
    """What is wrong with a hook that two agents read; of what holds for one of them alone a note says for which."""
    theirs = _as_read_by(other, line, looks)
    meant = _written_for(line, other)
    for mine, others, agent in ((found, theirs, other), (theirs, found, line.entry.speaker)):
        codes = {_ALIKE.get(each.code, each.code) for each in others}
        first = theirs if meant is other else found
        for each in mine:
            if each.code in _BY_AGENT and _ALIKE.get(each.code, each.code) in codes:
                yield from [_with_hint_of(other, line, each, theirs)] if mine is first else []
            elif each.code not in _BY_AGENT:
                yield from [each] if mine is found else []
            elif each.code not in _ANSWERS and (mine is theirs or meant is other):
                pass  # it reads what the other one sends
            elif meant is not None and agent is not meant:  # the other will not take it at all
                yield each
            else:
                yield replace(
                    each,
                    severity="notice",
                    code="one-agent",
                    message=f"{each.message}; {agent.title} takes it as it is",
                )


def _with_hint_of(other: Dialect, line: HookLine, each: Problem, theirs: list[Problem]) -> Problem:
    """A finding that holds for both agents of a file, with what is to be done for each where that differs."""
    title = line.entry.speaker.title
    words = each.message.replace(title, other.title)
    same = (found.hint for found in theirs if (found.code, found.message) == (each.code, words))
    hint = next(same, each.hint)
    return (
        each
        if hint == each.hint or each.code != "unsent-value"
        else replace(each, hint=f"{title}: {each.hint} {other.title}: {hint}")
    )


def _written_for(line: HookLine, other: Dialect) -> Dialect | None:
    """The one of two agents whose tools, and none of the other's own, the hook's scripts name."""
    own, theirs = (set(each.tools.known()) for each in (line.entry.speaker, other))
    words = set(re.findall(r"[\"'(|]([A-Za-z]+_\w+)", " ".join(line.scripts.values())))
    first, second = words & (own - theirs), words & (theirs - own)
    return None if bool(first) == bool(second) else other if second else line.entry.speaker


def _found(look: Callable[[], Iterable[Problem]], source: str, line: int) -> Iterator[Problem]:
    """What a look finds; one that fails, as by a defect of a dialect, is a problem and takes no other away."""
    try:
        yield from tuple(look())
    except Exception as error:
        yield Problem(source, line, 0, "", "defect", f"{defect_words(error)}; please report this", guard=True)


def lines_of(hooks: HookSet, home: str) -> Iterator[HookLine]:
    """The lines of all hooks that people wrote."""
    return _lines(config_files(hooks), hooks.workspace, home)


def _lines(files: Iterable[ConfigFile], workspace: str, home: str) -> Iterator[HookLine]:
    return (HookLine(entry, workspace, home) for entry in _own(files))


def _own(files: Iterable[ConfigFile]) -> Iterator[Entry]:
    """The hooks that people wrote; ours are `install`'s affair."""
    for file in files:
        for entry in file.entries:
            if entry.runs and not entry.spec.origin.bridge:
                yield entry
