"""Builds the small client `hookline-bridge` into the wheel where there is a C compiler; else the wheel is pure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Without any C library it starts in a third of the time, without the system's shared ones in half of it.
VARIANTS = (
    ("-static", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-DWITHOUT_LIBC"),
    ("-static",),
    (),
)


class ClientBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own generics say nothing here
    """`HOOKLINE_PURE=1` leaves the client out; `HOOKLINE_WHEEL_PLATFORM` names the wheel's platform."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the program to the wheel's scripts, and the platform to its name."""
        del version
        made = Path(self.directory) / "hookline-bridge"
        if os.environ.get("HOOKLINE_PURE") or not self._compile(made):
            return
        build_data["shared_scripts"][str(made)] = "hookline-bridge"
        build_data["pure_python"] = False
        # The client needs no C library, so a release may name the platform more widely than this machine's own
        platform = os.environ.get("HOOKLINE_WHEEL_PLATFORM") or sysconfig.get_platform()
        platform = platform.replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def _compile(self, made: Path) -> bool:
        compiler = shutil.which(os.environ.get("CC") or "cc")
        if compiler is None:
            return False
        made.parent.mkdir(parents=True, exist_ok=True)
        version = f'-DHOOKLINE_VERSION="{self.metadata.version}"'
        source = str(Path(self.root) / "client" / "hookline-bridge.c")
        for flags in VARIANTS:
            command = [compiler, "-O2", "-s", *flags, version, "-o", str(made), source]
            done = subprocess.run(command, check=False, capture_output=True)
            if done.returncode == 0 and _works(made):
                return True
        return False


def _works(program: Path) -> bool:
    """Whether it runs here; asked without a `hookline` beside it, it says so and leaves."""
    try:
        done = subprocess.run([program.absolute()], check=False, capture_output=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 1 and b"cannot run" in done.stderr
