"""What can be said of a design before it is frozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from claims.flaws import pointer
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument
from claims.precedence import why
from claims.registration.model import PairsDataset, Registration
from claims.trust import trust_of


def check(
    registration: Registration,
    precedence: str,
    pairs_per_dimension: Mapping[str, int] | None = None,
    instruments: Mapping[str, Instrument] | None = None,
) -> dict[str, Any]:
    """The design check's answer, as it is logged in `registered.check`, for a registration without flaws.

    `reachable` is the precedence and the highest trust it can come to as things stand, and why; `level` the level
    of every interval; `cost` what a run will take, None while the dataset's pairs are not counted; `warnings` what
    makes a hypothesis hard or impossible to decide, each with `code`, `pointer` and `detail`.
    """
    instrument = (catalogue() if instruments is None else instruments)[registration.instrument.name]
    return {
        "reachable": {
            "precedence": precedence,
            "trust": trust_of(precedence, "confirmed", calibrated=False),
            "why": why(precedence),
        },
        "level": registration.level,
        "cost": _cost(registration, instrument, pairs_per_dimension),
        "warnings": [*_ceilings(registration, instrument), *_post_hoc(precedence)],
    }


def _cost(
    registration: Registration, instrument: Instrument, pairs_per_dimension: Mapping[str, int] | None
) -> dict[str, Any] | None:
    if isinstance(registration.subject.dataset, PairsDataset) and pairs_per_dimension is None:
        return None
    return asdict(instrument.cost(registration, pairs_per_dimension or {}))


def _ceilings(registration: Registration, instrument: Instrument) -> Iterator[dict[str, str]]:
    for index, hypothesis in enumerate(registration.hypotheses):
        metric = instrument.MANIFEST.metric(hypothesis.metric)
        if metric is not None and metric.ceiling:
            detail = f"{hypothesis.id}: {hypothesis.metric}: {metric.ceiling}"
            yield {"code": "CEILING", "pointer": pointer("hypotheses", index, "metric"), "detail": detail}


def _post_hoc(precedence: str) -> Iterator[dict[str, str]]:
    if precedence == "post_hoc":
        yield {"code": "POST_HOC", "pointer": "/prior_exposure", "detail": why(precedence)}
