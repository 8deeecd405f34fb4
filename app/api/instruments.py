"""The instruments, as their manifests declare them."""

from __future__ import annotations

from fastapi import APIRouter

from app.api.protocol.description import answers
from app.api.protocol.querying import STRICT
from app.api.schemas.answers import Page
from app.api.schemas.instruments import InstrumentAnswer
from claims.instruments import catalogue

router = APIRouter(tags=["instruments"], dependencies=[STRICT])


@router.get("/v1/instruments", summary="Every instrument", responses=answers())
def list_instruments() -> Page[InstrumentAnswer]:
    """What can be measured: parameters, metrics with their ranges, subjects, sizes and intervals."""
    manifests = [instrument.MANIFEST for instrument in catalogue().values()]
    items = [InstrumentAnswer.of(manifest) for manifest in sorted(manifests, key=lambda manifest: manifest.name)]
    return Page(items=items, next=None)
