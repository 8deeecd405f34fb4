import random
from statistics import mean

import numpy as np
import pytest
from scipy import stats

from claims.instruments import attribution_patching_agreement as instrument
from claims.instruments.agreement_halves import Halved, bounds, halvings
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.answers import NO_SPREAD
from claims.instruments.grid import grids
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)

COMPONENTS = [f"{kind}_L{layer}" for layer in range(4) for kind in ("attn", "mlp")]
DIMENSIONS = ["brevity", "caution", "honesty", "kindness"]


@pytest.fixture
def rows(pair_rows):
    """Twelve pairs in each dimension, in ten clusters, one of which spans the dimensions.

    Effects oppose differentials, clearly so but for kindness, where they are noise.
    """
    draw = random.Random(47)  # where the joint level makes a difference
    found = []
    for dimension in DIMENSIONS:
        slopes = {name: draw.uniform(-1, 1) for name in COMPONENTS}
        for number in range(12):
            cluster = "shared" if number == 0 else f"{dimension}/{min(number, 9)}"
            differentials = {name: slopes[name] + draw.gauss(0, 0.3) for name in COMPONENTS}
            related = dimension != "kindness"
            effects = {name: -slopes[name] * related + draw.gauss(0, 0.3) for name in COMPONENTS}
            found += pair_rows(
                f"{dimension}/{number}",
                differentials,
                effects,
                dimension=dimension,
                cluster=cluster,
                margin=draw.gauss(1, 1),
            )
    return found


def registered(register, **params):
    document = {"name": "attribution_patching_agreement", "version": "1", "params": params}
    return register("agreement", instrument=document)


def means(rows, dimension, kind, transform, without=()):
    field = {"attribution": "differential", "patch": "effect"}[kind]
    values = {}
    for row in rows:
        if (row["kind"], row["dimension"]) == (kind, dimension) and row["cluster"] not in without:
            values.setdefault(row["component"], []).append(transform(row[field]))
    return [mean(values[name]) for name in COMPONENTS]


def ranked_by(rows, dimension, of_attribution, of_patching, clusters):
    """What attribution and what patching rank each component by, from the pairs of some clusters."""
    without = {row["cluster"] for row in rows} - set(clusters)
    return (
        means(rows, dimension, "attribution", of_attribution, without),
        means(rows, dimension, "patch", of_patching, without),
    )


def agree(one, other):
    return float(stats.spearmanr(one, other).statistic)


def clusters_of(rows, dimension):
    return sorted({row["cluster"] for row in rows if row["dimension"] == dimension})


def rho_by_hand(rows, dimension, of_attribution=abs, of_patching=abs):
    return agree(*ranked_by(rows, dimension, of_attribution, of_patching, clusters_of(rows, dimension)))


def across_by_hand(rows, dimension, transforms, splits, deleted=()):
    """One half's attribution against the other's patching, either's attribution, either's patching: means."""
    clusters, found = clusters_of(rows, dimension), []
    for mask in splits:
        halves = [
            {name for number, name in enumerate(clusters) if (number & mask).bit_count() % 2 == side} for side in (0, 1)
        ]
        (a, b), (c, d) = (ranked_by(rows, dimension, *transforms, half - set(deleted)) for half in halves)
        found.append(((agree(a, d) + agree(c, b)) / 2, agree(a, c), agree(b, d)))
    return np.mean(found, axis=0)


