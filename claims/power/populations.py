"""Which population a study is drawn from, by what its metric is and what is assumed of it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from claims.instruments.manifest import Metric, Statistic
from claims.power.agreement import Agreement
from claims.power.binormal import Binormal, spread
from claims.power.largest import Largest
from claims.power.population import Population, largest_sd
from claims.power.slope import Slope
from claims.power.unit_normal import UnitNormal
from claims.registration.model import IntervalMethod


@dataclass(frozen=True)
class Shape:
    """What is known of the n units beside their sd, and of how many `dimensions` one metric is the largest."""

    skewness: float = 0.0
    reliability: float = 1.0
    dimensions: int = 1
    n: int = 2


SHAPELESS = Shape()
NEVER_NORMAL = frozenset({"agreement", "largest", "chosen"})


def population_of(
    value: float,
    sd: float,
    metric: Metric,
    method: IntervalMethod,
    shape: Shape = SHAPELESS,
) -> Population | None:
    """As what the metric is, for a true `value`; where no such thing has this sd, or this interval, as a normal.

    Of anything else as a mean over units. None of what is not drawn: what data chose, and the largest of several that
    cannot have this sd.
    """
    if metric.statistic in NEVER_NORMAL:
        return _by_its_rule(value, sd, metric, shape)
    if not metric.statistic:
        return Population.around(value, sd, metric, method, shape.skewness)
    return _units(value, sd, metric.statistic, method) or Population("normal", sd, metric.low, metric.high, value)


def _by_its_rule(value: float, sd: float, metric: Metric, shape: Shape) -> Population | None:
    if metric.statistic == "agreement":
        ends = metric.low, metric.high
        return Agreement("agreement", sd, *ends, value, reliability=shape.reliability, registered=shape.n)
    return Largest.like(value, sd, shape.dimensions) if metric.statistic == "largest" else None


def _units(value: float, sd: float, statistic: Statistic, method: IntervalMethod) -> Population | None:
    if statistic == "slope":
        return Slope.like(value, sd, method)
    if statistic == "auroc":
        return Binormal.like(value, sd) if method in {"jackknife_t", "delong"} else None
    return UnitNormal.like(value, sd) if method in {"jackknife_t", "bca", "percentile"} else None


def most_of(value: float, metric: Metric) -> float:
    """The largest sd of a unit that is possible where the metric is `value`."""
    if metric.statistic:
        return spread(value, -1.0) if metric.statistic == "auroc" else inf
    return largest_sd(value, metric.low, metric.high)
