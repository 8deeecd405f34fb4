from __future__ import annotations

from typing import Any

from pydantic import Field

from app.api.schemas.answers import Answer, ClaimId, Sha256, Time
from app.ledger import designing


class LoggedEntry(Answer):
    """The `registered` entry, and what its leaf is hashed over."""

    object: dict[str, Any]
    canonical: str = Field(description="Base64 of the entry's canonical bytes.")
    leaf_hash: Sha256


class Receipt(Answer):
    """What proves that a document was frozen, and when. Keep it."""

    claim: ClaimId
    url: str = Field(description="The claim's page.", examples=["http://127.0.0.1:8000/claims/k3v9x2m8q4w7"])
    filed: Time
    document_sha256: Sha256
    registrant: str
    service: dict[str, Any] = Field(description="Commit and dirty flag of the service.")
    instrument: dict[str, Any] = Field(description="Name, version, source hash, commit and dirty flag.")
    nonce_sha256: Sha256 = Field(description="Commits the ledger to a nonce that it reveals when data opens.")
    precedence: str
    check: dict[str, Any] = Field(description="What the design check answered.")
    entry: LoggedEntry
    note: str = Field(description="A C2SP signed note over the entry's leaf.")
    vkey: str = Field(description="The key of the signature. Pin the one at /v1/log/key beforehand.")


class Checked(Answer):
    """What filing this document would say. Nothing was recorded."""

    document_sha256: Sha256
    duplicate_of: ClaimId | None = Field(description="The claim that froze this very document; filing answers 409.")
    precedence: str = Field(description="What it would have, if it were filed now.", examples=["committed"])
    shards: int = Field(description="The parts that its run would be cut into.")
    check: dict[str, Any] = Field(description="The design check's answer, as the receipt would hold it: docs/power.md.")

    @classmethod
    def of(cls, checked: designing.Checked) -> Checked:
        return cls(
            document_sha256=checked.document_sha256,
            duplicate_of=checked.duplicate_of,
            precedence=checked.answer.precedence,
            shards=checked.shards,
            check=checked.answer.check,
        )
