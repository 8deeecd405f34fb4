"""Every number against float64 truth on five families, within the tolerance that the oracle states."""

from itertools import product

import pytest

from workers.models.pair_rows import PatchPlan, pair_rows

PLANS = [
    *(
        PatchPlan(alignment, positions, "noising")
        for alignment, positions in product(("end", "start"), ("all", "last"))
    ),
    PatchPlan("end", "all", "denoising"),
]


def tolerance(oracle, section, truths):
    return max(4 * oracle.expected["noise_fp32"][section], 1e-5 * max(map(abs, truths)))


def rows_of(oracle, plan, kind):
    measured = pair_rows(oracle.checkpoint.sites, oracle.pairs, plan)
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
    rows = rows_of(oracle, PLANS[0], "score")
    assert len(rows) == 2 * len(oracle.pairs)
    truth = oracle.expected["pairs"]
    compare(oracle, "scores", [(row["score"], truth[row["pair_id"]]["scores"][row["side"]]) for row in rows])
    assert all(row["tokens"] == truth[row["pair_id"]]["n_tokens"][row["side"]] for row in rows)


def test_attribution(oracle):
    rows = rows_of(oracle, PLANS[0], "attribution")
    truth = {name: pair["attribution"]["frozen"] for name, pair in oracle.expected["pairs"].items()}
    components = set(next(iter(truth.values()))["chosen"])
    assert {row["component"] for row in rows} == components
    compare(
        oracle,
        "attribution/frozen",
        [(row[side], truth[row["pair_id"]][side][row["component"]]) for row in rows for side in ("chosen", "rejected")],
    )
    assert all(row["differential"] == row["chosen"] - row["rejected"] for row in rows)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: f"{plan.direction}-{plan.alignment}-{plan.positions}")
def test_patching(oracle, plan):
    rows = rows_of(oracle, plan, "patch")
    truth = {name: pair["patch"] for name, pair in oracle.expected["pairs"].items()}
    compare(
        oracle,
        "patch/components",
        [
            (
                row["effect"],
                truth[row["pair_id"]][plan.direction][plan.alignment][plan.positions]["components"][row["component"]],
            )
            for row in rows
        ],
    )
    for row in rows:
        cell = f"{plan.direction}/{plan.alignment}/{plan.positions}/{row['component']}"
        listed = [
            state
            for state in ("unreachable", "unreachable_window", "identical")
            if cell in truth[row["pair_id"]][state]
        ]
        assert [row["state"]] == (listed or ["ok"]), cell
