"""Hooks of git that a project keeps in a folder of its own, and that git passes over."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from hookline.checking.commands.beside import fitting
from hookline.model.errors import Problem, make_executable
from hookline.system import files
from hookline.system.patterns.late import late

GIT_HOOKS = frozenset({
    "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "pre-rebase", "post-checkout",
    "post-merge", "pre-push", "post-rewrite",
})  # fmt: skip
# where a project tells git of its folder, or people how to
_TOLD_IN = (
    "package.json", "[Mm]akefile", "[Jj]ustfile", "Taskfile.y*ml", "*.md", "*.sh", "scripts/*", "script/*", "bin/*",
    "tools/*", ".devcontainer/*", ".claude/hooks/*",
)  # fmt: skip
_TELLS = late(r"core\.hooksPath[\"',= \t]+[\"'`]?(?:\./|\$\{?\w+\}?/)?(?P<folder>\.?[\w.-]+(?:/[\w.-]+)*)")
_CHMOD = r"chmod\s+[^\n]*\+x[^\n]*%s|chmod\s+[^\n]*7\d\d[^\n]*%s"
_LONGEST = 64 * 1024
_MOST = 200  # files that are looked at


def passed_over(workspace: str) -> Iterator[Problem]:
    """Files that git would run at a commit, and does not, as they are not executable."""
    idle = [
        path
        for folder in (".*hooks", ".*/hooks", "*hooks", "*/git-hooks", "*/githooks")
        for path in fitting(workspace, f"{folder}/*") or ()
        if os.path.basename(path) in GIT_HOOKS and os.path.isfile(path) and not os.access(path, os.X_OK)
    ]
    if not idle:
        return
    texts = [
        kept.text for path in (*idle, *_telling(workspace)) if (kept := files.read_text(path, _LONGEST)).text
    ]
    set_up = {found["folder"].rstrip("/") for text in texts for found in _TELLS.finditer(text)}
    for path in dict.fromkeys(idle):
        shown = os.path.relpath(path, workspace)
        folder = re.escape(os.path.dirname(shown))
        made = any(re.search(_CHMOD % (folder, folder), text) for text in texts)
        if os.path.dirname(shown) in set_up and not made:
            words = "git passes it over, as it is not executable: no commit runs it"
            yield Problem(shown, 1, 1, "", "not-executable", words, make_executable(shown), "warning")


def _telling(workspace: str) -> list[str]:
    found = [path for pattern in _TOLD_IN for path in fitting(workspace, pattern) or ()]
    return [path for path in found if os.path.isfile(path)][:_MOST]
