"""`touches = "guards"`: an agent must not get rid of its guards, by no plain way and under no other name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.program import Program

from hookline import Engine, make_event, open_engine
from hookline.dialects import REGISTRY, names, readable
from hookline.dialects.base import Places
from hookline.dialects.hookline import guard_places

RULE = '[[hooks]]\nevent = "PreToolUse"\ntouches = "guards"\ndeny = "these are the rules you work under"\n'


def verdict(program: Program, tool: str, **given: Any) -> str:
    payload = {"tool_name": tool, "tool_input": given}
    done = program("fire", "PreToolUse", "--json", stdin=json.dumps(payload))
    return str(json.loads(done.stdout)["verdict"])


@pytest.mark.parametrize(
    "path",
    [
        ".hookline/hooks.toml", ".hookline/new.sh", ".claude/settings.json", ".claude/settings.local.json",
        "./sub/../.claude/settings.json", ".CLAUDE/Settings.json", ".gen/settings.json", ".cursor/hooks.json",
        ".github/hooks/x.json", ".discobot/hooks/check", ".iteratr.hooks.yml", ".git/config", ".git/hooks/pre-commit",
        "link/settings.json", "~/.config/hookline/trust.json",
    ],
)  # fmt: skip
def test_no_tool_writes_hooks_or_trust(program: Program, path: str) -> None:
    """Paths that do not exist yet, other spellings and links included."""
    program.write(".hookline/hooks.toml", RULE)
    (program.workspace / ".claude").mkdir(exist_ok=True)
    (program.workspace / "link").symlink_to(".claude")
    assert verdict(program, "Write", file_path=path, content="x") == "deny"
    assert verdict(program, "Edit", file_path=path, old_string="a", new_string="b") == "deny"
    assert verdict(program, "Read", file_path=path) == "none"


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("rm -rf .hookline", "deny"),
        ("echo '{}' > .claude/settings.json", "deny"),
        ("cd src && chmod -x ../.discobot/hooks/check", "deny"),
        ("cd .hookline && echo x >> hooks.toml", "deny"),
        ("(cd '.claude'; sed -i s/a/b/ settings.json)", "deny"),
        ("ln -sfn elsewhere .claude", "deny"),
        ("mv .git away", "deny"),
        ("git commit --no-verify -m x", "deny"),
        ("git commit -nm x", "deny"),
        ("git config core.hooksPath /dev/null", "deny"),
        ("git -c core.hookspath= commit -m x", "deny"),
        ("HOOKLINE_TRUST=workspace make", "deny"),
        ("hookline trust --yes", "deny"),
        ("echo $(hookline disable x)", "deny"),
        ("sed -i s/a/b/ .git/config", "deny"),
        ("find .hookline -delete", "deny"),
        ("cat .claude/settings.json", "none"),
        ("git diff .hookline/hooks.toml | head", "none"),
        ("git commit -m 'now'", "none"),
        ("hookline check && hookline list", "none"),
        ("npm test > out.txt", "none"),
        ("cd src && ls ../.claude && make > out.txt", "none"),
    ],
)
def test_no_command_changes_or_goes_around_them(program: Program, command: str, found: str) -> None:
    program.write(".hookline/hooks.toml", RULE)
    assert verdict(program, "Bash", command=command) == found


def test_it_holds_in_front_of_another_agent_under_its_names(program: Program) -> None:
    program.write(".hookline/hooks.toml", RULE)
    payload = {
        "session_id": "s", "hook_event_name": "BeforeTool", "tool_name": "write_file",
        "tool_input": {"file_path": ".gemini/settings.json", "content": "{}"},
    }  # fmt: skip
    done = program("bridge", "gemini", "--event", "BeforeTool", stdin=json.dumps(payload))
    assert json.loads(done.stdout)["decision"] == "deny"


def test_it_says_nothing_else_than_guards(program: Program) -> None:
    program.write(".hookline/hooks.toml", RULE.replace('"guards"', '"everything"'))
    assert program("check").returncode == 1


Asked = Callable[..., str]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the rule says of a shell line, or of another tool's call, in the folder `w` below the home folder."""
    (tmp_path / "w/.hookline").mkdir(parents=True)
    (tmp_path / "w/.hookline/hooks.toml").write_text(RULE)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    workspace = str(tmp_path / "w")
    engine = Engine(open_engine(workspace, environment={}, history=False).engine.hooks.specs)

    def ask(line: str = "", tool: str = "Bash", **given: Any) -> str:
        call = {"tool_name": tool, "tool_input": given or {"command": line}}
        event = make_event("PreToolUse", cwd=workspace, workspace=workspace, **call)
        return engine.fire_now(event).verdict.name.lower()

    return ask


