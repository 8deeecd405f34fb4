"""Entries that an operator writes as the ledger would, and that are not so: bytes, tree, heads and projections agree.

Only the rules tell, applied anew to what stands before each entry.
"""

from dataclasses import replace

import pytest

import app.ledger.judging
from app.ledger import blobs, checkpoints, contest, log
from app.ledger.append import LEDGER, append
from app.ledger.judging import ROWS, record_evidence
from app.ledger.runs import hold
from claims import forecast_window, forecasts
from claims.canonical import canonical_bytes, sha256_hex

MOMENT = "2026-11-30T12:00:00.000000Z"
ENDED = {"started": MOMENT, "finished": MOMENT, "machines": []}


@pytest.fixture
def audited(lived):
    """`audited(write)`: every finding once `write(session)` has appended what it likes, signed as the rest is."""

    def found(write):
        with lived.ledger.begin() as session:
            write(session)
        checkpoints.publish(lived.ledger, lived.signing, lived.file)
        return [one.what for one in lived.audit().findings]

    return found


def test_a_verdict_that_the_rule_does_not_give(audited, lives, evidence, monkeypatch):
    honest = app.ledger.judging.adjudicate

    def turned(registration, evidence):
        verdict = honest(registration, evidence)
        return replace(verdict, hypotheses=[replace(one, outcome="confirmed") for one in verdict.hypotheses])

    monkeypatch.setattr(app.ledger.judging, "adjudicate", turned)

    def write(session):
        claim = lives.put(session)
        lives.open(session, claim)
        record_evidence(session, hold(session, f"{claim}-1"), evidence(0.3, 0.4), b"")

    assert audited(write) == ["its verdict is not the one that the rule gives for the evidence"]


def test_a_precedence_better_than_it_was(audited, lives):
    def write(session):
        filed = log.history(session, lives.put(session))[0].payload
        document = {**filed["registration"], "title": "Foreseen"}
        better = {"registration": document, "document_sha256": sha256_hex(canonical_bytes(document))}
        append(session, "registered", "claim00000000099", "ada", {**filed, **better, "precedence": "proven"})

    (what,) = [one for one in audited(write) if "precedence" in one]
    assert what == "its precedence is proven, and by what was on the ledger then it is committed"


def test_a_claim_whose_ground_gave_way_and_that_is_not_marked(audited, lives, monkeypatch):
    monkeypatch.setattr(contest, "newly_contested", lambda session, entry: [])

    def write(session):
        ground = lives.put(session)
        lives.put(session, builds_on=[ground])
        lives.judge(session, ground, "refuted")

    (what,) = audited(write)
    assert what.endswith("became contested by it, and no entry says so")


def test_a_claim_that_is_marked_for_no_reason(audited, lives):
    def write(session):
        ground = lives.put(session)
        above = lives.put(session, builds_on=[ground])
        append(session, "contested", above, LEDGER, {"ancestor": ground, "entry": 0})

    assert audited(write) == ["nothing before it makes this claim contested"]


def test_evidence_that_is_of_other_rows(audited, lives, evidence):
    def write(session):
        claim = lives.put(session)
        lives.open(session, claim)
        body = evidence(0.3, 0.4).model_dump(mode="json", by_alias=True)
        recorded = {"run": f"{claim}-1", "evidence": body, "evidence_sha256": sha256_hex(canonical_bytes(body))}
        append(session, "run_ended", claim, LEDGER, {"run": f"{claim}-1", "state": "ended", **ENDED})
        others = blobs.put(session, b"other rows\n", ROWS)
        append(session, "evidence_recorded", claim, LEDGER, {**recorded, "rows_sha256": others})

    assert "its rows are not those of its evidence" in audited(write)


def test_a_run_that_opened_while_its_claim_was_forecast(audited, lives, monkeypatch):
    def write(session):
        claim = lives.put(session, forecast_hours=24)
        with monkeypatch.context() as rules:
            rules.setattr(forecast_window, "end_of", lambda _: None)
            lives.open(session, claim)

    assert any("forecasts are taken until" in one for one in audited(write))


def test_hours_for_forecasts_that_are_not_the_document_s(audited, lives, monkeypatch):
    """What would let an operator's friends seal their forecast late."""

    def write(session):
        filed = log.history(session, lives.put(session))[0].payload
        document = {**filed["registration"], "title": "Foreseen"}
        other = {"registration": document, "document_sha256": sha256_hex(canonical_bytes(document))}
        with monkeypatch.context() as rules:
            rules.setattr(forecast_window, "check", lambda *_, **__: None)
            append(session, "registered", "claim00000000099", "ada", {**filed, **other, "forecast_hours": 24})

    assert any("by its document there are 0" in one for one in audited(write))


def test_a_forecast_that_was_not_sealed(audited, lives, monkeypatch):
    """Bob never said so, or said something else: an operator who writes it for him lacks the salt."""

    def write(session):
        claim = lives.put(session)
        sealed = append(session, "forecast", claim, "bob", {"sealed": "ab" * 32})
        lives.open(session, claim)
        with monkeypatch.context() as rules:
            rules.setattr(forecasts, "after", lambda known, entry: known)
            told = {"reveals": sealed.seq, "probability": 0.9, "salt": "00" * 32}
            append(session, "forecast", claim, "bob", told)

    assert any("give the seal" in one for one in audited(write))