def interval_by_hand(rows, dimensions, transforms, level):
    """Of the mean rho over dimensions of ten clusters each, all of whose halves agree."""
    clusters = sorted({name for dimension in dimensions for name in clusters_of(rows, dimension)})
    groups = [clusters[number::12] for number in range(min(12, len(clusters)))]
    corrected, without = [], []
    for dimension in dimensions:
        # Mask 8 alone sets two of ten clusters against eight.
        across, attribution, patching = across_by_hand(rows, dimension, transforms, [*range(1, 8), *range(9, 16)])
        scale = np.sqrt(attribution * patching)
        corrected.append(across / scale)
        without.append([across_by_hand(rows, dimension, transforms, (1, 2, 4), out)[0] / scale for out in groups])
    value, center = mean(rho_by_hand(rows, name, *transforms) for name in dimensions), mean(corrected)
    half = stats.t.ppf((1 + level) / 2, len(groups) - 1) * np.sqrt((len(groups) - 1) * np.var(np.mean(without, axis=0)))
    short = (center - value) / 8
    lo, hi = min(value, center - half + min(short, 0)), max(value, center + half + max(short, 0))
    return max(-1, lo), min(1, hi)


@pytest.mark.parametrize(
    ("rank_by", "of_attribution", "of_patching"),
    [("abs", abs, abs), ("signed", float, abs), ("signed_signed", float, float)],
)
def test_rho_and_its_interval_by_hand(rows, register, rank_by, of_attribution, of_patching):
    registration = registered(register, rank_by=rank_by)
    estimated, transforms = instrument.estimate(rows, registration, SEEDS), (of_attribution, of_patching)
    compared = 0
    for dimension in DIMENSIONS:
        found = estimated.estimates[f"rho.{dimension}"]
        assert found.value == pytest.approx(rho_by_hand(rows, dimension, *transforms))
        assert (found.n, found.unit, found.method) == (10, "cluster", "jackknife_t")
        assert found.n_effective == pytest.approx(144 / (8 * 1 + 1 * 1 + 9))
        reliabilities = [estimated.diagnostics[f"reliability_{of}.{dimension}"] for of in ("attribution", "patching")]
        if min(reliabilities) > 0:
            expected = interval_by_hand(rows, [dimension], transforms, registration.level)
            assert (found.lo, found.hi) == pytest.approx(expected)
            compared += expected[1] - expected[0] < 2
        else:
            assert (found.lo, found.hi) == (-1, 1)
    assert compared


def test_the_mean_leaves_clusters_out_of_every_dimension_they_are_in(rows, register):
    related = [row for row in rows if row["dimension"] != "kindness"]
    registration = registered(register, rank_by="signed_signed")
    found = instrument.estimate(related, registration, SEEDS).estimates["mean_rho"]
    assert found.value == pytest.approx(mean(rho_by_hand(rows, name, float, float) for name in DIMENSIONS[:3]))
    expected = interval_by_hand(related, DIMENSIONS[:3], (float, float), registration.level)
    assert (found.lo, found.hi) == pytest.approx(expected)
    assert found.n == len({row["cluster"] for row in related}) == 28


def test_of_a_dimension_whose_halves_disagree_the_mean_takes_rho_to_be_anything(rows, register):
    """A fourth of the mean is then from -1/4 to 1/4."""
    registration = registered(register, rank_by="signed_signed")
    estimated = instrument.estimate(rows, registration, SEEDS)
    assert estimated.diagnostics["reliability_patching.kindness"] < 0
    assert (estimated.estimates["rho.kindness"].lo, estimated.estimates["rho.kindness"].hi) == (-1, 1)
    found = estimated.estimates["mean_rho"]
    assert found.lo == -1
    assert -0.6 < found.hi < 0


def test_negative_dimensions_are_counted_by_the_simultaneous_intervals(rows, register):
    registration = registered(register, rank_by="signed_signed")
    found = instrument.estimate(rows, registration, SEEDS).estimates["negative_dimensions"]
    joint = 1 - (1 - registration.level) / 4
    intervals = [interval_by_hand(rows, [dimension], (float, float), joint) for dimension in DIMENSIONS[:3]]
    surely = sum(hi < 0 for _, hi in intervals)
    assert (found.lo, found.hi) == (surely, sum(lo < 0 for lo, _ in intervals) + 1)
    assert 1 <= found.lo < found.hi  # some dimension is clear and some is not
    assert found.lo <= found.value <= found.hi
    assert found.method == "jackknife_t"


