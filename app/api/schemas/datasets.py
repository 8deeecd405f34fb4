from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from pydantic import Field

from app.api.schemas.answers import Answer, Sha256, Time
from app.ledger.tables import DatasetRow

GROUPS_SHOWN = 5
IDS_SHOWN = 5


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


class NearDuplicates(Answer):
    """Pairs that say nearly the same, so that they are not independent. They were imported; this is a warning.

    Two pairs are alike when the runs of three words in their prompt and responses have a Jaccard similarity of at
    least 0.4. A group is all that likeness connects.
    """

    groups: int = Field(description="How many groups of two or more there are; 0 where no two pairs are alike.")
    pairs: int = Field(description="How many pairs are in a group.")
    first: list[list[str]] = Field(
        description=f"The first {GROUPS_SHOWN} groups, each by the first {IDS_SHOWN} of its ids, in order of id.",
        examples=[[["france-1", "france-2"]]],
    )

    @classmethod
    def of(cls, groups: Sequence[Sequence[str]]) -> Self:
        shown = [list(group[:IDS_SHOWN]) for group in groups[:GROUPS_SHOWN]]
        return cls(groups=len(groups), pairs=sum(map(len, groups)), first=shown)


class UploadedDataset(Dataset):
    """The dataset as it is on the ledger, and what was noticed in the pairs of this upload."""

    near_duplicates: NearDuplicates | None = Field(
        description="Null where it was not looked for: the pairs have too much text in common to compare them in time."
    )

    @classmethod
    def noticed(cls, row: DatasetRow, near_duplicates: NearDuplicates | None) -> Self:
        return cls(**dict(Dataset.of(row)), near_duplicates=near_duplicates)
