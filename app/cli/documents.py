"""A registration, or a record to import, in a file, as the JSON bytes that are sent."""

from __future__ import annotations

import json
from pathlib import Path

from app.cli.errors import BadInputError
from app.cli.flawed import flaw_lines
from claims.flaws import RefusedInputError
from claims.registration.yaml_form import read_yaml
from claims.strict_json import decode, parse, settle

YAML_SUFFIXES = {".yaml", ".yml"}


def read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {error.strerror or error}.") from error


def read_document(path: Path) -> bytes:
    """The JSON body to send: a JSON file as it is, a YAML file read by the rules of `claims`."""
    body = read_bytes(path)
    if path.suffix.lower() not in YAML_SUFFIXES:
        return body
    try:
        document = read_yaml(body)
    except RefusedInputError as error:
        flaws = flaw_lines([vars(flaw) for flaw in error.flaws])
        raise BadInputError("\n".join([f"{path} is refused; nothing was sent.", *flaws])) from error
    return json.dumps(document, ensure_ascii=False, allow_nan=False).encode()


def schema_of(body: bytes) -> str | None:
    """What a JSON document says that it is; None where it says nothing that can be read. The service judges it."""
    try:
        document, _ = settle(parse(decode(body)))
    except RefusedInputError:
        return None
    said = document.get("schema") if isinstance(document, dict) else None
    return said if isinstance(said, str) else None