def files_read(places: Places) -> Iterator[str]:
    """Every file that any dialect takes hooks from; where it takes all of a folder, one of them."""
    for each in readable(names()):
        for file in getattr(getattr(each, "agent", None), "files", ()):
            path = file.path.format(ws=places.workspace, home=places.home, config=places.config_home)
            yield path.replace("*", "other") + "/PreToolUse" * each.agent.scripts
        for source in each.sources(places):
            yield source.path + "/PreToolUse" * (source.format == "scripts")


def test_every_file_that_an_agent_takes_hooks_from_is_a_guard(asked: Asked, tmp_path: Path) -> None:
    home = str(tmp_path)
    found = dict.fromkeys(files_read(Places(f"{home}/w", home, f"{home}/.config")))
    assert len(found) > 100
    lines = [form.format(path) for path in found for form in ("echo x > '{}'", "rm '{}'", "mv '{}' ../away")]
    assert [line for line in lines if asked(line) != "deny"] == []
    given: dict[str, Any] = {"content": "x", "old_string": "a", "new_string": "b"}
    calls = [(tool, path) for path in found for tool in ("Edit", "Write")]
    assert [call for call in calls if asked(tool=call[0], file_path=call[1], **given) != "deny"] == []
    assert [path for path in found if asked(f"cat '{path}'") != "none"] == []


def test_so_is_an_agents_folder_as_a_whole(asked: Asked, tmp_path: Path) -> None:
    lines = [
        "rm -rf .kiro", "mv .opencode x", "rm -rf .tabnine/agent", "git rm -rq .windsurf", "ln -sfn /tmp/x .qwen",
        "rm -rf ~/.config/crush", "rm -rf ~/.codeium", "chmod -R 000 .factory", "rm -rf /etc/codex",
    ]  # fmt: skip
    assert [line for line in lines if asked(line) != "deny"] == []
    shared = ["rm -rf .github", "rm -rf .agents", "mv ~/Documents x"]
    assert [line for line in shared if asked(line) != "none"] == []
    for path in ("w/.github/hooks", "w/.agents/plugins", "Documents/Cline/Hooks"):
        (tmp_path / path).mkdir(parents=True)
    assert [line for line in shared if asked(line) != "deny"] == []


def test_what_is_unpacked_into_an_agents_folder_counts_where_there_is_one(
    asked: Asked, tmp_path: Path
) -> None:
    lines = ["unzip x.zip -d .deepagents", "tar xf x.tar -C .codex", "7z x y.7z -o.deepagents"]
    assert [line for line in lines if asked(line) != "none"] == []
    for name in (".deepagents", ".codex"):
        (tmp_path / "w" / name).mkdir()
    assert [line for line in lines if asked(line) != "deny"] == []
    assert [line for line in ("unzip x -d .kiro/hooks", "cp -r x .qwen") if asked(line) != "deny"] == []


def test_folders_that_a_variable_names_are_guarded_as_well(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        "rm /srv/cc/settings.json",
        "echo x > /srv/conf/crush/crush.json",
        "rm -rf ~/hermes",
        "rm /srv/cc/s*.json",
    ]
    assert [line for line in lines if asked(line) != "none"] == []
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/srv/cc/")
    monkeypatch.setenv("XDG_CONFIG_HOME", "/srv/conf")
    monkeypatch.setenv("HERMES_HOME", "~/hermes")
    assert [line for line in lines if asked(line) != "deny"] == []
    assert asked("rm /srv/cc/notes.md /srv/conf/crush.json") == "none"


