"""What is measured without a registration is analysed as its instrument would first have it."""

import pytest

from claims.instruments import catalogue
from claims.registration.unregistered import unregistered

SUBJECT = {
    "model": {"kind": "tiny", "seed": 1},
    "dataset": {"kind": "pairs", "name": "p", "sha256": "ab" * 32, "dimensions": ["safety"]},
}
OVER_PAIRS = sorted(set(catalogue()) - {"planted_key_recovery"})


def analysis(name, **chosen):
    manifest = catalogue()[name].MANIFEST
    made = unregistered(manifest, {}, SUBJECT, {"pairs": 8}, {"confidence": 0.95, **chosen})
    return made.analysis


@pytest.mark.parametrize("name", OVER_PAIRS)
def test_no_instrument_needs_more_than_a_confidence(name):
    assert analysis(name).interval == next(iter(catalogue()[name].MANIFEST.intervals))


def test_an_interval_that_resamples_has_the_fewest_resamples_it_may_have():
    assert analysis("bias_battery", interval="bca").resamples == 2_000
    assert analysis("bias_battery", interval="bca", confidence=0.99).resamples == 10_000
    assert analysis("bias_battery", interval="bca", resamples=5_000).resamples == 5_000


def test_an_interval_that_does_not_resample_has_none():
    assert analysis("bias_battery", interval="jackknife_t").resamples is None


def test_organisms_are_measured_without_a_hypothesis_about_them():
    manifest = catalogue()["planted_key_recovery"].MANIFEST
    params = {"layers": 8, "hidden": 32, "heads": 4, "carriers": 3, "min_accuracy": 0.9}
    subject = {
        "model": {"kind": "organism", "recipe": "planted_key", "params": params},
        "dataset": {"kind": "generated", "generator": "planted_key_pairs"},
    }
    made = unregistered(manifest, {}, subject, {"organisms": 2, "pairs_per_organism": 8}, {"confidence": 0.95})
    assert made.analysis.interval == "student_t"
