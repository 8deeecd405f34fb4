"""Which code is running: its commit, whether it differs from it, and in what."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Dirty = Literal["clean", "dirty", "unknown"]
UNKNOWN_COMMIT = "unknown"
# What runs, or decides what runs; an untracked note beside it changes no measurement.
SOURCE_SUFFIXES = frozenset({".py", ".pyi", ".toml", ".lock", ".html", ".js", ".css", ".sql", ".mako", ".sh", ".yaml"})
_GIT_SECONDS = 30


@dataclass(frozen=True)
class Source:
    """`commit` is 40 hex digits, or `unknown`; `diff_sha256` is over the changes of a dirty tree, else None."""

    commit: str
    dirty: Dirty
    diff_sha256: str | None

    @property
    def label(self) -> str:
        return label(self.commit, self.dirty)


def label(commit: str, dirty: str) -> str:
    """The commit as it is shown everywhere: `<commit>`, `<commit>+dirty` or `<commit>+unknown`."""
    return commit if dirty == "clean" else f"{commit}+{dirty}"


def capture(root: Path, environment: Mapping[str, str] | None = None) -> Source:
    """The state of the source tree at `root`, read afresh on every call.

    Without a `.git` there, what the build recorded in ANTEDATE_COMMIT and ANTEDATE_DIRTY. Whatever git cannot tell is
    `unknown`, never clean.
    """
    if not (root / ".git").exists():
        return _built(os.environ if environment is None else environment)
    try:
        commit = _git(root, "rev-parse", "--verify", "HEAD").decode().strip()
    except (OSError, subprocess.SubprocessError):
        return Source(UNKNOWN_COMMIT, "unknown", None)
    try:
        changes = _changes(root)
    except (OSError, subprocess.SubprocessError):
        return Source(commit, "unknown", None)
    return Source(commit, "dirty", hashlib.sha256(changes).hexdigest()) if changes else Source(commit, "clean", None)


def _built(environment: Mapping[str, str]) -> Source:
    commit = environment.get("ANTEDATE_COMMIT", "")
    dirty = environment.get("ANTEDATE_DIRTY", "")
    if len(commit) != 40 or set(commit) - set("0123456789abcdef"):  # noqa: PLR2004 - hex digits of a SHA-1
        return Source(UNKNOWN_COMMIT, "unknown", None)
    if dirty == "clean":
        return Source(commit, "clean", None)
    return Source(commit, "dirty" if dirty == "dirty" else "unknown", None)


def _changes(root: Path) -> bytes:
    """Every difference from HEAD: the diff of tracked files, then each untracked source file with its content."""
    tracked = _git(
        root, "diff", "HEAD", "--binary", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none"
    )
    names = _git(root, "ls-files", "--others", "--exclude-standard", "-z").split(b"\0")
    sources = sorted(name for name in names if Path(os.fsdecode(name)).suffix in SOURCE_SUFFIXES)
    return tracked + b"".join(_untracked(root, name) for name in sources)


def _untracked(root: Path, name: bytes) -> bytes:
    file = root / os.fsdecode(name)
    content = os.fsencode(file.readlink()) if file.is_symlink() else file.read_bytes()
    return b"untracked " + name + b"\0" + hashlib.sha256(content).hexdigest().encode() + b"\n"


def _git(root: Path, *arguments: str) -> bytes:
    """The output of git, run on this tree whoever owns it, deaf to the configuration of whoever runs it."""
    command = [
        "git",
        "-c",
        f"safe.directory={root.resolve()}",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.quotePath=false",
        *arguments,
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    run = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=_GIT_SECONDS, check=True)
    return run.stdout
