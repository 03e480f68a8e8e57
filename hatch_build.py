"""Builds the small client `hookline-bridge` into the wheel where there is a C compiler; else the wheel is pure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ClientBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own generics say nothing here
    """`HOOKLINE_PURE=1` leaves the client out."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the program to the wheel's scripts, and the platform to its name."""
        del version
        made = Path(self.directory) / "hookline-bridge"
        if os.environ.get("HOOKLINE_PURE") or not self._compile(made):
            return
        build_data["shared_scripts"][str(made)] = "hookline-bridge"
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def _compile(self, made: Path) -> bool:
        """Without libraries of the system where that is possible: it starts in half the time."""
        compiler = shutil.which(os.environ.get("CC") or "cc")
        if compiler is None:
            return False
        made.parent.mkdir(parents=True, exist_ok=True)
        version = f'-DHOOKLINE_VERSION="{self.metadata.version}"'
        source = str(Path(self.root) / "client" / "hookline-bridge.c")
        for static in (["-static"], []):
            command = [compiler, "-O2", "-s", *static, version, "-o", str(made), source]
            if subprocess.run(command, check=False, capture_output=True).returncode == 0:
                return True
        return False
