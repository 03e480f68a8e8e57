"""GitHub Copilot CLI: flat files in a folder, two payload spellings, fail-closed before tools.

Seen by running CLI 1.0.102, else from its documentation and third-party probes. Copilot also runs the hooks of
`.claude/settings.json`; those are read by the Claude Code dialect alone.
"""

from __future__ import annotations

from hookline.dialects.base import Loaded, Source
from hookline.dialects.bridged.payloads import read_agent_event, require_object
from hookline.dialects.bridged.rules import AgentRule, Sharing
from hookline.dialects.copilot.payloads import copilot_payload, read_fields
from hookline.dialects.copilot.rules import EVENTS_LIKE_CLAUDE, ROWS, SAYS, SOURCE, TOOLS, is_pascal
from hookline.dialects.family import FamilyDialect
from hookline.dialects.family.columns import Agent, File
from hookline.dialects.keys import (
    ALLOWED_ENV,
    ARGS,
    HEADERS,
    LINE,
    PROMPT,
    PROMPTS,
    TIMEOUT,
    URL,
    Key,
    Switch,
)
from hookline.dialects.matching.matchers import Compiled
from hookline.dialects.reading.json_hooks import Entry
from hookline.dialects.reading.reader import Reader
from hookline.dialects.tools import CANONICAL, call_names
from hookline.model.events import Event, EventKind
from hookline.model.hooks import Action
from hookline.model.record import replace
from hookline.model.results import Decision, Outcome, RawResult, Verdict
from hookline.model.typing import Any, Mapping, Sequence
from hookline.system.modules import attribute

ABOUT_THE_TURN = frozenset({EventKind.Stop, EventKind.UserPromptSubmit, EventKind.UserPromptExpansion})


class CopilotDialect(FamilyDialect):
    """Copilot CLI as a config reader, as the way its hooks talk, and as a host."""

    has_profile = True

    def is_noise(self, event: Event) -> bool:
        """A subagent's prompt and its `agentStop`: subagentStart and subagentStop tell of the same."""
        return bool(event.agent_id) and event.kind in ABOUT_THE_TURN

    # -- config ---------------------------------------------------------------------------------

    def check_file(self, root: Reader, source: Source) -> None:
        if not self._own("is_settings")(source):
            super().check_file(root, source)
            self._own("tell_lost_lists")(root, self.sharing(source))

    def action_of(self, entry: Entry) -> tuple[Action | None, str]:
        found: tuple[Action | None, str] = self._own("action_of")(entry)
        return found

    def sharing(self, source: Source) -> Sharing:
        """VS Code reads neither settings nor a policy."""
        return (
            self.shared if source.scope != "managed" and not self._own("is_settings")(source) else Sharing()
        )

    def compiled(self, row: AgentRule | None, text: str | None) -> Compiled:
        found: Compiled = self._own("compiled")(row.native if row else "", text)
        return found

    def known_tools(self, native: str) -> tuple[str, ...]:
        known = super().known_tools(native)
        return (*CANONICAL, *known) if native in EVENTS_LIKE_CLAUDE else known

    def combine(self, loaded: Sequence[Loaded]) -> Sequence[Loaded]:
        found: Sequence[Loaded] = self._own("combine")(loaded)
        return found

    def _own(self, name: str) -> Any:
        return attribute("hookline.dialects.copilot.config", name)

    # -- one hook -----------------------------------------------------------------------------------

    def subject_values(self, rule: AgentRule, event: Event) -> object:
        """Claude Code's tool names too where the event is spelled as Claude Code spells it."""
        if rule.native in EVENTS_LIKE_CLAUDE:
            return tuple(dict.fromkeys((*call_names(event), *self.tool_words(event))))
        return super().subject_values(rule, event)

    def payload(self, event: Event, rule: AgentRule) -> dict[str, Any]:
        return copilot_payload(event, rule)

    def meaning(self, rule: AgentRule, raw: RawResult) -> Outcome:
        from hookline.dialects.copilot.output import read_copilot_output

        return read_copilot_output(self.agent, rule, raw)

    # -- as a host ----------------------------------------------------------------------------------

    def read_event(self, native: str, payload: Mapping[str, Any]) -> Event:
        """The event Copilot reports; camelCase payloads do not name it, so `native` must."""
        given = dict(require_object(payload, self.title))
        row = self.reported_row(native, given)
        return read_agent_event(row.kind, self.name, given, read_fields(row.native, given))

    def sayable(self, event: Event, fitted: Decision) -> Decision:
        """After the fact a denial is a text for the model; what a request is about is asked without an answer."""
        if self.host_row(event).feedback and fitted.blocked:
            return replace(
                fitted, verdict=Verdict.NONE, reprompt=None, contexts=(fitted.why, *fitted.contexts)
            )
        if fitted.verdict is not Verdict.ASK:
            return fitted
        asked = event.kind is EventKind.PermissionRequest
        return replace(fitted, verdict=Verdict.NONE) if asked else replace(fitted, reason=fitted.why)


