"""The identity of a model's weights on disk."""

from __future__ import annotations

import hashlib
from pathlib import Path


def weights_sha256(directory: Path) -> str:
    """The SHA-256 of the weights in `directory`, in hex, read as a stream.

    One `*.safetensors` file: its own hash. Several: that of the lines `<sha256>  <name>` in order of name, which is
    `sha256sum *.safetensors | sha256sum` in the C locale. Raises FileNotFoundError when there is none.
    """
    files = sorted(directory.glob("*.safetensors"), key=lambda file: file.name.encode())
    if not files:
        raise FileNotFoundError(f"{directory.name} holds no *.safetensors file")
    if len(files) == 1:
        return _file_sha256(files[0])
    lines = "".join(f"{_file_sha256(file)}  {file.name}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def _file_sha256(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
