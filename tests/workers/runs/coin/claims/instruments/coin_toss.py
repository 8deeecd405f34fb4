"""A real instrument that costs nothing: coins are tossed from the run's seeds. Its parameters make it slow or fail."""

import os
import time
from pathlib import Path

from claims.evidence import Estimate, Estimated
from claims.instruments.manifest import Cost, Manifest, Metric, Shard
from claims.intervals.student_t import student_t

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
    intervals={"student_t": 4},
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
    mean, lo, hi = student_t([row["heads"] for row in rows], registration.level, 0, 1)
    n = len(rows)
    return Estimated(
        estimates={
            "heads": Estimate(
                value=mean,
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
