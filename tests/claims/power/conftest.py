from collections.abc import Callable

import pytest

from claims.instruments.manifest import Metric
from claims.power.prospect import Prospect
from claims.power.recorded import Recorded
from claims.power.simulating import Simulation
from claims.power.study import Analysis
from claims.power.units import Units
from claims.registration.model import Assumption, Hypothesis

METRICS = {
    "shift": Metric("shift", "any number"),
    "gap": Metric("gap", "a difference", low=-1, high=1),
    "accuracy": Metric("accuracy", "a share", low=0, high=1),
    "auroc": Metric("auroc", "of pairs", low=0, high=1, statistic="auroc"),
    "chosen": Metric("chosen", "of the largest", low=0, high=1, statistic="chosen"),
    "largest": Metric("largest", "of several", low=0, statistic="largest"),
    "count": Metric("count", "how many", low=0, exact=True),
}


@pytest.fixture(scope="session")
def prospect() -> Callable[..., Prospect]:
    """`prospect(metric, predict, value, sd, n)`: what is to be expected of one hypothesis; `sd` alone is recorded."""

    def simulated(metric, predict, value=None, sd=None, n=24, *, method="student_t", level=0.95, searched=True):
        resamples = None if method in {"student_t", "jackknife_t", "wilson", "delong"} else 2000
        hypothesis = Hypothesis.model_validate(
            {"id": "H1", "statement": "s", "primary": True, "metric": metric, "predict": predict}
        )
        assumption = None if value is None else Assumption(value=value, sd=sd, source="a pilot")
        recorded = Recorded(sd, ("k3v9x2m8q4w7",), same_subject=True) if value is None and sd is not None else None
        simulation = Simulation(
            hypothesis, METRICS[metric], Analysis(method, level, resamples), "cluster", Units(n, 8, 5000)
        )
        return simulation.prospect(assumption, recorded, searched=searched)

    return simulated
