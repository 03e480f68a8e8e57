"""Prints a CycloneDX 1.6 list of all that hookline can bring along: every dependency of every extra but `dev`.

python tools/sbom.py [DISTRIBUTION]      names, versions, licences and who needs whom, as installed here

Reads the metadata of the environment it runs in; what is named there and not installed is listed without a version.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import metadata

Component = dict[str, object]
LEFT_OUT = {"dev", "docs"}


def main(root: str = "hookline") -> int:
    needs = closure(root)
    names = sorted(needs)
    found = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": component(root)},
        "components": [component(name) for name in names if name != root],
        "dependencies": [{"ref": name, "dependsOn": sorted(needs[name])} for name in names],
    }
    print(json.dumps(found, indent=2))
    return 0


def closure(root: str) -> dict[str, set[str]]:
    """Each distribution with the names of those it needs; extras of `root` count, extras of others do not."""
    needs: dict[str, set[str]] = {}
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name in needs:
            continue
        needs[name] = direct(name, every_extra=name == root) - {root}
        waiting += needs[name]
    return needs


def direct(name: str, every_extra: bool) -> set[str]:
    try:
        lines = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return set()
    found = set()
    for line in lines:
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", line)
        if extra and (not every_extra or extra[1] in LEFT_OUT):
            continue
        found.add(normal(re.split(r"[\s;<>=!~\[(]", line, maxsplit=1)[0]))
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def component(name: str) -> Component:
    try:
        about = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return {"type": "library", "bom-ref": name, "name": name, "purl": f"pkg:pypi/{name}"}
    version = about["Version"]
    made: Component = {
        "type": "library", "bom-ref": name, "name": name, "version": version,
        "purl": f"pkg:pypi/{name}@{version}",
    }  # fmt: skip
    licence = about.get("License-Expression") or about.get("License") or ""
    if 0 < len(licence) < 100:
        made["licenses"] = [{"license": {"name": licence}}]
    return made


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
