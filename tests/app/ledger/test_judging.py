import hashlib
import threading

import pytest
from sqlmodel import select

from app.ledger import blobs, log, records
from app.ledger.judging import record_evidence, record_refusal
from app.ledger.queries import get_claim
from app.ledger.runs import hold
from app.ledger.tables import EntryRow, EvidenceRow, RunRow
from claims.canonical import canonical_bytes, sha256_hex
from claims.evidence import Refusal
from claims.lifecycle import IllegalStepError

ROWS = b'{"kind":"organism","organism":0}\n'


@pytest.fixture
def claim(ledger, put_claim, open_run):
    with ledger.begin() as session:
        claim = put_claim(session)
        open_run(session, claim)
        return claim


def record(ledger, claim, found, rows=ROWS):
    with ledger.begin() as session:
        return record_evidence(session, hold(session, f"{claim}-1"), found, rows)


def history(ledger, claim):
    with ledger.begin() as session:
        return log.history(session, claim)


def test_evidence_and_verdict_enter_the_log_together(ledger, claim, evidence):
    found = evidence(0.55, 0.65, ROWS)
    record(ledger, claim, found)
    _, _, ended, recorded, judged = history(ledger, claim)
    assert [entry.type for entry in (ended, recorded, judged)] == ["run_ended", "evidence_recorded", "adjudicated"]
    assert ended.payload == {
        "run": f"{claim}-1",
        "state": "ended",
        "started": "2026-11-30T12:00:00.000000Z",
        "finished": "2026-11-30T12:01:00.000000Z",
        "machines": [],
    }
    canonical = canonical_bytes(found.model_dump(mode="json", by_alias=True))
    assert set(recorded.payload) == {"run", "evidence", "evidence_sha256", "rows_sha256"}
    assert canonical_bytes(recorded.payload["evidence"]) == canonical
    assert recorded.payload["evidence_sha256"] == sha256_hex(canonical)
    assert recorded.payload["rows_sha256"] == hashlib.sha256(ROWS).hexdigest()
    (hypothesis,) = judged.payload["hypotheses"]
    assert judged.payload["status"] == "confirmed"
    assert hypothesis == {
        "id": "H1",
        "estimate": pytest.approx(0.6),
        "lo": 0.55,
        "hi": 0.65,
        "level": 0.95,
        "outcome": "confirmed",
        "void_reason": None,
    }


def test_the_claim_shows_what_was_judged_of_it(ledger, claim, evidence):
    record(ledger, claim, evidence(0.3, 0.4, ROWS))
    with ledger.begin() as session:
        summary = get_claim(session, claim)
        (hypothesis,) = summary.hypotheses
        assert (summary.status, summary.run, summary.trust) == ("refuted", f"{claim}-1", "registered")
        assert (summary.commit, summary.dirty) == ("c" * 40, "clean")
        assert (hypothesis.lo, hypothesis.hi, hypothesis.outcome) == (0.3, 0.4, "refuted")
        assert session.get_one(RunRow, f"{claim}-1").status == "ended"
        found = records.evidence_of(session, claim)
        assert sha256_hex(found.canonical) == found.sha256
        assert blobs.read(session, found.rows_sha256) == ROWS


def test_a_run_has_its_evidence_once(ledger, claim, evidence):
    record(ledger, claim, evidence(0.55, 0.65, ROWS))
    with pytest.raises(IllegalStepError, match="has ended already"):
        record(ledger, claim, evidence(0.3, 0.4, ROWS))
    assert [entry.type for entry in history(ledger, claim)].count("adjudicated") == 1


def test_of_workers_that_judge_at_the_same_time_one_does(ledger, claim, evidence):
    outcomes = []
    start = threading.Barrier(4)

    def finish():
        start.wait()
        try:
            record(ledger, claim, evidence(0.55, 0.65, ROWS))
            outcomes.append("judged")
        except IllegalStepError:
            outcomes.append("late")

    threads = [threading.Thread(target=finish) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["judged", "late", "late", "late"]
    with ledger.begin() as session:
        assert len(session.exec(select(EvidenceRow)).all()) == 1
        seqs = session.exec(select(EntryRow.seq).order_by(EntryRow.seq)).all()
        assert seqs == list(range(len(seqs)))


def test_rows_that_are_not_the_evidences_are_refused_whole(ledger, claim, evidence):
    with pytest.raises(ValueError, match="not those of the evidence"):
        record(ledger, claim, evidence(0.55, 0.65, ROWS), rows=b"{}\n")
    assert [entry.type for entry in history(ledger, claim)] == ["registered", "opened"]


def test_large_evidence_stands_beside_the_log(ledger, claim, evidence):
    found = evidence(0.55, 0.65, ROWS, not_measured={f"metric_{number}": "x" * 100 for number in range(1000)})
    record(ledger, claim, found)
    recorded = history(ledger, claim)[3].payload
    canonical = canonical_bytes(found.model_dump(mode="json", by_alias=True))
    assert recorded["evidence"] == {"sha256": sha256_hex(canonical), "size": len(canonical)}
    with ledger.begin() as session:
        assert blobs.read(session, recorded["evidence"]["sha256"]) == canonical
        assert records.evidence_of(session, claim).canonical == canonical
        assert get_claim(session, claim).status == "confirmed"


def test_a_refusal_voids_the_claim_and_says_what_to_do(ledger, claim):
    refusal = Refusal(reason="truncated", detail="Pair 3 is longer than the context.", remedy="Leave it out.")
    with ledger.begin() as session:
        record_refusal(session, hold(session, f"{claim}-1"), refusal)
    types = [entry.type for entry in history(ledger, claim)]
    assert types == ["registered", "opened", "refused", "run_ended", "voided"]
    refused, _, voided = history(ledger, claim)[2:]
    assert refused.payload == {"run": f"{claim}-1", "refusal": refusal.model_dump()}
    assert (voided.payload["reason"], voided.payload["figures"]) == ("instrument_refused", refusal.model_dump())
    with ledger.begin() as session:
        assert get_claim(session, claim).status == "void"
