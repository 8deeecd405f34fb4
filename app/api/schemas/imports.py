from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field

from app.api.schemas.answers import Answer, ClaimId, Sha256, Time
from app.ledger.tables import ImportRow
from claims.imports import Figure, Outcome, Record, Replacement, Source
from claims.provenance import Dirty, label

ImportId = ClaimId


class PublishedCommit(Answer):
    """The code that measured, as the source names it."""

    commit: str | None
    dirty: Dirty
    label: str | None = Field(
        description="The commit with +dirty or +unknown where it is so; null without one.", examples=["f93f…+dirty"]
    )


class ImportedRecord(Answer):
    """A published result on somebody's word: nobody measured it here, and it is counted with no claim."""

    id: ImportId
    url: str = Field(examples=["/v1/imports/k3v9x2m8q4w7"])
    page: str = Field(description="For people.", examples=["/imports/k3v9x2m8q4w7"])
    precedence: Literal["attested"] = "attested"
    title: str
    statement: str
    outcome: Outcome = Field(description="As published; `reported` is a number that nobody predicted.")
    frozen_before_data: bool | None = Field(description="As the source says; null where it does not.")
    model: str
    dataset: str | None
    instrument: str | None
    source: Source
    code: PublishedCommit
    figures: list[Figure]
    registrant: str = Field(description="Whose word it is.")
    imported: Time
    seq: int = Field(description="Its entry of the log.")
    document_sha256: Sha256
    replaces: Replacement | None
    superseded_by: ImportId | None

    @classmethod
    def of(cls, row: ImportRow) -> Self:
        return cls(**_listed(row))


class WholeRecord(ImportedRecord):
    """The same, with the record as it was imported."""

    record: dict[str, Any]

    @classmethod
    def of(cls, row: ImportRow) -> Self:
        return cls(**_listed(row), record=row.record)


def _listed(row: ImportRow) -> dict[str, Any]:
    record = Record.model_validate(row.record)
    code = record.code
    shown = None if code.commit is None else label(code.commit, code.dirty)
    return {
        **{name: getattr(row, name) for name in ("id", "registrant", "imported", "seq", "document_sha256")},
        **{name: getattr(record, name) for name in ("title", "statement", "outcome", "frozen_before_data")},
        "url": f"/v1/imports/{row.id}",
        "page": f"/imports/{row.id}",
        "model": record.subject.model,
        "dataset": record.subject.dataset,
        "instrument": record.instrument,
        "source": record.source,
        "code": PublishedCommit(commit=code.commit, dirty=code.dirty, label=shown),
        "figures": record.figures,
        "replaces": record.replaces,
        "superseded_by": row.superseded_by,
    }
