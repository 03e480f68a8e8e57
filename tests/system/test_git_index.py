"""Git's index as we read it says what git says, in every form."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.repositories import Repository, shield

from hookline.model.errors import StateError
from hookline.system.repository.git_index import (
    BLOB,
    EXTENDED,
    FLAGS,
    NEVER,
    GitIndex,
    listed_index,
    read_index,
)

Entry = tuple[str, int]


def listed(entries: dict[str, int], prefix: bytes = b"") -> GitIndex:
    lines = (
        f"100644 {blob:040x} 0\t{path}\0  ctime: {blob}:0\n  mtime: 7:0\n  dev: 1\tino: 2\n"
        "  uid: 0\tgid: 0\n  size: 1\tflags: 0\n"
        for path, blob in sorted(entries.items())
    )
    return listed_index("".join(lines).encode(), 20, 1, prefix, NEVER)


@pytest.mark.parametrize("seed", range(8))
def test_two_indexes_differ_in_exactly_the_changed_paths(seed: int) -> None:
    chance = random.Random(seed)
    before = {f"{chance.randrange(40)}/{'n' * chance.randrange(1, 90)}{n}": n for n in range(3000)}
    after = dict(before)
    for path in chance.sample(sorted(before), chance.choice((1, 5, 900))):
        if chance.random() < 0.5:
            after[path] += 100_000
        else:
            del after[path]
    for n in range(chance.choice((0, 3, 500))):
        after[f"{chance.randrange(40)}/new{n}"] = n
    expected = {path.encode() for path in before.keys() | after if before.get(path) != after.get(path)}
    assert listed(before).differing(listed(after)) == expected
    assert listed(after).differing(listed(before)) == expected
    assert listed(before).differing(listed(before)) == set()
    assert listed(before).differing(None) == {path.encode() for path in before}


def test_stat_data_noted_anew_is_no_difference() -> None:
    first, second = listed({"a": 1, "b": 2}), listed({"a": 1, "b": 2})
    second.content = second.content.replace(b"\0\0\0\7", b"\0\0\0\x08")
    assert first.content != second.content
    assert first.differing(second) == set()


def test_a_path_is_found_by_many_questions_as_by_few() -> None:
    index = listed({f"d{n}": n for n in range(3000)})
    for _ in range(2):
        for n in range(3000):
            note = index.find(b"d%d" % n)
            assert note is not None
            assert int.from_bytes(note[BLOB], "big") == n
        assert index.find(b"none") is None
    assert list(index.files(b"d299")) == [b"d299", *(b"d299%d" % n for n in range(10))]


def test_a_folder_sees_only_what_is_below_it() -> None:
    whole = listed({"a": 1, "sub/x": 2, "sub/y/z": 3, "sub.txt": 4, "sub0": 5})
    index = GitIndex(whole.content, 20, 1, b"sub/", 0)
    assert list(index.files()) == [b"x", b"y/z"]
    assert [index.path(at) for at in index.odd] == [b"x", b"y/z"]
    assert index.state(b"x") == ((0, 0, 0, 0, 0o100644), (2).to_bytes(20, "big"))
    assert index.differing(None) == {b"x", b"y/z"}


def test_what_was_changed_since_and_what_has_flags_is_odd() -> None:
    whole = listed({"old": 10, "younger": 20, "youngest": 30})
    index = GitIndex(whole.content, 20, 1, b"", 20)
    assert index.places()
    assert [index.path(at) for at in index.odd] == [b"younger", b"youngest"]


@pytest.mark.parametrize("form", ["2", "4", "split"])
def test_every_form_tells_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    shield(monkeypatch, tmp_path)
    repository = Repository(tmp_path / "r")
    for n in range(40):
        repository.write(f"deep/{n % 3}/{'long' * n}{n}.txt", f"{n}\n")
    repository.git("add", "--all")
    repository.git("update-index", "--assume-unchanged", "deep/0/0.txt")
    repository.write("later", "x\n")
    repository.git("add", "--intent-to-add", "later")
    plain = read_index((repository.path / ".git/index").read_bytes(), 20, 1)
    assert plain is not None
    assert [plain.path(at) for at in plain.odd] == [b"deep/0/0.txt", b"later"]
    change = ["--split-index"] if form == "split" else [f"--index-version={form}"]
    repository.git("update-index", *change)
    other = read_index((repository.path / ".git/index").read_bytes(), 20, 1)
    if form == "split":
        assert other is None
        text = repository.git("ls-files", "-s", "-z", "--debug")
        other = listed_index(text.encode() + b"\n", 20, 1, b"", NEVER)
    assert other is not None
    assert [other.path(at) for at in other.places()] == [plain.path(at) for at in plain.places()]
    for at, same in zip(other.places(), plain.places(), strict=True):
        mine, theirs = other.note(at), plain.note(same)
        assert mine[:FLAGS] == theirs[:FLAGS]
        assert (mine[FLAGS] ^ theirs[FLAGS]) & ~EXTENDED == 0
        assert other.extended(at) == plain.extended(same)
    assert [other.path(at) for at in other.odd] == [b"deep/0/0.txt", b"later"]
    assert other.differing(plain) == set()


def test_a_listing_in_another_form_is_an_error_not_an_empty_index() -> None:
    with pytest.raises(StateError, match="not known"):
        listed_index(b"100644 00 0\ta\0  ctime: 1.5\n", 20, 1, b"", NEVER)


@pytest.mark.parametrize("content", [b"", b"DIRC\0\0\0\2\0\0\0\xff" + b"\0" * 40, b"JUNK" + b"\0" * 60])
def test_a_damaged_index_is_none(content: bytes) -> None:
    assert read_index(content, 20, 1) is None
    with pytest.raises(StateError, match="damaged"):
        GitIndex(content, 20, 1, b"", NEVER).places()
