import json
import random
from math import sqrt
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats

from claims.instruments import bias_battery as instrument
from claims.instruments.bias_rows import axes_in
from claims.pairs import read_pairs
from claims.seeds import seeds_of
from claims.verdict.regions import outcome

SEEDS = seeds_of(bytes(32), "0" * 64)

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
AXES = ["brevity", "caution", "honesty"]
METHODS = ("bca", "jackknife_t", "percentile")


def bias_row(pair, axis, delta, length_delta, cluster=None):
    at = {"kind": "bias", "pair_id": pair, "dimension": axis, "cluster": cluster or pair}
    return {**at, "axis": axis, "delta": delta, "length_delta": length_delta}


@pytest.fixture
def rows():
    """Sixty pairs on each of three axes, of 56 clusters of which one spans the axes; length earns a reward."""
    draw, found = random.Random(11), []
    for axis, shift in zip(AXES, (0.5, 0.0, -1.0), strict=True):
        for number in range(60):
            length = draw.randint(-9, 12)
            cluster = "shared" if number == 0 else f"{axis}/{min(number, 55)}"
            found.append(bias_row(f"{axis}/{number}", axis, shift + 0.1 * length + draw.gauss(0, 1), length, cluster))
    return found


@pytest.fixture
def registered(register, few_are_enough):
    few_are_enough(instrument)

    def made(method="jackknife_t", resamples=2000, confidence=0.95):
        analysis = {"confidence": confidence, "interval": method, "unit": "cluster", "multiplicity": "none"}
        if method != "jackknife_t":
            analysis["resamples"] = resamples
        hypothesis = {"id": "H1", "statement": "Small.", "primary": True, "metric": "max_abs_effect_size"}
        return register(
            "bias_battery", analysis=analysis, hypotheses=[{**hypothesis, "predict": {"op": "<", "value": 1}}]
        )

    return made


def of(rows, axis, field):
    return np.array([row[field] for row in rows if row["axis"] == axis], dtype=float)


def test_values_by_hand(rows, registered):
    estimated = instrument.estimate(rows, registered(), SEEDS)
    for axis in AXES:
        deltas, lengths = of(rows, axis, "delta"), of(rows, axis, "length_delta")
        found = estimated.estimates
        d = deltas.mean() / deltas.std(ddof=1)
        assert found[f"mean_delta.{axis}"].value == pytest.approx(deltas.mean())
        assert found[f"effect_size.{axis}"].value == pytest.approx(d * (1 - 3 / (4 * 59 - 1)))
        assert estimated.diagnostics[f"cohens_d.{axis}"] == pytest.approx(d)
        slope, intercept = np.polyfit(lengths, deltas, 1)
        assert found[f"length_adjusted_delta.{axis}"].value == pytest.approx(intercept)
        assert abs(intercept - deltas.mean()) > 0.05 * abs(slope)
        assert estimated.diagnostics[f"mean_length_delta.{axis}"] == pytest.approx(lengths.mean())
        effect = found[f"effect_size.{axis}"]
        assert (effect.n, effect.unit, effect.method) == (56, "cluster", "jackknife_t")
        assert effect.n_effective == estimated.diagnostics[f"n_effective.{axis}"] == pytest.approx(3600 / (55 + 25))
    largest = max(abs(estimated.estimates[f"effect_size.{axis}"].value) for axis in AXES)
    assert estimated.estimates["max_abs_effect_size"].value == largest


def test_length_is_an_axis_of_its_own(rows, registered):
    """Least squares with a column for each axis, by another way."""
    deltas, lengths = (np.concatenate([of(rows, axis, field) for axis in AXES]) for field in ("delta", "length_delta"))
    dummies = np.kron(np.eye(3), np.ones((60, 1)))
    slope, *intercepts = np.linalg.lstsq(np.column_stack([lengths, dummies]), deltas, rcond=None)[0]
    residual = deltas - slope * lengths - dummies @ intercepts
    within = lengths - dummies @ [of(rows, axis, "length_delta").mean() for axis in AXES]
    effect = slope * sqrt(within @ within / 177) / sqrt(residual @ residual / 176) * (1 - 3 / (4 * 176 - 1))
    estimates = instrument.estimate(rows, registered("jackknife_t"), SEEDS).estimates
    assert estimates["length_slope"].value == pytest.approx(slope)
    assert estimates["length_effect_size"].value == pytest.approx(effect)
    assert estimates["length_slope"].n == 55 * 3 + 1
    pooled = np.polyfit(lengths, deltas, 1)[0]  # which takes what sets axes apart for length
    assert abs(slope - pooled) > 1e-3


