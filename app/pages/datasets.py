"""Uploaded datasets, put into words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from app.ledger.tables import DatasetRow
from app.pages import words
from app.pages.claim.facts import Fact, digest


@dataclass(frozen=True)
class DatasetView:
    name: str
    registrant: str
    uploaded: datetime
    facts: Sequence[Fact]


def dataset_view(row: DatasetRow) -> DatasetView:
    per_dimension = ", ".join(f"{name} {words.count(pairs)}" for name, pairs in sorted(row.dimensions.items()))
    facts = [
        digest("sha256", row.sha256),
        Fact("Pairs", words.count(row.pairs)),
        Fact("Clusters", words.count(row.clusters), note="what counts as independent"),
        Fact("Dimensions", words.count(len(row.dimensions)), note=per_dimension),
    ]
    return DatasetView(row.name, row.registrant, row.uploaded, facts)
