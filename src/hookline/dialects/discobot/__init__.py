"""Discobot: executable scripts in `.discobot/hooks/` for session start, the end of a turn, and commits.

Source: Discobot's Hooks Module document; where it is silent, its implementations.

Beside the canonical fields a host may send `run_as_user` (the unprivileged user of a root host), `phase` (of
the thread), `container_started` (session hooks have had their turn), and `attempt` and `max_attempts` (of
re-prompts, 1 and 3 when left out).
"""

from __future__ import annotations

import os.path

from hookline.dialects.base import Dialect, EventRule, Loaded, Places, Source, SourceText, goes_on
from hookline.dialects.discobot.fields import FIELDS
from hookline.dialects.discobot.frontmatter import unique_ids
from hookline.dialects.discobot.message import failure_message, short_message
from hookline.dialects.discobot.script import read_script
from hookline.dialects.file_hooks import MAX_ATTEMPTS, exit_number, log_text, matching_files
from hookline.dialects.plain_text import bounded, one_line, plain_text
from hookline.model.events import Event, EventKind
from hookline.model.hooks import HandlerInput, HookSpec, PromptCheck
from hookline.model.record import replace
from hookline.model.results import SILENT, Decision, Outcome, RawResult, Response, Verdict
from hookline.model.short_json import write_json
from hookline.model.typing import Any, Iterable, Mapping, Sequence

SWITCH = "DISCOBOT_HOOKS_ENABLED"
IGNORE_PATH = ".discobot/hooks/ignore"
# Linux refuses one variable of 128 KiB, its name included.
MAX_LIST_BYTES = 120 * 1024
MAX_JSON_BYTES = 32 * 1024
MAX_DENIAL_BYTES = 64 * 1024
OUTPUT_LIMIT = 1024 * 1024
_SPECIAL_TO_A_SHELL = frozenset(" \t\n\r\v\f*?[")