@pytest.mark.parametrize("sign", [1, -1])
def test_the_interval_holds_the_value_though_it_is_of_rankings_without_noise(sign):
    """Between halves 0.4 of 0.5: without noise about 0.8, and no further than an eighth of the 0.2 between."""
    within, without = np.array([[0.5], [0.5]]), sign * (0.4 + 0.001 * np.arange(-4, 5)[None])
    halved = Halved(within, np.array([sign * 0.4]), without)
    near, far = sorted(bounds([halved], [np.array([sign * 0.6])], 0.95)[0], key=abs)
    assert near == sign * 0.6
    half = stats.t.ppf(0.975, 8) * np.sqrt(8) * np.std(without / 0.5)
    assert far == pytest.approx(sign * (0.8 + half + 0.025))


def test_where_every_sign_is_certain_the_number_of_negative_dimensions_is_exact(pair_rows, register):
    draw = random.Random(2)
    rows = []
    for dimension in DIMENSIONS:
        sign = 1 if dimension == "honesty" else -1
        for number in range(10):
            differentials = {name: index + draw.gauss(0, 2) for index, name in enumerate(COMPONENTS)}
            effects = {name: sign * index + draw.gauss(0, 2) for index, name in enumerate(COMPONENTS)}
            rows += pair_rows(f"{dimension}/{number}", differentials, effects, dimension=dimension)
    found = instrument.estimate(rows, registered(register, rank_by="signed_signed"), SEEDS).estimates[
        "negative_dimensions"
    ]
    assert (found.value, found.lo, found.hi, found.method) == (3, 3, 3, "exact")


def test_a_dimension_without_an_interval_may_be_negative(rows, register):
    few = [row for row in rows if row["dimension"] != "kindness" or row["cluster"] == "kindness/1"]
    estimated = instrument.estimate(few, registered(register, rank_by="signed_signed"), SEEDS)
    assert "1 independent clusters" in estimated.not_measured["rho.kindness"]
    found = estimated.estimates["negative_dimensions"]
    assert found.lo <= 3
    assert found.hi == 4


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("degenerate", [1, 4])
def test_an_interval_of_no_width_makes_no_sign_certain(pair_rows, register, sign, degenerate):
    draw = random.Random(4)
    rows = []
    for place, dimension in enumerate(DIMENSIONS):
        spread = 0 if place < degenerate else 2
        for number in range(10):
            differentials = {name: index + draw.gauss(0, spread) for index, name in enumerate(COMPONENTS)}
            effects = {name: sign * index + draw.gauss(0, spread) for index, name in enumerate(COMPONENTS)}
            rows += pair_rows(f"{dimension}/{number}", differentials, effects, dimension=dimension)
    estimated = instrument.estimate(rows, registered(register, rank_by="signed_signed"), SEEDS)
    without = [estimated.not_measured.get(f"rho.{name}", "").endswith(NO_SPREAD) for name in DIMENSIONS]
    assert without == [place < degenerate for place in range(4)]
    if degenerate == 4:
        assert "no dimension's rho" in estimated.not_measured["negative_dimensions"]
        return
    found = estimated.estimates["negative_dimensions"]
    certain = 4 - degenerate if sign < 0 else 0
    assert (found.lo, found.hi, found.method) == (certain, certain + degenerate, "jackknife_t")
    assert found.value == (4 if sign < 0 else 0)


def test_moves_are_of_the_component_that_ranks_first_by_attribution(rows, register):
    registration = registered(register)
    found = instrument.estimate(rows, registration, SEEDS).estimates["top_attribution_moves.caution"]
    top = COMPONENTS[int(np.argmax(means(rows, "caution", "attribution", abs)))]
    patches = [row for row in rows if (row["kind"], row["dimension"]) == ("patch", "caution")]
    effect = mean(row["effect"] for row in patches if row["component"] == top)
    margin = mean(row["margin"] for row in patches if row["component"] == top)
    assert found.value == pytest.approx(abs(effect) / abs(margin))
    assert 0 <= found.lo <= found.value <= found.hi


