"""`hookline check` and `hookline rule`: what is wrong with the hooks, and what a code means."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from hookline.checking.codes import known_codes
from hookline.checking.files.plugins import project_of, unread, with_files, with_plugins
from hookline.checking.workspace import paths_of, problems_of, with_dropped
from hookline.cli import common
from hookline.cli.hooks.listing import file_states, opened_for, usable
from hookline.cli.hooks.problems import FORMATS, problems_as
from hookline.cli.render import counted, laid_out, table
from hookline.dialects import is_agent
from hookline.dialects.spelling import suggestion
from hookline.engine.failures import guards
from hookline.engine.loading import places_for
from hookline.engine.opening import Opened
from hookline.hosts.issues.settings import setting_problems
from hookline.model.errors import Problem, UsageError, as_word
from hookline.model.hooks import PromptCheck
from hookline.model.record import Record, replace
from hookline.model.typing import TYPE_CHECKING
from hookline.system import files

if TYPE_CHECKING:
    from hookline.checking.fixing import Fixes
    from hookline.installing.agents import Change

_DROP = frozenset(
    {"flat-entry", "unknown-event", "events-at-top", "missing-key", "wrong-type"}
)  # hooks that run once they are mended
_ROUNDS = 20  # a file with several syntax faults shows them one after another


class Options(Record):
    """The command line of `check`, as it is without any words."""

    files: Sequence[str] = ()
    dialect: Sequence[str] | None = None
    strict: bool = False
    fix: bool = False
    diff: bool = False
    output_format: str = "text"
    workspace: str | None = None


class Look(Record):
    """A project with the plugins in it, and what is wrong with the files of it that are asked for."""

    opened: Opened
    problems: tuple[Problem, ...]


def check(arguments: list[str]) -> int:
    """Prints every problem; 1 when one of them is an error, with `--strict` also for a warning."""
    options = read_options(arguments) if arguments else Options()  # argparse takes a tenth of it all
    opened = _opened(options)
    looks = []
    for each, project in _by_project(options, opened):
        look = _looked_at(each, project)
        looks.append(_fixed(each, look) if options.fix or options.diff else look)
    problems, paths = _together(looks, opened)
    sys.stdout.write(problems_as(options.output_format, problems, paths))
    if options.output_format == "text":
        common.say(_summary([look.opened for look in looks], problems))
    failing = ("error", "warning") if options.strict else ("error",)
    return 1 if any(problem.severity in failing for problem in problems) else 0


def _opened(options: Options) -> Opened:
    opened = opened_for(options)
    return replace(opened, hooks=with_plugins(opened.hooks))


def _by_project(options: Options, opened: Opened) -> list[tuple[Options, Opened]]:
    """The files with the project that each belongs to: another one than the workspace where its place says so."""
    others: dict[str, list[str]] = {}
    for path in unread(opened.hooks, options.files):
        project = project_of(path, options.dialect)
        if project and os.path.realpath(project) != os.path.realpath(opened.workspace):
            others.setdefault(project, []).append(path)
    foreign = {path for paths in others.values() for path in paths}
    own = tuple(file for file in options.files if os.path.abspath(file) not in foreign)
    found = [(replace(options, files=own), opened)] if own or not foreign else []
    for project, paths in others.items():
        each = replace(options, files=tuple(paths), workspace=project)
        found.append((each, _opened(each)))
    return found


def _together(looks: Sequence[Look], opened: Opened) -> tuple[tuple[Problem, ...], dict[str, str]]:
    """All problems, and the paths of their files by name; one of another project is named from the workspace."""
    problems: list[Problem] = []
    paths: dict[str, str] = {}
    for look in looks:
        known = paths_of(look.opened.hooks)
        if look.opened.workspace != opened.workspace:
            places = places_for(opened.workspace, opened.engine.environment)
            names = {name: places.shown(path) for name, path in known.items()}
            known = {names[name]: path for name, path in known.items()}
            problems += (replace(each, source=names.get(each.source, each.source)) for each in look.problems)
        else:
            problems += look.problems
        paths.update(known)
    return tuple(problems), paths


def _looked_at(options: Options, opened: Opened) -> Look:
    opened = replace(opened, hooks=with_files(opened.hooks, options.files, options.dialect))
    home, trusted = home_of(opened), files.environment().get("HOOKLINE_TRUST") == "workspace"
    loaded = opened.hooks.loaded
    more = tuple(setting_problems(loaded, home, trusted))
    if any(each.settings.get("packs") for each in loaded):
        from hookline.installing.packs import pack_problems

        more += tuple(pack_problems(loaded, opened.workspace))
    problems = problems_of(opened.hooks, home, more)
    if any(problem.code in _DROP and not problem.source.endswith(".toml") for problem in problems):
        from hookline.checking.fixing import meant_files

        mended = meant_files(problems, opened.hooks, paths_of(opened.hooks))
        problems = with_dropped(problems, mended, opened.hooks, home)
    return Look(opened, _of_files(problems, options.files, opened) if options.files else problems)


def _fixed(options: Options, look: Look) -> Look:
    """Puts right what can be, in rounds, as a file that parses again shows more; says what changed."""
    from hookline.checking.fixing import fixes_of
    from hookline.installing.agents import difference

    first: dict[str, Change] = {}
    for _ in range(_ROUNDS):
        opened, problems = look.opened, look.problems
        fixes = fixes_of(problems, opened.hooks, home_of(opened), paths_of(opened.hooks))
        if options.diff:
            first = {change.place.path: change for change in fixes.changes}
        for path in fixes.executable:
            common.say(f"chmod +x {as_word(os.path.relpath(path))}")
        if not fixes or options.diff:
            break
        _carry_out(fixes, first, opened)
        look = _looked_at(options, _opened(options))
    for change in first.values():
        common.say(difference(change).rstrip("\n"), lines=True)
        if change.backup:
            common.say(f"{change.place.shown}: mended; as it was it is kept in {change.backup}")
    return look


def _carry_out(fixes: Fixes, first: dict[str, Change], opened: Opened) -> None:
    """Writes the files; `first` keeps what each was before all, with the copy of it."""
    from hookline.installing.agents import carry_out

    for change in fixes.changes:
        path = change.place.path
        if path in first:
            files.write_atomic(path, change.after or "")
            first[path] = replace(first[path], after=change.after)
        else:
            first[path] = carry_out(change, os.path.join(opened.paths.state_home, "backups"))
    for path in fixes.executable:
        files.make_executable(path)


def rule(arguments: list[str]) -> int:
    """Explains one code, or lists all."""
    parser = common.parser("rule", "What a code of `check` and `doctor` means.", "hookline rule dead-matcher")
    parser.add_argument("code", metavar="CODE", nargs="?", help="the code in brackets (default: list them)")
    options = parser.parse_args(arguments)
    codes = known_codes()
    if options.code is None:
        sys.stdout.write(table(("code", "means"), [(name, row.title) for name, row in sorted(codes.items())]))
        return 0
    if options.code not in codes:
        hint = suggestion(options.code, codes, "`hookline rule` lists them")
        raise UsageError(f"rule: no code `{options.code}`", hint)
    row = codes[options.code]
    example = "".join(f"    {line}\n" for line in row.example.splitlines())
    sys.stdout.write(
        laid_out(f"{row.name}: {row.title}\n\n{row.text}\n\nexample:\n{example}\nfix: {row.fix}\n")
    )
    return 0


def home_of(opened: Opened) -> str:
    """The home folder that `~` means for this command."""
    return files.home(opened.engine.environment)


def unasked_models(opened: Opened) -> Iterator[Problem]:
    """A warning for each prompt and agent hook that nobody could answer outside a session (`run`, `serve`)."""
    asking = [spec for spec in opened.hooks.specs if isinstance(spec.action, PromptCheck) and spec.enabled]
    if not asking:
        return
    from hookline.hosts.user_judge import judge_fault  # brings the agents' clients, and asyncio, with it

    fault, _, hint = judge_fault(opened).partition("; ")
    for spec in asking if fault else ():
        words = f"a model must answer this hook, and outside a session it cannot: {fault}"
        # an agent asks a model of its own
        severity = "notice" if is_agent(spec.dialect) else "warning"
        yield Problem(spec.source, spec.line, 0, spec.id, "no-judge", words, hint, severity, guards(spec))


def read_options(arguments: list[str]) -> Options:
    """The options of a command line. Raises UsageError."""
    from hookline.cli import flags

    parser = common.parser(
        "check",
        "Every problem of every hook config, with its place and what to do.",
        "hookline check --strict",
    )
    parser.add_argument(
        "files", metavar="FILE", nargs="*", help="only these files (default: all that are read)"
    )
    parser.add_argument("--dialect", action="append", metavar="NAME", help="only that dialect (repeatable)")
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    parser.add_argument("--fix", action="store_true", help="mend what a program can, with a copy of what was")
    parser.add_argument("--diff", action="store_true", help="only show what `--fix` would change")
    flags.add_formats(parser, FORMATS)
    given = vars(parser.parse_args(arguments))
    return Options(**{**given, "files": tuple(given["files"])})


def _of_files(problems: Sequence[Problem], files: Sequence[str], opened: Opened) -> tuple[Problem, ...]:
    wanted = {os.path.realpath(file) for file in files}
    paths = paths_of(opened.hooks)
    return tuple(p for p in problems if os.path.realpath(paths.get(p.source, p.source)) in wanted)


def _summary(every: Sequence[Opened], problems: Sequence[Problem]) -> str:
    states = [state for opened in every for state in file_states(opened.hooks.loaded)]
    odd = [f"{state.source} is {state.state}" for state in states if state.state not in ("read", "missing")]
    counts = Counter(problem.severity for problem in problems)
    words = [
        counted(sum(len(usable(opened.hooks.specs)) for opened in every), "hook"),
        counted(counts["error"], "error"),
        counted(counts["warning"], "warning"),
        *([counted(counts["notice"], "notice")] if counts["notice"] else ()),
    ]
    return "; ".join([", ".join(words), *dict.fromkeys(odd)])
