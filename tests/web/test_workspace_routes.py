"""Files, differences and commits over real HTTP; never a byte outside the workspace."""

from __future__ import annotations

import os

import pytest
from tests.repositories import Repository
from tests.web.serving import Serving


@pytest.fixture
def repository(serving: Serving) -> Repository:
    """The served workspace as a repository with a commit."""
    made = Repository(serving.root)
    made.write("src/a.py", "one\ntwo\n")
    made.write("gone.txt")
    made.commit()
    serving.start({"text": "one"})
    return made


def test_files_are_listed_read_written_renamed_and_deleted(serving: Serving, repository: Repository) -> None:
    """A.3.1."""
    assert serving.get("/files")["entries"] == [
        {"name": "src", "type": "directory"},
        {"name": ".gitignore", "type": "file"},
        {"name": "gone.txt", "type": "file"},
    ]
    assert serving.get("/files/read?path=src/a.py") == {
        "path": "src/a.py", "content": "one\ntwo\n", "encoding": "utf8", "size": 8,
    }  # fmt: skip
    assert serving.ask("POST", "/files/write", {"path": "new/b.py", "content": "b"}).json == {
        "path": "new/b.py", "size": 1,
    }  # fmt: skip
    moved = {"oldPath": "new/b.py", "newPath": "c.py"}
    assert serving.ask("POST", "/files/rename", moved).json == moved
    assert serving.ask("POST", "/files/rename", {"oldPath": "c.py", "newPath": "gone.txt"}).status == 409
    assert serving.ask("POST", "/files/delete", {"path": "c.py"}).json == {"path": "c.py", "type": "file"}
    assert not (serving.root / "c.py").exists()
    binary = {"path": "raw", "content": "AP8=", "encoding": "base64"}
    assert serving.ask("POST", "/files/write", binary).status == 200
    assert serving.get("/files/read?path=raw")["content"] == "AP8="
    assert serving.ask("GET", "/files/read?path=none").status == 404


def test_files_are_found_by_their_letters(serving: Serving, repository: Repository) -> None:
    for name in ("src/views.py", "src/view_models.py", "docs/views.md"):
        repository.write(name)
    found = serving.get("/files/search?q=views")["results"]
    assert [entry["path"] for entry in found] == ["src/views.py", "docs/views.md", "src/view_models.py"]
    assert len(serving.get("/files/search?q=v&limit=2")["results"]) == 2
    assert serving.ask("GET", "/files/search?q=v&limit=x").status == 400


@pytest.mark.parametrize(
    "path",
    [
        "../out",
        "/etc/passwd",
        "a/../../out",
        "link/x",
        "link",
        ".git/config",
        "src/../.git/hooks/x",
        ".GIT/x",
    ],
)
def test_no_path_leads_out_of_the_workspace_or_into_git(
    serving: Serving, repository: Repository, path: str
) -> None:
    """By its text, through a link, or as git's own."""
    os.symlink(serving.program.home, serving.root / "link")  # noqa: PTH211 - as an agent would make it
    (serving.program.home / "x").write_text("secret")
    replies = (
        serving.ask("GET", f"/files/read?path={path}"),
        serving.ask("POST", "/files/write", {"path": path, "content": "x"}),
        serving.ask("POST", "/files/rename", {"oldPath": "gone.txt", "newPath": path}),
    )
    assert [reply.status for reply in replies] == [400, 400, 400]
    assert (serving.program.home / "x").read_text() == "secret"
    assert (serving.root / "gone.txt").exists()


def test_the_difference_is_what_is_not_committed(serving: Serving, repository: Repository) -> None:
    """A.3.1: `format=files` names files, `full` has their patches."""
    repository.write("src/a.py", "one\n2\n")
    repository.write("b.py", "new\n")
    (serving.root / "gone.txt").unlink()
    full = serving.get("/diff")
    assert [(file["path"], file["status"]) for file in full["files"]] == [
        ("b.py", "added"), ("gone.txt", "deleted"), ("src/a.py", "modified"),
    ]  # fmt: skip
    assert full["files"][2]["patch"] == "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    assert full["stats"] == {"filesChanged": 3, "additions": 2, "deletions": 2}
    named = serving.get("/diff?format=files&path=src")
    assert named["files"] == [{"path": "src/a.py", "status": "modified"}]


def test_commits_behind_a_parent_are_patches(serving: Serving, repository: Repository) -> None:
    """A.3.1: `invalid_parent`, `no_commits`, `parent_mismatch`."""
    first = repository.git("rev-parse", "HEAD")
    assert serving.ask("GET", f"/commits?parent={first}").json == {"error": "no_commits"}
    repository.write("b.py", "new\n")
    repository.commit("Add b")
    found = serving.get(f"/commits?parent={first}")
    assert (found["commitCount"], "Subject: [PATCH] Add b" in found["patches"]) == (1, True)
    for parent, status, words in (("x", 400, "invalid_parent"), ("0" * 40, 409, "parent_mismatch")):
        reply = serving.ask("GET", f"/commits?parent={parent}")
        assert (reply.status, reply.json) == (status, {"error": words})


def test_a_folder_without_git_has_no_commits(serving: Serving) -> None:
    import shutil

    shutil.rmtree(serving.root / ".git")
    serving.start({"text": "one"})
    assert serving.ask("GET", f"/commits?parent={'0' * 40}").json == {"error": "not_git_repo"}
