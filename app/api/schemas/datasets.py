from __future__ import annotations

from typing import Self

from pydantic import Field

from app.api.schemas.answers import Answer, Sha256, Time
from app.ledger.tables import DatasetRow


class Dataset(Answer):
    """An uploaded set of preference pairs. A registration names it by `sha256`."""

    sha256: Sha256
    url: str = Field(examples=["/v1/datasets/" + "0f" * 32])
    name: str
    pairs: int = Field(examples=[360])
    dimensions: dict[str, int] = Field(description="Pairs per dimension.", examples=[{"safety": 30}])
    clusters: int
    uploaded: Time
    registrant: str

    @classmethod
    def of(cls, row: DatasetRow) -> Self:
        return cls(
            sha256=row.sha256,
            url=f"/v1/datasets/{row.sha256}",
            name=row.name,
            pairs=row.pairs,
            dimensions=row.dimensions,
            clusters=row.clusters,
            uploaded=row.uploaded,
            registrant=row.registrant,
        )
