"""Proofs, as the API answers with them."""

from __future__ import annotations

from pydantic import Field

from app.api.schemas.answers import Answer, Sha256

PROOF = Field(description="SHA-256 hashes in hex, from the leaf's side upwards")


class Proof(Answer):
    """An inclusion proof (`index`, `leaf_hash`) or a consistency proof (`first`): RFC 6962, sections 2.1.1, 2.1.2.

    `size` and `root` are those of the tree that it leads to.
    """

    index: int | None = Field(default=None, description="of the entry that is shown to be in the log")
    leaf_hash: Sha256 | None = None
    first: int | None = Field(default=None, description="the size of the tree that is shown to be continued")
    size: int
    root: Sha256
    proof: list[Sha256] = PROOF


class EntryProof(Answer):
    """One entry of a claim. `canonical` is base64 of the bytes that its leaf hash is taken over."""

    index: int
    canonical: str
    leaf_hash: Sha256
    proof: list[Sha256] = PROOF


class ClaimProof(Answer):
    """Every entry of a claim that a checkpoint covers, each with its path to that checkpoint's root."""

    checkpoint: str = Field(description="the signed note, with the cosignatures that it has so far")
    vkey: str = Field(description="the log's key as this service states it; compare it with the one that you kept")
    size: int
    root: Sha256
    entries: list[EntryProof]
