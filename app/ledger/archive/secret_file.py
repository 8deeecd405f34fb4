"""What an operator keeps secret, in a file apart from the archive: nonces, registrants, hashes of keys."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from sqlalchemy.dialects.postgresql import insert as upsert
from sqlmodel import Session, select

from app.ledger.archive.members import About, ArchiveError, line_of
from app.ledger.tables import ApiKey, Base, Nonce, Registrant
from claims.entries import format_time, parse_time

SCHEMA = "antedate.secrets/1"


def write_secrets(session: Session, about: About, file: BinaryIO) -> None:
    """The first line says of which archive they are, each other one holds a row, under its table's name."""
    file.write(line_of(about.as_object(SCHEMA)))
    file.writelines(map(line_of, _rows(session)))


def _rows(session: Session) -> Iterator[dict[str, Any]]:
    for registrant in session.exec(select(Registrant).order_by(Registrant.id)):
        row = {"id": registrant.id, "name": registrant.name, "created": format_time(registrant.created)}
        yield {"registrants": row}
    for key in session.exec(select(ApiKey).order_by(ApiKey.sha256)):
        yield {"api_keys": _of_key(key)}
    for nonce in session.exec(select(Nonce).order_by(Nonce.run)):
        yield {"nonces": {"run": nonce.run, "nonce": nonce.nonce.hex()}}


def _of_key(key: ApiKey) -> dict[str, Any]:
    return {
        "sha256": key.sha256,
        "prefix": key.prefix,
        "registrant": key.registrant,
        "scopes": key.scopes,
        "created": format_time(key.created),
        "revoked": None if key.revoked is None else format_time(key.revoked),
    }


def read_secrets(session: Session, about: About, file: BinaryIO) -> None:
    """Put what the file holds into the tables; a registrant or key that is known there already stays as it is.

    Raises `ArchiveError` for what is no such file, or one of another archive.
    """
    lines = _lines(file)
    said = About.from_object(next(lines, {}), SCHEMA)
    if said != about:
        raise ArchiveError(f"the secrets are those of {said.log} with {said.size} entries, not of this archive")
    for number, line in enumerate(lines, start=2):
        try:
            ((name, row),) = line.items()
            table, values = _READ[name][0], _READ[name][1](row)
        except (KeyError, TypeError, ValueError) as error:
            raise ArchiveError(f"line {number} of the secrets is none: {error}") from error
        session.execute(upsert(table).values(values).on_conflict_do_nothing())


def _lines(file: BinaryIO) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(file, start=1):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise ArchiveError(f"line {number} of the secrets is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise ArchiveError(f"line {number} of the secrets is no object")
        yield value


def _registrant(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": row["id"], "name": row["name"], "created": parse_time(row["created"])}


def _key(row: Mapping[str, Any]) -> dict[str, Any]:
    revoked = None if row["revoked"] is None else parse_time(row["revoked"])
    stated = {name: row[name] for name in ("sha256", "prefix", "registrant", "scopes")}
    return {**stated, "created": parse_time(row["created"]), "revoked": revoked}


def _nonce(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"run": row["run"], "nonce": bytes.fromhex(row["nonce"])}


_READ: Mapping[str, tuple[type[Base], Any]] = {
    "registrants": (Registrant, _registrant),
    "api_keys": (ApiKey, _key),
    "nonces": (Nonce, _nonce),
}
