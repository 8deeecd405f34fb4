"""A claim's life: what may follow what, from the outside (entries in, state out)."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.entries import ENTRY_TYPES, Entry
from claims.lifecycle import CLAIM_STATUSES, DECIDED, VERDICTS, ClaimState, IllegalStepError, fold, step

CLAIM, RUN, RERUN, OTHER = "c" * 12, "r1", "r2", "d" * 12
NONCE = bytes(range(32))
START = datetime(2026, 11, 30, tzinfo=UTC)
REGISTERED = {
    "registration": {},
    "document_sha256": "ab" * 32,
    "nonce_sha256": hashlib.sha256(NONCE).hexdigest(),
    "precedence": "committed",
}
OPENED = ("opened", {"run": RUN, "nonce": NONCE.hex(), "beacon": None})
ENDED = ("run_ended", {"run": RUN, "state": "ended"})
EVIDENCE = ("evidence_recorded", {"run": RUN, "evidence_sha256": "cd" * 32, "rows_sha256": "ef" * 32})
JUDGED = ("adjudicated", {"run": RUN, "status": "refuted", "hypotheses": []})
VOIDED = ("voided", {"run": RUN, "reason": "worker_lost", "figures": {}, "remedy": "file again"})
WITHDRAWN = ("withdrawn", {"reason": "a slip"})
CORRECTED = ("corrected", {"run": RUN, "cause": "a bug", "evidence_sha256": "ee" * 32})
REPRODUCED = ("reproduced", {"by": OTHER, "run": RERUN, "kind": "reproduction", "agrees": True})


def life(*events: tuple[str, dict]) -> list[Entry]:
    everything = [("registered", REGISTERED), *events]
    return [
        Entry(seq, kind, CLAIM, "local", START + timedelta(seconds=seq), payload)
        for seq, (kind, payload) in enumerate(everything)
    ]


def state_after(*events: tuple[str, dict]) -> ClaimState:
    state = fold(life(*events))
    assert state is not None
    return state


def test_from_filing_to_verdict():
    assert fold([]) is None
    assert state_after().status == "registered"
    assert state_after(OPENED).status == "running"
    judged = state_after(OPENED, ENDED, EVIDENCE, JUDGED)
    assert (judged.status, judged.run, judged.judgements) == ("refuted", RUN, ("refuted",))
    assert (judged.filed, judged.opened, judged.judged) == (
        START,
        START + timedelta(seconds=1),
        START + timedelta(seconds=4),
    )
    assert judged.runs[0].ended
    assert judged.runs[0].evidence_sha256 == "cd" * 32


def test_a_refusal_voids():
    refused = state_after(
        OPENED, ("refused", {"run": RUN, "refusal": {}}), ("voided", {**VOIDED[1], "reason": "instrument_refused"})
    )
    assert refused.status == "void"
    assert refused.runs[0].void_reason == "instrument_refused"
    assert refused.runs[0].refused


def test_a_withdrawal_before_opening_keeps_the_record():
    withdrawn = state_after(WITHDRAWN)
    assert (withdrawn.status, withdrawn.withdrawn) == ("withdrawn", START + timedelta(seconds=1))


def test_a_correction_keeps_both_verdicts():
    confirmed = ("adjudicated", {**JUDGED[1], "status": "confirmed"})
    corrected = state_after(OPENED, ENDED, EVIDENCE, confirmed, CORRECTED, JUDGED)
    assert (corrected.status, corrected.judgements) == ("refuted", ("confirmed", "refuted"))
    assert corrected.corrected
    assert corrected.runs[0].evidence_sha256 == "ee" * 32
    assert not state_after(OPENED, ENDED, EVIDENCE, confirmed).corrected


def test_an_independent_reproduction_is_told_from_a_rerun():
    rerun = ("reproduced", {**REPRODUCED[1], "by": "e" * 12, "kind": "rerun"})
    judged = (OPENED, EVIDENCE, JUDGED)
    once = state_after(*judged, rerun)
    assert (once.reproduced_by, once.reproduced) == (("e" * 12,), False)
    both = state_after(*judged, rerun, REPRODUCED, CORRECTED, JUDGED, REPRODUCED)
    assert (both.reproduced_by, both.reproduced) == (("e" * 12, OTHER), True), "compared again, it is one claim"
    assert both.status == "refuted"


def test_a_rerun_decides_nothing():
    rerun = ("opened", {"run": RERUN, "nonce": "11" * 32, "beacon": None})
    voided = ("voided", {**VOIDED[1], "run": RERUN})
    state = state_after(OPENED, EVIDENCE, JUDGED, rerun, voided)
    assert (state.status, state.run, state.judgements) == ("refuted", RUN, ("refuted",))
    evidence = ("evidence_recorded", {**EVIDENCE[1], "run": RERUN})
    with pytest.raises(IllegalStepError, match="run r1 decides"):
        state_after(OPENED, EVIDENCE, JUDGED, rerun, evidence, ("adjudicated", {**JUDGED[1], "run": RERUN}))


def test_links_leave_the_verdict_alone():
    state = state_after(
        OPENED, EVIDENCE, JUDGED,
        ("contested", {"ancestor": OTHER}), ("contradicted", {"by": OTHER, "reason": "x"}),
        ("superseded", {"by": OTHER, "reason": "x"}), REPRODUCED, ("noted", {"note": "x"}),
    )  # fmt: skip
    assert state.status == "refuted"
    assert state.contested
    assert (state.superseded_by, state.contradicted_by, state.reproduced_by) == (OTHER, (OTHER,), (OTHER,))


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([("registered", REGISTERED)], "registered once"),
        ([OPENED, OPENED], "open already"),
        ([("opened", {**OPENED[1], "nonce": "00" * 32})], "not the one committed"),
        ([("opened", {**OPENED[1], "nonce": NONCE.hex().upper()})], "not the one committed"),
        ([WITHDRAWN, OPENED], "was withdrawn"),
        ([WITHDRAWN, WITHDRAWN], "it is withdrawn"),
        ([OPENED, WITHDRAWN], "it is running"),
        ([EVIDENCE], "never opened"),
        ([VOIDED], "never opened"),
        ([OPENED, ENDED, ENDED], "ended already"),
        ([OPENED, EVIDENCE, EVIDENCE], "evidence already"),
        ([OPENED, JUDGED], "no evidence"),
        ([OPENED, EVIDENCE, JUDGED, JUDGED], "judged already"),
        ([OPENED, EVIDENCE, JUDGED, VOIDED], "has evidence"),
        ([OPENED, EVIDENCE, ("adjudicated", {**JUDGED[1], "status": "running"})], "no verdict"),
        ([OPENED, EVIDENCE, ("refused", {"run": RUN, "refusal": {}})], "did not refuse"),
        ([OPENED, VOIDED, VOIDED], "void already"),
        ([OPENED, VOIDED, EVIDENCE], "is void"),
        ([OPENED, VOIDED, CORRECTED], "no evidence to judge again"),
        ([OPENED, EVIDENCE, CORRECTED], "no verdict to correct"),
        ([OPENED, EVIDENCE, JUDGED, CORRECTED, CORRECTED], "no verdict to correct"),
        ([("superseded", {"by": CLAIM, "reason": "x"})], "itself"),
        ([("superseded", {"by": OTHER, "reason": "x"})] * 2, "superseded by"),
        ([("opened", {"run": RUN})], "lacks 'nonce'"),
        ([("contradicted", {"by": CLAIM, "reason": "x"})], "does not contradict itself"),
        ([("contradicted", {"by": OTHER, "reason": "x"})] * 2, f"contradicted by {OTHER} already"),
        ([REPRODUCED], "it is registered: there is nothing to compare with"),
        ([OPENED, REPRODUCED], "it is running"),
        ([OPENED, VOIDED, REPRODUCED], "it is void"),
        ([OPENED, EVIDENCE, JUDGED, ("reproduced", {**REPRODUCED[1], "by": CLAIM})], "does not reproduce itself"),
        ([OPENED, EVIDENCE, JUDGED, ("reproduced", {**REPRODUCED[1], "kind": "copy"})], "copy is neither"),
    ],
)
def test_an_illegal_step_says_why(events, why):
    with pytest.raises(IllegalStepError, match=why):
        fold(life(*events))


def test_a_claim_is_not_registered_as_its_own_reproduction():
    with pytest.raises(IllegalStepError, match="does not reproduce itself"):
        step(None, Entry(0, "registered", CLAIM, "local", START, {**REGISTERED, "reproduces": CLAIM}))


def test_an_entry_of_another_claim_or_out_of_order_is_refused():
    first = life()[0]
    state = step(None, first)
    with pytest.raises(IllegalStepError, match="not " + CLAIM):
        step(state, Entry(1, "withdrawn", OTHER, "local", START, {}))
    with pytest.raises(IllegalStepError, match="does not come after"):
        step(state, Entry(0, "withdrawn", CLAIM, "local", START, {}))
    with pytest.raises(IllegalStepError, match="is not registered"):
        fold([*life()[1:], Entry(3, "opened", CLAIM, "local", START, OPENED[1])])


EVENTS = st.sampled_from(
    [OPENED, ENDED, EVIDENCE, JUDGED, VOIDED, WITHDRAWN, CORRECTED]
    + [("adjudicated", {**JUDGED[1], "status": status}) for status in VERDICTS]
    + [("opened", {"run": RERUN, "nonce": "11" * 32, "beacon": None}), ("voided", {**VOIDED[1], "run": RERUN})]
    + [("evidence_recorded", {**EVIDENCE[1], "run": RERUN}), ("superseded", {"by": OTHER, "reason": "x"})]
    + [(kind, {"by": OTHER}) for kind in ENTRY_TYPES if kind in {"noted", "contested", "contradicted"}]
    + [("reproduced", {**REPRODUCED[1], "kind": kind}) for kind in ("reproduction", "rerun")]
)


@settings(max_examples=400)
@given(st.lists(EVENTS, max_size=25))
def test_whatever_is_tried_the_life_stays_lawful(events):
    state = step(None, life()[0])
    decisions = corrections = 0
    for seq, (kind, payload) in enumerate(events, start=1):
        try:
            after = step(state, Entry(seq, kind, CLAIM, "local", START + timedelta(seconds=seq), payload))
        except IllegalStepError:
            continue
        decisions += len(after.judgements) - len(state.judgements)
        corrections += kind == "corrected"
        assert after.status in CLAIM_STATUSES
        assert after.judgements[: len(state.judgements)] == state.judgements
        assert (state.run is None) or after.run == state.run, "the first run opened decides"
        assert (after.status == "withdrawn") <= (after.opened is None)
        assert (after.status in VERDICTS) == bool(after.judgements)
        assert (after.status == after.judgements[-1]) if after.judgements else True
        assert (kind != "reproduced") or after.status in DECIDED
        assert len(set(after.reproduced_by)) == len(after.reproduced_by)
        assert (after.filed, after.document_sha256) == (state.filed, state.document_sha256)
        state = after
    assert decisions <= 1 + corrections
