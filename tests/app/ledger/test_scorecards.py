"""A dose series on the ledger calibrates, and the trust of every claim it bears on follows, whenever it comes."""

import itertools
from pathlib import Path

import pytest
from sqlmodel import select

from app.ledger.append import append
from app.ledger.judging import record_evidence
from app.ledger.runs import hold
from app.ledger.scorecards import calibrates, scorecards
from app.ledger.tables import ClaimRow, EvidenceRow
from claims.canonical import canonical_bytes, sha256_hex
from claims.dose_series import DOSES, LEVEL, SIZES
from claims.instruments.calibrated_rankings import ATTRIBUTION, PATCHING
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples"
RISING = {0.0: (0.5, 0.7), 0.01: (0.6, 0.8), 0.1: (0.7, 0.9), 1.0: (0.85, 0.95)}


@pytest.fixture
def measure(put_claim, open_run, evidence):
    """`measure(session, dose, lo, hi, source="5", **parts)`: a claim of the series, filed, run and judged."""
    document, numbers = read_yaml((EXAMPLES / "scorecard" / "dose_100.yaml").read_bytes()), itertools.count()

    def measured(session, dose, lo, hi, source="5", **parts):
        model = {"kind": "organism", "recipe": "planted_key", "params": {"dose": dose, "min_accuracy": 0}}
        subject = {**document["subject"], "model": model}
        claim = put_claim(session, **{**document, "subject": subject, "title": f"Dose {next(numbers)}", **parts})
        estimate = {"value": (lo + hi) / 2, "lo": lo, "hi": hi, "level": LEVEL, "method": "student_t"}
        estimate |= {"unit": "organism", "n": 16, "n_effective": 16.0}
        found = evidence(
            lo,
            hi,
            instrument="planted_key_recovery",
            estimates={ATTRIBUTION.metric: estimate, PATCHING.metric: estimate},
            counts=dict(SIZES),
        )
        code = found.provenance.model_copy(update={"instrument_source_sha256": source * 64})
        found = found.model_copy(update={"provenance": code})
        open_run(session, claim)
        record_evidence(session, hold(session, f"{claim}-1"), found, b"")
        return claim

    return measured


def trust(session, claim):
    return session.exec(select(ClaimRow.trust).where(ClaimRow.id == claim)).one()


def test_before_any_series_nothing_is_calibrated(ledger):
    with ledger.begin() as session:
        assert {card.state for card in scorecards(session).values()} == {"incomplete"}
        assert not calibrates(session, {"name": "patch_grid", "version": "1"})


def test_a_series_lifts_the_claims_before_it_and_after_it(ledger, measure, put_claim):
    chosen = {"name": "patch_grid", "version": "1", "params": {}}
    raw = {"name": "direct_linear_attribution", "version": "1", "params": {"convention": "raw"}}
    with ledger.begin() as session:
        measured = [measure(session, dose, *RISING[dose]) for dose in DOSES[:-1]]
        assert {trust(session, claim) for claim in measured} == {"registered"}
        measured.append(measure(session, 1.0, *RISING[1.0]))
        decided = [claim for claim in measured if status(session, claim) in {"confirmed", "refuted"}]
        assert len(decided) >= 2
        assert {trust(session, claim) for claim in decided} == {"adjudicated"}
        waiting = put_claim(session, instrument=chosen)
        other = put_claim(session, instrument=raw)
        assert trust(session, waiting) == "registered"
        assert trust(session, other) == "registered"
        assert calibrates(session, chosen)
        assert not calibrates(session, raw)


def status(session, claim):
    return session.exec(select(ClaimRow.status).where(ClaimRow.id == claim)).one()


def test_a_post_hoc_claim_of_a_calibrated_instrument_is_calibrated_and_no_more(ledger, measure, post_hoc):
    with ledger.begin() as session:
        claim = post_hoc(session, {"name": "patch_grid", "version": "1", "params": {}})
        assert trust(session, claim) == "exploratory"
        for dose in DOSES:
            measure(session, dose, *RISING[dose])
        assert trust(session, claim) == "calibrated"


@pytest.fixture
def post_hoc(document):
    """`post_hoc(session, instrument)`: a claim that was filed after its data."""

    def put(session, instrument):
        filed = {**document, "instrument": instrument}
        payload = {
            "registration": filed,
            "document_sha256": sha256_hex(canonical_bytes(filed)),
            "nonce_sha256": "0" * 64,
            "precedence": "post_hoc",
        }
        append(session, "registered", "posthocclaim", "ada", payload)
        return "posthocclaim"

    return put


def test_a_later_series_of_other_source_that_fails_takes_it_back(ledger, measure):
    with ledger.begin() as session:
        first = [measure(session, dose, *RISING[dose]) for dose in DOSES][-1]
        assert trust(session, first) == "adjudicated"
        for dose in DOSES[:-1]:
            measure(session, dose, 0.5, 0.7, source="6")
        assert trust(session, first) == "adjudicated"
        measure(session, 1.0, 0.5, 0.7, source="6")
        assert trust(session, first) == "registered"


def test_only_the_series_has_a_dose(ledger, measure, put_claim, judge):
    with ledger.begin() as session:
        measure(session, 1.0, *RISING[1.0])
        measure(session, 0.3, *RISING[1.0])
        judge(session, put_claim(session), "confirmed")
        assert sorted(session.exec(select(EvidenceRow.dose)), key=str) == [1.0, None, None]


def test_replaying_the_log_gives_the_same_trust(ledger, replayed, measure, put_claim):
    with ledger.begin() as session:
        put_claim(session, instrument={"name": "patch_grid", "version": "1", "params": {}})
        for dose in DOSES:
            measure(session, dose, *RISING[dose])
        measure(session, 1.0, 0.4, 0.6, title="Once more")
    before, after = replayed()
    assert any("adjudicated" in row for row in before["claims"])
    assert after == before
