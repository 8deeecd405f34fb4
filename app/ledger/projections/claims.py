"""The claims themselves, and their hypotheses."""

from __future__ import annotations

from typing import Any

from app.ledger.projections.store import Store
from app.ledger.subjects import model_name
from app.ledger.tables import ClaimRow, HypothesisRow
from claims.entries import Entry
from claims.lifecycle import ClaimState
from claims.registration.model import Registration


def add_claim(store: Store, entry: Entry, state: ClaimState) -> None:
    document = store.document(entry.payload["registration"])
    registration = Registration.model_validate(document)
    store.insert(
        ClaimRow,
        {
            "id": state.id,
            "seq": entry.seq,
            "document_sha256": state.document_sha256,
            "document": store.canonical(entry.payload["registration"]),
            "registration": document,
            "registrant": state.registrant,
            "title": registration.title,
            "statement": registration.statement,
            "instrument": registration.instrument.name,
            "model": model_name(registration.subject.model),
            "metrics": sorted({hypothesis.metric for hypothesis in registration.hypotheses}),
            "reproduces": state.reproduces,
            "filed": state.filed,
            "trust": store.trust(state, registration),
            **_changing(state),
        },
    )
    store.insert(HypothesisRow, *_hypotheses(state.id, registration))


def update_claim(store: Store, state: ClaimState) -> None:
    trust = store.trust(state, store.registration(state.id))
    store.update(ClaimRow, {"id": state.id}, {**_changing(state), "trust": trust})


def undermines(state: ClaimState) -> bool:
    """Whether what is built on this claim is contested: refuted, superseded, or corrected away from confirmed."""
    fell = "confirmed" in state.judgements and state.status != "confirmed"
    return state.status == "refuted" or state.superseded_by is not None or fell


def _changing(state: ClaimState) -> dict[str, Any]:
    """The columns of a claim that later entries change, but for its trust."""
    return {
        "status": state.status,
        "precedence": state.precedence,
        "run": state.run,
        "superseded_by": state.superseded_by,
        "contested": state.contested,
        "undermines": undermines(state),
        "reproduced": state.reproduced,
        "corrected": state.corrected,
        "opened": state.opened,
        "judged": state.judged,
        "withdrawn": state.withdrawn,
    }


def _hypotheses(claim: str, registration: Registration) -> list[dict[str, Any]]:
    return [
        {
            "claim": claim,
            "id": hypothesis.id,
            "position": position,
            "metric": hypothesis.metric,
            "primary": hypothesis.primary,
        }
        for position, hypothesis in enumerate(registration.hypotheses)
    ]
