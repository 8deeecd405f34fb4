"""Preference pairs, uploaded once and known by the hash of their canonical bytes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, select

from app.ledger import blobs, cursors
from app.ledger.append import append, lock
from app.ledger.tables import DatasetRow
from claims.pairs import Pairs, read_pairs

MEDIA_TYPE = "application/jsonl"


@dataclass(frozen=True)
class Uploaded:
    """The dataset, and whether this upload is what put it on the ledger."""

    dataset: DatasetRow
    created: bool


def upload(session: Session, pairs: Pairs, name: str, registrant: str) -> Uploaded:
    """Put `pairs` on the ledger under `name`; the same pairs again are the dataset that is there, under its name."""
    known = find(session, pairs.sha256)
    if known is not None:
        return Uploaded(known, created=False)
    blobs.put(session, pairs.canonical, MEDIA_TYPE)
    lock(session)
    known = find(session, pairs.sha256)
    if known is None:
        append(session, "noted", None, registrant, _note(pairs, name))
    return Uploaded(get(session, pairs.sha256), created=known is None)


def find(session: Session, sha256: str) -> DatasetRow | None:
    return session.exec(select(DatasetRow).where(DatasetRow.sha256 == sha256)).one_or_none()


def get(session: Session, sha256: str) -> DatasetRow:
    """The dataset; raises LookupError when there is none."""
    dataset = find(session, sha256)
    if dataset is None:
        raise LookupError(f"there is no dataset sha256:{sha256}")
    return dataset


def newest(session: Session, *, cursor: str | None, limit: int) -> cursors.Page[DatasetRow]:
    """The datasets, the newest first. Raises `claims.flaws.RefusedInputError` for a cursor that is none."""
    query = select(DatasetRow).order_by(col(DatasetRow.seq).desc()).limit(limit + 1)
    if cursor is not None:
        query = query.where(col(DatasetRow.seq) < cursors.decode(cursor))
    found = session.exec(query).all()
    return cursors.Page(found[:limit], cursors.encode(found[limit - 1].seq) if len(found) > limit else None)


def pairs_of(session: Session, sha256: str) -> Pairs:
    """The pairs themselves, read back from the blob."""
    return read_pairs(blobs.read(session, sha256))


def clusters_of(session: Session, sha256: str) -> Mapping[str, set[str]]:
    """The clusters of each dimension's pairs, read off the blob, whose lines were validated before they were put."""
    clusters = defaultdict[str, set[str]](set)
    for line in blobs.read(session, sha256).splitlines():
        pair = json.loads(line)
        clusters[pair["dimension"]].add(pair["cluster"])
    return dict(clusters)


def _note(pairs: Pairs, name: str) -> dict[str, object]:
    return {
        "note": "dataset",
        "sha256": pairs.sha256,
        "size": len(pairs.canonical),
        "name": name,
        "pairs": len(pairs.rows),
        "dimensions": pairs.dimensions,
        "clusters": pairs.clusters,
    }