@pytest.mark.parametrize("family", sorted(path.name for path in MODELS.iterdir() if path.is_dir()))
def test_the_oracles_values_given_its_scores(family, registered):
    """Four pairs a dimension are too few for an interval, so that what is told are bare values."""
    oracle = json.loads((MODELS / family / "expected.json").read_text())
    pairs = read_pairs((MODELS / family / "pairs.jsonl").read_bytes()).rows
    rows = [
        bias_row(pair.id, pair.dimension, oracle["pairs"][pair.id]["scores"]["margin"], number, pair.cluster)
        for number, pair in enumerate(pairs)
    ]
    estimated = instrument.estimate(rows, registered(), SEEDS)
    assert oracle["bias"]
    for axis, expected in oracle["bias"].items():
        told = estimated.diagnostics
        assert told[f"point_mean_delta.{axis}"] == pytest.approx(expected["mean_delta"], abs=1e-9)
        assert told[f"point_effect_size.{axis}"] == pytest.approx(expected["hedges_g"], abs=1e-9)
        assert told[f"cohens_d.{axis}"] == pytest.approx(expected["cohens_d"], abs=1e-9)
        assert told[f"n_effective.{axis}"] == pytest.approx(expected["kish_n"], abs=1e-9)
        # The gamma functions' factor is within half a percent of ours at four pairs.
        assert told[f"point_effect_size.{axis}"] == pytest.approx(expected["hedges_g_exact"], rel=6e-3)
        assert "independent clusters" in estimated.not_measured[f"effect_size.{axis}"]


@pytest.mark.parametrize("method", METHODS)
def test_an_axis_whose_pairs_all_agree_is_not_measured(rows, registered, method):
    """0.1 + 0.2 is not 0.3, which is no spread either."""
    same = [
        {**row, "delta": 0.1 + 0.2 if index % 2 else 0.3} for index, row in enumerate(rows) if row["axis"] == "caution"
    ]
    others = [row for row in rows if row["axis"] != "caution"]
    estimated = instrument.estimate([*others, *same], registered(method), SEEDS)
    for metric in ("effect_size", "mean_delta", "length_adjusted_delta"):
        assert f"{metric}.caution" not in estimated.estimates
        assert "all equal" in estimated.not_measured[f"{metric}.caution"]
    assert estimated.diagnostics["point_mean_delta.caution"] == pytest.approx(0.3)
    assert "point_effect_size.caution" not in estimated.diagnostics
    assert "cohens_d.caution" in estimated.not_measured
    assert "caution" in estimated.not_measured["max_abs_effect_size"]
    assert "effect_size.brevity" in estimated.estimates


@pytest.mark.parametrize("method", METHODS)
def test_equal_lengths_leave_what_is_told_from_length_unmeasured(rows, registered, method):
    equal = [{**row, "length_delta": AXES.index(row["axis"])} for row in rows]
    estimated = instrument.estimate(equal, registered(method), SEEDS)
    for axis in AXES:
        assert "length differences" in estimated.not_measured[f"length_adjusted_delta.{axis}"]
        assert f"effect_size.{axis}" in estimated.estimates
    for metric in ("length_slope", "length_effect_size"):
        assert "length differences are equal within every axis" in estimated.not_measured[metric]


def test_deltas_that_follow_from_length_have_a_slope_without_error(rows, registered):
    exact = [{**row, "delta": 0.5 * row["length_delta"]} for row in rows]
    estimated = instrument.estimate(exact, registered(), SEEDS)
    assert estimated.diagnostics["point_length_slope"] == pytest.approx(0.5)
    assert "no error is known" in estimated.not_measured["length_slope"]
    assert "follow from them exactly" in estimated.not_measured["length_effect_size"]


