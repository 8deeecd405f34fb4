import random
from statistics import mean

import numpy as np
import pytest
from scipy import stats

from claims.instruments import attribution_patching as instrument
from claims.instruments.agreement_controls import RELIABLE, shuffled_rho
from claims.instruments.agreement_estimates import mean_rho
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import Asked
from claims.instruments.grid import grids
from claims.seeds import seeds_of

from .by_hand import jackknifed

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


@pytest.mark.parametrize(("by_hand", "within"), [(relative_error, (0, np.inf)), (sign_agreement, (0, 1))])
@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_each_metric_of_a_dimension_by_hand(rows, register, by_hand, within, dimension):
    registration = registered(register)
    found = instrument.estimate(rows, registration, SEEDS).estimates[f"{by_hand.__name__}.{dimension}"]
    clusters = sorted({row["cluster"] for row in rows if row["dimension"] == dimension})
    value = by_hand(joined(rows, [dimension]))
    left_out = [by_hand(joined(rows, [dimension], without=cluster)) for cluster in clusters]
    assert found.value == pytest.approx(value)
    assert (found.lo, found.hi) == pytest.approx(jackknifed(value, left_out, registration.level, *within))
    assert (found.n, found.method) == (9, "jackknife_t")


@pytest.mark.parametrize(("by_hand", "within"), [(relative_error, (0, np.inf)), (sign_agreement, (0, 1))])
def test_over_dimensions_errors_are_of_all_cells_together(rows, register, by_hand, within):
    registration = registered(register)
    found = instrument.estimate(rows, registration, SEEDS).estimates[by_hand.__name__]
    clusters = sorted({row["cluster"] for row in rows})
    value, left_out = by_hand(joined(rows)), [by_hand(joined(rows, without=cluster)) for cluster in clusters]
    assert found.value == pytest.approx(value)
    assert (found.lo, found.hi) == pytest.approx(jackknifed(value, left_out, registration.level, *within))
    assert found.n == len(clusters) == 17


def test_rank_agreement_is_a_rho_with_the_interval_of_rho(rows, register):
    estimates = instrument.estimate(rows, registered(register), SEEDS).estimates
    given = grids(rows, by="dimension", directed=True)
    ranked = {dimension: Ranked(grid, "abs") for dimension, grid in given.items()}
    asked = Asked(instrument.MANIFEST, "jackknife_t", registered(register).level, None, SEEDS)
    by_hand = {f".{dimension}": rank_agreement(joined(rows, [dimension])) for dimension in DIMENSIONS}
    by_hand[""] = mean(by_hand.values())
    for suffix, value in by_hand.items():
        found, metric = estimates[f"rank_agreement{suffix}"], f"rank_agreement{suffix}"
        assert found.value == pytest.approx(value)
        assert found == mean_rho({suffix[1:]: ranked[suffix[1:]]} if suffix else ranked, asked, metric)
        assert found.n == (9 if suffix else 17)


def noisy_rows(pair_rows, dimensions, clusters, reliability):
    """Estimates and effects of 64 components have a rho of about 0.8, but for noise of their own."""
    draw, components = np.random.default_rng(11), [f"mlp_L{layer}" for layer in range(64)]
    deviation = np.sqrt(clusters * (1 - reliability) / reliability)
    truths, found = {}, []
    for dimension in dimensions:
        exact = draw.normal(size=64)
        estimate = 0.8 * exact + 0.6 * draw.normal(size=64)
        truths[dimension] = float(stats.spearmanr(estimate, exact).statistic)
        for pair in range(clusters):
            cells = [50 + values + deviation * draw.normal(size=64) for values in (estimate, exact)]
            given = [dict(zip(components, values.tolist(), strict=True)) for values in cells]
            made = pair_rows(f"{dimension}/{pair}", *given, dimension=dimension)
            found += [{**row, "direction": "noising"} for row in made if row["kind"] != "score"]
    return truths, found


def test_noise_in_either_ranking_does_not_move_the_whole_interval_off_the_truth(pair_rows, register):
    """A jackknife of rho as it is does move it: noise makes rho smaller, and of that the jackknife knows nothing."""
    truths, given = noisy_rows(pair_rows, "abcdef", 20, 0.5)
    estimates = instrument.estimate(given, registered(register), SEEDS).estimates
    held, held_as_it_is = 0, 0
    for dimension, grid in grids(given, by="dimension").items():
        found, ranked = estimates[f"rank_agreement.{dimension}"], Ranked(grid, "abs")
        held += found.lo <= truths[dimension] <= found.hi
        left_out = [ranked.rho(ranked.without(cluster)) for cluster in ranked.clusters]
        held_as_it_is += jackknifed(found.value, left_out, found.level)[1] >= truths[dimension]
    assert held == len(truths)
    assert held_as_it_is <= 1


def predicting(register, metric, predict):
    hypothesis = {"id": "H1", "primary": True, "statement": "It is so.", "metric": metric, "predict": predict}
    document = {"name": "attribution_patching", "version": "1"}
    return register("attribution_patching", instrument=document, hypotheses=[hypothesis])


@pytest.mark.parametrize("metric", ["rank_agreement", "rank_agreement.safety"])
def test_a_threshold_other_than_0_needs_reliable_rankings(pair_rows, register, metric):
    _, given = noisy_rows(pair_rows, ["safety", "sycophancy"], 8, 0.1)
    sign, other = ({"op": ">", "value": value} for value in (0, 0.3))
    assert metric in instrument.estimate(given, predicting(register, metric, sign), SEEDS).estimates
    found = instrument.estimate(given, predicting(register, metric, other), SEEDS)
    assert metric not in found.estimates
    assert "turns at 0.3" in found.not_measured[metric]
    safety = [found.diagnostics[f"reliability_{of}.safety"] for of in ("estimate", "exact")]
    assert "in safety estimate's is {:.2f} and exact's {:.2f}".format(*safety) in found.not_measured[metric]
    assert found.diagnostics["smallest_reliability"] <= min(safety)
    assert "relative_error.safety" in found.estimates


def test_reliable_rankings_decide_any_threshold(pair_rows, register):
    _, given = noisy_rows(pair_rows, ["safety"], 8, 0.9)
    found = instrument.estimate(given, predicting(register, "rank_agreement", {"op": ">", "value": 0.3}), SEEDS)
    assert found.diagnostics["smallest_reliability"] > RELIABLE
    assert found.estimates["rank_agreement"].lo > 0.3


def test_exact_effects_of_shuffled_components_agree_with_no_estimate(rows, register):
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    ranked = {name: Ranked(grid, "abs") for name, grid in grids(rows, by="dimension", directed=True).items()}
    assert estimated.diagnostics["shuffled_rank_agreement"] == shuffled_rho(ranked, SEEDS)
    drawn = [shuffled_rho(ranked, seeds_of(bytes(32), f"{number:064x}")) for number in range(100)]
    assert np.mean(drawn) == pytest.approx(0, abs=4 * np.std(drawn) / 10)
    assert estimated.estimates["rank_agreement"].value > 0.5


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
    for metric, value in (("relative_error", "0"), ("sign_agreement", "1")):
        assert estimated.not_measured[metric].startswith(f"it is {value} in this sample")
    assert set(estimated.estimates) == {"rank_agreement", *(f"rank_agreement.{name}" for name in DIMENSIONS)}
    for rank in estimated.estimates.values():  # that the true ranks are alike is not as sure as that these are
        assert rank.lo < rank.value == rank.hi == 1


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
    assert "rho is not defined" in estimated.not_measured["shuffled_rank_agreement"]
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