def test_places_of_other_packages_agents_are_guarded(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    class Added:
        places = ("{ws}/.acme/rules.toml", "{config}/acme", "{ws}/acme.json")

    lines = ["rm .acme/rules.toml", "rm -rf .acme", "rm ~/.config/acme/settings.json", "rm acme.json"]
    assert [line for line in lines if asked(line) != "none"] == []
    monkeypatch.setattr(guard_places, "names", lambda: (*names(), "acme"))
    monkeypatch.setattr(guard_places, "readable", lambda wanted: [Added()] if "acme" in wanted else [])
    assert [line for line in lines if asked(line) != "deny"] == []


PATTERNS = [
    "rm -rf .*", "rm -rf .??*", "rm -rf ./.[a-z]*", "mv .* /tmp", "find . -mindepth 1 -delete",
    "find . -type f -mtime +9 -delete",
    "rm .kiro/agents/*.json", "rm .kiro/agents/x*", "rm ~/.aws/amazonq/cli-agents/dev.j*", "rm -rf ~/.aws/amazonq",
    "rm .claude/s*.json", "rm .claude/settings.*", "rm .claude/*.json", "sed -i s/a/b/ .claude/*.json",
    "cp x .claude/*.json", "find .claude -name '*.json' -delete", "rm .{claude,gemini}/settings.json",
    "rm .claud?/settings.json", "rm .[cg]laude/settings.json", "ls .claude/*.json | xargs rm",
    "git ls-files '.claude/*.json' | xargs rm", "fd -e json . .claude | xargs rm",
    "cd .claude && ls *.json | xargs rm", 'for f in .claude/*; do rm "$f"; done', "rm .cl*/settings.json",
    "rm -rf .tab*/agent", "rm .kiro/h*/*.json", "rm .CLAUDE/S*.json", "find . -name 'settings*.json' -delete",
    "find . -path '*.claude/*' -delete", "find . -path './.codex/*.toml' -exec sed -i s/a/b/ {} +",
    "find . -path '*/.qwen/settings.json' -delete", "find . -name '*.toml' -path './.vibe/*' -delete",
    "find . -path './.vibe/*' -delete", "rm cr*.json", "rm .crush.*", "rm ~/.config/crush/*.json",
    "rm .github/ho*/a.json", "chmod -x .claude/*/*.sh", "prettier --write '.claude/*.json'",
    "biome check --apply .claude/settings.json", "taplo fmt .hookline/hooks.toml", "mdformat .claude/settings.json",
    "ruff check --fix .claude/hooks/x.py", "crudini --set .claude/settings.json a b c",
    "rm ~/Documents/Cline/H*/P*", "rm .lefthook.*", "truncate -s0 .qwen/**/*", "rm ~/.claude/plug*/**/hooks.json",
]  # fmt: skip
WRITTEN = [
    ".kiro/agents/notes.md", ".kiro/agents/prompts/x.json", ".aws/amazonq/notes.json",
    ".vscode/settings.json", ".cargo/config.toml", "sub/crush.json", ".opencode/agent/x.md", ".claude/commands/x.md",
    ".claude/agents/x.md", ".claude/skills/x/SKILL.md", ".cursor/rules/x.mdc", ".cursor/mcp.json", ".kiro/specs/x.md",
    ".gemini/GEMINI.md", ".github/workflows/ci.yml", ".github/copilot-instructions.md", "~/.config/foo/config.toml",
    "config.json", "src/settings.json", "src/hooks/useX.ts", "src/plugins/x.ts", "hooks.json", ".clinerules/x.md",
    ".windsurf/rules/x.md", ".agents/skills/x/SKILL.md", ".codex/prompts/x.md", ".factory/droids/x.md",
    ".pi/prompts/x.md", ".storybook/config.json", ".crushignore", "docs/crush.json",
    ".devcontainer/devcontainer.json", ".gitignore",
]  # fmt: skip
NEIGHBOURS = [
    "rm -f src/.*", "find build -mindepth 1 -delete", "find . -type d -empty -delete", "find . -name '*.pyc' -delete",
    "cp .* /tmp",
    "mkdir -p .kiro .opencode/agent .claude/hooks", "rm .github/workflows/*.yml",
    "prettier --write '.github/**/*.yml'", "prettier --write .github/**/*.json", "prettier --write '.claude/**/*.md'",
    "prettier --write .claude/commands/*.md", "rm -rf .*_cache", "rm -rf .n*", "rm -rf dist/*.json", "rm *.json",
    "rm -f c*.json", "rm ~/.config/foo/*.json", "sed -i s/a/b/ ~/.config/*/config.toml",
    "sed -i s/a/b/ src/*/settings.json", "ls .claude/*.json", "cat .claude/*.json",
    "git ls-files '*.json' | xargs prettier --write", "find . -name config.json -exec sed -i s/a/b/ {} +",
    "find . -path '*/.claude/*' -name '*.md' -exec sed -i s/a/b/ {} +", "find . -path '*/node_modules/*' -delete",
    "find . -not -path '*/.git/*' -name '*.py' -exec sed -i s/a/b/ {} +", "rm -rf .git*ignore", "rm -rf Documents/*",
    "mv .kiro/specs/a .kiro/specs/b", "cp .claude/settings.json /tmp/x.json", "tar czf x.tgz .claude",
    "rm -rf ~/.config/c*",
]  # fmt: skip


@pytest.mark.parametrize("line", PATTERNS)
def test_a_pattern_that_means_a_guard_is_met(asked: Asked, line: str) -> None:
    assert asked(line) == "deny"


def test_what_stands_beside_guards_is_left_alone(asked: Asked) -> None:
    lines = [*(f"echo x > {path}" for path in WRITTEN), *NEIGHBOURS]
    assert [line for line in lines if asked(line) != "none"] == []


def test_a_plugins_folder_counts_where_it_has_hooks(asked: Asked, tmp_path: Path) -> None:
    line = "rm -rf ~/.claude/plugins/cache/acme"
    assert asked(line) == "none"
    (tmp_path / ".claude/plugins/cache/acme/hooks").mkdir(parents=True)
    assert asked(line) == "deny"
    assert asked("rm ~/.claude/plugins/cache/acme/hooks/hooks.json") == "deny"
    assert asked("rm ~/.claude/plugins/cache/acme/README.md") == "none"


AROUND = [
    "HOME=/tmp/x claude -p hi", "XDG_CONFIG_HOME=/tmp/x opencode run hi", "env HOME=/tmp claude -p hi",
    "opencode run --pure hi", "kilo --pure", "kiro-cli chat --trust-all-tools hi", "HERMES_SAFE_MODE=1 hermes",
    "HERMES_HOME=/tmp/x hermes chat", "COPILOT_HOME=/tmp/x copilot -p hi", "export HERMES_HOME=/tmp/x",
    "vibe --yolo", "npx @anthropic-ai/claude-code --dangerously-skip-permissions -p hi",
    "npx -y @openai/codex --yolo", "pkill hookline", "pkill -f hookline", "pkill -f '[h]ookline'",
    "pkill -9 -f 'hookline bridge'", "killall hookline", "kill $(pgrep -f hookline)", "kill -9 `pidof hookline`",
    'kill $(pgrep -f "hookline bridge" 2>/dev/null)', "HOOKLINE_PROBE=1 git commit -m x",
    "HOOKLINE_DEPTH=9 git commit -m x", "env HOOKLINE_DEPTH=9 git commit -m x",
    "export HOOKLINE_PROBE=1; git commit -m x", "HOME=/tmp/x git commit -m x",
    "XDG_CONFIG_HOME=/tmp/x git commit -m x", "GIT_CONFIG_GLOBAL=/tmp/g git commit -m x",
    "GIT_DIR=/tmp/g git commit -m x", "hookline check --fix", "hookline fleet hold --bus nats://x",
    "hookline fleet publish p --bus nats://x", "hookline run --untrusted skip x",
    "hookline serve --permission-mode bypassPermissions",
    "hookline convert claude hookline -o .hookline/hooks.toml", "unzip x.zip .claude/settings.json",
    "cpio -idv .claude/settings.json < x.cpio",
]  # fmt: skip
USUAL = [
    "hookline check", "hookline check --fix --diff", "hookline check --strict --json",
    "hookline fleet status --bus nats://x", "hookline run x", "hookline convert claude hookline",
    "hookline convert claude hookline -o /tmp/x.toml", "HOME=/tmp npm install", "HOME=/tmp/x git status",
    "HOME=/tmp git clone https://github.com/a/b", "GIT_DIR=.git git log", "GIT_CONFIG_GLOBAL=/dev/null git init x",
    "pkill -0 hookline", "pgrep -f hookline", "ps aux | grep hookline", "unzip x.zip src/a.txt",
    "unzip -l x.zip .claude/settings.json", "unzip -p x.zip .claude/settings.json", "claude -p hi", "codex exec hi",
    "opencode run hi", "kiro-cli chat hi", "git commit -m x", "FOO=1 git commit -m x",
    "GIT_AUTHOR_NAME=a git commit -m x", "cpio -it < x.cpio", "kill $(pgrep -f node)", "kill $(lsof -t -i:3000)",
]  # fmt: skip


def test_no_line_goes_around_guards_by_another_home_or_by_ending_them(asked: Asked) -> None:
    assert [line for line in AROUND if asked(line) != "deny"] == []
    assert [line for line in USUAL if asked(line) != "none"] == []


def test_a_variable_that_moves_an_agents_folder_is_known(asked: Asked) -> None:
    moving = {place[1:] for row in REGISTRY.values() for place in row.places if place[:1] == "$"}
    assert len(moving) > 3
    assert [name for name in moving if asked(f"{name}=/tmp/x make") != "deny"] == []