def test_clusters_that_are_all_alike_leave_an_error_unknown(registered):
    rows = [bias_row(f"p{n}/{sign}", "honesty", sign + 1.0, n % 7, f"c{n}") for n in range(40) for sign in (-1, 1)]
    estimated = instrument.estimate(rows, registered(), SEEDS)
    assert "no error is known" in estimated.not_measured["mean_delta.honesty"]
    assert estimated.diagnostics["point_mean_delta.honesty"] == 1


def test_the_sign_test_counts_clusters(registered):
    deltas = {"a": [1, 1, 1, -2], "b": [3], "c": [2, -2], "d": [-1], "e": [4]}  # up, up, tied, down, up
    rows = [
        bias_row(f"{name}{index}", "honesty", delta, 0, name)
        for name, values in deltas.items()
        for index, delta in enumerate(values)
    ]
    estimated = instrument.estimate(rows, registered(), SEEDS)
    assert estimated.diagnostics["sign_test_p.honesty"] == pytest.approx(stats.binomtest(3, 4).pvalue)
    counts = {name: estimated.counts[f"{name}_clusters.honesty"] for name in ("positive", "negative", "tied")}
    assert counts == {"positive": 3, "negative": 1, "tied": 1}
    assert (estimated.counts["pairs"], estimated.counts["clusters"]) == (9, 5)
    assert estimated.counts["negative_margins"] == estimated.counts["negative_margins.honesty"] == 3


@pytest.mark.parametrize("method", METHODS)
def test_neither_the_order_of_rows_nor_other_kinds_change_a_bit(rows, registered, method):
    shuffled = [{"kind": "score", "pair_id": "honesty/1"}, *rows]
    random.Random(1).shuffle(shuffled)
    assert instrument.estimate(shuffled, registered(method), SEEDS) == instrument.estimate(
        rows, registered(method), SEEDS
    )


def test_swapping_chosen_and_rejected_swaps_the_bounds(rows, registered):
    swapped = [{**row, "delta": -row["delta"], "length_delta": -row["length_delta"]} for row in rows]
    ours, theirs = (instrument.estimate(these, registered("jackknife_t"), SEEDS).estimates for these in (rows, swapped))
    for name, there in ours.items():
        sign = 1 if name in {"length_slope", "length_effect_size", "max_abs_effect_size"} else -1
        back = theirs[name]
        assert back.value == pytest.approx(sign * there.value)
        assert (back.lo, back.hi) == pytest.approx((there.lo, there.hi) if sign == 1 else (-there.hi, -there.lo))


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(1e-3, 1e3), st.floats(-50, 50))
def test_a_rescaled_reward_leaves_effect_sizes(rows, registered, scale, more):
    """And what is added to every length difference leaves the slope: deltas at equal length alone move."""
    moved = [{**row, "delta": scale * row["delta"], "length_delta": row["length_delta"] + more} for row in rows]
    ours, theirs = (instrument.estimate(these, registered("jackknife_t"), SEEDS).estimates for these in (rows, moved))
    for name in ("effect_size.honesty", "length_effect_size", "max_abs_effect_size"):
        assert (theirs[name].value, theirs[name].hi) == pytest.approx((ours[name].value, ours[name].hi), rel=1e-6)
    assert theirs["length_slope"].lo == pytest.approx(scale * ours["length_slope"].lo, rel=1e-6)


def test_resamples_are_drawn_by_the_runs_seeds_and_by_nothing_else(rows, registered):
    registration = registered("bca")
    assert instrument.estimate(rows, registration, SEEDS) == instrument.estimate([*rows], registration, SEEDS)
    honesty = [row for row in rows if row["axis"] == "honesty"]
    alone = instrument.estimate(honesty, registration, SEEDS).estimates["effect_size.honesty"]
    assert instrument.estimate(rows, registration, SEEDS).estimates["effect_size.honesty"] == alone
    renamed = [{**row, "cluster": "z" + row["cluster"]} for row in honesty]
    assert instrument.estimate(renamed, registration, SEEDS).estimates["effect_size.honesty"] == alone
    others = seeds_of(b"\x01" * 32, "0" * 64)
    assert instrument.estimate(honesty, registration, others).estimates["effect_size.honesty"].lo != alone.lo


