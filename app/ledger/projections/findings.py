"""Evidence, and what was adjudicated of each hypothesis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.ledger.projections.store import Store
from app.ledger.subjects import dataset_name, model_name
from app.ledger.tables import EvidenceRow, HypothesisRow
from claims.dose_series import dose_of
from claims.entries import Entry
from claims.lifecycle import ClaimState
from claims.registration.model import Subject


def add_evidence(store: Store, entry: Entry, state: ClaimState) -> None:
    payload, registration = entry.payload, store.registration(state.id)
    body = store.document(payload["evidence"])
    dose = dose_of(registration)
    store.insert(
        EvidenceRow,
        {
            "run": payload["run"],
            "claim": state.id,
            "seq": entry.seq,
            "dose": dose,
            **_stated(payload, body),
            **_measured_subject(registration.subject, body),
        },
    )
    if dose is not None:
        store.recalibrate()


def correct_evidence(store: Store, entry: Entry, state: ClaimState) -> None:
    """The corrected evidence in place of what it corrects, which stays in the log; `seq` is that of the first."""
    payload, registration = entry.payload, store.registration(state.id)
    body = store.document(payload["evidence"])
    values = {**_stated(payload, body), **_measured_subject(registration.subject, body)}
    store.update(EvidenceRow, {"run": payload["run"]}, values)
    if dose_of(registration) is not None:
        store.recalibrate()


def adjudicate(store: Store, entry: Entry, state: ClaimState) -> None:
    for judged in entry.payload["hypotheses"]:
        values = {key: value for key, value in judged.items() if key != "id"}
        store.update(HypothesisRow, {"claim": state.id, "id": judged["id"]}, values)


def void_hypotheses(store: Store, entry: Entry, state: ClaimState) -> None:
    if entry.payload["run"] == state.run:
        void = {"outcome": "void", "void_reason": entry.payload["reason"]}
        store.update(HypothesisRow, {"claim": state.id}, void)


def _stated(payload: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "sha256": payload["evidence_sha256"],
        "rows_sha256": payload["rows_sha256"],
        "body": body,
        "commit": body["provenance"]["commit"],
        "dirty": body["provenance"]["dirty"],
        "instrument": body["instrument"],
    }


def _measured_subject(subject: Subject, body: Mapping[str, Any]) -> dict[str, str]:
    """The weights' and the pairs' hashes as measured; for what is generated, the names of recipe and generator."""
    return {
        "model": body["subject"]["model"]["weights_sha256"] or model_name(subject.model),
        "dataset": body["subject"]["dataset"]["sha256"] or dataset_name(subject.dataset),
    }
