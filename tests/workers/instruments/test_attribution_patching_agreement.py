import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from claims.instruments import attribution_patching_agreement as rules
from claims.instruments.agreement_statistics import Ranked
from claims.instruments.grid import grids
from claims.pairs import read_pairs
from claims.rows import encode
from claims.seeds import seeds_of
from claims.weights import weights_sha256
from workers.instruments.attribution_patching_agreement import measure
from workers.refusals import RefusalError
from workers.resources import Resources

SEEDS = seeds_of(bytes(32), "0" * 64)

MODELS = Path(__file__).parents[2] / "fixtures" / "models"
FAMILIES = ("gemma2", "gpt2", "llama-gqa", "llama-gqa-chat", "qwen2")
DATASET = read_pairs((MODELS / "llama-gqa" / "pairs.jsonl").read_bytes())


@pytest.fixture
def of_family(register):
    """The example's registration about another family's checkpoint, ranked another way."""

    def registered(family, **params):
        subject = register("agreement").model_dump(mode="json", exclude_none=True)["subject"]
        subject["model"] |= {"directory": family, "weights_sha256": weights_sha256(MODELS / family)}
        return register("agreement", subject=subject, params=params)

    return registered


def measured(registered, resources, progress=lambda done: None):
    shards = rules.plan(registered, DATASET.dimensions)
    return [held(measure(shard, registered, seed_of_what_is_measured_twice, resources, progress)) for shard in shards]


def held(measured):
    """Rows are measured as they are consumed, facts told after the last of them."""
    return SimpleNamespace(rows=list(measured.rows), again=list(measured.again), facts=measured.facts())


def seed_of_what_is_measured_twice(label):
    assert label.startswith("again/"), f"nothing else is drawn, yet {label} was asked for"
    return 7


def test_the_example_is_about_the_fixture(register):
    subject = register("agreement").subject
    assert subject.model.weights_sha256 == weights_sha256(MODELS / subject.model.directory)
    assert subject.dataset.sha256 == DATASET.sha256
    assert set(subject.dataset.dimensions) == set(DATASET.dimensions)
    assert register("agreement").sampling.pairs == len(DATASET.rows)


@pytest.mark.parametrize("rank_by", ["abs", "signed", "signed_signed"])
@pytest.mark.parametrize("family", FAMILIES)
def test_rho_is_the_oracles(of_family, family, rank_by):
    registered = of_family(family, rank_by=rank_by)
    rows = [row for part in measured(registered, Resources(DATASET.rows, MODELS)) for row in part.rows]
    truth = json.loads((MODELS / family / "expected.json").read_bytes())["agreement"]
    for dimension, grid in grids(rows, by="dimension").items():
        ranked = Ranked(grid, rank_by)
        assert ranked.rho(ranked.everything()) == pytest.approx(truth["per_dimension"][dimension][rank_by])
    estimated = rules.estimate(rows, registered, SEEDS)
    mean = estimated.estimates["mean_rho"]
    assert mean.value == pytest.approx(truth[f"mean_{rank_by}"])
    assert (mean.n, mean.method) == (10, "jackknife_t")
    assert estimated.counts["pairs"] == 16
    assert "clusters" in estimated.not_measured["rho.honesty"]  # four at most: too few for an interval


def test_shards_report_their_pairs_and_what_evidence_needs(register):
    told = []
    parts = measured(register("agreement"), Resources(DATASET.rows, MODELS), told.append)
    assert told == [1, 2, 3, 4] * 4
    assert {part.facts["weights_sha256"] for part in parts} == {weights_sha256(MODELS / "llama-gqa")}
    measured_twice = 4 * 2  # one pair of each dimension, beside a copy of itself
    assert sum(part.facts["forwards"] for part in parts) == (16 + measured_twice) * (2 + 8)
    assert [len({row["pair_id"] for row in part.again}) for part in parts] == [1] * 4
    assert {row["cluster"] for part in parts for row in part.rows} == {pair.cluster for pair in DATASET.rows}


def test_the_same_rows_however_the_dataset_is_ordered(register):
    registered = register("agreement")
    first = measured(registered, Resources(DATASET.rows, MODELS))
    again = measured(registered, Resources(tuple(reversed(DATASET.rows)), MODELS))
    assert [encode(part.rows) for part in first] == [encode(part.rows) for part in again]
    assert [encode(part.again) for part in first] == [encode(part.again) for part in again]


def test_other_weights_than_frozen_are_measured_and_told(register, tmp_path):
    """The verdict compares the two hashes; the worker only says what it found."""
    shutil.copytree(MODELS / "qwen2", tmp_path / "llama-gqa")
    parts = measured(register("agreement"), Resources(DATASET.rows, tmp_path))
    assert {part.facts["weights_sha256"] for part in parts} == {weights_sha256(MODELS / "qwen2")}


def test_a_model_that_is_not_there_is_refused(register, tmp_path):
    with pytest.raises(RefusalError, match="unusable_model"):
        measured(register("agreement"), Resources(DATASET.rows, tmp_path))
