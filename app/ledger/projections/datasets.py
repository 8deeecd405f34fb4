"""Uploaded preference pairs."""

from __future__ import annotations

from sqlalchemy import insert
from sqlmodel import Session

from app.ledger.tables import DatasetRow
from claims.entries import Entry


def add_dataset(session: Session, entry: Entry) -> None:
    columns = ("sha256", "name", "pairs", "dimensions", "clusters")
    session.execute(
        insert(DatasetRow).values(
            **{column: entry.payload[column] for column in columns},
            uploaded=entry.time,
            registrant=entry.actor,
            seq=entry.seq,
        )
    )
