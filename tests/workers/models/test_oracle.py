"""Every number against float64 truth on five families, within the tolerance that the oracle states."""

from itertools import product

import numpy as np
import pytest

from claims.instruments.lens_curves import first_crossing
from workers.models.pair_rows import Asked, pair_rows
from workers.models.pair_runs import PatchPlan, Tally

KINDS = ("unreachable", "unreachable_window", "identical")
PATCHES = [(*form, ("noising",)) for form in product(("end", "start"), ("all", "last"))]
PLANS = [
    PatchPlan(granularity, *form)
    for granularity, form in product(("component", "head"), [*PATCHES, ("end", "all", ("denoising",))])
]
SIDES = ("chosen", "rejected")


def tolerance(oracle, section, truths):
    return max(4 * oracle.expected["noise_fp32"][section], 1e-5 * max(map(abs, truths)))


def rows_of(oracle, kind, **asked):
    measured = pair_rows(oracle.checkpoint.anatomy, oracle.pairs, Asked(**asked), Tally())
    return [row for of_pair in measured for row in of_pair if row["kind"] == kind]


def compare(oracle, section, found_and_true):
    worst = max(abs(found - true) for found, true in found_and_true)
    assert worst <= tolerance(oracle, section, [true for _, true in found_and_true])


def test_the_same_tokens(oracle):
    for pair in oracle.pairs:
        ids = oracle.expected["pairs"][pair.id]["ids"]
        assert list(pair.chosen.ids) == ids["chosen"]
        assert list(pair.rejected.ids) == ids["rejected"]


def test_scores(oracle):
    rows = rows_of(oracle, "score")
    assert len(rows) == 2 * len(oracle.pairs)
    truth = oracle.expected["pairs"]
    compare(oracle, "scores", [(row["score"], truth[row["pair_id"]]["scores"][row["side"]]) for row in rows])
    assert all(row["tokens"] == truth[row["pair_id"]]["n_tokens"][row["side"]] for row in rows)


def test_lens(oracle):
    rows = rows_of(oracle, "lens", lens=True)
    truth = {name: pair["lens"] for name, pair in oracle.expected["pairs"].items()}
    for field in ("chosen", "rejected", "margin"):
        compare(oracle, "lens", [(row[field], truth[row["pair_id"]][field][row["layer"] + 1]) for row in rows])
    for name, expected in truth.items():
        if expected["slack"] > 4 * oracle.expected["noise_fp32"]["lens/slack"]:
            margins = [row["margin"] for row in rows if row["pair_id"] == name]
            assert first_crossing(np.array(margins)) == expected["crystallization"]


@pytest.mark.parametrize(("convention", "section"), [("frozen_norm", "frozen"), ("raw", "raw")])
def test_attribution(oracle, convention, section):
    rows = rows_of(oracle, "attribution", attribution=convention)
    truth = {name: pair["attribution"][section] for name, pair in oracle.expected["pairs"].items()}
    assert {row["component"] for row in rows} == set(next(iter(truth.values()))["chosen"])
    found = [(row[side], truth[row["pair_id"]][side][row["component"]]) for row in rows for side in SIDES]
    compare(oracle, f"attribution/{section}", found)
    assert all(row["differential"] == row["chosen"] - row["rejected"] for row in rows)


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_patching(oracle, plan):
    rows = rows_of(oracle, "patch", patch=plan)
    (direction,) = plan.directions
    truth = {name: pair["patch"] for name, pair in oracle.expected["pairs"].items()}
    cells = {name: of[direction][plan.alignment][plan.positions] for name, of in truth.items()}
    compare(oracle, f"patch/{plan.granularity}s", [(row["effect"], _true(cells[row["pair_id"]], row)) for row in rows])
    if plan.granularity == "component":
        for row in rows:
            cell = f"{direction}/{plan.alignment}/{plan.positions}/{row['component']}"
            listed = [state for state in KINDS if cell in truth[row["pair_id"]][state]]
            assert [row["state"]] == (listed or ["ok"]), cell


def _true(cells, row):
    if not row["component"].startswith("head"):
        return cells["components"][row["component"]]
    layer, head = row["component"].removeprefix("head_L").split("_H")
    return cells["heads"][int(layer)][int(head)]
