"""What a registrant should know of a design before freezing it: each with `code`, `pointer` and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, sqrt

from scipy.stats import norm

from claims.flaws import pointer
from claims.instruments.manifest import Manifest, Metric
from claims.instruments.minimums import MEAN_OF_SEVERAL
from claims.power.population import takes_skewness
from claims.power.populations import most_of
from claims.power.prospect import Prospect, figure
from claims.power.recorded import Recorded
from claims.power.study import ENOUGH, Analysis
from claims.registration.model import Assumption, Registration, Threshold

Caution = dict[str, str]
_MUCH_MORE = 1.5  # times the assumed sd, from which a recorded one is told
SIMULATED = 0.95  # the highest level that the smallest numbers of clusters were simulated at
ROUNDED = 1.01  # an sd that a person wrote down is rounded
_OFTEN_VOID = 0.05
_COARSE = 0.02  # of half an interval's width: how far a bound may move from one seed to another


def of_prospects(prospects: Sequence[Prospect]) -> Iterator[Caution]:
    for index, prospect in enumerate(prospects):
        for code, last, detail in (*_power(prospect), *_headroom(prospect)):
            at = pointer("hypotheses", index, *last)
            yield {"code": code, "pointer": at, "detail": f"{prospect.hypothesis.id}: {detail}"}


def _power(prospect: Prospect) -> Iterator[tuple[str, tuple[str, ...], str]]:
    found, assumed, n = prospect.chances, prospect.assumed, prospect.units.n
    if found is None:
        return
    if prospect.target is None:
        detail = f"{assumed:g}, as assumed, is the threshold itself, where no number of {_of(prospect)} decides"
        yield "POWER", (), detail
        return
    if prospect.target == "refuted":
        yield "AGAINST", ("predict",), f"{assumed:g}, as assumed, would make it false: predict what is expected"
    decided = prospect.decided or 0.0
    if decided < ENOUGH:
        verb = "confirmed" if prospect.target == "confirmed" else "refuted"
        chance = f"at {assumed:g}, as assumed, it is {verb} with a chance of {_percent(decided)} by {n} {_of(prospect)}"
        yield "POWER", (), f"{chance}; {_remedy(prospect)}"
    if found.inconclusive > 1 / 2:
        likely = f"at {assumed:g}, as assumed, it stays undecided with a chance of {_percent(found.inconclusive)}"
        yield "INCONCLUSIVE", (), likely
    if found.void > _OFTEN_VOID:
        void = _percent(found.void)
        alike = f"at {assumed:g}, as assumed, {n} {_of(prospect)} are too much alike with a chance of {void}"
        yield "DEGENERATE", (), f"{alike}: then there is no interval, and it is void"


def _remedy(prospect: Prospect) -> str:
    if not prospect.searched:
        return "how many would do was not searched for"
    if prospect.smallest_n is not None:
        return f"{prospect.smallest_n:,} make it {ENOUGH:.0%}"
    return f"not even {prospect.units.most:,}, the most there can be, are known to make it {ENOUGH:.0%}"


def _headroom(prospect: Prospect) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Where no value that the metric could have would be confirmed often enough."""
    aim = prospect.aim
    if aim is None or not prospect.searched or prospect.detectable is not None:
        return
    enough = f"with a chance of {ENOUGH:.0%} by {prospect.units.n} {_of(prospect)} of sd {prospect.sd:g}"
    if not isinstance(prospect.hypothesis.predict, Threshold) and prospect.hypothesis.predict.op != "outside":
        yield "NARROW", ("predict",), f"no value in the band is confirmed {enough}: widen it, or measure more"
        return
    code, side = ("CEILING", "above") if aim.direction > 0 else ("FLOOR", "below")
    detail = f"{side} {figure(aim.edge):g} no value that it can have is confirmed {enough}: move it, or measure more"
    yield code, ("predict",), detail


def _percent(chance: float) -> str:
    """From the three digits that the answer has: rounded otherwise the two could differ by one per cent."""
    return f"{round(chance, 3):.0%}"


def _of(prospect: Prospect) -> str:
    return f"{prospect.unit}s"


