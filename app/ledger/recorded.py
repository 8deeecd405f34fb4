"""What the ledger's evidence says of how much a metric varies from one unit to the next."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import ColumnElement
from sqlmodel import Session, col, select

from app.ledger.lineage import measured_on
from app.ledger.tables import ClaimRow, EvidenceRow
from claims.evidence import Estimate
from claims.instruments.manifest import Manifest
from claims.power.recorded import Recorded, recorded_of
from claims.registration.model import Registration

LATEST = 5  # claims that are looked at, of the same subject and of others


def recorded_spread(session: Session, registration: Registration, manifest: Manifest) -> Mapping[str, Recorded]:
    """By metric of a hypothesis, the median of the latest claims' on this subject; where none has it, on any other.

    Their deciding runs count, by the same instrument at the same version, whatever its parameters were.
    """
    same = measured_on(session, registration.subject)
    own, others = _latest(session, registration, same), _latest(session, registration, ~same)
    found = dict[str, Recorded]()
    for name in {hypothesis.metric for hypothesis in registration.hypotheses}:
        metric = manifest.metric(name)
        if metric is None:
            continue
        metric = metric.within(registration)
        spread = recorded_of(_of(name, own), metric, same_subject=True)
        spread = spread or recorded_of(_of(name, others), metric, same_subject=False)
        if spread is not None:
            found[name] = spread
    return found


def _latest(
    session: Session, registration: Registration, which: ColumnElement[bool]
) -> Mapping[str, Mapping[str, Estimate]]:
    """The estimates of the latest claims, by claim and metric."""
    chosen, body = registration.instrument, col(EvidenceRow.body)
    query = (
        select(EvidenceRow.claim, body["estimates"])
        .join(ClaimRow, col(ClaimRow.run) == col(EvidenceRow.run))
        .where(EvidenceRow.instrument == chosen.name, body["version"].astext == chosen.version, which)
        .order_by(col(EvidenceRow.seq).desc())
        .limit(LATEST)
    )
    asked = {hypothesis.metric for hypothesis in registration.hypotheses}
    return {
        claim: {name: Estimate.model_validate(estimates[name]) for name in asked & estimates.keys()}
        for claim, estimates in session.exec(query)
    }


def _of(name: str, found: Mapping[str, Mapping[str, Estimate]]) -> Mapping[str, Estimate]:
    return {claim: estimates[name] for claim, estimates in found.items() if name in estimates}