# by microsoft/vscode, hookSchema.ts and hookTypes.ts
VS_CODE = Sharing(
    "VS Code",
    events=frozenset({
        "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop", "SubagentStart",
        "SubagentStop",
    }),
    also={
        "sessionStart": "SessionStart", "userPromptSubmitted": "UserPromptSubmit", "preToolUse": "PreToolUse",
        "postToolUse": "PostToolUse", "agentStop": "Stop", "subagentStop": "SubagentStop",
    },
    lines=("linux", "osx", "windows"),
    groups=True,
)  # fmt: skip

DIALECT = CopilotDialect(
    Agent(
        name="copilot",
        title="GitHub Copilot",
        program="copilot",
        sources=SOURCE,
        # in the order their hooks run, as the hooks reference has it
        files=(
            File("managed", "/etc/github-copilot/policy.d/*.json"),
            File("user", "{home}/.copilot/hooks/*.json"),
            File("user", "{home}/.copilot/settings.json"),
            File("project", "{ws}/.github/hooks/*.json"),
            File("project", "{ws}/.github/copilot/settings.json"),
            File("local", "{ws}/.github/copilot/settings.local.json"),
        ),
        moved=("COPILOT_HOME", "{home}/.copilot"),
        version=1,
        rows=ROWS,
        tools=TOOLS,
        flat=True,
        keys=(
            Key("type", "command|http|prompt", words="what kind of hook it is"),
            *(Key(name, "line", handlers=LINE, required=True) for name in ("bash", "powershell", "command", "exec")),
            replace(ARGS, words="arguments of `exec`"), URL, HEADERS, ALLOWED_ENV,
            Key("cwd", "text", "means.cwd", "where it runs"),
            Key("env", "map", "env", "further variables"), replace(TIMEOUT, name="timeoutSec"), TIMEOUT,
            replace(PROMPT, handlers=PROMPTS), Key("comment"),
            *(Key(name, words="the line there") for name in ("windows", "linux", "osx")),
        ),
        infers_type=True,
        reports_each=True,
        shared=VS_CODE,
        never=frozenset(row.native for row in ROWS if is_pascal(row.native)),
        matching="fullregex",
        order="sequential",
        timeout_s=30.0,
        says=SAYS,
        no_reason="Denied by hook",
        denies_by_exit=False,
        named="free",
        switches=(Switch("disableAllHooks", True, "`disableAllHooks` is set", "remove it from the settings"),),
        environment={
            "CLAUDE_PROJECT_DIR": "{project}", "COPILOT_PROJECT_DIR": "{project}", "COPILOT_CLI": "1",
            "COPILOT_HOOK_DIR": "{folder}",
        },
        runs_in="project",
        project_variable="COPILOT_PROJECT_DIR",
        needs=(
            "Copilot reads `.claude/settings.json` as well: install for one of the two, or calls arrive twice",
            "Copilot's cloud agent has no hookline: its hooks run on GitHub's machines, from the default branch",
        ),
    )
)  # fmt: skip
