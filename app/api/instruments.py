"""The instruments, as their manifests declare them, with what the ledger says of their calibration."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.protocol.access import TheLedger
from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Page
from app.api.schemas.instruments import InstrumentAnswer
from app.api.schemas.scorecards import ScorecardAnswer
from app.ledger.scorecards import scorecards
from claims.dose_series import INSTRUMENT
from claims.instrument_source import source_sha256
from claims.instruments import catalogue

router = APIRouter(tags=["instruments"], dependencies=[STRICT])


@router.get("/v1/instruments", summary="Every instrument", responses=answers())
def list_instruments(ledger: TheLedger) -> Page[InstrumentAnswer]:
    """What can be measured: parameters, metrics with their ranges, subjects, sizes, intervals, and the scorecard."""
    with ledger.begin() as session:
        cards = scorecards(session)
    running = source_sha256(INSTRUMENT)
    shown = {name: ScorecardAnswer.of(card, running) for name, card in cards.items()}
    manifests = [instrument.MANIFEST for _, instrument in sorted(catalogue().items())]
    return Page(items=[InstrumentAnswer.of(manifest, shown.get(manifest.name)) for manifest in manifests], next=None)
