from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from app.api.schemas.common import Answer
from app.ledger.records import FoundEvidence
from claims.entries import Entry
from claims.evidence import Evidence
from claims.registration.model import Registration
from claims.verdict.rule import adjudicate


class Void(Answer):
    """Why something is void. `hypothesis` is null where the whole study is."""

    reason: str = Field(examples=["kill_criterion"])
    hypothesis: str | None
    figures: dict[str, Any]
    remedy: str


def voids_of(registration: Registration, entries: Iterable[Entry], evidence: FoundEvidence | None) -> list[Void]:
    """Every void behind the claim's verdict: recomputed from evidence, or as the log has it where there is none."""
    if evidence is None:
        return [_logged(entry) for entry in entries if entry.type == "voided"]
    verdict = adjudicate(registration, Evidence.model_validate(evidence.body))
    return [
        Void(reason=void.reason.value, hypothesis=void.hypothesis, figures=dict(void.figures), remedy=void.remedy)
        for void in verdict.voids
    ]


def _logged(entry: Entry) -> Void:
    given = {name: entry.payload[name] for name in ("reason", "figures", "remedy")}
    return Void(**given, hypothesis=None)