def test_what_a_component_moves_is_never_below_nought(pair_rows, register):
    draw = random.Random(7)
    rows = []
    for number in range(8):
        effects = {name: draw.gauss(0, 1) for name in COMPONENTS}
        rows += pair_rows(f"{number}", dict(zip(COMPONENTS, range(8), strict=True)), effects, dimension="honesty")
    found = instrument.estimate(rows, registered(register), SEEDS).estimates["top_attribution_moves.honesty"]
    assert found.lo == 0 < found.value < found.hi


def test_unreachable_cells_are_counted_and_rank_nothing(rows, register):
    for row in rows:
        if row["kind"] == "patch" and row["component"] == "mlp_L3":
            row |= {"effect": 0.0, "state": "unreachable"}
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    assert estimated.counts["unreachable"] == 48
    assert (estimated.counts["components"], estimated.counts["components_left_out"]) == (7, 1)
    kept = [row for row in rows if row.get("component") != "mlp_L3"]
    assert instrument.estimate(kept, registered(register), SEEDS).estimates == estimated.estimates


def test_counts(rows, register):
    counts = instrument.estimate(rows, registered(register), SEEDS).counts
    negative = {row["pair_id"] for row in rows if row["kind"] == "patch" and row["margin"] < 0}
    assert (counts["pairs"], counts["dimensions"], counts["components"]) == (48, 4, 8)
    assert counts["negative_margins"] == len(negative) > 0
    assert sum(counts[f"negative_margins.{name}"] for name in DIMENSIONS) == len(negative)


def test_counts_say_what_a_table_of_the_run_needs(rows, register):
    for row in rows:
        if (row["kind"], row["dimension"], row.get("component")) == ("patch", "caution", "mlp_L3"):
            row |= {"effect": 0.0, "state": "unreachable"}
    counts = instrument.estimate(rows, registered(register), SEEDS).counts
    assert [counts[f"pairs.{name}"] for name in DIMENSIONS] == [12] * 4
    assert (counts["attribution_rows"], counts["patch_rows"]) == (48 * 9, 48 * 8)
    assert counts["components_attributed_alone"] == 1
    assert [counts[f"unreachable.{name}"] for name in DIMENSIONS] == [0, 12, 0, 0]
    tops = {name: n for name, n in counts.items() if name.startswith("top_attribution.")}
    assert len(tops) == 4
    for dimension in DIMENSIONS:
        ranked = COMPONENTS[:-1] if dimension == "caution" else COMPONENTS
        top = max(ranked, key=dict(zip(COMPONENTS, means(rows, dimension, "attribution", abs), strict=True)).get)
        clusters = {row["cluster"] for row in rows if row["dimension"] == dimension}
        first = 0
        for cluster in clusters:
            left = dict(zip(COMPONENTS, means(rows, dimension, "attribution", abs, without={cluster}), strict=True))
            first += max(ranked, key=left.get) == top
        assert tops[f"top_attribution.{dimension}.{top}"] == first


def test_heads_are_ranked_by_what_was_measured_both_ways_alone(pair_rows, register):
    """Attribution splits a layer's attention into heads and a bias; MLPs are attributed whole and not patched."""
    draw = random.Random(12)
    heads = [f"head_L{layer}_H{head}" for layer in range(2) for head in range(4)]
    alone = ["bias_L0", "bias_L1", "mlp_L0", "mlp_L1", "norm_bias"]
    rows = []
    for dimension in DIMENSIONS:
        for number in range(9):
            differentials = {name: draw.gauss(0, 1) for name in [*heads, *alone]}
            effects = {name: draw.gauss(0, 1) for name in heads}
            rows += pair_rows(f"{dimension}/{number}", differentials, effects, dimension=dimension)
    registration = registered(register, granularity="head")
    estimated = instrument.estimate(rows, registration, SEEDS)
    assert (estimated.counts["components"], estimated.counts["components_attributed_alone"]) == (8, 6)
    kept = [row for row in rows if row.get("component") not in {*alone, "embed"}]
    assert instrument.estimate(kept, registration, SEEDS).estimates == estimated.estimates
    assert len(estimated.estimates) == 10


