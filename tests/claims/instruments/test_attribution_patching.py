import random
from statistics import mean

import numpy as np
import pytest
from scipy import stats

from claims.instruments import attribution_patching as instrument
from claims.intervals.jackknife_t import jackknife_t
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)

COMPONENTS = [f"{kind}_L{layer}" for layer in range(4) for kind in ("attn", "mlp")]
DIMENSIONS = ["brevity", "caution"]


@pytest.fixture
def rows(pair_rows):
    """Ten pairs in each dimension, in nine clusters, one of them in both; estimates are the effects with noise."""
    draw = random.Random(8)
    found = []
    for dimension in DIMENSIONS:
        for number in range(10):
            cluster = "shared" if number == 0 else f"{dimension}/{min(number, 8)}"
            effects = {name: draw.gauss(place / 4, 0.5) for place, name in enumerate(COMPONENTS)}
            estimates = {name: 0.8 * effect + draw.gauss(0, 0.3) for name, effect in effects.items()}
            states = {"mlp_L3": "unreachable"} if number < 2 else {}
            rows_of_pair = pair_rows(
                f"{dimension}/{number}", estimates, effects, dimension=dimension, cluster=cluster, states=states
            )
            found += [{**row, "direction": "noising"} if row["kind"] != "score" else row for row in rows_of_pair]
    return found


def registered(register, **params):
    return register(
        "attribution_patching", instrument={"name": "attribution_patching", "version": "1", "params": params}
    )


def joined(rows, dimensions=DIMENSIONS, without=None):
    """(estimate, exact, component) of every cell that could act."""

    def cell(row):
        return row["pair_id"], row["component"], row["direction"]

    estimates = {cell(row): row["differential"] for row in rows if row["kind"] == "attribution"}
    return [
        (estimates[cell(row)], row["effect"], row["component"])
        for row in rows
        if row["kind"] == "patch"
        and row["state"] == "ok"
        and row["dimension"] in dimensions
        and row["cluster"] != without
    ]


def relative_error(cells):
    return sum(abs(e - x) for e, x, _ in cells) / sum(abs(x) for _, x, _ in cells)


def sign_agreement(cells):
    return mean(float(e * x > 0) for e, x, _ in cells if x != 0)


def rank_agreement(cells):
    means = [[mean(abs(cell[of]) for cell in cells if cell[2] == name) for name in COMPONENTS] for of in (0, 1)]
    return float(stats.spearmanr(*means).statistic)


@pytest.mark.parametrize(
    ("by_hand", "within"),
    [(relative_error, (0, np.inf)), (sign_agreement, (0, 1)), (rank_agreement, (-np.inf, np.inf))],
)
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_each_metric_of_a_dimension_by_hand(rows, register, by_hand, within, dimension):
    registration = registered(register)
    found = instrument.estimate(rows, registration, SEEDS).estimates[f"{by_hand.__name__}.{dimension}"]
    clusters = sorted({row["cluster"] for row in rows if row["dimension"] == dimension})
    value = by_hand(joined(rows, [dimension]))
    left_out = [by_hand(joined(rows, [dimension], without=cluster)) for cluster in clusters]
    assert found.value == pytest.approx(value)
    lo, hi = jackknife_t(value, left_out, registration.level, *within)
    assert (found.lo, found.hi) == pytest.approx((lo, min(hi, 1) if by_hand is rank_agreement else hi))
    assert (found.n, found.method) == (9, "jackknife_t")


@pytest.mark.parametrize(("by_hand", "within"), [(relative_error, (0, np.inf)), (sign_agreement, (0, 1))])
def test_over_dimensions_errors_are_of_all_cells_together(rows, register, by_hand, within):
    registration = registered(register)
    found = instrument.estimate(rows, registration, SEEDS).estimates[by_hand.__name__]
    clusters = sorted({row["cluster"] for row in rows})
    value, left_out = by_hand(joined(rows)), [by_hand(joined(rows, without=cluster)) for cluster in clusters]
    assert found.value == pytest.approx(value)
    assert (found.lo, found.hi) == pytest.approx(jackknife_t(value, left_out, registration.level, *within))
    assert found.n == len(clusters) == 17


