"""The ledger in numbers, and whose probabilities were borne out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.api.protocol.access import TheLedger, TheSettings
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.calibration import ByStatus, CalibrationAnswer, Stats
from app.ledger import imports, overdue, queries
from app.ledger.calibration import calibrated
from app.ledger.track_records import track_record

router = APIRouter(tags=["stats"], dependencies=[STRICT])


@router.get("/v1/stats", summary="The ledger in numbers", responses=answers())
def get_stats(ledger: TheLedger, settings: TheSettings) -> Stats:
    """How many claims there are, and what became of them."""
    with ledger.begin() as session:
        counts = queries.counts(session)
        return Stats(
            claims=counts.claims,
            by_status=ByStatus(**counts.by_status),
            overdue=overdue.count(session, settings.overdue_hours),
            superseded=counts.superseded,
            contested=counts.contested,
            evidence=counts.evidence,
            imports=imports.count(session),
            entries=counts.entries,
        )


@router.get("/v1/stats/calibration", summary="What stated probabilities came to", responses=answers())
def get_calibration(
    ledger: TheLedger,
    registrant: Annotated[
        str | None, Query(min_length=1, max_length=100, description="Whose; everybody's unless given.")
    ] = None,
) -> CalibrationAnswer:
    """By bins of the stated probability, how many claims were confirmed; the Brier score, and what to hold it to.

    Of what registrants stated, and of what others forecast.
    """
    with ledger.begin() as session:
        return CalibrationAnswer.of(calibrated(session, registrant), track_record(session, registrant), registrant)
