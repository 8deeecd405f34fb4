"""How often a verdict is wrong where the truth lies on a boundary of what was predicted.

There both decisions count: on one side of the boundary the one is false, on its other side the other.
"""

from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from claims.intervals.by_cluster import by_cluster
from claims.registration.model import Band, Equality, Prediction, Registration, Threshold
from claims.registration.yaml_form import read_yaml
from claims.verdict.regions import outcome
from tests.bench.coverage.packs import BOOTSTRAPS, pack_means
from tests.bench.coverage.populations import units
from tests.bench.coverage.scenarios import RESAMPLES

ROOT = Path(__file__).parents[3]
EXAMPLE = read_yaml((ROOT / "examples" / "planted_key.yaml").read_bytes())
# A mean's standard error is 0.22 at 20 clusters: a wide band has one edge within reach, a narrow one both.
WIDE, NARROW = 4.0, 0.01
HALVES = {"confirmed": 0.5, "refuted": 0.5}
# What is predicted of a mean that is 0, and by how much of alpha each decision may be false.
AT_BOUNDARY: dict[str, tuple[Prediction, dict[str, float]]] = {
    "m > t": (Threshold(op=">", value=0), HALVES),
    "m >= t": (Threshold(op=">=", value=0), HALVES),
    "m < t": (Threshold(op="<", value=0), HALVES),
    "m <= t": (Threshold(op="<=", value=0), HALVES),
    "m within [a, b] (wide)": (Band(op="within", low=-WIDE, high=0), {"confirmed": 0.5, "refuted": 1}),
    "m within [a, b] (narrow)": (Band(op="within", low=-NARROW, high=0), {"confirmed": 0.5, "refuted": 1}),
    "m outside [a, b] (wide)": (Band(op="outside", low=-WIDE, high=0), {"confirmed": 1, "refuted": 0.5}),
    "m outside [a, b] (narrow)": (Band(op="outside", low=-NARROW, high=0), {"confirmed": 1, "refuted": 0.5}),
    "m equals v ± tol (wide)": (Equality(op="equals", value=-1, tolerance=1), {"confirmed": 0.5, "refuted": 1}),
    "m equals v ± tol (narrow)": (
        Equality(op="equals", value=-NARROW, tolerance=NARROW),
        {"confirmed": 0.5, "refuted": 1},
    ),
}
# Each method from where docs/coverage.csv shows it to hold for means.
SAMPLES = (("normal", 20, "jackknife_t"), ("skewed", 50, "jackknife_t"), ("skewed", 20, "studentised_bootstrap"))


@dataclass(frozen=True)
class Case:
    """A claim with `hypotheses` primaries that say the same of means, which are 0, correlated by `correlation`."""

    predict: str
    distribution: str
    clusters: int
    method: str
    confidence: float
    hypotheses: int = 1
    correlation: float = 0.0

    @property
    def level(self) -> float:
        """As a registration of so many primaries has it, by Bonferroni."""
        primaries = [{**EXAMPLE["hypotheses"][0], "id": f"H{number}"} for number in range(self.hypotheses)]
        analysis = {**EXAMPLE["analysis"], "confidence": self.confidence, "multiplicity": "bonferroni"}
        return Registration.model_validate({**EXAMPLE, "hypotheses": primaries, "analysis": analysis}).level

    @property
    def promised(self) -> dict[str, float]:
        """The largest chance of each false decision; of any, where there are several hypotheses."""
        alpha = 1 - self.confidence
        of_one = AT_BOUNDARY[self.predict][1] if self.hypotheses == 1 else {}
        return {**{decision: share * alpha for decision, share in of_one.items()}, "any": alpha}


def cases() -> list[Case]:
    alone = product(AT_BOUNDARY, SAMPLES, (0.9, 0.95))
    families = product(("m > t", "m within [a, b] (narrow)"), (0.9, 0.95), (1, 5, 20), (0.0, 0.8))
    return [
        *(Case(predict, *sample, confidence) for predict, sample, confidence in alone),
        *(
            Case(predict, "normal", 20, "jackknife_t", confidence, hypotheses, correlation)
            for predict, confidence, hypotheses, correlation in families
            if hypotheses > 1
        ),
    ]


def decided(case: Case, replicates: int, seed: int) -> dict[str, float]:
    """Shares of replicates in which any hypothesis was confirmed, any refuted, any of both, and all confirmed."""
    predict, rng = AT_BOUNDARY[case.predict][0], np.random.default_rng(seed)
    found = []
    for first in range(0, replicates, at_a_time := 50):
        bounds = _bounds(case, min(at_a_time, replicates - first), rng)
        found += [[outcome(lo, hi, predict) for lo, hi in of_one] for of_one in bounds.tolist()]
    outcomes = np.array(found)
    return {
        "confirmed": float((outcomes == "confirmed").any(axis=1).mean()),
        "refuted": float((outcomes == "refuted").any(axis=1).mean()),
        "any": float((outcomes != "inconclusive").any(axis=1).mean()),
        "all confirmed": float((outcomes == "confirmed").all(axis=1).mean()),
    }


def _bounds(case: Case, replicates: int, rng: np.random.Generator) -> np.ndarray:
    """(R, hypotheses, 2)"""
    shared, own = (
        units(case.distribution, (replicates * count, case.clusters, 1), 0, rng) for count in (1, case.hypotheses)
    )
    shared = np.repeat(shared, case.hypotheses, axis=0)
    sample = pack_means(np.sqrt(case.correlation) * shared + np.sqrt(1 - case.correlation) * own)
    resamples = RESAMPLES if case.method in BOOTSTRAPS else None
    found = by_cluster(case.method, sample, case.level, resamples, int(rng.integers(2**63)))
    return found.reshape(replicates, case.hypotheses, 2)
