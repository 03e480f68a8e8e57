"""How each real agent is driven: its command, its variables, and the files it needs to talk to a scripted model."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LOOPBACK = Path(__file__).with_name("loopback.py")
# Each turn has a network of its own, so that these are always free.
MODEL, PORT = "http://127.0.0.1:18080", "18081"
COMMANDS = {
    "claude": ("-p", "go", "--allowedTools", "Bash"),
    "cline": ("-P", "openai-compatible", "-m", "m", "please go"),
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
    "deepagents": (
        "-n",
        "go",
        "-S",
        "all",
        "--trust-project-hooks",
        "--no-mcp",
        "--no-interpreter",
        "-M",
        "openai:m",
        "--model-params",
        '{"base_url": "$MODEL/v1", "use_responses_api": false}',
    ),
    "droid": ("exec", "--skip-permissions-unsafe", "-m", "custom:m", "go"),
    "gemini": ("-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-flash"),
    "hermes": ("--accept-hooks", "chat", "-q", "go"),
    "kilo": ("run", "--auto", "--attach", "http://127.0.0.1:$PORT", "--model", "fake/m", "go"),
    "opencode": ("run", "--attach", "http://127.0.0.1:$PORT", "--model", "fake/m", "go"),
    "pi": ("--provider", "fake", "--model", "m", "-p", "go"),
    "qwen": ("--auth-type", "openai", "--yolo", "-p", "go"),
    "vibe": ("-p", "go", "--auto-approve", "--trust"),
}
PROGRAMS = {"deepagents": "dcode"}


def _offline(prefix: str) -> dict[str, str]:
    """The variables of OpenCode, and of an agent made from it, which has them under another name."""
    model = {
        "npm": "@ai-sdk/openai-compatible", "models": {"m": {}},
        "options": {"baseURL": "$MODEL/v1", "apiKey": "dummy"},
    }  # fmt: skip
    off = ("MODELS_FETCH", "AUTOUPDATE", "DEFAULT_PLUGINS", "LSP_DOWNLOAD")
    config = json.dumps({"share": "disabled", "provider": {"fake": model}})
    return {**{f"{prefix}_DISABLE_{each}": "1" for each in off}, f"{prefix}_CONFIG_CONTENT": config}


VARIABLES = {
    "claude": {
        "ANTHROPIC_BASE_URL": "$MODEL", "ANTHROPIC_API_KEY": "dummy", "DISABLE_TELEMETRY": "1",
        "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    "cline": {"CLINE_TELEMETRY_DISABLED": "1"},
    "codex": {"SCRIPT_KEY": "dummy"},
    "copilot": {
        "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_TYPE": "anthropic", "COPILOT_PROVIDER_BASE_URL": "$MODEL",
        "COPILOT_PROVIDER_API_KEY": "dummy", "COPILOT_MODEL": "claude-sonnet-4-5", "COPILOT_AUTO_UPDATE": "false",
    },
    "deepagents": {
        "OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "$MODEL/v1", "LANGSMITH_TRACING": "false",
        "DEEPAGENTS_CODE_NO_UPDATE_CHECK": "1", "DEEPAGENTS_CODE_OFFLINE": "1",
    },
    "droid": {"FACTORY_API_KEY": "fk-dummy", "FACTORY_DROID_AUTO_UPDATE_ENABLED": "false"},
    "gemini": {
        "GOOGLE_GEMINI_BASE_URL": "$MODEL", "GEMINI_API_KEY": "dummy", "GEMINI_TELEMETRY_ENABLED": "false",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    },
    "hermes": {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "$MODEL/v1"},
    "kilo": {**_offline("KILO"), "KILO_TELEMETRY_LEVEL": "off"},
    "opencode": _offline("OPENCODE"),
    "pi": {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"},
    "qwen": {
        "OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "$MODEL/v1", "OPENAI_MODEL": "m",
        "QWEN_TELEMETRY_ENABLED": "false",
    },
    "vibe": {"SCRIPT_KEY": "dummy", "MISTRAL_API_KEY": "dummy"},
}  # fmt: skip

# What stands in the agent's home before its first start.
BEFORE: dict[str, dict[str, Any]] = {
    "cline": {".cline/data/settings/providers.json": {
        "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
        "providers": {"openai-compatible": {
            "settings": {
                "provider": "openai-compatible", "apiKey": "dummy", "model": "m", "baseUrl": "$MODEL/v1",
            },
            "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual",
        }},
    }},
    "droid": {".factory/settings.json": {"customModels": [{
        "id": "custom:m", "model": "m", "displayName": "m", "baseUrl": "$MODEL/v1", "apiKey": "dummy",
        "provider": "generic-chat-completion-api",
    }]}},
    "gemini": {".gemini/settings.json": {"security": {"auth": {"selectedType": "gemini-api-key"}}}},
    "hermes": {".hermes/config.yaml": """\
model: {provider: custom, default: m, base_url: $MODEL/v1, api_key: dummy, context_length: 65536}
approvals: {mode: off}
"""},
    "pi": {".pi/agent/models.json": {"providers": {"fake": {
        "baseUrl": "$MODEL/v1", "api": "openai-completions", "apiKey": "dummy", "models": [{"id": "m"}],
    }}}},
    "vibe": {".vibe/config.toml": """\
active_model = "m"
enable_telemetry = false
enable_update_checks = false
enable_auto_update = false

[[providers]]
name = "fake"
api_base = "$MODEL/v1"
api_key_env_var = "SCRIPT_KEY"
backend = "generic"

[[models]]
name = "m"
provider = "fake"
alias = "m"
"""},
}  # fmt: skip
# What these would fetch for their plugins, which takes them over a minute where there is no network.
PLUGIN_PACKAGES = {"kilo": "@kilocode/plugin", "opencode": "@opencode-ai/plugin"}


def isolated() -> list[str] | None:
    """The start of a command line in a network of its own, with which all that it leaves behind ends; None where there
    are no namespaces."""
    own = () if os.geteuid() == 0 else ("--map-root-user",)
    words = ["unshare", "--net", "--pid", "--fork", "--mount-proc", *own]
    try:
        subprocess.run([*words, "ip", "link", "set", "lo", "up"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return words


def task_of(
    agent: str, program: str, home: Path, workspace: Path, environment: Mapping[str, str]
) -> dict[str, Any]:
    """A turn as loopback.py takes it. `program` is the agent's; a server of its own runs beside it where it has one."""
    prepare(agent, home, workspace)
    beside = [program, "serve", "--port", PORT] if agent in PLUGIN_PACKAGES else []
    return {
        "command": [program, *(filled(word, workspace) for word in COMMANDS[agent])],
        "beside": beside,
        "workspace": str(workspace),
        "environment": {**environment, **variables(agent)},
    }


def variables(agent: str) -> dict[str, str]:
    return {name: filled(value) for name, value in VARIABLES[agent].items()}


def filled(text: str, workspace: Path | str = "") -> str:
    return text.replace("$MODEL", MODEL).replace("$PORT", PORT).replace("$WORKSPACE", str(workspace))


def prepare(agent: str, home: Path, workspace: Path) -> None:
    """Writes what the agent needs to begin; what is there already stays."""
    for path, content in BEFORE.get(agent, {}).items():
        if not (home / path).exists():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(filled(content if isinstance(content, str) else json.dumps(content)))
    if agent in PLUGIN_PACKAGES:
        for folder in (workspace / f".{agent}", home / ".config" / agent, home / f".{agent}"):
            beside_plugins(folder, PLUGIN_PACKAGES[agent])


def beside_plugins(folder: Path, package: str) -> None:
    version = "1.0.0"
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
