"""Which code a worker measures with: read afresh for every shard, and compared with what the process loaded."""

from __future__ import annotations

import hashlib
import platform
import re
import socket
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from app.ledger.judging import MACHINE
from claims.instrument_source import source_sha256
from claims.instruments import catalogue
from claims.provenance import capture

ROOT = Path(__file__).parents[1]
MACHINE_ID = Path("/etc/machine-id")
PACKAGES = ("antedate", "numpy", "safetensors", "scipy", "tokenizers", "torch", "transformers")
_MACHINE_ID = re.compile(r"[0-9a-f]{32}\n?")
_NO_NAME = {"", "localhost", "localhost.localdomain"}

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


def source_here(instrument: str) -> dict[str, Any]:
    """As `source_of`, with the machine that measures: what a shard keeps of its lease."""
    return {**source_of(instrument), MACHINE: machine()}


def machine(file: Path = MACHINE_ID) -> str | None:
    """A name of this machine, 64 hex digits that tell neither its machine-id nor its host's name; None if unknown.

    A machine-id is to be kept from others, so it is hashed with a label of ours (machine-id(5)). Where there is none,
    as in most containers, the host's name stands for the machine.
    """
    identity = _machine_id(file) or _host()
    return hashlib.sha256(f"antedate/machine/1\0{identity}".encode()).hexdigest() if identity else None


def _machine_id(file: Path) -> str | None:
    try:
        text = file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    return f"machine-id {text.strip()}" if _MACHINE_ID.fullmatch(text) else None


def _host() -> str | None:
    name = socket.gethostname()
    return None if name in _NO_NAME else f"host {name}"


def _packages() -> dict[str, str]:
    """The versions of what the numbers depend on; what is not installed is not named."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
