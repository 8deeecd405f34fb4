import random
from math import atanh, tanh
from statistics import mean, stdev

import pytest
from scipy import stats

from claims.instruments import planted_key_recovery as instrument
from claims.instruments.planted_key_rows import organisms_in, recovered, twin_key
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)


@pytest.fixture(autouse=True)
def _few(few_are_enough):
    few_are_enough(instrument)


COMPONENTS = [f"{kind}_L{layer}" for layer in range(4) for kind in ("attn", "mlp")]
CARRIERS = {"attn_L0", "mlp_L1", "mlp_L3"}


def organism_rows(pair_rows, number, attribution, patching, *, accuracy=0.95, governed=True, norms=None):
    """Rows of an organism with two pairs; the second has the first's values with the sign turned."""
    at = {"pair_id": None, "dimension": "planted_key", "cluster": f"organism/{number}", "organism": number}
    norms = norms or {name: float(name in CARRIERS) + index / 100 for index, name in enumerate(COMPONENTS)}
    rows = [{"kind": "organism", **at, "accuracy": accuracy, "governed": governed}]
    rows += [
        {"kind": "key", **at, "component": name, "norm": norms[name], "constructed": name in CARRIERS}
        for name in COMPONENTS
    ]
    for pair, sign in (("a", 1), ("b", -1)):
        rows += pair_rows(
            f"{number}/{pair}",
            {name: sign * attribution[name] for name in COMPONENTS},
            {name: sign * patching[name] for name in COMPONENTS},
            cluster=f"organism/{number}",
            margin=sign,
            organism=number,
        )
    return rows


def ranking(first):
    """Values that rank `first` first, in that order, and the others after them."""
    order = [*first, *(name for name in COMPONENTS if name not in first)]
    return {name: float(len(order) - order.index(name)) for name in COMPONENTS}


PERFECT = ranking(["attn_L0", "mlp_L1", "mlp_L3"])
ONE_MISSED = ranking(["attn_L0", "mlp_L1", "attn_L1", "mlp_L3"])  # 14 of 15 pairs are in order


def test_magnitudes_are_ranked_so_signs_do_not_cancel(pair_rows):
    (organism,) = organisms_in(organism_rows(pair_rows, 0, PERFECT, ONE_MISSED))
    values = recovered(organism, 3)
    assert values["attribution_recovery_auc_constructed"] == 1
    assert values["patching_recovery_auc_constructed"] == pytest.approx(14 / 15)
    assert values["recovery_gap_constructed"] == pytest.approx(-1 / 15)


def test_the_two_keys_are_scored_apart(pair_rows):
    norms = {name: float(name in {"attn_L1", "attn_L2", "attn_L3"}) for name in COMPONENTS}
    (organism,) = organisms_in(organism_rows(pair_rows, 0, PERFECT, PERFECT, norms=norms))
    values = recovered(organism, 3)
    assert values["attribution_recovery_auc_constructed"] == 1
    assert values["attribution_recovery_auc"] < 0.5


def test_the_twin_key_holds_the_largest_norms():
    assert twin_key({"a": 1.0, "b": 3.0, "c": 2.0}, 2) == {"b", "c"}
    assert twin_key({"a": 1.0, "b": 1.0}, 1) == {"a"}


def test_each_estimate_is_the_mean_over_governed_organisms_with_students_interval(pair_rows, register):
    registration = register("planted_key")
    gaps = [-1 / 15, 0.0] * 5
    rows = []
    for number, gap in enumerate(gaps):
        rows += organism_rows(pair_rows, number, PERFECT, ONE_MISSED if gap else PERFECT)
    rows += organism_rows(pair_rows, 10, ONE_MISSED, PERFECT, accuracy=0.6, governed=False)
    estimated = instrument.estimate(iter(rows), registration, SEEDS)
    gap = estimated.estimates["recovery_gap_constructed"]
    pseudo = [10 * atanh(mean(gaps)) - 9 * atanh(mean(gaps[:n] + gaps[n + 1 :])) for n in range(10)]
    half = stats.t.ppf(0.975, 9) * stdev(pseudo) / 10**0.5
    expected = (mean(gaps), tanh(mean(pseudo) - half), tanh(mean(pseudo) + half))
    assert (gap.value, gap.lo, gap.hi) == pytest.approx(expected)
    assert (gap.n, gap.unit, gap.method, gap.level) == (10, "organism", "student_t", registration.level)
    assert estimated.diagnostics["organisms_governed"] == 10
    assert estimated.diagnostics["organism_accuracy"] == pytest.approx(0.95)
    assert estimated.counts == {
        "organisms": 11,
        "organisms_excluded": 1,
        "pairs": 22,
        "pairs_per_organism": 2,
        "negative_margins": 11,
        "unreachable": 0,
        "unreachable_window": 0,
        "identical": 0,
    }


