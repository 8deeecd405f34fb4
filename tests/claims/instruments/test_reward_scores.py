"""Margins and accuracies from rows of kind score."""

import json
import random
from collections import defaultdict
from math import exp, inf, log
from pathlib import Path
from statistics import mean

import pytest
from scipy import stats

from claims.instruments import reward_scores as instrument
from claims.registration.analysis_checks import BOOTSTRAPS
from claims.seeds import seeds_of

from .by_hand import jackknifed

SEEDS = seeds_of(bytes(32), "0" * 64)

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = sorted(directory.name for directory in MODELS.iterdir() if directory.is_dir())


def score_rows(pair, chosen, rejected, *, dimension="kindness", cluster=None, tokens=(5, 4)):
    at = {"kind": "score", "pair_id": pair, "dimension": dimension, "cluster": cluster or pair}
    sides = zip(("chosen", "rejected"), (chosen, rejected), tokens, strict=True)
    return [{**at, "side": side, "score": score, "tokens": length} for side, score, length in sides]


@pytest.fixture(autouse=True)
def _few(few_are_enough):
    few_are_enough(instrument)


@pytest.fixture
def registration(asked):
    return asked("jackknife_t")


@pytest.fixture
def asked(register):
    """`asked(method)`: the example with that interval, whether its hypotheses could be filed with it or not."""
    registration = register("reward_scores")

    def registered(method):
        resamples = 1999 if method in BOOTSTRAPS else None
        analysis = registration.analysis.model_copy(update={"interval": method, "resamples": resamples})
        return registration.model_copy(update={"analysis": analysis})

    return registered


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


def rows_of(margins):
    return [
        row
        for pair, (dimension, cluster, margin) in margins.items()
        for row in score_rows(pair, margin + 1, 1.0, dimension=dimension, cluster=cluster)
    ]


@pytest.fixture
def estimated(registration, margins):
    return instrument.estimate(rows_of(margins), registration, SEEDS)


def without(margins, cluster):
    return [(dimension, margin) for dimension, own, margin in margins.values() if own != cluster]


def macro(pairs):
    right = defaultdict(list)
    for dimension, margin in pairs:
        right[dimension].append(margin > 0)
    return mean(mean(map(float, values)) for values in right.values())


def test_every_pair_weighs_the_same(estimated, asked, margins):
    values = [margin for _, _, margin in margins.values()]
    assert estimated.estimates["mean_margin"].value == pytest.approx(mean(values))
    of_honesty = [margin for dimension, _, margin in margins.values() if dimension == "honesty"]
    assert estimated.estimates["mean_margin.honesty"].value == pytest.approx(mean(of_honesty))
    by_wilson = instrument.estimate(rows_of(margins), asked("wilson"), SEEDS).estimates
    assert by_wilson["accuracy"].value == pytest.approx(mean(margin > 0 for margin in values))
    assert by_wilson["accuracy.honesty"].value == pytest.approx(mean(margin > 0 for margin in of_honesty))


@pytest.mark.parametrize(
    ("metric", "statistic", "ends"),
    [
        ("mean_margin", lambda pairs: mean(margin for _, margin in pairs), (-inf, inf)),
        ("macro_accuracy", macro, (0, 1)),
    ],
)
def test_intervals_leave_a_cluster_out_of_every_dimension(estimated, margins, metric, statistic, ends):
    clusters = sorted({cluster for _, cluster, _ in margins.values()})
    value, left_out = statistic(without(margins, None)), [statistic(without(margins, name)) for name in clusters]
    estimate = estimated.estimates[metric]
    assert (estimate.lo, estimate.hi) == pytest.approx(jackknifed(value, left_out, 0.95, *ends))
    assert (estimate.n, estimate.method, estimate.level) == (39, "jackknife_t", 0.95)


def test_with_dimensions_of_unequal_size_the_macro_accuracy_is_another(estimated, margins):
    accuracy = mean(margin > 0 for _, _, margin in margins.values())
    assert estimated.estimates["macro_accuracy"].value == pytest.approx(macro(without(margins, None)))
    assert abs(estimated.estimates["macro_accuracy"].value - accuracy) > 0.01


def test_a_tie_counts_one_half_and_is_counted(asked):
    rows = [row for n in range(10) for row in score_rows(f"p{n}", [2.0, 1.0, 0.0][n % 3], 1.0)]
    found = instrument.estimate(rows, asked("wilson"), SEEDS)
    assert found.estimates["accuracy"].value == pytest.approx((4 + 3 / 2) / 10)
    assert found.diagnostics["tie_share"] == pytest.approx(0.3)
    assert (found.counts["ties"], found.counts["ties.kindness"], found.counts["negative_margins"]) == (3, 3, 3)
    assert (found.counts["pairs"], found.counts["clusters"], found.counts["dimensions"]) == (10, 10, 1)


def test_all_right_is_not_measured_by_jackknife_and_never_certain(registration):
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
    assert {"mean_margin", "macro_accuracy"} <= set(found.estimates)
    assert "6 independent clusters" in found.not_measured["mean_margin.caution"]


