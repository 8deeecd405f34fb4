import random

import numpy as np
import pytest

from claims.instruments import attribution_patching_agreement as instrument
from claims.instruments.agreement_controls import RELIABLE
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.grid import grids
from claims.ranking import spearman
from claims.seeds import seeds_of
from claims.shuffling import permutation

SEEDS = seeds_of(bytes(32), "0" * 64)
COMPONENTS = [f"{kind}_L{layer}" for layer in range(8) for kind in ("attn", "mlp")]
SIGN = {"op": ">", "value": 0}
THRESHOLD = {"op": ">", "value": 0.3}


@pytest.fixture
def rows(pair_rows):
    """Two dimensions of ten clusters; in caution attribution is noise enough to be unreliable."""
    draw = random.Random(5)
    found = []
    for dimension, noise in (("brevity", 1.0), ("caution", 20.0)):
        for number in range(10):
            differentials = {name: place + draw.gauss(0, noise) for place, name in enumerate(COMPONENTS)}
            effects = {name: place + draw.gauss(0, 2) for place, name in enumerate(COMPONENTS)}
            found += pair_rows(f"{dimension}/{number}", differentials, effects, dimension=dimension)
    return found


def estimated(rows, register, metric="mean_rho", predict=SIGN):
    hypothesis = {"id": "H1", "primary": True, "statement": "It is so.", "metric": metric, "predict": predict}
    document = {"name": "attribution_patching_agreement", "version": "1", "params": {"rank_by": "signed_signed"}}
    return instrument.estimate(rows, register("agreement", instrument=document, hypotheses=[hypothesis]), SEEDS)


def test_leaving_clusters_out_of_sums_is_leaving_out_their_pairs(rows):
    """Cells that could not act in some pairs, and a component that never could, among them."""
    for row in rows:
        if row["kind"] == "patch" and (row["component"] == "mlp_L7" or row["pair_id"].endswith(("/1", "/2"))):
            row["state"] = "identical" if row["component"] in {"mlp_L7", "attn_L0", "mlp_L3"} else "ok"
    for grid in grids(rows, by="dimension").values():
        for rank_by in ("abs", "signed", "signed_signed"):
            ranked = Ranked(grid, rank_by)
            plain = [ranked.rho(ranked.everything()), *(ranked.rho(ranked.without(one)) for one in ranked.clusters)]
            weights = np.vstack([np.ones(10), 1 - np.eye(10)])
            assert ranked.rankings.rhos(weights)[0] == pytest.approx(plain)
            two = np.eye(10)[1:2] + np.eye(10)[2:3]
            kept = np.array([name.endswith(("/1", "/2")) for name in grid.clusters])
            assert ranked.rankings.rhos(two)[0] == pytest.approx([ranked.rho(kept)])


def test_one_cluster_gives_no_halves(rows):
    alone = [{**row, "cluster": "c"} for row in rows]
    for grid in grids(alone, by="dimension").values():
        assert Ranked(grid, "abs").reliability() is None


def test_the_smallest_reliability_is_the_positive_control(rows, register):
    diagnostics = estimated(rows, register).diagnostics
    reliabilities = {name: value for name, value in diagnostics.items() if name.startswith("reliability")}
    assert len(reliabilities) == 4
    assert diagnostics["smallest_reliability"] == min(reliabilities.values())
    assert diagnostics["smallest_reliability"] == reliabilities["reliability_attribution.caution"] < RELIABLE
    tied = [{**row, "effect": 1.0} if row["kind"] == "patch" and row["dimension"] == "caution" else row for row in rows]
    assert "two halves" in estimated(tied, register).not_measured["smallest_reliability"]
    assert "not defined" in estimated(tied, register).not_measured["shuffled_rho"]


def test_shuffled_components_agree_with_nothing(rows, register):
    expected = []
    for dimension, grid in grids(rows, by="dimension").items():
        order = permutation(len(COMPONENTS), SEEDS(f"controls/shuffled/{dimension}"))
        attribution, patching = (mean.mean(axis=0) for mean in (grid.differential, grid.effect))
        expected.append(spearman(list(attribution), list(patching[order])))
    assert estimated(rows, register).diagnostics["shuffled_rho"] == pytest.approx(np.mean(expected))
    drawn = []
    for number in range(200):
        seeds = seeds_of(bytes(32), f"{number:064x}")
        ranked = {name: Ranked(grid, "abs") for name, grid in grids(rows, by="dimension").items()}
        drawn.append(instrument.shuffled_rho(ranked, seeds))
    assert np.mean(drawn) == pytest.approx(0, abs=4 * np.std(drawn) / np.sqrt(200))
    assert np.std(drawn) == pytest.approx(1 / np.sqrt(2 * 15), rel=0.2)


def test_other_thresholds_than_0_need_reliable_rankings(rows, register):
    found = estimated(rows, register, "rho.caution", THRESHOLD)
    said = found.not_measured["rho.caution"]
    assert "rho.caution" not in found.estimates
    reliabilities = [found.diagnostics[f"reliability_{of}.caution"] for of in ("attribution", "patching")]
    assert "attribution's is {:.2f} and patching's {:.2f}".format(*reliabilities) in said
    assert f"split-half reliability of {RELIABLE}" in said
    assert "turns at 0.3" in said
    assert "Measure more clusters" in said
    assert "rho.brevity" in found.estimates


@pytest.mark.parametrize(
    ("metric", "predict", "measured"),
    [
        ("rho.caution", SIGN, True),
        ("rho.caution", {"op": "outside", "low": -1, "high": 0}, True),
        ("rho.caution", {"op": "within", "low": -0.2, "high": 0.2}, False),
        ("rho.caution", {"op": "equals", "value": 0.1, "tolerance": 0.1}, False),
        ("rho.brevity", THRESHOLD, True),
        ("mean_rho", SIGN, True),
        ("mean_rho", THRESHOLD, False),
        ("negative_dimensions", {"op": "<", "value": 0.5}, True),
    ],
)
def test_what_a_prediction_turns_at_decides_whether_it_is_measured(rows, register, metric, predict, measured):
    found = estimated(rows, register, metric, predict)
    assert (metric in found.estimates) == measured
    assert (metric in found.not_measured) != measured
