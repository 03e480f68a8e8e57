"""How each real agent is driven: its command, its variables, and the files it needs to talk to a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

LOOPBACK = Path(__file__).with_name("loopback.py")
COMMANDS = {
    "claude": ("-p", "go", "--allowedTools", "Bash"),
    "codex": (
        "exec",
        "--dangerously-bypass-approvals-and-sandbox",
        "--dangerously-bypass-hook-trust",
        "-c",
        'model_providers.m={name="m",base_url="$MODEL/v1",wire_api="responses",env_key="SCRIPT_KEY"}',
        "-c",
        "model_provider=m",
        "-c",
        "model=gpt-5",
        "-c",
        'projects={"$WORKSPACE"={trust_level="trusted"}}',
        "go",
    ),
    "copilot": ("-p", "go", "--allow-all", "--trust-folder"),
    "gemini": ("-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-flash"),
    "hermes": ("--accept-hooks", "chat", "-q", "go"),
    "opencode": ("run", "--model", "fake/m", "go"),
    "pi": ("--provider", "fake", "--model", "m", "-p", "go"),
    "qwen": ("--auth-type", "openai", "--yolo", "-p", "go"),
}
VARIABLES = {
    "claude": {
        "ANTHROPIC_BASE_URL": "$MODEL", "ANTHROPIC_API_KEY": "dummy", "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    "codex": {"SCRIPT_KEY": "dummy"},
    "copilot": {
        "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_TYPE": "anthropic", "COPILOT_PROVIDER_BASE_URL": "$MODEL",
        "COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "claude-sonnet-4-5", "COPILOT_AUTO_UPDATE": "false",
    },
    "gemini": {
        "GOOGLE_GEMINI_BASE_URL": "$MODEL", "GEMINI_API_KEY": "dummy", "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    "hermes": {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "$MODEL/v1"},
    "opencode": {
        "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_CONFIG_CONTENT": json.dumps({
            "share": "disabled",
            "provider": {"fake": {
                "npm": "@ai-sdk/openai-compatible", "models": {"m": {}},
                "options": {"baseURL": "$MODEL/v1", "apiKey": "dummy"},
            }},
        }),
    },
    "pi": {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
    "qwen": {
        "OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "$MODEL/v1", "OPENAI_MODEL": "m",
        "QWEN_TELEMETRY_ENABLED": "false",
    },
}  # fmt: skip


def isolated() -> list[str] | None:
    """The start of a command line in a network namespace of its own; None where there are none."""
    words = ["unshare", "--net", *(() if os.geteuid() == 0 else ("--map-root-user",))]
    try:
        subprocess.run([*words, "ip", "link", "set", "lo", "up"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return words


def prepare(agent: str, home: Path, workspace: Path) -> list[str]:
    """Writes what the agent needs to begin; the files in which the model's address is still to be put."""
    own = home / ".gemini" / "settings.json"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text(json.dumps({"security": {"auth": {"selectedType": "gemini-api-key"}}}))
    for folder in (workspace / ".opencode", home / ".config/opencode", home / ".opencode"):
        if agent == "opencode":
            beside_plugins(folder)
    models = home / ".pi/agent/models.json"
    models.parent.mkdir(parents=True, exist_ok=True)
    models.write_text(json.dumps({"providers": {"fake": {
        "baseUrl": "$MODEL/v1", "api": "openai-completions", "apiKey": "dummy", "models": [{"id": "m"}],
    }}}))  # fmt: skip
    return [str(models), *(hermes_config(home) if agent == "hermes" else ())]


def hermes_config(home: Path) -> list[str]:
    """The model in front of what its file says already."""
    file = home / ".hermes/config.yaml"
    model = {
        "provider": "custom",
        "default": "m",
        "base_url": "$MODEL/v1",
        "api_key": "dummy",
        "context_length": 65536,
    }
    before = file.read_text() if file.exists() else ""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"model: {json.dumps(model)}\napprovals: {{mode: off}}\n{before}")
    return [str(file)]


def command_of(agent: str, program: str, workspace: Path) -> list[str]:
    return [program, *(word.replace("$WORKSPACE", str(workspace)) for word in COMMANDS[agent])]


def beside_plugins(folder: Path) -> None:
    """What OpenCode would fetch for its plugins, which takes it over a minute where there is no network."""
    package, version = "@opencode-ai/plugin", "1.0.0"
    written = {
        "package.json": {"dependencies": {package: version}},
        f"node_modules/{package}/package.json": {"name": package, "version": version},
        "package-lock.json": {
            "name": "x", "lockfileVersion": 3,
            "packages": {
                "": {"dependencies": {package: version}}, f"node_modules/{package}": {"version": version},
            },
        },
    }  # fmt: skip
    for path, content in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(json.dumps(content))
