"""Uploaded preference pairs."""

from __future__ import annotations

from app.ledger.projections.store import Store
from app.ledger.tables import DatasetRow
from claims.entries import Entry


def add_dataset(store: Store, entry: Entry) -> None:
    stated = {column: entry.payload[column] for column in ("sha256", "name", "pairs", "dimensions", "clusters")}
    store.insert(DatasetRow, {**stated, "uploaded": entry.time, "registrant": entry.actor, "seq": entry.seq})