def of_assumptions(
    registration: Registration, manifest: Manifest, recorded: Mapping[str, Recorded]
) -> Iterator[Caution]:
    """Assumptions that are about nothing, that no mean could meet, or that the ledger's evidence speaks against."""
    named = {hypothesis.metric for hypothesis in registration.hypotheses}
    for name, assumption in registration.assumptions.items():
        metric, at = manifest.metric(name), ("assumptions", name)
        if name not in named:
            detail = f"no hypothesis is about {name}: nothing follows from what is assumed of it"
            yield {"code": "UNUSED", "pointer": pointer(*at), "detail": detail}
        elif metric is not None and assumption.sd > ROUNDED * most_of(assumption.value, metric):
            what = "no AUROC over pairs" if metric.statistic else f"nothing within [{metric.low:g}, {metric.high:g}]"
            only = (
                ""
                if metric.statistic
                else ": as the sd of one unit that is possible only for what is no mean over units"
            )
            detail = f"{what} varies by an sd of {assumption.sd:g} around {assumption.value:g}{only}"
            yield {"code": "SPREAD", "pointer": pointer(*at, "sd"), "detail": detail}
        if name in named and metric is not None:
            yield from _unused(assumption, metric, at)
        if name in named and name in recorded and recorded[name].sd > _MUCH_MORE * assumption.sd:
            detail = f"an sd of {assumption.sd:g} is assumed of {name}; {recorded[name].sd:.3g} is {recorded[name]}"
            yield {"code": "OPTIMISTIC", "pointer": pointer(*at, "sd"), "detail": detail}


def _unused(assumption: Assumption, metric: Metric, at: tuple[str, ...]) -> Iterator[Caution]:
    if assumption.skewness and not takes_skewness(metric):
        detail = f"the skewness of {at[-1]} is not used: it is of means over units in a range without ends"
        yield {"code": "UNUSED", "pointer": pointer(*at, "skewness"), "detail": detail}
    if assumption.reliability < 1 and metric.statistic != "agreement":
        detail = f"the reliability of {at[-1]} is not used: it is of a rho between two noisy rankings"
        yield {"code": "UNUSED", "pointer": pointer(*at, "reliability"), "detail": detail}


def of_tails(registration: Registration, manifest: Manifest, prospects: Sequence[Prospect]) -> Iterator[Caution]:
    """Means whose level asks for thinner tails than the smallest numbers of clusters were simulated for."""
    level, enough = round(registration.level, 9), MEAN_OF_SEVERAL.get(registration.analysis.interval, 0)
    for index, prospect in enumerate(prospects):
        metric, n = manifest.metric(prospect.hypothesis.metric), prospect.units.n
        if level > SIMULATED and metric is not None and takes_skewness(metric) and n is not None and n < enough:
            often = f"at a level of {level * 100:.6g} % {n} {_of(prospect)}, if they are skewed, are falsely decided"
            detail = f"{prospect.hypothesis.id}: {often} more often than that says; {enough} would do"
            yield {"code": "TAILS", "pointer": pointer("hypotheses", index), "detail": detail}


def of_resamples(analysis: Analysis) -> Iterator[Caution]:
    """Whether another seed would move a bound noticeably: the error of a quantile of B normal values."""
    if not analysis.resampling or analysis.resamples is None:
        return
    tail = (1 - analysis.level) / 2
    quantile = float(norm.ppf(1 - tail))
    of_one = sqrt(tail * (1 - tail)) / float(norm.pdf(quantile)) / quantile
    moved = of_one / sqrt(analysis.resamples)
    if moved > _COARSE:
        detail = (
            f"with {analysis.resamples:,} resamples another seed would move a bound by about {moved:.1%} of half the "
            f"interval's width; {ceil((of_one / _COARSE) ** 2 / 100) * 100:,} make it {_COARSE:.0%}"
        )
        yield {"code": "RESAMPLES", "pointer": "/analysis/resamples", "detail": detail}


def of_waiting(registration: Registration) -> Iterator[Caution]:
    if hours := registration.forecast_hours:
        waiting = f"{hours:,} hour{'s' if hours > 1 else ''}"
        detail = f"measuring starts {waiting} after filing at the earliest, so that others can forecast"
        yield {"code": "FORECASTS", "pointer": "/forecast_hours", "detail": detail}
