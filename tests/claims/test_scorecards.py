from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.dose_series import DOSES, LEVEL, SIZES, Interval, Point, decisive, dose_of, point_of
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.instruments.calibrated_rankings import ATTRIBUTION, PATCHING
from claims.registration.model import Registration
from claims.registration.yaml_form import read_yaml
from claims.scorecards import is_calibrated, scorecard_of

ROOT = Path(__file__).parents[2]
SERIES = sorted((ROOT / "examples" / "scorecard").glob("*.yaml"))
PATCH_GRID = catalogue()["patch_grid"].MANIFEST
RISING = dict(zip(DOSES, [(0.5, 0.7), (0.6, 0.8), (0.7, 0.9), (0.85, 0.95)], strict=True))


def document(dose=1, **parts):
    found = read_yaml((ROOT / "examples" / "scorecard" / "dose_100.yaml").read_bytes())
    found["subject"]["model"]["params"]["dose"] = dose
    return {**found, **parts}


def registration(dose=1, **parts):
    return Registration.model_validate(document(dose, **parts))


def evidence(*, lo=0.85, hi=0.95, source="a", **parts):
    estimate = {"value": (lo + hi) / 2, "lo": lo, "hi": hi, "level": LEVEL, "method": "student_t"}
    estimate |= {"unit": "organism", "n": 16, "n_effective": 16.0}
    provenance = {"commit": "c" * 40, "dirty": "clean", "diff_sha256": None, "packages": {}, "platform": "Linux"}
    provenance |= {"instrument_source_sha256": source * 64, "started": "", "finished": ""}
    model = {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"}
    empty = ("diagnostics", "not_measured", "nondeterminism", "controls", "conformance", "cost")
    body = {
        "schema": "antedate.evidence/1",
        "instrument": "planted_key_recovery",
        "version": "1",
        "params": {},
        "subject": {"model": model, "dataset": {"sha256": None, "n": 768}},
        "access": [],
        "estimates": {ATTRIBUTION.metric: estimate, PATCHING.metric: estimate},
        **{part: {} for part in empty},
        "counts": dict(SIZES),
        "gauge": "invariant",
        "provenance": provenance,
        "rows_sha256": "0" * 64,
    }
    return Evidence.model_validate({**body, **parts})


def point(dose, lo, hi, *, seq=0, source="a"):
    interval = Interval((lo + hi) / 2, lo, hi)
    return Point(f"c{seq}", seq, dose, source, {ATTRIBUTION.metric: interval, PATCHING.metric: interval})


def series(found=RISING, **about):
    return [point(dose, *bounds, **about) for dose, bounds in found.items()]


def answer(found, manifest=PATCH_GRID):
    return scorecard_of(manifest, found).answers[0]


def test_the_examples_are_the_series():
    found = [dose_of(Registration.model_validate(read_yaml(example.read_bytes()))) for example in SERIES]
    assert found == list(DOSES)


@pytest.mark.parametrize(
    "changed",
    [
        {"sampling": {"organisms": 15, "pairs_per_organism": 48, "stopping": "fixed"}},
        {"analysis": {"confidence": 0.9, "interval": "student_t", "unit": "organism"}},
        {"analysis": {"confidence": 0.95, "interval": "student_t", "unit": "organism", "multiplicity": "none"}},
        {"kill_criteria": [{"id": "K", "metric": "organism_accuracy", "op": "<", "value": 0.9, "reason": "r"}]},
        {"controls": {"positive": {"metric": "organism_accuracy", "op": ">", "value": 0.9}}},
        {"instrument": {"name": "planted_key_recovery", "version": "1", "params": {"positions": "last"}}},
        {"instrument": {"name": "planted_key_recovery", "version": "2"}},
    ],
)
def test_what_is_designed_otherwise_is_no_part_of_it(changed):
    assert dose_of(registration(**changed)) is None


def test_another_dose_or_recipe_is_no_part_of_it():
    assert dose_of(registration(0.3)) is None
    other = document()
    other["subject"]["model"]["params"]["frozen_scale"] = 0.05
    assert dose_of(Registration.model_validate(other)) is None


def test_words_and_stated_defaults_change_nothing():
    chosen = {"name": "planted_key_recovery", "version": "1", "params": {"key_size": 3, "positions": "all"}}
    assert dose_of(registration(title="Another title", instrument=chosen)) == 1


def test_a_point_is_what_was_found():
    found = point_of("c", 7, registration(), evidence())
    assert (found.claim, found.seq, found.dose, found.source_sha256) == ("c", 7, 1.0, "a" * 64)
    assert found.intervals[PATCHING.metric].lo == 0.85


def test_a_void_study_is_no_point():
    assert point_of("c", 7, registration(), evidence(counts={**SIZES, "organisms": 15})) is None


def test_intervals_of_no_width_or_another_level_are_not_used():
    assert point_of("c", 7, registration(), evidence(lo=1.0, hi=1.0)).intervals == {}
    found = evidence().estimates[PATCHING.metric]
    at_90 = {PATCHING.metric: found.model_copy(update={"level": 0.9}).model_dump()}
    assert point_of("c", 7, registration(), evidence(estimates=at_90)).intervals == {}


def test_non_determinism_widens_an_interval():
    found = point_of("c", 7, registration(), evidence(nondeterminism={f"band.{PATCHING.metric}": 0.2}))
    assert found.intervals[PATCHING.metric].lo == pytest.approx(0.65)
    assert found.intervals[ATTRIBUTION.metric].lo == 0.85


def test_a_rising_series_calibrates():
    assert answer(series()).state == "calibrated"
    assert "0.75" in answer(series()).why


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({1.0: (0.75, 0.9)}, "at full dose its lower bound is 0.750, not above 0.75"),
        ({0.0: (0.6, 0.86)}, "its lower bound at full dose is not above its upper bound at dose 0, 0.860"),
        ({0.1: (0.96, 0.99)}, "it falls from dose 0.1 to dose 1"),
        ({0.0: (0.5, 0.7), 0.01: (0.1, 0.4)}, "it falls from dose 0 to dose 0.01"),
    ],
)
def test_one_that_does_not_rise_or_clear_the_level_does_not(changed, why):
    found = answer(series({**RISING, **changed}))
    assert (found.state, found.why) == ("not_calibrated", why)


