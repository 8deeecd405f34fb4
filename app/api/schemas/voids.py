from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import Field

from app.api.schemas.answers import Answer
from app.ledger.records import FoundEvidence
from claims.entries import Entry
from claims.evidence import Evidence
from claims.registration.model import Registration
from claims.verdict.rule import adjudicate
from claims.verdict.voids import VoidReason


class Void(Answer):
    """Why something is void. `hypothesis` is null where the whole study is."""

    reason: str = Field(examples=["kill_criterion"])
    hypothesis: str | None
    figures: dict[str, Any]
    remedy: str


def voids_of(registration: Registration, entries: Iterable[Entry], evidence: FoundEvidence | None) -> list[Void]:
    """Every void behind the claim's verdict. The log names the reasons; figures follow from the evidence.

    A verdict that does not follow from the evidence, computed again, is told as the log has it, without figures.
    """
    last = next((entry for entry in reversed(list(entries)) if entry.type in {"adjudicated", "voided"}), None)
    if last is None:
        return []
    if last.type == "voided":
        return [Void(**{name: last.payload[name] for name in ("reason", "figures", "remedy")}, hypothesis=None)]
    if evidence is not None:
        verdict = adjudicate(registration, Evidence.model_validate(evidence.body))
        if verdict.as_payload(last.payload["run"]) == dict(last.payload):
            return [_void(void.reason, void.hypothesis, void.figures) for void in verdict.voids]
    logged = [judged for judged in last.payload["hypotheses"] if judged["void_reason"]]
    return [_void(VoidReason(judged["void_reason"]), judged["id"], {}) for judged in logged]


def _void(reason: VoidReason, hypothesis: str | None, figures: Mapping[str, Any]) -> Void:
    return Void(reason=reason.value, hypothesis=hypothesis, figures=dict(figures), remedy=reason.remedy)