def test_reliability_is_one_where_every_pair_gives_the_same_ranking_and_low_in_noise(pair_rows):
    draw = random.Random(3)
    same = {name: float(index) for index, name in enumerate(COMPONENTS)}
    rows = []
    for number in range(16):
        noise = {name: draw.gauss(0, 1) for name in COMPONENTS}
        rows += pair_rows(f"{number:02}", same, noise)
    attribution, patching = Ranked(grids(rows, by="dimension")["planted_key"], "signed_signed").reliability()
    assert attribution == pytest.approx(1)
    assert patching < 0.7


def test_halves_are_compared_over_the_components_that_both_rank(pair_rows):
    """One acts in the first half alone, another in the second."""
    draw = random.Random(8)
    rows = []
    for number in range(8):
        differentials, effects = (
            {name: draw.gauss(place, 3) for place, name in enumerate(COMPONENTS)} for _ in range(2)
        )
        state = {"attn_L0": "identical"} if number % 2 else {"mlp_L2": "identical"}
        rows += pair_rows(f"{number}", differentials, effects, dimension="honesty", states=state)
    rankings = Ranked(grids(rows, by="dimension")["honesty"], "signed_signed").rankings
    first = np.arange(8)[None] % 2
    both = [row for row in rows if row.get("component") not in {"attn_L0", "mlp_L2"}]
    expected = Ranked(grids(both, by="dimension")["honesty"], "signed_signed").rankings.agreements(first, 1 - first)
    assert rankings.agreements(first, 1 - first) == pytest.approx(expected)


def test_halves_are_balanced():
    splits, digits = halvings(16)
    assert splits.shape == (15, 16)
    assert (splits.sum(axis=1) == 8).all()
    assert len({tuple(half) for half in splits}) == 15
    assert digits.tolist() == [[float(not number & mask) for number in range(16)] for mask in (1, 2, 4, 8)]


@pytest.mark.parametrize("clusters", range(2, 41))
def test_no_half_holds_less_than_a_third_of_the_clusters(clusters):
    splits, digits = halvings(clusters)
    assert len(digits)
    assert (3 * np.minimum(splits.sum(axis=1), (1 - splits).sum(axis=1)) >= clusters).all()
    assert len({tuple(half) for half in splits}) == len(splits)


def test_an_undefined_metric_is_absent_and_named(pair_rows, register):
    tied = dict.fromkeys(COMPONENTS, 1.0)
    rows = [
        row for name in DIMENSIONS for n in range(8) for row in pair_rows(f"{name}/{n}", tied, tied, dimension=name)
    ]
    estimated = instrument.estimate(rows, registered(register), SEEDS)
    for metric in ("rho.brevity", "mean_rho", "negative_dimensions", "reliability_patching.brevity"):
        assert metric not in estimated.estimates
        assert metric not in estimated.diagnostics
        assert estimated.not_measured[metric]


def test_shards_are_blocks_of_one_dimension(register):
    counts = {"brevity": 70, "caution": 32, "honesty": 1, "kindness": 33}
    shards = instrument.plan(registered(register), counts)
    assert [(shard.params["dimension"], shard.params["first"], shard.params["pairs"]) for shard in shards] == [
        ("brevity", 0, 32),
        ("brevity", 32, 32),
        ("brevity", 64, 6),
        ("caution", 0, 32),
        ("honesty", 0, 1),
        ("kindness", 0, 32),
        ("kindness", 32, 1),
    ]
    assert sum(shard.rows for shard in shards) == sum(counts.values())
