"""Claims whose evidence is what their instrument estimates from the rows at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from app.pages.claim.record import ClaimRecord
from claims.canonical import sha256_hex
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.registration.model import Registration
from claims.rows import decode
from claims.seeds import seeds_of

from .documents import evidence
from .lives import RUN, measured, opened, record, registered

SEEDS = seeds_of(bytes(32), "0" * 64)


def evidence_of(document: Mapping[str, Any], rows: bytes) -> Evidence:
    """What the document's instrument itself estimates from these rows."""
    chosen = document["instrument"]
    estimated = catalogue()[chosen["name"]].estimate(decode(rows), Registration.model_validate(document), SEEDS)
    model = {"weights_sha256": "4d" * 32, "dtype": "float32", "device": "cpu", "attention": "sdpa"}
    found = evidence(
        instrument=chosen["name"],
        params=chosen["params"],
        subject={"model": model, "dataset": {"sha256": "3c" * 32, "n": document["sampling"]["pairs"]}},
        controls={},
        rows_sha256=sha256_hex(rows),
    )
    return found.model_copy(update=dict(estimated))


def judged_claim(document: Mapping[str, Any], rows: bytes) -> ClaimRecord:
    """The claim of this document, judged by these rows."""
    found = evidence_of(document, rows)
    steps = [registered(document), opened(RUN), *measured(RUN, found, document)]
    return replace(record(document, steps, found), evidence_sha256=sha256_hex(repr(document).encode() + rows))