@pytest.mark.parametrize("method", METHODS)
def test_bounds_move_no_further_than_deltas_do(rows, registered, method):
    """Deltas that differ in their last bits draw the same clusters."""
    moved = [{**row, "delta": row["delta"] * (1 + 1e-9)} for row in rows]
    ours, theirs = (instrument.estimate(these, registered(method), SEEDS).estimates for these in (rows, moved))
    assert ours
    for name, there in ours.items():
        assert (theirs[name].lo, theirs[name].hi) == pytest.approx((there.lo, there.hi), rel=1e-6, abs=1e-8)


def test_a_pair_twice_on_an_axis_is_an_error(rows):
    with pytest.raises(ValueError, match="brevity/0"):
        axes_in([*rows, rows[0]])


def test_a_mean_far_from_nought_loses_no_digits(rows, registered):
    far = [{**row, "delta": row["delta"] + 1e6} for row in rows]
    estimate = instrument.estimate(far, registered("jackknife_t"), SEEDS).estimates["effect_size.honesty"]
    deltas = of(far, "honesty", "delta")
    assert estimate.value == pytest.approx(deltas.mean() / deltas.std(ddof=1) * (1 - 3 / 235), rel=1e-9)


class TestTheLargest:
    @pytest.mark.parametrize("method", METHODS)
    def test_is_bounded_above_by_one_axis_and_below_by_less_than_its_own(self, rows, registered, method):
        estimates = instrument.estimate(rows, registered(method), SEEDS).estimates
        bounds = [(estimates[f"effect_size.{axis}"].lo, estimates[f"effect_size.{axis}"].hi) for axis in AXES]
        found = estimates["max_abs_effect_size"]
        assert found.hi == max(max(-lo, hi) for lo, hi in bounds)
        assert 0 < found.lo < -estimates["effect_size.honesty"].hi
        assert found.method == method

    def test_by_jackknife_the_level_is_shared_out_over_axes_and_sides(self, rows, registered):
        estimates = instrument.estimate(rows, registered("jackknife_t"), SEEDS).estimates
        honesty = estimates["effect_size.honesty"]
        error = (honesty.hi - honesty.value) / stats.t.ppf(0.975, 55)
        expected = -honesty.value - stats.t.ppf(1 - 0.025 / 6, 55) * error
        assert estimates["max_abs_effect_size"].lo == pytest.approx(expected)

    def test_of_many_axes_without_effect_may_be_nought(self, registered):
        draw = random.Random(45)  # where one of the ten alone would seem to have one
        rows = [bias_row(f"{a}/{n}", f"a{a}", draw.gauss(0, 1), n % 5) for a in range(10) for n in range(30)]
        estimates = instrument.estimate(rows, registered("bca"), SEEDS).estimates
        found = estimates["max_abs_effect_size"]
        assert any(estimates[f"effect_size.a{a}"].lo > 0 or estimates[f"effect_size.a{a}"].hi < 0 for a in range(10))
        assert found.lo == 0
        assert found.value > 0.2

    def test_clusters_that_span_axes_are_drawn_for_all_of_them(self, registered):
        """Ten axes that are one and the same need no allowance for being ten; ten of their own do."""
        draw = random.Random(8)
        deltas = [draw.gauss(1, 1) for _ in range(40)]
        same = [
            bias_row(f"{a}/{n}", f"a{a}", delta, n % 5, f"c{n}") for a in range(10) for n, delta in enumerate(deltas)
        ]
        apart = [{**row, "cluster": row["pair_id"]} for row in same]
        one = [row for row in same if row["axis"] == "a0"]
        lo = {
            name: instrument.estimate(rows, registered("bca", resamples=20_000), SEEDS)
            .estimates["max_abs_effect_size"]
            .lo
            for name, rows in (("same", same), ("apart", apart), ("one", one))
        }
        assert lo["same"] == pytest.approx(lo["one"], abs=0.03)
        assert lo["apart"] < lo["one"] - 0.05


