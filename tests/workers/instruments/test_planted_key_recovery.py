import hashlib
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from claims.instruments import planted_key_recovery as rules
from claims.instruments.planted_key_rows import organisms_in, recovered
from claims.nondeterminism import Compared
from claims.rows import encode
from claims.seeds import seed, seeds_of
from workers.instruments.planted_key_recovery import measure
from workers.resources import Resources

SEEDS = seeds_of(bytes(32), "0" * 64)

SMALL = {"layers": 4, "hidden": 16, "heads": 2, "carriers": 2, "steps": 5}
QUIET = {**SMALL, "frozen_scale": 0.08, "steps": 80}
NOTHING = Resources((), None)
NONCE, DOCUMENT = b"n" * 32, "cd" * 32
ELSEWHERE = """
import hashlib, json, sys
from claims.instruments import planted_key_recovery as rules
from claims.registration.reading import freeze_document
from claims.nondeterminism import Compared
from claims.rows import encode
from claims.seeds import seed
from workers.instruments.planted_key_recovery import measure
from workers.resources import Resources

registration = freeze_document(json.load(sys.stdin)).registration
shard = rules.plan(registration, {})[3]
label_seed = lambda label: seed(b"n" * 32, "cd" * 32, label)
rows = measure(shard, registration, label_seed, Resources((), None), lambda done: None).rows
print(hashlib.sha256(encode(rows)).hexdigest())
"""


def seeds(label):
    return seed(NONCE, DOCUMENT, label)


def registration(register, recipe=SMALL, pairs=4, **parts):
    sampling = {"organisms": 15, "pairs_per_organism": pairs, "stopping": "fixed"}
    return register("planted_key", recipe=dict(recipe), sampling=sampling, **{"kill_criteria": []} | parts)


def measured(registered, number, seeds=seeds, progress=lambda done: None):
    found = measure(rules.plan(registered, {})[number], registered, seeds, NOTHING, progress)
    return SimpleNamespace(rows=list(found.rows), again=list(found.again), facts=found.facts())


@pytest.fixture
def small(register):
    return registration(register)


def test_rows_have_the_kinds_and_the_fields_that_are_fixed(small):
    rows = measured(small, 2).rows
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind in {row["kind"] for row in rows}}
    assert {kind: len(found) for kind, found in by_kind.items()} == {
        "organism": 1,
        "key": 8,
        "score": 8,
        "attribution": 4 * 9,
        "patch": 4 * 8,
    }
    common = {"kind", "pair_id", "dimension", "cluster", "organism"}
    fields = {
        "organism": {"accuracy", "governed"},
        "key": {"component", "norm", "constructed"},
        "score": {"side", "score", "tokens"},
        "attribution": {"component", "chosen", "rejected", "differential"},
        "patch": {"component", "effect", "state", "direction", "margin"},
    }
    for kind, found in by_kind.items():
        assert all(set(row) == common | fields[kind] for row in found), kind
    assert {row["organism"] for row in rows} == {2}
    assert sum(row["constructed"] for row in by_kind["key"]) == 2


def test_a_pair_is_measured_twice_and_what_was_grown_is_not(register):
    found = measured(registration(register, pairs=20), 2)
    assert {row["kind"] for row in found.again} == {"score", "attribution", "patch"}
    assert len({row["pair_id"] for row in found.again}) == 2
    compared = Compared()
    list(compared.in_place(found.rows, found.again))
    assert (compared.cells, compared.share) == (len(found.again), 0.1)
    figures = compared.figures()
    assert all(value < 1e-5 for name, value in figures.items() if name.startswith("largest_relative_difference"))


def test_progress_ends_at_the_rows_that_were_planned(small):
    told = []
    rows = measured(small, 0, progress=told.append).rows
    assert told == sorted(told)
    assert told[-1] == len(rows) == rules.plan(small, {})[0].rows


