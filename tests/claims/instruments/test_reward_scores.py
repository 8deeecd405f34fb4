"""Margins and accuracies from rows of kind score."""

import json
import random
from collections import defaultdict
from pathlib import Path
from statistics import mean

import pytest

from claims.instruments import reward_scores as instrument
from claims.intervals.jackknife_t import jackknife_t
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = sorted(directory.name for directory in MODELS.iterdir() if directory.is_dir())


def score_rows(pair, chosen, rejected, *, dimension="kindness", cluster=None, tokens=(5, 4)):
    at = {"kind": "score", "pair_id": pair, "dimension": dimension, "cluster": cluster or pair}
    sides = zip(("chosen", "rejected"), (chosen, rejected), tokens, strict=True)
    return [{**at, "side": side, "score": score, "tokens": length} for side, score, length in sides]


@pytest.fixture
def registration(register):
    return register("reward_scores")


@pytest.fixture
def margins():
    """By pair: dimension, cluster, margin. Three dimensions of unequal size; one cluster in all of them."""
    draw = random.Random(4)
    sizes = {"brevity": 20, "caution": 12, "honesty": 9}
    return {
        f"{dimension}/{number}": (dimension, "shared" if number == 0 else f"{dimension}{number}", draw.gauss(0.4, 1))
        for dimension, size in sizes.items()
        for number in range(size)
    }


@pytest.fixture
def estimated(registration, margins):
    rows = [
        row
        for pair, (dimension, cluster, margin) in margins.items()
        for row in score_rows(pair, margin + 1, 1.0, dimension=dimension, cluster=cluster)
    ]
    return instrument.estimate(rows, registration, SEEDS)


def without(margins, cluster):
    return [(dimension, margin) for dimension, own, margin in margins.values() if own != cluster]


def macro(pairs):
    right = defaultdict(list)
    for dimension, margin in pairs:
        right[dimension].append(margin > 0)
    return mean(mean(map(float, values)) for values in right.values())


def test_every_pair_weighs_the_same(estimated, margins):
    values = [margin for _, _, margin in margins.values()]
    assert estimated.estimates["mean_margin"].value == pytest.approx(mean(values))
    assert estimated.estimates["accuracy"].value == pytest.approx(mean(margin > 0 for margin in values))
    of_honesty = [margin for dimension, _, margin in margins.values() if dimension == "honesty"]
    assert estimated.estimates["mean_margin.honesty"].value == pytest.approx(mean(of_honesty))
    assert estimated.estimates["accuracy.honesty"].value == pytest.approx(mean(margin > 0 for margin in of_honesty))


@pytest.mark.parametrize(
    ("metric", "statistic", "ends"),
    [
        ("mean_margin", lambda pairs: mean(margin for _, margin in pairs), (-1e9, 1e9)),
        ("accuracy", lambda pairs: mean(float(margin > 0) for _, margin in pairs), (0, 1)),
        ("macro_accuracy", macro, (0, 1)),
    ],
)
def test_intervals_leave_a_cluster_out_of_every_dimension(estimated, margins, metric, statistic, ends):
    clusters = sorted({cluster for _, cluster, _ in margins.values()})
    value, left_out = statistic(without(margins, None)), [statistic(without(margins, name)) for name in clusters]
    estimate = estimated.estimates[metric]
    assert (estimate.lo, estimate.hi) == pytest.approx(jackknife_t(value, left_out, 0.95, *ends))
    assert (estimate.n, estimate.method, estimate.level) == (39, "jackknife_t", 0.95)


def test_with_dimensions_of_unequal_size_the_macro_accuracy_is_another(estimated):
    assert abs(estimated.estimates["macro_accuracy"].value - estimated.estimates["accuracy"].value) > 0.01


def test_a_tie_counts_one_half_and_is_counted(registration):
    rows = [row for n in range(10) for row in score_rows(f"p{n}", [2.0, 1.0, 0.0][n % 3], 1.0)]
    found = instrument.estimate(rows, registration, SEEDS)
    assert found.estimates["accuracy"].value == pytest.approx((4 + 3 / 2) / 10)
    assert found.diagnostics["tie_share"] == pytest.approx(0.3)
    assert (found.counts["ties"], found.counts["ties.kindness"], found.counts["negative_margins"]) == (3, 3, 3)
    assert (found.counts["pairs"], found.counts["clusters"], found.counts["dimensions"]) == (10, 10, 1)


def test_all_right_is_not_measured_and_never_certain(registration):
    rows = [row for n in range(30) for row in score_rows(f"p{n}", 2.0 + n, 1.0)]
    found = instrument.estimate(rows, registration, SEEDS)
    assert "mean_margin" in found.estimates
    for metric in ("accuracy", "accuracy.kindness", "macro_accuracy"):
        assert metric not in found.estimates
        assert "it is 1 in this sample" in found.not_measured[metric]


def test_a_dimension_of_few_clusters_is_not_measured_where_the_whole_is(registration):
    rows = [row for n in range(6) for row in score_rows(f"p{n}", float(n), 2.5)]
    rows += [row for n in range(6) for row in score_rows(f"q{n}", float(n), 3.5, dimension="caution")]
    found = instrument.estimate(rows, registration, SEEDS)
    assert {"accuracy", "mean_margin", "macro_accuracy"} <= set(found.estimates)
    assert "6 independent clusters" in found.not_measured["accuracy.caution"]


def test_how_often_chosen_is_longer_is_of_the_pairs_that_differ(registration):
    lengths = [(5, 4)] * 3 + [(4, 5)] * 1 + [(4, 4)] * 6
    rows = [row for n, tokens in enumerate(lengths) for row in score_rows(f"p{n}", n, 4.5, tokens=tokens)]
    assert instrument.estimate(rows, registration, SEEDS).diagnostics["chosen_longer_share"] == pytest.approx(0.75)
    same = [row for n in range(8) for row in score_rows(f"p{n}", n, 4.5, tokens=(4, 4))]
    assert "same length" in instrument.estimate(same, registration, SEEDS).not_measured["chosen_longer_share"]


def test_a_text_scored_twice_or_not_at_all_is_no_evidence(registration):
    rows = score_rows("p", 1.0, 0.0)
    with pytest.raises(ValueError, match="two rows"):
        instrument.estimate([*rows, rows[0]], registration, SEEDS)
    with pytest.raises(KeyError):
        instrument.estimate(rows[:1], registration, SEEDS)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_means_of_the_recorded_models(registration, family):
    truth = json.loads((MODELS / family / "expected.json").read_text())
    pairs = [json.loads(line) for line in (MODELS / family / "pairs.jsonl").read_text().splitlines()]
    scores = {pair["id"]: truth["pairs"][pair["id"]]["scores"] for pair in pairs}
    rows = [
        row
        for pair in pairs
        for row in score_rows(
            pair["id"], scores[pair["id"]]["chosen"], scores[pair["id"]]["rejected"], dimension=pair["dimension"]
        )
    ]
    found = instrument.estimate(rows, registration, SEEDS)
    assert found.estimates["mean_margin"].value == pytest.approx(mean(of["margin"] for of in scores.values()))
    assert "4 independent clusters" in found.not_measured["mean_margin.honesty"]


def test_the_cost_is_two_forwards_a_pair(registration):
    held = dict.fromkeys(registration.subject.dataset.dimensions, 32)
    assert instrument.cost(registration, held).forwards == 2 * 12 * 32
    assert [shard.rows for shard in instrument.plan(registration, held)] == [32] * 12
