"""The identity of an instrument's code: its two halves and all of ours that they import."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).parents[1]
PACKAGES = ("claims", "workers")
# CPython 3.11 fails in ast.parse when two threads parse at once.
_PARSING = Lock()


def source_sha256(name: str, root: Path = ROOT) -> str:
    """The SHA-256, in hex, over the source of instrument `name`: both halves and what they import of ours.

    It hashes `sha256sum` lines in order of path, so `sha256sum` over `source_files` recomputes it. Read afresh on
    every call; nothing is imported. Raises FileNotFoundError when a half is missing.
    """
    lines = (
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(root).as_posix()}\n"
        for file in source_files(name, root)
    )
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def source_files(name: str, root: Path = ROOT) -> list[Path]:
    """The files of instrument `name`, in order of path: the two halves, what they import transitively, the packages."""
    halves = [(package, "instruments", name) for package in PACKAGES]
    # A half that is missing is not passed over: reading it fails, by its name.
    waiting = [root.joinpath(*half).with_suffix(".py") for half in halves]
    waiting += [file for half in halves for file in _files(half, root)]
    found: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _imported(file, root)
    return sorted(found, key=lambda file: file.relative_to(root).as_posix())


def _imported(file: Path, root: Path) -> Iterator[Path]:
    for module in _modules(file.read_bytes(), file.relative_to(root)):
        parts = module.split(".")
        if parts[0] in PACKAGES:
            yield from _files(parts, root)


@lru_cache(maxsize=1024)
def _modules(code: bytes, file: Path) -> tuple[str, ...]:
    """Every module that this code of `file` may import, absolute; kept by content, as parsing is the slow part."""
    with _PARSING:
        tree = ast.parse(code, filename=str(file))
    return tuple(_imports(tree, file.parts[:-1]))


def _imports(tree: ast.AST, package: Sequence[str]) -> Iterator[str]:
    """`from a import b` may mean the module `a.b`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join((*above, *([node.module] if node.module else [])))
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _files(parts: Sequence[str], root: Path) -> Iterator[Path]:
    """The module's file and its packages' `__init__.py`, which run first; what is no module has no file."""
    for depth in range(1, len(parts) + 1):
        stem = root.joinpath(*parts[:depth])
        yield from (file for file in (stem / "__init__.py", stem.with_suffix(".py")) if file.is_file())
