"""From rows to the verdict: a control that fails voids a claim whose hypothesis would be confirmed."""

import random
from statistics import mean, stdev

import pytest

from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.instruments.planted_key_rows import controlled, organisms_in
from claims.registration.model import PairsDataset
from claims.seeds import seeds_of
from claims.verdict.rule import adjudicate


@pytest.fixture
def verdict():
    """`verdict(registration, rows, nonce)`: of evidence as a worker would record it."""

    def judged(registration, rows, nonce=0):
        dataset = registration.subject.dataset
        estimated = catalogue()[registration.instrument.name].estimate(rows, registration, seeds(nonce))
        sha256 = dataset.sha256 if isinstance(dataset, PairsDataset) else None
        model = {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"}
        evidence = {
            "schema": "antedate.evidence/1",
            "instrument": registration.instrument.name,
            "version": "1",
            "params": registration.instrument.params,
            "subject": {"model": model, "dataset": {"sha256": sha256, "n": 1}},
            "access": ["weights"],
            **estimated.model_dump(),
            "nondeterminism": {},
            "controls": {},
            "conformance": {},
            "gauge": "invariant",
            "provenance": {
                **dict.fromkeys(("commit", "platform", "started", "finished"), "x"),
                "dirty": "clean",
                "diff_sha256": None,
                "instrument_source_sha256": "x",
                "packages": {},
            },
            "cost": {},
            "rows_sha256": "0" * 64,
        }
        return adjudicate(registration, Evidence.model_validate(evidence)), estimated

    return judged


def seeds(nonce):
    return seeds_of(bytes([nonce]) * 32, "0" * 64)


def score_rows(clusters):
    """Pairs that are all right, in as many clusters, of these sizes."""
    for cluster, size in enumerate(clusters):
        for number in range(size):
            at = {"pair_id": f"{cluster}/{number}", "dimension": "safety", "cluster": f"{cluster:03}"}
            for side, score in (("chosen", 1.0 + cluster % 5 / 10), ("rejected", -1.0)):
                yield {"kind": "score", **at, "side": side, "score": score, "tokens": 4}


class TestRewardScores:
    @pytest.fixture
    def claim(self, register):
        def registered(pairs):
            predicted = {"metric": "mean_margin", "predict": {"op": ">", "value": 0}}
            analysis = {"confidence": 0.95, "interval": "studentised_bootstrap", "unit": "cluster", "resamples": 2000}
            return register(
                "reward_scores",
                hypotheses=[{"id": "H1", "statement": "It is.", "primary": True, **predicted}],
                analysis=analysis,
                kill_criteria=[],
                sampling={"pairs": pairs, "stopping": "fixed"},
                controls={"negative": {"metric": "shuffled_accuracy", "op": "<", "value": 0.66}},
                reproduction_tolerance={},
            )

        return registered

    def test_what_is_confirmed_is_void_once_shuffled_labels_find_it_too(self, claim, verdict):
        """One cluster is nearly everything: where its coin leaves its sides alone, nothing was shuffled."""
        sizes = [180, *[1] * 20]
        found = {nonce: verdict(claim(200), list(score_rows(sizes)), nonce) for nonce in range(4)}
        assert {judged.status for judged, _ in found.values()} == {"void", "confirmed"}
        for judged, estimated in found.values():
            share = estimated.diagnostics["shuffled_accuracy"]
            assert estimated.estimates["mean_margin"].lo > 0
            assert (judged.status == "confirmed") == (share < 0.66)
            if judged.status == "void":
                (void,) = judged.voids
                assert void.reason == judged.hypotheses[0].void_reason == "failed_control"
                expected = {"control": "negative", "metric": "shuffled_accuracy", "measured": share}
                assert void.figures == {**expected, "op": "<", "value": 0.66}

    def test_shuffled_accuracy_is_about_one_half_as_often_as_the_page_says(self, claim, verdict):
        rows, registration = list(score_rows([1] * 100)), claim(100)
        estimate = catalogue()["reward_scores"].estimate
        shares = [estimate(rows, registration, seeds(n)).diagnostics["shuffled_accuracy"] for n in range(40)]
        assert mean(shares) == pytest.approx(0.5, abs=4 * 0.05 / 40**0.5)
        assert stdev(shares) == pytest.approx(0.05, rel=0.35)


COMPONENTS = [f"{kind}_L{layer}" for layer in range(8) for kind in ("attn", "mlp")]


def organism_rows(pair_rows, organisms, *, traced):
    """Organisms in which both methods rank the carriers high, now and then; norms lead to them only if `traced`."""
    draw, rows = random.Random(5), []
    for number in range(organisms):
        at = {"pair_id": None, "dimension": "planted_key", "cluster": f"organism/{number}", "organism": number}
        carriers = set(draw.sample(COMPONENTS, 3))
        rows.append({"kind": "organism", **at, "accuracy": 0.97, "governed": True})
        for name in COMPONENTS:
            norm = draw.random() + (name in carriers) * (1 if traced else -0.3)
            rows.append({"kind": "key", **at, "component": name, "norm": norm, "constructed": name in carriers})
        values = [{name: draw.random() + 0.5 * (name in carriers) for name in COMPONENTS} for _ in range(2)]
        cluster = f"organism/{number}"
        rows += pair_rows(f"{number}/a", *values, cluster=cluster, organism=number)
    return rows


class TestPlantedKey:
    @pytest.fixture
    def claim(self, register):
        def registered(**controls):
            predicted = {"metric": "patching_recovery_auc_constructed", "predict": {"op": ">", "value": 0.5}}
            return register(
                "planted_key",
                hypotheses=[{"id": "H1", "statement": "It is.", "primary": True, **predicted}],
                sampling={"organisms": 24, "pairs_per_organism": 1, "stopping": "fixed"},
                controls=controls,
            )

        return registered

    @pytest.mark.parametrize(("traced", "status"), [(True, "confirmed"), (False, "void")])
    def test_what_is_confirmed_is_void_where_the_planted_key_is_not_in_its_carriers(
        self, claim, verdict, pair_rows, traced, status
    ):
        registration = claim(positive={"metric": "twin_norm_auc_constructed", "op": ">=", "value": 0.75})
        judged, estimated = verdict(registration, organism_rows(pair_rows, 24, traced=traced))
        assert estimated.estimates["patching_recovery_auc_constructed"].lo > 0.5
        assert judged.status == status
        if status == "void":
            assert [void.figures["control"] for void in judged.voids] == ["positive"]
            assert judged.hypotheses[0].void_reason == "failed_control"

    def test_shuffled_keys_are_recovered_by_chance_and_rarely_beyond_what_the_page_says(
        self, claim, verdict, pair_rows
    ):
        """A key of 3 among 16 has an AUROC of variance (16 + 1) / (12 · 3 · 13) by chance: Mann and Whitney 1947."""
        registration = claim(negative={"metric": "patching_shuffled_auc", "op": "<", "value": 0.65})
        rows = organism_rows(pair_rows, 24, traced=True)
        judged, _ = verdict(registration, rows)
        assert judged.status == "confirmed"
        organisms = organisms_in(rows)
        found = [[controlled(organism, seeds(n)) for organism in organisms] for n in range(40)]
        error = (17 / (12 * 3 * 13)) ** 0.5 / 24**0.5
        for name in ("patching_shuffled_auc", "attribution_shuffled_auc"):
            values = [mean(one[name] for one in run) for run in found]
            assert mean(values) == pytest.approx(0.5, abs=4 * error / 40**0.5)
            assert stdev(values) == pytest.approx(error, rel=0.4)
            assert max(values) < 0.65

    def test_what_a_shuffled_key_finds_is_void(self, claim, verdict, pair_rows):
        registration = claim(negative={"metric": "patching_shuffled_auc", "op": "<", "value": 0.4})
        judged, estimated = verdict(registration, organism_rows(pair_rows, 24, traced=True))
        assert estimated.estimates["patching_recovery_auc_constructed"].lo > 0.5
        assert (judged.status, judged.hypotheses[0].void_reason) == ("void", "failed_control")


@pytest.mark.parametrize("metric", ["patching_shuffled_auc", "twin_norm_auc_constructed"])
def test_a_control_that_no_organism_gives_a_value_fails(register, verdict, pair_rows, metric):
    registration = register("planted_key", controls={"negative": {"metric": metric, "op": "<", "value": 0.9}})
    rows = [
        {**row, "governed": False} if row["kind"] == "organism" else row
        for row in organism_rows(pair_rows, 3, traced=True)
    ]
    judged, estimated = verdict(registration, rows)
    assert "no governed organism" in estimated.not_measured[metric]
    assert "failed_control" in [void.reason for void in judged.voids]