def test_rank_agreement_over_dimensions_is_the_mean(rows, register):
    estimates = instrument.estimate(rows, registered(register), SEEDS).estimates
    by_hand = mean(rank_agreement(joined(rows, [dimension])) for dimension in DIMENSIONS)
    assert estimates["rank_agreement"].value == pytest.approx(by_hand)
    assert estimates["rank_agreement"].lo < by_hand < estimates["rank_agreement"].hi


def test_both_directions_count_every_cell_twice(rows, register):
    registration = registered(register, direction="both")
    other = [{**row, "direction": "denoising"} for row in rows if row["kind"] != "score"]
    other = [{**row, "differential": -row["differential"]} if row["kind"] == "attribution" else row for row in other]
    given = [*rows, *other]
    estimated = instrument.estimate(given, registration, SEEDS)
    assert estimated.estimates["relative_error"].value == pytest.approx(relative_error(joined(given)))
    assert estimated.not_measured["sign_agreement"].startswith("it is 0.5 in this sample")  # one of each, everywhere
    assert estimated.counts["pairs"] == 20
    assert estimated.counts["unreachable"] == 8


def test_what_always_saying_one_sign_would_get_stands_beside_it(rows, register):
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    above = mean(float(x > 0) for _, x, _ in joined(rows))
    assert estimated.diagnostics["majority_sign"] == pytest.approx(max(above, 1 - above))
    assert 0.5 <= estimated.diagnostics["majority_sign.caution"] <= 1


def test_a_cell_that_nothing_moved_has_no_sign_to_agree_with(rows, register):
    registration = registered(register)
    for row in rows:
        if row["kind"] == "patch" and row["component"] == "attn_L0":
            row["effect"] = 0.0
    estimated = instrument.estimate(rows, registration, SEEDS)
    assert estimated.estimates["sign_agreement"].value == pytest.approx(sign_agreement(joined(rows)))
    assert len(joined(rows)) - sum(1 for _, x, _ in joined(rows) if x) == 20


def test_estimates_that_are_all_right_leave_no_error_to_be_sure_of(rows, register):
    exact = {(row["pair_id"], row["component"]): row["effect"] for row in rows if row["kind"] == "patch"}
    given = [
        {**row, "differential": exact[row["pair_id"], row["component"]]}
        if row["kind"] == "attribution" and (row["pair_id"], row["component"]) in exact
        else row
        for row in rows
    ]
    estimated = instrument.estimate(given, registered(register), SEEDS)
    assert estimated.estimates == {}
    for metric, value in (("relative_error", "0"), ("sign_agreement", "1"), ("rank_agreement.brevity", "1")):
        assert estimated.not_measured[metric].startswith(f"it is {value} in this sample")


def test_cells_that_could_not_act_are_counted_and_change_nothing(rows, register):
    registration = registered(register)
    estimated = instrument.estimate(rows, registration, SEEDS)
    assert (estimated.counts["unreachable"], estimated.counts["unreachable.brevity"]) == (4, 2)
    loud = [{**row, "effect": 1e6} if row.get("state") == "unreachable" else row for row in rows]
    assert instrument.estimate(loud, registration, SEEDS) == estimated


def test_without_any_cell_that_acted_nothing_is_measured(rows, register):
    for row in rows:
        if row["kind"] == "patch":
            row |= {"state": "unreachable", "effect": 0.0}
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    assert estimated.estimates == {}
    assert estimated.diagnostics == {}
    named = {metric.name for metric in instrument.MANIFEST.metrics if not metric.per_dimension}
    assert named <= set(estimated.not_measured)


def test_a_cell_that_was_patched_and_not_estimated_is_refused(rows, register):
    without = [row for row in rows if row["kind"] != "attribution" or row["component"] != "mlp_L1"]
    with pytest.raises(KeyError, match="no row of kind attribution"):
        instrument.estimate(without, registered(register), SEEDS)


def test_a_gradient_costs_beside_the_patches(register):
    counts = dict.fromkeys(registered(register).subject.dataset.dimensions, 8)
    one, both = (
        instrument.cost(registered(register, direction=direction), counts).forwards for direction in ("noising", "both")
    )
    assert one < both < 2 * one
