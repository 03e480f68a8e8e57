"""The front matter fields of a Discobot hook: one row each, for reading, schema and docs."""

from __future__ import annotations

from hookline.dialects.keys import Key
from hookline.model.events import EventKind
from hookline.model.typing import Mapping

# type: (event, time limit in seconds)
TYPES: Mapping[str, tuple[EventKind, float]] = {
    "session": (EventKind.SessionStart, 300.0),
    "file": (EventKind.FilesChanged, 900.0),
    "pre-commit": (EventKind.PreCommit, 900.0),
}
PHASES = ("review",)


_SESSION, _FILE, _COMMIT = (frozenset({name}) for name in TYPES)
FIELDS = (
    Key("name", "text", "name", "what people call the hook"),
    Key("type", "|".join(TYPES), words="when the hook runs", required=True),
    Key("description", "text", "description", "what it is for"),
    Key("pattern", "matcher", "matcher", "glob of the files it checks", handlers=_FILE, required=True),
    Key("timeout", "time", "timeout_s", "seconds, or a time such as `2s` or `500ms`"),
    Key(
        "blocking", "tristate", "blocking", "`true` tries it up to ten times before the agent starts, `false` runs it "
        "beside the agent", handlers=_SESSION,
    ),
    Key("run_as", "root|user", "means.run_as", "whose rights it has", "user", _SESSION),
    Key("notify_llm", "tristate", "conduct.notify_llm", "send a failure back to the agent", True, _FILE | _COMMIT),
    Key("git_env", "tristate", "options.git_env", "`false` hides git's own variables", True, _COMMIT),
    Key("ignore", "globs", "options.ignore", "globs of files it does not check", handlers=_FILE),
    Key("exclude", "globs", "options.ignore", "the same as `ignore`", handlers=_FILE),
    Key("phase", "|".join(PHASES), "conduct.phase", "run only in this phase of a thread", handlers=_FILE),
    Key(
        "on_failure", "stop|continue", "conduct.continue_on_failure", "`continue` lets later hooks run after a failure",
        "stop", _FILE, means={"stop": False, "continue": True},
    ),
    Key(
        "baseline", "flag", "conduct.baseline", "`true` runs it before a session begins; what it says then the agent "
        "is not asked to mend", handlers=_FILE,
    ),
    Key(
        "engine", "script|ai", words="what carries the hook out; `ai`: a model judges by the Markdown below the fields "
        "(file hooks)", default="script",
    ),
)  # fmt: skip
NAMES = tuple(key.name for key in FIELDS)