def test_a_dip_within_the_intervals_is_no_fall():
    assert answer(series({**RISING, 0.01: (0.45, 0.65)})).state == "calibrated"


@pytest.mark.parametrize("missing", DOSES)
def test_a_dose_that_is_missing_leaves_it_undecided(missing):
    found = answer([one for one in series() if one.dose != missing])
    assert (found.state, found.why) == ("incomplete", f"not measured yet at dose {missing:g}")
    assert answer([]).state == "incomplete"


def test_a_dose_without_a_usable_interval_is_not_passed_over():
    *less, full = series()
    found = answer([*less, replace(full, intervals={})])
    assert (found.state, found.why) == ("not_calibrated", "no usable interval at dose 1")


def test_measuring_again_until_it_passes_does_not_pass():
    failed, again = series({**RISING, 1.0: (0.6, 0.7)}, seq=1), series(seq=2)
    assert answer([*failed, *again]).state == "not_calibrated"
    assert answer([*again, *failed]).state == "not_calibrated"
    assert answer([*series(seq=1), *series({**RISING, 1.0: (0.6, 0.7)}, seq=2)]).state == "calibrated"


def test_a_series_is_of_one_source_and_the_one_completed_last_counts():
    mixed = [*series(source="a")[:2], *series(source="b")[2:]]
    assert answer(mixed).state == "incomplete"
    passed, failed = series(source="a", seq=1), series({**RISING, 1.0: (0.6, 0.7)}, source="b", seq=2)
    assert answer([*passed, *failed]).state == "not_calibrated"
    assert answer([*passed, *failed[:-1]]).state == "calibrated"


def test_only_rankings_have_a_scorecard():
    ranking = {name for name, one in catalogue().items() if scorecard_of(one.MANIFEST, [])}
    assert ranking == {
        "attribution_patching_agreement",
        "direct_linear_attribution",
        "patch_grid",
        "planted_key_recovery",
    }


def test_both_rankings_must_hold_where_both_are_used():
    both = catalogue()["planted_key_recovery"].MANIFEST
    *less, full = series()
    weak = replace(full, intervals={**full.intervals, ATTRIBUTION.metric: Interval(0.7, 0.6, 0.74)})
    card = scorecard_of(both, [*less, weak])
    assert [one.state for one in card.answers] == ["not_calibrated", "calibrated"]
    assert card.state == "not_calibrated"
    assert scorecard_of(PATCH_GRID, [*less, weak]).state == "calibrated"


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"name": "patch_grid", "version": "1"}, True),
        ({"name": "patch_grid", "version": "1", "params": {"positions": "all"}}, True),
        ({"name": "patch_grid", "version": "1", "params": {"granularity": "head"}}, False),
        ({"name": "patch_grid", "version": "1", "params": {"direction": "both"}}, False),
        ({"name": "patch_grid", "version": "2"}, False),
        ({"name": "direct_linear_attribution", "version": "1"}, True),
        ({"name": "direct_linear_attribution", "version": "1", "params": {"convention": "raw"}}, False),
        ({"name": "planted_key_recovery", "version": "1", "params": {"key_size": 2}}, True),
        ({"name": "bias_battery", "version": "1"}, False),
        ({"name": "nobody", "version": "1"}, False),
    ],
)
def test_a_claim_is_calibrated_where_it_ranks_as_was_measured(chosen, expected):
    assert is_calibrated(chosen, series(), catalogue()) is expected
    assert not is_calibrated(chosen, [], catalogue())


@given(
    st.lists(
        st.builds(
            point,
            st.sampled_from(DOSES),
            st.floats(0, 0.5),
            st.floats(0.5, 1),
            seq=st.integers(0, 99),
            source=st.sampled_from("ab"),
        ),
        unique_by=lambda one: one.seq,
    ),
    st.randoms(),
)
def test_the_order_of_reading_does_not_matter(points, chance):
    shuffled = list(points)
    chance.shuffle(shuffled)
    assert decisive(shuffled) == decisive(points)
    assert len({one.source_sha256 for one in decisive(points)}) <= 1