def test_values_that_are_all_equal_give_an_interval_of_no_width(pair_rows, register):
    rows = [row for number in range(8) for row in organism_rows(pair_rows, number, PERFECT, PERFECT)]
    estimate = instrument.estimate(rows, register("planted_key"), SEEDS).estimates["recovery_gap_constructed"]
    assert (estimate.value, estimate.lo, estimate.hi) == (0, 0, 0)


def test_a_mean_that_is_at_an_end_of_its_range_without_one_organism_has_no_known_error(pair_rows, register):
    """An AUROC's range ends at 0 and 1, a rho's at -1 and 1: the words are of either."""
    rows = organism_rows(pair_rows, 0, PERFECT, ONE_MISSED)
    rows += [row for number in range(1, 10) for row in organism_rows(pair_rows, number, PERFECT, PERFECT)]
    estimated = instrument.estimate(rows, register("planted_key"), SEEDS)
    for metric in ("patching_recovery_auc_constructed", "spearman"):
        assert metric not in estimated.estimates
        assert "student_t has no bounds: it is at an end of its range" in estimated.not_measured[metric]
    assert estimated.estimates["recovery_gap_constructed"].lo < 0


def test_too_few_governed_organisms_leave_every_metric_unmeasured_and_say_so(pair_rows, register):
    rows = [row for number in range(7) for row in organism_rows(pair_rows, number, PERFECT, ONE_MISSED)]
    estimated = instrument.estimate(rows, register("planted_key"), SEEDS)
    assert estimated.estimates == {}
    named = {metric.name for metric in instrument.MANIFEST.metrics if not metric.diagnostic}
    assert set(estimated.not_measured) == named
    assert "7 governed organisms" in estimated.not_measured["recovery_gap"]


def test_without_a_governed_organism_there_is_no_accuracy(pair_rows, register):
    rows = organism_rows(pair_rows, 0, PERFECT, PERFECT, accuracy=0.5, governed=False)
    estimated = instrument.estimate(rows, register("planted_key"), SEEDS)
    assert estimated.diagnostics == {"organisms_governed": 0}
    assert "organism_accuracy" in estimated.not_measured


def test_components_that_cannot_be_ranked_are_left_out_of_both_rankings(pair_rows, register):
    rows = organism_rows(pair_rows, 0, ONE_MISSED, PERFECT)
    for row in rows:
        if row["kind"] == "patch" and row["component"] == "attn_L1":
            row["state"] = "unreachable"
    (organism,) = organisms_in(rows)
    # The one component that outranked a carrier is gone.
    assert recovered(organism, 3)["attribution_recovery_auc_constructed"] == 1
    assert instrument.estimate(rows, register("planted_key"), SEEDS).counts["unreachable"] == 2


def test_the_order_of_rows_does_not_matter(pair_rows, register):
    rows = [row for number in range(9) for row in organism_rows(pair_rows, number, PERFECT, ONE_MISSED)]
    shuffled = random.Random(1).sample(rows, len(rows))
    registration = register("planted_key")
    assert instrument.estimate(shuffled, registration, SEEDS) == instrument.estimate(rows, registration, SEEDS)


def test_a_shard_for_each_organism(register):
    shards = instrument.plan(register("planted_key"), {})
    assert [shard.params for shard in shards] == [{"organism": number} for number in range(24)]
    assert len({shard.label for shard in shards}) == 24


def test_cost_grows_with_organisms_and_steps(register):
    registration = register("planted_key")
    double = registration.model_copy(update={"sampling": registration.sampling.model_copy(update={"organisms": 48})})
    assert instrument.cost(double, {}).forwards == 2 * instrument.cost(registration, {}).forwards


def test_the_twin_keys_gap_carries_its_ceiling():
    metric = instrument.MANIFEST.metric("recovery_gap")
    assert metric is not None
    assert metric.ceiling