class Discobot(Dialect):
    """Scripts talk by exit code and merged output; their input is the environment alone."""

    name = "discobot"
    title = "Discobot"
    rules: Mapping[EventKind, EventRule] = {
        EventKind.SessionStart: EventRule(
            "session", EventKind.SessionStart, timeout_s=300.0, cite="Hooks Module, Session Hooks"
        ),
        EventKind.FilesChanged: EventRule(
            "file", EventKind.FilesChanged, "files", frozenset({"reprompt"}), stop_at="failure",
            timeout_s=900.0, cite="Hooks Module, File Hooks",
        ),
        EventKind.PreCommit: EventRule(
            "pre-commit", EventKind.PreCommit, "", frozenset({"deny"}), stop_at="failure",
            timeout_s=900.0, cite="Hooks Module, Pre-commit Hooks",
        ),
    }  # fmt: skip

    # -- config ---------------------------------------------------------------------------------

    def sources(self, places: Places) -> Sequence[Source]:
        """The hooks directory; it is labelled `off` when DISCOBOT_HOOKS_ENABLED says so."""
        label = "" if places.variables.get(SWITCH, "true") == "true" else "off"
        return (places.source("project", "{ws}/.discobot/hooks", "scripts", label),)

    def parse(self, given: SourceText) -> Loaded:
        """One script (or the whole directory, when there is none to look into)."""
        if given.path == given.source.path:
            return Loaded(given.source, given.state)
        return read_script(given)

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        """Unique ids, in the order of the files, and the globs of the `ignore` file on every file hook."""
        names = [os.path.basename(spec.path) for entry in loaded for spec in entry.specs]
        ids = iter(unique_ids(names))
        ignored = tuple(glob for entry in loaded for glob in entry.settings.get("ignore", ()))
        return [
            replace(entry, specs=tuple(_placed(spec, next(ids), ignored) for spec in entry.specs))
            for entry in loaded
        ]

    def schema(self) -> Mapping[str, Any]:
        """The front matter's fields as one object."""
        from hookline.dialects.schemas import handler_schema

        title = {"title": "Discobot hook front matter"}
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", **title, **handler_schema(FIELDS)}

    # -- one hook ---------------------------------------------------------------------------------

    def skip_reason(self, spec: HookSpec, event: Event) -> str | None:
        """File hooks sit out a turn that changed no file of theirs, or a thread in another phase.

        Session hooks set up a machine, so a session that goes on after a `clear` or `compact` starts none.
        """
        if spec.kind == EventKind.SessionStart:
            started = event.get("container_started")
            return "runs when the container starts, not with each session" if started else goes_on(event)
        if spec.kind != EventKind.FilesChanged:
            return None
        phase = spec.conduct.phase
        if phase and event.get("phase") != phase:
            return f"runs only in phase `{phase}`, and this is {event.get('phase') or 'none'}"
        changed = (*(event.get("files") or ()), *(event.get("deleted_files") or ()))
        return None if matching_files(spec, changed) else _mismatch_words(spec, changed)

    def hook_input(self, event: Event, spec: HookSpec) -> HandlerInput:
        """Environment only, standard input empty, working directory the workspace; a model gets the change."""
        if isinstance(spec.action, PromptCheck):
            return _question(event, spec)
        env = {
            "DISCOBOT_HOOK_TYPE": spec.native_event,
            "DISCOBOT_SESSION_ID": event.session_id,
            "DISCOBOT_WORKSPACE": event.workspace or event.cwd,
        }
        lists: dict[str, tuple[str, ...]] = {}
        unset: list[str] = []
        notes: list[str] = []
        for variable, paths in _path_variables(event, spec):
            given, absent = path_list(variable, paths)
            env.update(given)
            unset += absent
            lists[f"{variable}_LIST"] = tuple(paths)
            if f"{variable}_OVERFLOW" in given:
                notes.append(
                    f"`{variable}` holds the first 120 KiB of {len(paths)} names, `{variable}_LIST` all"
                )
        return HandlerInput(
            env=env,
            unset=tuple(unset),
            cwd=event.workspace or event.cwd,
            lists=lists,
            merge_output=True,
            output_limit=OUTPUT_LIMIT,
            user=_user(event, spec),
            keep_git_env=bool(spec.options.get("git_env")),
            notes=tuple(notes),
        )

    def read_output(self, event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
        """Exit code 0 is success; what anything else means depends on the type of hook."""
        if isinstance(spec.action, PromptCheck) and not raw.failed:
            return _judged(event, spec, raw)
        if not raw.failed:
            return SILENT
        if spec.kind == EventKind.PreCommit:
            return Outcome(Verdict.DENY, _denial(spec, raw))
        if raw.cancelled:
            return SILENT
        message = short_message(spec, raw)
        if spec.kind != EventKind.FilesChanged or spec.conduct.notify_llm is False:
            return Outcome(reason=message, messages=(message,))
        return Outcome(reason=message, messages=(message,), reprompt=_reprompt(event, spec, raw))

    # -- the host's side --------------------------------------------------------------------------

    def respond(self, event: Event, decision: Decision) -> Response:
        """For git: the reason on stderr and exit code 2 when denied; a re-prompt is printed."""
        if decision.blocked:
            return Response(stderr=f"{decision.reason}\n", exit_code=2)
        return Response(stdout=f"{decision.reprompt}\n" if decision.reprompt else "")


def path_list(variable: str, paths: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """A list of paths as environment variables, and the names that must not be inherited.

    `NAME` is separated by blanks and holds the leading paths that fit; `NAME_OVERFLOW=1` tells that some
    did not, `NAME_AMBIGUOUS=1` that a shell would not split or keep them as they are, `NAME_JSON` has them
    exactly when they are few.
    """
    fitting = _fitting(paths)
    env = {variable: " ".join(fitting)}
    if len(fitting) < len(paths):
        env[f"{variable}_OVERFLOW"] = "1"
    if any(path.startswith("-") or not _SPECIAL_TO_A_SHELL.isdisjoint(path) for path in paths):
        env[f"{variable}_AMBIGUOUS"] = "1"
    if len(env[variable]) <= MAX_JSON_BYTES:
        text = f"[{', '.join(write_json([path], ascii_only=True)[1:-1] for path in paths)}]"
        if len(text) <= MAX_JSON_BYTES:
            env[f"{variable}_JSON"] = text
    names = (f"{variable}_{suffix}" for suffix in ("OVERFLOW", "AMBIGUOUS", "JSON"))
    return env, [name for name in names if name not in env]


def _fitting(paths: Sequence[str]) -> Sequence[str]:
    room = MAX_LIST_BYTES
    for index, path in enumerate(paths):
        room -= len(path.encode("utf-8", "surrogatepass")) + 1
        if room < 0:
            return paths[:index]
    return paths


def _path_variables(event: Event, spec: HookSpec) -> Iterable[tuple[str, tuple[str, ...]]]:
    if spec.kind == EventKind.FilesChanged:
        yield "DISCOBOT_CHANGED_FILES", matching_files(spec, event.get("files") or ())
        yield "DISCOBOT_DELETED_FILES", matching_files(spec, event.get("deleted_files") or ())
    elif spec.kind == EventKind.PreCommit:
        yield "DISCOBOT_STAGED_FILES", tuple(event.get("files") or ())


def _user(event: Event, spec: HookSpec) -> str:
    """Who runs a session hook: `root`, the host's unprivileged user, or whoever runs us (empty)."""
    if spec.kind != EventKind.SessionStart:
        return ""
    if spec.means.run_as == "root":
        return "root"
    return str(event.get("run_as_user") or "")


def _reprompt(event: Event, spec: HookSpec, raw: RawResult) -> str:
    files = [
        *matching_files(spec, event.get("files") or ()),
        *(f"{path} (deleted)" for path in matching_files(spec, event.get("deleted_files") or ())),
    ]
    attempt = _number(event.get("attempt"), 1)
    limit = _number(event.get("max_attempts"), MAX_ATTEMPTS)
    return failure_message(
        spec, files, exit_number(raw), log_text(spec, raw), raw.output_path, attempt, limit
    )


def _question(event: Event, spec: HookSpec) -> HandlerInput:
    """What a model judges by its instructions: the change, where there is one."""
    lists = {name: tuple(event.get(name) or ()) for name in ("files", "deleted_files")}
    if spec.kind == EventKind.FilesChanged:
        lists = {name: matching_files(spec, paths) for name, paths in lists.items()}
    payload: dict[str, Any] = {name: list(paths) for name, paths in lists.items()}
    payload["diff"] = str(event.get("diff") or "")
    if spec.kind == EventKind.SessionStart:
        payload = {"workspace": event.workspace or event.cwd}
    return HandlerInput(payload=payload, cwd=event.workspace or event.cwd)


def _judged(event: Event, spec: HookSpec, raw: RawResult) -> Outcome:
    """A model's verdict: `ok` false is a failed hook, and the reason its output."""
    if raw.value.get("ok"):
        return SILENT
    reason = str(raw.value.get("reason") or "no reason given")
    message = f"{spec.native_event} hook `{spec.name}` failed: {one_line(reason)}"
    if spec.kind == EventKind.PreCommit:
        return Outcome(Verdict.DENY, message, products={"failed": True})
    outcome = Outcome(reason=message, messages=(message,), products={"failed": True})
    if spec.kind != EventKind.FilesChanged or spec.conduct.notify_llm is False:
        return outcome
    told = replace(raw, stdout=reason, stderr="", exit_code=1, status_code=1, output_path="")
    return replace(outcome, reprompt=_reprompt(event, spec, told))


def _denial(spec: HookSpec, raw: RawResult) -> str:
    output = bounded(plain_text(raw.stdout + raw.stderr).strip(), MAX_DENIAL_BYTES)
    message = short_message(spec, raw)
    return f"{message}\n{output}" if output else message


def _mismatch_words(spec: HookSpec, changed: Sequence[str]) -> str:
    if not changed:
        return "no file changed"
    pattern = spec.matcher.text if spec.matcher else ""
    if matching_files(replace(spec, options={}), changed):
        return f"every changed file that fits pattern `{pattern}` is ignored"
    shown = ", ".join(f"`{one_line(path)}`" for path in changed[:3]) + (", …" if len(changed) > 3 else "")
    return f"pattern `{pattern}` does not fit {shown}"


def _number(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else default


def _placed(spec: HookSpec, unique: str, ignored: tuple[str, ...]) -> HookSpec:
    if not ignored or spec.kind != EventKind.FilesChanged:
        return replace(spec, id=unique)
    options = {**spec.options, "ignore": (*spec.options.get("ignore", ()), *ignored)}
    # whoever may add a line to that file can silence the hook, so it belongs to what is trusted
    return replace(spec, id=unique, options=options, files=(*spec.files, IGNORE_PATH))


DIALECT = Discobot()