class TestAuroc:
    """Of texts whose scores differ on both sides, over pairs and clusters."""

    @pytest.fixture
    def rows(self):
        draw, found = random.Random(9), []
        for number in range(48):
            prompt = draw.gauss(0, 1)
            chosen, rejected = (round(prompt + shift + draw.gauss(0, 1), 1) for shift in (1.0, 0.0))
            dimension, cluster = ("brevity", "honesty")[number % 2], f"c{number % 40}"
            found += score_rows(f"p{number}", chosen, rejected, dimension=dimension, cluster=cluster)
        return found

    @staticmethod
    def by_hand(rows):
        chosen, rejected = ([row["score"] for row in rows if row["side"] == side] for side in ("chosen", "rejected"))
        won = sum((one > other) + (one == other) / 2 for one in chosen for other in rejected)
        return won / len(chosen) / len(rejected)

    def test_every_chosen_text_is_held_against_every_rejected_one(self, asked, rows):
        found = instrument.estimate(rows, asked("delong"), SEEDS).estimates
        of_brevity = [row for row in rows if row["dimension"] == "brevity"]
        assert found["auroc"].value == pytest.approx(self.by_hand(rows))
        assert found["auroc.brevity"].value == pytest.approx(self.by_hand(of_brevity))
        assert found["auroc"].value != self.by_hand(of_brevity)
        assert found["auroc"].method == "delong"

    def test_its_interval_is_delongs_by_cluster_on_the_scale_of_the_logit(self, asked, rows):
        """Obuchowski's variance of 40 clusters, from the definition: each text's share of the other label beaten."""
        found = instrument.estimate(rows, asked("delong"), SEEDS).estimates["auroc"]
        chosen, rejected = ([row for row in rows if row["side"] == side] for side in ("chosen", "rejected"))
        area = self.by_hand(rows)

        def off(cluster, own, other, sign):
            """Summed over the cluster's texts: how far each one's placement is off the area."""
            return sum(
                mean(
                    float(sign * one["score"] > sign * two["score"]) + (one["score"] == two["score"]) / 2
                    for two in other
                )
                - area
                for one in own
                if one["cluster"] == cluster
            ) / len(own)

        names = sorted({row["cluster"] for row in rows})
        above = [off(name, chosen, rejected, 1) for name in names]
        below = [off(name, rejected, chosen, -1) for name in names]
        n = len(names)
        variance = (sum(one**2 for one in above) + sum(one**2 for one in below)) * n / (n - 1)
        variance += 2 * n / (n - 1) * sum(one * other for one, other in zip(above, below, strict=True))
        half = stats.t.ppf(0.975, n - 1) * variance**0.5 / (area * (1 - area))
        logit = log(area / (1 - area))
        expected = (1 / (1 + exp(half - logit)), 1 / (1 + exp(-half - logit)))
        assert (found.lo, found.hi) == pytest.approx(expected, rel=1e-9)
        assert (found.n, found.unit) == (40, "cluster")

    def test_where_every_text_is_told_apart_no_error_is_known(self, asked):
        rows = [row for n in range(30) for row in score_rows(f"p{n}", 2.0 + n, 1.0 - n)]
        for method in ("delong", "jackknife_t"):
            found = instrument.estimate(rows, asked(method), SEEDS)
            assert "auroc" not in found.estimates
            assert "it is 1 in this sample" in found.not_measured["auroc"]


def test_accuracy_by_wilson_is_known_where_all_are_right(asked):
    """30 of 30 independent pairs: Wilson 1927, with Student's quantile, begins at n / (n + t²)."""
    rows = [row for n in range(30) for row in score_rows(f"p{n}", 2.0 + n, 1.0)]
    found = instrument.estimate(rows, asked("wilson"), SEEDS)
    estimate = found.estimates["accuracy"]
    assert (estimate.value, estimate.hi, estimate.method) == (1, 1, "wilson")
    assert estimate.lo == pytest.approx(30 / (30 + stats.t.ppf(0.975, 29) ** 2))


def test_what_a_method_is_not_offered_for_is_told_with_what_would_do_and_never_made_otherwise(asked, margins):
    rows = rows_of(margins)
    for method in instrument.MANIFEST.intervals:
        found = instrument.estimate(rows, asked(method), SEEDS)
        assert {estimate.method for estimate in found.estimates.values()} <= {method}
        for name in ("mean_margin", "accuracy", "auroc", "macro_accuracy"):
            fewest = instrument.MANIFEST.fewest(method, name)
            assert (name in found.estimates) == (fewest is not None and fewest <= 39), name
            if name not in found.estimates:
                reason = found.not_measured[name]
                assert "in this sample" in reason
                others = [other for other in instrument.MANIFEST.intervals if instrument.MANIFEST.fewest(other, name)]
                assert others
                assert all(f"{other} from" in reason for other in others)


def test_bootstraps_are_drawn_by_the_runs_seeds(asked, margins):
    rows = rows_of(margins)
    estimates = [
        instrument.estimate(rows, asked("studentised_bootstrap"), seeds_of(bytes([n]) * 32, "0" * 64)).estimates
        for n in (0, 0, 1)
    ]
    first, again, other = (found["mean_margin"] for found in estimates)
    assert first == again
    assert first.value == other.value
    assert first.lo != other.lo


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
