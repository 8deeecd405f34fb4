"""One hypothesis against the estimate of its metric."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from claims.evidence import Estimate, Evidence
from claims.instruments.manifest import Metric
from claims.registration.model import Hypothesis, Prediction, Registration
from claims.verdict.regions import outcome
from claims.verdict.voids import Void, VoidReason

_SAME_LEVEL = 1e-12  # levels are computed in double precision, 1 - alpha / k, on both sides


@dataclass(frozen=True)
class Judged:
    """A hypothesis with what came out: the figures as estimated (None where there are none) and the outcome.

    `outcome` is confirmed, refuted, inconclusive or void; `void_reason` says why it is void.
    """

    id: str
    estimate: float | None
    lo: float | None
    hi: float | None
    level: float | None
    outcome: str
    void_reason: str | None


def judge(
    hypothesis: Hypothesis, registration: Registration, evidence: Evidence, metric: Metric | None
) -> tuple[Judged, Void | None]:
    """The hypothesis judged on its own metric, and the metric-level void when there is one.

    `metric` is what the manifest says of it in this registration; None where that is not known: then it is not exact,
    and its range has no ends.
    """
    estimate = evidence.estimates.get(hypothesis.metric)
    if estimate is None:
        figures = {"not_measured": evidence.not_measured.get(hypothesis.metric)}
        return voided(hypothesis, None, VoidReason.METRIC_ABSENT), Void(
            VoidReason.METRIC_ABSENT, figures, hypothesis.id
        )
    band = evidence.nondeterminism.get(f"band.{hypothesis.metric}", 0.0)
    exact = metric is not None and metric.exact
    reason = _unusable(estimate, registration, exact=exact) or _within_band(estimate, band, hypothesis.predict, metric)
    if reason is not None:
        return voided(hypothesis, estimate, reason), Void(
            reason, {**estimate.model_dump(), "band": band}, hypothesis.id
        )
    word = outcome(estimate.lo, estimate.hi, hypothesis.predict)
    return Judged(hypothesis.id, estimate.value, estimate.lo, estimate.hi, estimate.level, word, None), None


def voided(hypothesis: Hypothesis, estimate: Estimate | None, reason: VoidReason) -> Judged:
    """The hypothesis as void, with its figures where there are any."""
    if estimate is None:
        return Judged(hypothesis.id, None, None, None, None, "void", reason.value)
    return Judged(hypothesis.id, estimate.value, estimate.lo, estimate.hi, estimate.level, "void", reason.value)


def _unusable(estimate: Estimate, registration: Registration, *, exact: bool) -> VoidReason | None:
    """Why no rule may be applied to this interval; an exact metric alone may have one of zero width.

    Every comparison is one that NaN fails: evidence refuses it, and the rule does not lean on that.
    """
    counted = estimate.method == "exact"
    if not abs(estimate.level - registration.level) <= _SAME_LEVEL:
        return VoidReason.WRONG_LEVEL
    if not (exact if counted else estimate.method == registration.analysis.interval):
        return VoidReason.WRONG_METHOD
    if not (isfinite(estimate.lo) and isfinite(estimate.hi) and estimate.lo <= estimate.value <= estimate.hi):
        return VoidReason.MALFORMED_INTERVAL
    if estimate.lo == estimate.hi and not counted:
        return VoidReason.DEGENERATE_INTERVAL
    return None


def _within_band(estimate: Estimate, band: float, predict: Prediction, metric: Metric | None) -> VoidReason | None:
    """Whether moving a bound by the non-determinism band would undo a decision; indecision has none to undo.

    Of all intervals that moved bounds make, the widest holds every other: what it still decides, they all do. Where
    the metric's range ends, no bound moves on.
    """
    decided = outcome(estimate.lo, estimate.hi, predict)
    if decided == "inconclusive":
        return None
    lo, hi = estimate.lo - band, estimate.hi + band
    known = band >= 0 and isfinite(lo) and isfinite(hi)
    if metric is not None:
        lo, hi = min(estimate.lo, max(lo, metric.low)), max(estimate.hi, min(hi, metric.high))
    return None if known and outcome(lo, hi, predict) == decided else VoidReason.NONDETERMINISM
