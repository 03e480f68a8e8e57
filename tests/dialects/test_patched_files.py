"""What a patch writes is read from it, or it is opaque; names that nobody knows raise no alarm."""

from __future__ import annotations

from tests.dialects.test_guards_by_effect import rule, verdicts
from tests.program import Program

PATCH = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n"
REMOVES = "--- a/src/old.py\t2026-01-01\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
MOVES = "diff --git a/docs/a b/docs/b\nsimilarity index 100%\nrename from docs/a\nrename to src/b\n"


def test_a_patch_writes_the_files_it_names(program: Program) -> None:
    for name, text in (
        ("in.diff", PATCH.format("src/app.py")), ("out.diff", PATCH.format("docs/app.md")),
        ("gone.diff", REMOVES), ("moved.diff", MOVES),
    ):  # fmt: skip
        program.write(name, text)
    denied = [
        "patch -p1 < in.diff", "patch -p1 -i in.diff", "cat in.diff | patch -p1", "git apply in.diff",
        "git apply out.diff in.diff", "git apply < in.diff", "git am in.diff", "git apply moved.diff",
        f"git apply <<'E'\n{PATCH.format('src/app.py')}E", f"patch -p1 <<'E'\n{PATCH.format('src/x')}E",
        "cp in.diff x.diff; git apply in.diff",
    ]  # fmt: skip
    passed = [
        "patch -p1 < out.diff", "git apply out.diff", "git apply --stat in.diff", "patch --dry-run -p1 < in.diff",
        f"git apply <<'E'\n{PATCH.format('docs/x')}E",
    ]  # fmt: skip
    opaque = ["git apply other.diff", "patch -p1 < other.diff", "curl -s https://x.example/p | git apply",
              "tar xf x.tar", "unzip x.zip", "git apply --directory=src out.diff"]  # fmt: skip
    found = verdicts(program, rule('write = "src/**"'), [*denied, *passed, *opaque])
    assert found == dict.fromkeys(denied, "deny") | dict.fromkeys([*passed, *opaque], "none")
    asked = verdicts(program, rule('write = "src/**"\nopaque = "ask"'), [*denied, *passed, *opaque])
    assert asked == dict.fromkeys(denied, "deny") | dict.fromkeys(passed, "none") | dict.fromkeys(
        opaque, "ask"
    )
    removed = verdicts(program, rule('delete = "src/**"'), ["patch -p1 < gone.diff", "git apply in.diff"])
    assert list(removed.values()) == ["deny", "none"]


NAMES = 'use = ["git", "files", "secrets", "self"]\n'


SILENT = [
    'rm -f "logs/$name"', "cat config/$f", "find build -type f | xargs rm", "git checkout $LAST_TAG",
    'for f in ./nupkg/*.nupkg; do unzip -p "$f"; done', "git checkout $(git describe --tags)",
    "git ls-files | grep json | xargs cat", "cp a.txt \"backup/$day\"",
]  # fmt: skip
ASKED = [
    "rm -rf .git/$x", "rm -rf ./$x", "find . -type f | xargs rm", "f=.git; rm -rf sub/$f", "rm -rf $d/.git",
    'cat "$dir/.env"', "cat config/.e$x", 'for f in conf/.e*; do cat "$f"; done', "git checkout $TAG .",
    "git checkout $OPTIONS", 'git checkout "$TAG" -- src', "ls -a | grep env | xargs cat",
    "ls -a | grep -i env | xargs -I{} cat {}", "find . | grep env | xargs cat",
    'for f in $(ls -a | grep env); do cat "$f"; done', 'for f in .git sub; do rm -rf "x/$f"; done',
]  # fmt: skip


def test_names_of_which_nothing_is_known_raise_no_alarm_and_others_do(program: Program) -> None:
    found = verdicts(program, NAMES, [*SILENT, *ASKED, "rclone cat remote:site/.env"])
    told = dict.fromkeys(SILENT, "none") | dict.fromkeys(ASKED, "ask")
    assert found == told | {"rclone cat remote:site/.env": "deny"}
