"""The dirty flag, in real repositories."""

import os
import subprocess
from pathlib import Path

import pytest

from claims.provenance import Source, capture, label


def git(root: Path, *arguments: str) -> str:
    identity = [
        "-c",
        "user.name=t",
        "-c",
        "user.email=t@t",
        "-c",
        "commit.gpgsign=false",
        "-c",
        f"safe.directory={root}",
    ]
    return subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "--quiet")
    (root / "code.py").write_text("x = 1\n")
    (root / "README.md").write_text("read me\n")
    (root / ".gitignore").write_text("ignored.py\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    return root


def test_a_clean_tree(repository):
    commit = git(repository, "rev-parse", "HEAD").strip()
    assert capture(repository) == Source(commit, "clean", None)
    assert capture(repository).label == commit


@pytest.mark.parametrize("name", ["code.py", "README.md"])
def test_a_change_of_any_tracked_file_is_dirty(repository, name):
    (repository / name).write_text("changed\n")
    source = capture(repository)
    assert (source.dirty, source.label) == ("dirty", source.commit + "+dirty")
    assert len(source.diff_sha256) == 64


def test_what_is_staged_removed_or_made_executable_is_dirty(repository):
    (repository / "code.py").chmod(0o755)
    assert capture(repository).dirty == "dirty"
    (repository / "code.py").unlink()
    assert capture(repository).dirty == "dirty"
    git(repository, "add", "--all")
    assert capture(repository).dirty == "dirty"


def test_untracked_source_is_dirty_and_untracked_notes_are_not(repository):
    (repository / "notes.txt").write_text("a note\n")
    (repository / "ignored.py").write_text("x = 2\n")
    assert capture(repository).dirty == "clean"
    (repository / "deep").mkdir()
    (repository / "deep" / "näw module.py").write_text("x = 3\n")
    assert capture(repository).dirty == "dirty"


def test_the_hash_of_the_changes_follows_the_changes(repository):
    def changed(name: str, text: str) -> str | None:
        (repository / name).write_text(text)
        return capture(repository).diff_sha256

    hashes = [
        changed("code.py", "x = 2\n"),
        changed("code.py", "x = 3\n"),
        changed("new.py", "a\n"),
        changed("new.py", "b\n"),
    ]
    assert len(set(hashes)) == 4
    assert changed("new.py", "b\n") == hashes[-1]


def test_every_call_reads_afresh(repository):
    assert capture(repository).dirty == "clean"
    (repository / "code.py").write_text("x = 2\n")
    assert capture(repository).dirty == "dirty"
    git(repository, "commit", "--quiet", "--all", "--message", "second")
    assert capture(repository).dirty == "clean"


def test_a_failing_git_is_unknown_and_never_clean(repository, tmp_path, monkeypatch):
    commit = capture(repository).commit
    (repository / ".git" / "index").write_bytes(b"broken")
    assert capture(repository) == Source(commit, "unknown", None)
    (repository / ".git" / "HEAD").unlink()
    assert capture(repository) == Source("unknown", "unknown", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert capture(repository) == Source("unknown", "unknown", None)


def test_a_repository_without_a_commit_is_unknown(tmp_path):
    git(tmp_path, "init", "--quiet")
    assert capture(tmp_path) == Source("unknown", "unknown", None)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_tree_of_another_owner_is_read_all_the_same(repository):
    before = capture(repository)
    for path in (repository, *repository.rglob("*")):
        os.chown(path, 65534, 65534)
    assert capture(repository) == before
    (repository / "code.py").write_text("x = 2\n")
    assert capture(repository).dirty == "dirty"


def test_the_caller_s_git_environment_and_configuration_are_not_heard(repository, tmp_path, monkeypatch):
    before = capture(repository)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert capture(repository) == before


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, Source("unknown", "unknown", None)),
        ({"ANTEDATE_COMMIT": "ab" * 20, "ANTEDATE_DIRTY": "clean"}, Source("ab" * 20, "clean", None)),
        ({"ANTEDATE_COMMIT": "ab" * 20, "ANTEDATE_DIRTY": "dirty"}, Source("ab" * 20, "dirty", None)),
        ({"ANTEDATE_COMMIT": "ab" * 20}, Source("ab" * 20, "unknown", None)),
        ({"ANTEDATE_COMMIT": "ab" * 20, "ANTEDATE_DIRTY": "0"}, Source("ab" * 20, "unknown", None)),
        ({"ANTEDATE_COMMIT": "main", "ANTEDATE_DIRTY": "clean"}, Source("unknown", "unknown", None)),
    ],
)
def test_a_deployment_without_git_carries_what_the_build_recorded(tmp_path, environment, expected):
    assert capture(tmp_path, environment) == expected


def test_a_git_tree_does_not_believe_the_build(repository):
    said = {"ANTEDATE_COMMIT": "ab" * 20, "ANTEDATE_DIRTY": "clean"}
    (repository / "code.py").write_text("x = 2\n")
    assert capture(repository, said).dirty == "dirty"


def test_labels():
    assert [label("abc", dirty) for dirty in ("clean", "dirty", "unknown")] == ["abc", "abc+dirty", "abc+unknown"]
