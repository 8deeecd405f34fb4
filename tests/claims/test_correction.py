"""Evidence computed anew from its rows: what changes, what stays, and when nothing did."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.correction import again_sha256, controls_of, recompute, same_figures
from claims.evidence import Estimate, Estimated, Evidence
from claims.nondeterminism import named, nondeterminism
from claims.registration.model import Registration
from claims.seeds import seeds_of

SEEDS = seeds_of(bytes(32), "0" * 64)

DOCUMENT = json.loads((Path(__file__).parents[1] / "fixtures" / "coin_toss.json").read_bytes())
CONTROL = {"positive": {"metric": "coins", "op": ">=", "value": 3}}
ROWS = [
    {"kind": "score", "pair_id": f"p{n}", "dimension": "d", "cluster": f"p{n}", "side": "chosen", "score": 0.1 * n}
    for n in range(4)
]
AGAIN = [{**ROWS[2], "score": 0.25}]


def instrument(shift=0.0):
    """Estimates the mean score; `shift` is how far another version of its code is off."""

    def estimate(rows, registration, seeds):
        scores = [row["score"] for row in rows]
        mean = sum(scores) / len(scores) + shift
        bounds = {"value": mean, "lo": mean - 0.1, "hi": mean + 0.1, "level": registration.level, "method": "student_t"}
        return Estimated(
            estimates={"heads": Estimate(**bounds, unit="organism", n=len(scores), n_effective=float(len(scores)))},
            diagnostics={"coins": len(scores) + shift},
            not_measured={},
            counts={"pairs": len(scores)},
        )

    return SimpleNamespace(estimate=estimate)


@pytest.fixture
def registration():
    return Registration.model_validate({**DOCUMENT, "controls": CONTROL})


@pytest.fixture
def evidence(registration):
    right = instrument()
    estimated = right.estimate(ROWS, registration, SEEDS)
    figures = nondeterminism(estimated, ROWS, AGAIN, lambda rows: right.estimate(rows, registration, SEEDS))
    return Evidence.model_validate(
        {
            **estimated.model_dump(),
            "schema": "antedate.evidence/1", "instrument": "coin_toss", "version": "1", "params": {},
            "subject": {
                "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
                "dataset": {"sha256": None, "n": 4},
            },
            "access": ["scores"], "controls": {"positive": True}, "conformance": {}, "gauge": "invariant",
            "nondeterminism": named("aa" * 32, figures),
            "provenance": {
                "commit": "c" * 40, "dirty": "clean", "diff_sha256": None, "instrument_source_sha256": "5" * 64,
                "packages": {}, "platform": "Linux", "started": "2026-11-30T12:00:00.000000Z",
                "finished": "2026-11-30T12:01:00.000000Z",
            },
            "cost": {"seconds": 60.0}, "rows_sha256": "bb" * 32,
        }
    )  # fmt: skip


def anew(registration, evidence, shift, rows=ROWS):
    return recompute(registration, evidence, instrument(shift), SEEDS, lambda: rows, lambda: AGAIN)


def test_the_same_code_finds_the_same(registration, evidence):
    assert again_sha256(evidence) == "aa" * 32
    assert anew(registration, evidence, 0.0) == evidence


def test_other_code_changes_every_figure_that_follows_from_rows_and_nothing_else(registration, evidence):
    corrected = anew(registration, evidence, -2.0, rows=ROWS[:3])
    changed = {name for name in Evidence.model_fields if getattr(corrected, name) != getattr(evidence, name)}
    assert changed == {"estimates", "diagnostics", "counts", "controls", "nondeterminism", "subject"}
    assert corrected.controls == {"positive": False}
    assert corrected.subject.dataset.n == 3
    assert again_sha256(corrected) == "aa" * 32
    assert not same_figures(corrected, evidence)


def test_what_was_measured_once_stays_so(registration, evidence):
    once = evidence.model_copy(update={"nondeterminism": {}})
    assert again_sha256(once) is None
    assert recompute(registration, once, instrument(), SEEDS, lambda: ROWS, lambda: pytest.fail("none")) == once


def test_a_control_whose_metric_was_not_measured_did_not_hold(registration):
    assert controls_of(registration, {}) == {"positive": False}
    assert controls_of(registration, {"coins": 3.0}) == {"positive": True}


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_a_rounded_sum_is_no_correction(value, other):
    def of(value):
        return Evidence.model_construct(
            estimates={}, diagnostics={"coins": value}, not_measured={}, counts={}, nondeterminism={}, controls={}
        )

    assert same_figures(of(value), of(value * (1 + 1e-14)))
    if abs(value - other) > 1e-8 * max(abs(value), abs(other)) + 1e-11:
        assert not same_figures(of(value), of(other))


@pytest.mark.parametrize(
    "change",
    [
        {"diagnostics": {"coins": 4.0, "more": 1.0}},
        {"diagnostics": {}},
        {"not_measured": {"heads": "no rows"}},
        {"counts": {"pairs": 5}},
        {"controls": {"positive": False}},
        {"nondeterminism": {}},
    ],
)
def test_any_other_figure_is_a_correction(evidence, change):
    assert not same_figures(evidence, evidence.model_copy(update=change))