def test_contributions_sum_to_the_score_and_margins_to_their_difference(small):
    rows = measured(small, 0).rows
    for pair in {row["pair_id"] for row in rows if row["kind"] == "score"}:
        of_pair = [row for row in rows if row["pair_id"] == pair]
        scores = {row["side"]: row["score"] for row in of_pair if row["kind"] == "score"}
        parts = [row for row in of_pair if row["kind"] == "attribution"]
        for side, score in scores.items():
            magnitude = sum(abs(row[side]) for row in parts)
            assert abs(sum(row[side] for row in parts) - score) <= 1e-5 * magnitude
        margins = {row["margin"] for row in of_pair if row["kind"] == "patch"}
        assert margins == {scores["chosen"] - scores["rejected"]}


def test_the_same_seeds_give_the_same_rows_bit_for_bit_in_another_process(small):
    here = hashlib.sha256(encode(measured(small, 3).rows)).hexdigest()
    document = json.dumps(small.model_dump(mode="json", by_alias=True, exclude_none=True))
    there = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], input=document, capture_output=True, text=True, check=True
    )
    assert there.stdout.strip() == here


def test_another_nonce_gives_another_organism(small):
    rows = measured(small, 0).rows
    other = measured(small, 0, seeds=lambda label: seed(b"m" * 32, DOCUMENT, label)).rows
    assert encode(rows) != encode(other)


def test_every_draw_has_its_label(small):
    asked = set()

    def recorded(label):
        asked.add(label)
        return seeds(label)

    measured(small, 5, seeds=recorded)
    uses = ("carriers", "weights", "train", "dose", "held_out", "twins", "pairs")
    assert asked == {f"organism/5/{use}" for use in uses} | {"again/organism/5"}


def test_a_key_planted_in_quiet_components_is_found_by_both_methods(register):
    """The positive control: here nothing but the carriers speaks, so whoever misses them is broken."""
    registered = registration(register, recipe=QUIET, pairs=8)
    organisms = organisms_in(row for number in (0, 1) for row in measured(registered, number).rows)
    for organism in organisms:
        assert organism.governed
        values = recovered(organism, 2)
        assert values["attribution_recovery_auc_constructed"] == 1
        assert values["patching_recovery_auc_constructed"] == 1
        assert values["attribution_recovery_auc"] == 1


def test_an_organism_that_does_not_obey_is_measured_and_not_governed(small):
    (organism,) = organisms_in(measured(small, 0).rows)
    assert not organism.governed
    assert len(organism.grid.pairs) == 4


def test_parameters_are_honoured(register):
    found = {}
    for name, params in {
        "default": {},
        "last": {"positions": "last"},
        "response": {"positions": "response"},
        "denoising": {"direction": "denoising"},
    }.items():
        registered = registration(register, params=params)
        found[name] = [row for row in measured(registered, 0).rows if row["kind"] == "patch"]
    effects = {name: [row["effect"] for row in rows] for name, rows in found.items()}
    assert effects["response"] == effects["default"]  # the prompt is shared
    assert effects["last"] != effects["default"]
    assert effects["denoising"] != effects["default"]
    assert {row["direction"] for row in found["denoising"]} == {"denoising"}
    assert {row["state"] for row in found["default"]} == {"ok"}


def test_what_evidence_needs_beside_rows(small):
    facts = measured(small, 0).facts
    assert facts["weights_sha256"] is None
    assert (facts["dtype"], facts["device"], facts["attention"]) == ("float32", "cpu", "sdpa")
    assert facts["forwards"] > 4 * (2 + 8)
    assert facts["peak_memory_bytes"] > 2**20


def test_from_rows_to_estimates(register):
    registered = registration(register, recipe=SMALL | {"min_accuracy": 0.5, "steps": 15}, pairs=3)
    rows = [row for number in range(15) for row in measured(registered, number).rows]
    estimated = rules.estimate(rows, registered, SEEDS)
    assert estimated.counts["organisms"] == 15
    assert estimated.counts["pairs_per_organism"] == 3
    for name, estimate in estimated.estimates.items():
        metric = rules.MANIFEST.metric(name)
        assert metric.low <= estimate.lo <= estimate.value <= estimate.hi <= metric.high
