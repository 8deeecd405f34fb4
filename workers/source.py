"""Which code a worker measures with: read afresh for every shard, and compared with what the process loaded."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from claims.instrument_source import source_sha256
from claims.instruments import catalogue
from claims.provenance import capture

ROOT = Path(__file__).parents[1]
PACKAGES = ("antedate", "numpy", "safetensors", "scipy", "tokenizers", "torch", "transformers")

_loaded: dict[str, str] = {}


def note_loaded() -> None:
    """Remember the source of every instrument as it is now, when this process has just loaded the rules."""
    _loaded.update({name: source_sha256(name) for name in catalogue()})


def source_of(instrument: str) -> dict[str, Any]:
    """The code and its surroundings, as a shard keeps them and evidence states them.

    When the instrument's source on disk is no longer what this process started with, nobody can say which of the two
    runs: `dirty` is then `unknown`.
    """
    code = capture(ROOT)
    sha256 = source_sha256(instrument)
    changed = _loaded.setdefault(instrument, sha256) != sha256
    return {
        "commit": code.commit,
        "dirty": "unknown" if changed else code.dirty,
        "diff_sha256": code.diff_sha256,
        "instrument_source_sha256": sha256,
        "packages": _packages(),
        "platform": platform.platform(),
    }


def _packages() -> dict[str, str]:
    """The versions of what the numbers depend on; what is not installed is not named."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
