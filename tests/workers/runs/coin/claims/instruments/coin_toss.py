"""A real instrument that costs nothing: coins are tossed from the run's seeds. Its parameters make it slow or fail."""

import os
import time
from pathlib import Path

import numpy as np

from claims.evidence import Estimate, Estimated
from claims.instruments.manifest import Cost, Manifest, Metric, Shard
from claims.intervals.by_cluster import by_cluster
from claims.intervals.means import Means

TOSSES = 10
MANIFEST = Manifest(
    name="coin_toss",
    version="1",
    title="Coin toss",
    summary="Tosses seeded coins.",
    params={
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "seconds": {"type": "number", "minimum": 0},
            "tosses": {"type": "integer", "minimum": 0},
            "noise": {"type": "number"},
            "trouble": {"enum": ["none", "error", "refusal", "death", "not_a_number", "estimate"]},
        },
    },
    metrics=(
        Metric("heads", "share of heads", low=0, high=1),
        Metric("coins", "coins tossed", low=0, diagnostic=True),
    ),
    gauge="invariant",
    access=("scores",),
    capabilities=("scores",),
    model_kinds=("organism",),
    dataset_kinds=("generated",),
    sampling=("organisms",),
    unit="organism",
    intervals={"student_t": {"heads": 4}},
    recipes={"coin": {"type": "object", "additionalProperties": False}},
    generators=("tosses",),
)


def plan(registration, pairs_per_dimension):
    return [Shard(f"coin/{n}", TOSSES, {"coin": n}) for n in range(registration.sampling.organisms)]


def cost(registration, pairs_per_dimension):
    return Cost(registration.sampling.organisms, 0.1, 1000)


def wait_at_the_gate():
    """No estimate is made for as long as the file COIN_ESTIMATE_GATE exists."""
    gate = os.environ.get("COIN_ESTIMATE_GATE")
    while gate and Path(gate).exists():
        time.sleep(0.02)


def estimate(rows, registration, seeds):
    rows = [row for row in rows if row["kind"] == "organism"]
    wait_at_the_gate()
    if registration.instrument.params.get("trouble") == "estimate":
        raise ArithmeticError("the estimate is broken")
    n = len(rows)
    sample = Means.over(np.array([[row["heads"] for row in rows]]), range(n))
    lo, hi = np.clip(by_cluster("student_t", sample, registration.level, None, 0)[0], 0, 1).tolist()
    return Estimated(
        estimates={
            "heads": Estimate(
                value=float(sample.values()[0]),
                lo=lo,
                hi=hi,
                level=registration.level,
                method="student_t",
                unit="organism",
                n=n,
                n_effective=float(n),
            )
        },
        diagnostics={"coins": float(n)},
        not_measured={},
        counts={"organisms": n, "pairs": n * TOSSES},
    )
