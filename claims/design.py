"""What can be said of a design before it is frozen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import Any

from claims.flaws import pointer
from claims.instruments import catalogue
from claims.instruments.manifest import Instrument, Metric
from claims.power import Power, power_of
from claims.precedence import why
from claims.registration.model import PairsDataset, Prediction, Registration
from claims.registration.vacuity import reachable
from claims.trust import trust_of
from claims.verdict.regions import bounds

WARNING_CODES: Mapping[str, str] = MappingProxyType(
    {
        "AGAINST": "What is assumed would make the prediction false.",
        "POWER": "What is assumed would be decided less often than with a chance of 80 %.",
        "INCONCLUSIVE": "What is assumed would more likely than not stay undecided.",
        "DEGENERATE": "There may well be no interval, as units are too much alike, so that the hypothesis is void.",
        "CEILING": "The metric can hardly be high enough to confirm this.",
        "FLOOR": "The metric can hardly be low enough to confirm this.",
        "NARROW": "The band is too narrow for intervals as wide as these.",
        "RELIABILITY": "Noise pulls the metric to 0, and the threshold lies elsewhere.",
        "SPREAD": "No quantity within the metric's range varies as much as is assumed.",
        "OPTIMISTIC": "The ledger's evidence varies by more than one and a half times what is assumed.",
        "UNUSED": "No hypothesis is about what is assumed, or its skewness or reliability is none that the metric has.",
        "TAILS": "Few skewed units are falsely decided more often than so high a level says.",
        "RESAMPLES": "Another seed would move the bounds noticeably.",
        "FORECASTS": "Measuring waits until others have had time to forecast.",
        "POST_HOC": "Data of this kind was there before the prediction.",
    }
)


def check(
    registration: Registration,
    precedence: str,
    pairs_per_dimension: Mapping[str, int] | None = None,
    instruments: Mapping[str, Instrument] | None = None,
    *,
    calibrated: bool = False,
    power: Power | None = None,
    waiting: int | None = None,
) -> dict[str, Any]:
    """The design check's answer, as it is logged in `registered.check`, for a registration without flaws.

    `reachable` is the precedence and the highest trust it can come to as things stand, and why; `level` the level
    of every interval; `cost` what a run will take, None while the dataset's pairs are not counted, `queue` the one it
    is put in, `waiting` how many shards wait there; `hypotheses` and `claim` what they can be expected to decide
    (`claims.power`); `warnings` what makes a hypothesis hard or impossible to decide, each with `code`, `pointer` and
    `detail`. The ledger tells what it alone knows: whether the instrument is `calibrated` as chosen, how many shards
    are `waiting`, and `power` from its datasets and its evidence, or else it is of the registration alone.
    """
    instrument = (catalogue() if instruments is None else instruments)[registration.instrument.name]
    power = power_of(registration, instrument.MANIFEST) if power is None else power
    return {
        "reachable": {
            "precedence": precedence,
            "trust": trust_of(precedence, "confirmed", calibrated=calibrated),
            "why": why(precedence),
        },
        "level": registration.level,
        "cost": _cost(registration, instrument, pairs_per_dimension),
        "queue": instrument.MANIFEST.queue,
        "waiting": waiting,
        "hypotheses": list(power.hypotheses),
        "claim": dict(power.claim),
        "warnings": [*_of_metrics(registration, instrument), *power.warnings, *_post_hoc(precedence)],
    }


def _cost(
    registration: Registration, instrument: Instrument, pairs_per_dimension: Mapping[str, int] | None
) -> dict[str, Any] | None:
    if isinstance(registration.subject.dataset, PairsDataset) and pairs_per_dimension is None:
        return None
    return asdict(instrument.cost(registration, pairs_per_dimension or {}))


def _of_metrics(registration: Registration, instrument: Instrument) -> Iterator[dict[str, str]]:
    for index, hypothesis in enumerate(registration.hypotheses):
        metric = instrument.MANIFEST.metric(hypothesis.metric)
        if metric is None:
            continue
        for code, last, said in (
            ("CEILING", "metric", metric.ceiling if _above_ceiling(hypothesis.predict, metric) else ""),
            ("RELIABILITY", "predict", metric.pulled_to_zero if _away_from_zero(hypothesis.predict, metric) else ""),
        ):
            if said:
                detail = f"{hypothesis.id}: {hypothesis.metric}: {said}"
                yield {"code": code, "pointer": pointer("hypotheses", index, last), "detail": detail}


def _above_ceiling(predict: Prediction, metric: Metric) -> bool:
    """Whether nothing up to the ceiling could confirm this."""
    return "confirmed" not in reachable(predict, replace(metric, high=min(metric.high, metric.ceiling_at)))


def _away_from_zero(predict: Prediction, metric: Metric) -> bool:
    """Whether the outcome changes anywhere but at 0; an end of the metric's range decides nothing."""
    return any(metric.low < bound < metric.high and bound != 0 for bound in bounds(predict))


def _post_hoc(precedence: str) -> Iterator[dict[str, str]]:
    if precedence == "post_hoc":
        yield {"code": "POST_HOC", "pointer": "/prior_exposure", "detail": why(precedence)}
