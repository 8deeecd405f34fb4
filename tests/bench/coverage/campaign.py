"""Runs scenarios, and keeps what came out in docs/coverage.csv, which a cut run goes on from."""

import csv
import os
import time
import zlib
from dataclasses import astuple, dataclass
from itertools import product
from pathlib import Path

import numpy as np

from tests.bench.coverage.scenarios import LEVELS, REPLICATES, Floats, Scenario

CSV = Path(__file__).parents[3] / "docs" / "coverage.csv"


@dataclass(frozen=True, order=True)
class Line:
    """One cell: shares of replicates whose whole interval lay below or above the truth, or that had none."""

    metric: str
    truth: float
    distribution: str
    size: int
    clusters: int
    method: str
    level: float
    replicates: int
    below: float
    above: float
    none: float

    @property
    def cell(self):
        return astuple(self)[:7]

    @property
    def worst(self) -> float:
        return max(self.below, self.above)

    @property
    def allowed(self) -> float:
        """alpha / 2 + 0.75 points + 3 Monte Carlo errors."""
        tail = (1 - self.level) / 2
        return tail + 0.0075 + 3 * float(np.sqrt(tail * (1 - tail) / self.replicates))

    @property
    def holds(self) -> bool:
        return self.worst <= self.allowed


def coverage(scenario: Scenario, replicates: int, salt: int = 0) -> list[Line]:
    """What becomes of so many replicates, one line for each metric, method and level."""
    truths, counts = np.array(scenario.truths)[:, None], {}
    for number, first in enumerate(range(0, replicates, scenario.at_once)):
        rng = np.random.default_rng([zlib.crc32(scenario.name.encode()), number, salt])
        for key, bounds in scenario.bounds(scenario.methods, rng, min(scenario.at_once, replicates - first)).items():
            counts[key] = counts.get(key, 0) + tails(bounds, truths)
    return [
        Line(metric, rounded(truth), scenario.distribution, scenario.size, scenario.clusters, *key, replicates, *shares)
        for key, counted in counts.items()
        for metric, truth, shares in zip(
            scenario.metrics, scenario.truths, (counted / replicates).tolist(), strict=True
        )
    ]


def tails(bounds: Floats, truths: Floats) -> Floats:
    """(M, 3): how many of bounds (M, R, 2) lie below the truths (M, 1), how many above, how many are none."""
    lo, hi = bounds[..., 0], bounds[..., 1]
    return np.stack([hi < truths, lo > truths, np.isnan(lo) | np.isnan(hi)], axis=-1).sum(axis=1)


def rounded(truth: float) -> float:
    return float(f"{truth:.6g}")


def read(path: Path = CSV) -> list[Line]:
    """None where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        return [Line(*(kind(row[name]) for name, kind in Line.__annotations__.items())) for row in rows]


def write(lines: list[Line], path: Path = CSV) -> None:
    """All at once, so that a run cut short leaves a whole file."""
    beside = path.with_suffix(f".{os.getpid()}")
    with beside.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(Line.__annotations__)
        for line in sorted(lines):
            out.writerow([*line.cell, line.replicates, *(f"{share:.6g}" for share in astuple(line)[8:])])
    beside.replace(path)


def run(scenarios: list[Scenario], path: Path = CSV) -> None:
    """Adds to the file what it lacks of these scenarios, one after the other."""
    for number, scenario in enumerate(scenarios, start=1):
        if set(cells(scenario)) <= {line.cell for line in read(path)}:
            continue
        began = time.monotonic()
        found = {line.cell: line for line in coverage(scenario, REPLICATES)}
        # Read anew: another process may have added to it meanwhile.
        write(list({**{line.cell: line for line in read(path)}, **found}.values()), path)
        print(f"{number}/{len(scenarios)} {scenario.name}: {time.monotonic() - began:.0f} s", flush=True)


def cells(scenario: Scenario) -> list[tuple[object, ...]]:
    """What the lines of a scenario will be of, as `Line.cell` has it."""
    drawn = (scenario.distribution, scenario.size, scenario.clusters)
    return [
        (metric, rounded(truth), *drawn, method, level)
        for metric, truth in zip(scenario.metrics, scenario.truths, strict=True)
        for method, level in product(scenario.methods, LEVELS)
    ]
