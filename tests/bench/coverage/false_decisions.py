"""docs/false_decisions.csv, and what docs/statistics.md shows of it."""

import csv
from collections.abc import Iterator
from dataclasses import asdict, fields
from itertools import product
from math import isclose
from pathlib import Path

from tests.bench.coverage.decisions import AT_BOUNDARY, SAMPLES, Case, cases, decided
from tests.bench.coverage.page import between

CSV = Path(__file__).parents[3] / "docs" / "false_decisions.csv"
COLUMNS = ("any_confirmed", "any_refuted", "any_decided", "all_confirmed")
BOTH = ("confirmed", "refuted")
ALPHA = "\N{GREEK SMALL LETTER ALPHA}"
Told = tuple[Case, int, dict[str, float]]


def write(replicates: int) -> None:
    """The same draws for every prediction, so that the table compares predictions and not luck."""
    with CSV.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*(field.name for field in fields(Case)), "replicates", *COLUMNS])
        for case in cases():
            found = decided(case, replicates, seed=0)
            print(case, found, flush=True)
            out.writerow([*asdict(case).values(), replicates, *(f"{share:.6g}" for share in found.values())])


def read() -> Iterator[Told]:
    """Each case, its replicates, and the shares by the names that `decided` gives them."""
    with CSV.open(newline="") as file:
        for row in csv.DictReader(file):
            case = Case(**{name: kind(row[name]) for name, kind in Case.__annotations__.items()})
            shares = [float(row[name]) for name in COLUMNS]
            yield (
                case,
                int(row["replicates"]),
                dict(zip(("confirmed", "refuted", "any", "all confirmed"), shares, strict=True)),
            )


def write_tables() -> None:
    lines = list(read())
    between("decisions", _of_one([line for line in lines if line[0].hypotheses == 1]))
    several = {line[0].predict for line in lines if line[0].hypotheses > 1}
    drawn = ("normal", "jackknife_t")
    alike = [line for line in lines if line[0].predict in several and (line[0].distribution, line[0].method) == drawn]
    between("families", _of_families(alike))


def _of_one(lines: list[Told]) -> str:
    """Predictions by samples and confidences: percent confirmed / refuted."""
    samples = [(*sample, confidence) for sample, confidence in product(SAMPLES, (0.9, 0.95))]
    heads = [f"{method}, {clusters} {name}, {confidence:.0%}" for name, clusters, method, confidence in samples]
    rows = [["prediction", "promised", *heads], ["---"] * (2 + len(heads))]
    for predict in AT_BOUNDARY:
        of_it = {
            (case.distribution, case.clusters, case.method, case.confidence): (case, shares)
            for case, _, shares in lines
            if case.predict == predict
        }
        cells = [" / ".join(f"{100 * of_it[sample][1][name]:.1f}" for name in BOTH) for sample in samples]
        rows.append([predict, " / ".join(_promise(of_it[samples[0]][0], name) for name in BOTH), *cells])
    return _table(rows)


def _promise(case: Case, decision: str) -> str:
    return ALPHA if isclose(case.promised[decision], 1 - case.confidence) else f"{ALPHA}/2"


def _of_families(lines: list[Told]) -> str:
    """Percent of claims with any decision, by how many hypotheses there are and how they are correlated."""
    found: dict[tuple[str, float, int], dict[float, float]] = {}
    for case, _, shares in lines:
        found.setdefault((case.predict, case.confidence, case.hypotheses), {})[case.correlation] = shares["any"]
    rows = [["prediction", ALPHA, "k", "independent", "correlated"], ["---"] * 5]
    for (predict, confidence, hypotheses), of_it in sorted(found.items()):
        told = [f"{100 * of_it[rho]:.1f}" if rho in of_it else "" for rho in (0.0, 0.8)]
        rows.append([predict, f"{100 * (1 - confidence):.0f}", str(hypotheses), *told])
    return _table(rows)


def _table(rows: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
