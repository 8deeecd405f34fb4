"""Published results on somebody's word."""

from __future__ import annotations

from app.ledger.projections.store import Store
from app.ledger.tables import ImportRow
from claims.entries import Entry
from claims.imports import Record


def add_import(store: Store, entry: Entry) -> None:
    enclosed = entry.payload["record"]
    document = store.document(enclosed)
    record = Record.model_validate(document)
    store.insert(
        ImportRow,
        {
            "id": entry.claim,
            "seq": entry.seq,
            "document_sha256": entry.payload["document_sha256"],
            "document": store.canonical(enclosed),
            "record": document,
            "registrant": entry.actor,
            "title": record.title,
            "statement": record.statement,
            "outcome": record.outcome,
            "model": record.subject.model,
            "instrument": record.instrument,
            "commit": record.code.commit,
            "dirty": record.code.dirty,
            "published": record.source.published,
            "imported": entry.time,
        },
    )
    if record.replaces is not None:
        store.update(ImportRow, {"id": record.replaces.record}, {"superseded_by": entry.claim})
