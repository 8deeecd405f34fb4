"""What came out: each hypothesis with its interval against its threshold, and in words why it was judged so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.pages import words
from app.pages.charts.forest import ForestRow
from claims.instruments.manifest import Manifest
from claims.registration.model import Band, Equality, Hypothesis, Prediction, Registration, Threshold

_CONFIRMS = {">": "above", ">=": "at or above", "<": "below", "<=": "at or below"}
_REFUTES = {">": "at or below", ">=": "below", "<": "at or above", "<=": "above"}


@dataclass(frozen=True)
class Judgement:
    """One hypothesis as its row in the table and on the plot says it; figures are None where nothing was measured."""

    id: str
    statement: str
    primary: bool
    metric: str
    meaning: str
    unit: str
    condition: str
    rule: str
    outcome: str | None
    void_reason: str | None
    estimate: float | None
    lo: float | None
    hi: float | None
    level: float | None
    why: str
    predicted: tuple[tuple[float | None, float | None], ...]
    thresholds: tuple[float, ...]

    @property
    def shown_estimate(self) -> str:
        if self.estimate is None:
            return ""
        return words.number(self.estimate, beside=self.thresholds, decimals=self.decimals)

    @property
    def shown_interval(self) -> str:
        if self.lo is None or self.hi is None:
            return ""
        return words.interval(self.lo, self.hi, beside=self.thresholds, decimals=self.decimals)

    @property
    def decimals(self) -> int:
        """None for a count of something, which is whole together with its bounds."""
        figures = (self.estimate, self.lo, self.hi)
        whole = all(figure is not None and figure == round(figure) for figure in figures)
        return 0 if self.unit and whole else 3

    @property
    def exact(self) -> str:
        """Every digit, for whoever needs them."""
        return "" if self.estimate is None else f"{self.estimate!r} [{self.lo!r}, {self.hi!r}]"


def judgements(
    registration: Registration, manifest: Manifest | None, verdict: Sequence[Mapping[str, Any]]
) -> list[Judgement]:
    """The hypotheses in the document's order; `verdict` is the `hypotheses` list of the last `adjudicated` entry."""
    judged = {one["id"]: one for one in verdict}
    return [_judgement(one, manifest, judged.get(one.id)) for one in registration.hypotheses]


def forest_rows(judged: Sequence[Judgement]) -> tuple[ForestRow, ...]:
    return tuple(
        ForestRow(
            id=one.id,
            heading=f"{one.id} · {one.metric} {one.condition}",
            figures=f"{one.shown_estimate} {one.shown_interval} · {one.outcome}".strip(),
            unit=one.unit,
            outcome=one.outcome or "void",
            estimate=one.estimate,
            lo=one.lo,
            hi=one.hi,
            predicted=one.predicted,
        )
        for one in judged
    )


def text_alternative(judged: Sequence[Judgement]) -> str:
    """The forest plot for whoever does not see it."""
    said = [
        f"{one.id}: {one.metric} {one.shown_estimate} {one.shown_interval}, predicted {one.condition}: {one.outcome}."
        for one in judged
    ]
    return "Forest plot of every hypothesis, its interval against its threshold. " + " ".join(said)


def rule(predict: Prediction) -> str:
    """When the prediction is confirmed and when refuted, in one sentence."""
    match predict:
        case Threshold():
            t = words.figure(predict.value)
            return (
                f"Confirmed if the whole interval lies {_CONFIRMS[predict.op]} {t}, refuted if it lies "
                f"{_REFUTES[predict.op]} {t}, else inconclusive."
            )
        case Band() | Equality():
            inside, outside = ("outside", "inside") if predict.op == "outside" else ("inside", "outside")
            return (
                f"Confirmed if the whole interval lies {inside} {_band(predict)}, refuted if it lies wholly "
                f"{outside} it, else inconclusive."
            )


def why(predict: Prediction, outcome: str) -> str:
    """Why an interval was judged `outcome` (confirmed, refuted or inconclusive), in one sentence."""
    if isinstance(predict, Threshold):
        # The number never stands alone at the start of a line.
        t = words.NO_BREAK + words.figure(predict.value)
        side = {"confirmed": _CONFIRMS, "refuted": _REFUTES}.get(outcome)
        return f"The whole interval lies {side[predict.op]}{t}." if side else f"The interval reaches both sides of{t}."
    if outcome == "inconclusive":
        return f"The interval lies neither wholly inside nor wholly outside {_band(predict)}."
    inside = (outcome == "confirmed") == (predict.op != "outside")
    return f"The whole interval lies {'inside' if inside else 'outside'} {_band(predict)}."


def predicted_stretches(predict: Prediction) -> tuple[tuple[float | None, float | None], ...]:
    """Where on the metric's axis the prediction is true; None is an open end."""
    ends = words.thresholds(predict)
    if isinstance(predict, Threshold):
        return ((ends[0], None),) if predict.op in {">", ">="} else ((None, ends[0]),)
    low, high = ends
    return ((None, low), (high, None)) if predict.op == "outside" else ((low, high),)


def _judgement(hypothesis: Hypothesis, manifest: Manifest | None, judged: Mapping[str, Any] | None) -> Judgement:
    metric = manifest.metric(hypothesis.metric) if manifest else None
    outcome = judged["outcome"] if judged else None
    plain = outcome in {"confirmed", "refuted", "inconclusive"}
    return Judgement(
        id=hypothesis.id,
        statement=hypothesis.statement,
        primary=hypothesis.primary,
        metric=hypothesis.metric,
        meaning=metric.meaning if metric else "",
        unit=metric.unit if metric else "",
        condition=words.condition(hypothesis.predict),
        rule=rule(hypothesis.predict),
        outcome=outcome,
        void_reason=judged["void_reason"] if judged else None,
        estimate=judged["estimate"] if judged else None,
        lo=judged["lo"] if judged else None,
        hi=judged["hi"] if judged else None,
        level=judged["level"] if judged else None,
        why=why(hypothesis.predict, str(outcome)) if plain else "",
        predicted=predicted_stretches(hypothesis.predict),
        thresholds=words.thresholds(hypothesis.predict),
    )


def _band(predict: Band | Equality) -> str:
    low, high = words.thresholds(predict)
    return f"[{words.figure(low)}, {words.figure(high)}]"