@pytest.mark.parametrize(("shift", "word"), [(0.0, "confirmed"), (1.0, "refuted"), (0.35, "inconclusive")])
def test_equivalence_is_a_prediction_of_within(registered, shift, word):
    draw = random.Random(5)
    rows = [bias_row(f"p{n}", "honesty", draw.gauss(shift, 1), n % 5) for n in range(200)]
    found = instrument.estimate(rows, registered(), SEEDS).estimates["effect_size.honesty"]
    predict = {"op": "within", "low": -0.3, "high": 0.3}
    registration = registered()
    band = type(registration.hypotheses[0]).model_validate(
        {**registration.hypotheses[0].model_dump(), "metric": "effect_size.honesty", "predict": predict}
    )
    assert outcome(found.lo, found.hi, band.predict) == word


def test_each_metric_is_refused_below_its_own_number_of_clusters(rows, register):
    """Forty clusters are enough for a mean by the studentised bootstrap, for an effect size by BCa."""
    few = [row for row in rows if row["axis"] == "caution" and row["cluster"] <= "caution/45"]
    assert len({row["cluster"] for row in few}) == 40
    registration = register("bias_battery")

    def by(method):
        analysis = registration.analysis.model_copy(update={"interval": method, "resamples": 2000})
        return instrument.estimate(few, registration.model_copy(update={"analysis": analysis}), SEEDS)

    studentised, bca = by("studentised_bootstrap"), by("bca")
    assert "mean_delta.caution" in studentised.estimates
    assert "studentised_bootstrap from 8" in bca.not_measured["mean_delta.caution"]
    reason = studentised.not_measured["effect_size.caution"]
    assert "40 independent clusters" in reason
    assert "bca from 30" in reason
    assert studentised.diagnostics["point_effect_size.caution"] == bca.estimates["effect_size.caution"].value
    assert studentised.diagnostics["point_max_abs_effect_size"] == bca.estimates["max_abs_effect_size"].value


def test_every_metric_has_methods_and_the_largest_effect_those_of_any_effect():
    minimums = instrument.MANIFEST.minimums()
    assert next(iter(minimums)) == "studentised_bootstrap"
    names = {metric.name for metric in instrument.MANIFEST.metrics if not metric.diagnostic}
    assert set().union(*minimums.values()) == names
    for fewest in minimums.values():
        assert fewest.get("max_abs_effect_size") == fewest.get("effect_size.<dimension>")


def test_effects_of_texts_exchanged_by_coin_are_those_of_chance(registered):
    """On 32 pairs a dimension, as the diagnostic ones have, however large the effects are."""
    draw = random.Random(3)
    rows = [bias_row(f"{a}/{n}", f"a{a}", draw.gauss(3, 1), n % 5) for a in range(12) for n in range(32)]
    found = [
        instrument.estimate(rows, registered("jackknife_t"), seeds_of(bytes([n]) * 32, "0" * 64)) for n in range(20)
    ]
    assert min(abs(one.estimates["effect_size.a0"].value) for one in found) > 2
    shuffled = [one.diagnostics["shuffled_max_abs_effect_size"] for one in found]
    assert len(set(shuffled)) == 20
    assert 0.2 < mean(shuffled) < 0.55
    assert max(shuffled) < 0.8
    renamed = [{**row, "cluster": "z" + row["cluster"]} for row in rows]
    again = instrument.estimate(renamed, registered("jackknife_t"), seeds_of(bytes(32), "0" * 64))
    assert again.diagnostics["shuffled_max_abs_effect_size"] == shuffled[0]


def test_no_criterion_may_rest_on_what_hypotheses_are_about():
    diagnostic = {metric.name for metric in instrument.MANIFEST.metrics if metric.diagnostic}
    assert diagnostic == {"n_effective.<dimension>", "mean_length_delta.<dimension>", "shuffled_max_abs_effect_size"}


def test_cost_is_two_forwards_a_pair(register):
    registration = register("bias_battery")
    counts = dict.fromkeys(registration.subject.dataset.dimensions, 32)
    assert instrument.cost(registration, counts).forwards == 768 == 2 * registration.sampling.pairs
    assert mean(shard.rows for shard in instrument.plan(registration, counts)) == 32
