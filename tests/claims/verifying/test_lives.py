"""Verification of claims that were corrected, voided, withdrawn or amended, or are not measured yet."""

import json

import pytest

from claims.canonical import canonical_bytes, sha256_hex
from claims.verdict.voids import VoidReason
from claims.verifying import Case, Pin, verify
from tests.claims.verifying.story import RUN

GAP = "recovery_gap_constructed"


def lines(parts, pin):
    return {line.name: line for line in verify(Case(parts, pin))}


def failed(parts, pin):
    return {name for name, line in lines(parts, pin).items() if line.state == "failed"}


@pytest.fixture
def pin(story):
    return Pin(story.vkey, "given")


OPEN = {"seeds", "estimates", "intervals", "diagnostics", "non-determinism", "evidence", "rows"}


def at(story, *kinds):
    """The story as far as these entries, with what follows from there not being there yet."""
    story.kept = kinds
    missing = {} if "evidence_recorded" in kinds else {"evidence": {}, "rows": {}, "again": {}}
    return story.parts(**missing)


def test_only_registered(story, pin):
    found = lines(at(story, "registered"), pin)
    assert {name for name, line in found.items() if line.state == "failed"} == set()
    unchecked = {name for name, line in found.items() if line.state == "not checked"}
    assert unchecked == OPEN | {"nonce", "beacon", "anchor", "verdict"}
    assert found["trust"].detail.startswith("registered")


def test_withdrawn(story, pin):
    story.more.append(("withdrawn", "ada", {"reason": "Another recipe was meant."}))
    found = lines(at(story, "registered", "withdrawn"), pin)
    assert {name for name, line in found.items() if line.state == "failed"} == set()
    assert "it is withdrawn" in found["entries"].detail


def test_void_without_evidence(story, pin):
    remedy = VoidReason.WORKER_LOST.remedy
    story.more.append(("voided", "ledger", {"run": RUN, "reason": "worker_lost", "figures": {}, "remedy": remedy}))
    kinds = ("registered", "opened", "voided")
    found = lines(at(story, *kinds), pin)
    assert {name for name, line in found.items() if line.state == "failed"} == set()
    assert found["verdict"].detail == "the rule gives void (worker_lost), without evidence"
    for other in ({"remedy": "Trust me."}, {"reason": "inconvenient"}, {"reason": "metric_absent"}):
        story.changes["voided"] = other
        assert failed(at(story, *kinds), pin) == {"verdict"}


def test_void_by_a_fired_criterion(story, pin):
    story.document["kill_criteria"][0]["value"] = 17
    story.measure_again()
    story.estimate()
    story.judge()
    assert story.verdict["status"] == "void"
    assert failed(story.parts(), pin) == set()
    story.verdict["status"] = "refuted"
    assert failed(story.parts(), pin) == {"verdict"}


@pytest.fixture
def corrected(story):
    """`corrected(**changes)`: the story with a mistaken estimate, corrected from the same rows and judged again."""

    def told(**changes):
        honest = json.loads(json.dumps(story.evidence))
        story.evidence["estimates"][GAP]["value"] -= 1e-3
        story.judge()
        first = story.verdict
        mistaken, story.evidence = story.evidence, honest
        story.judge()
        second, story.verdict, story.evidence = story.verdict, first, mistaken
        payload = {
            "run": RUN,
            "cause": "A sum was taken twice.",
            "evidence": honest,
            "evidence_sha256": sha256_hex(canonical_bytes(honest)),
            "rows_sha256": honest["rows_sha256"],
            "code": {"commit": "ab" * 20, "dirty": "clean", "instrument_source_sha256": "0" * 64},
            **changes,
        }
        story.more += [("corrected", "ada", payload), ("adjudicated", "ledger", second)]
        story.corrections[7] = canonical_bytes(honest)
        return story

    return told


def test_a_correction(corrected, pin):
    found = lines(corrected().parts(), pin)
    assert {name: line for name, line in found.items() if line.state == "failed"} == {}
    assert "A sum was taken twice." in found["corrections"].detail
    assert ", then " in found["verdict"].detail


def test_a_correction_that_is_not_what_was_logged(corrected, story, pin):
    told = corrected()
    other = {**json.loads(told.corrections[7]), "cost": {"seconds": 1.0}}
    assert failed(told.parts(corrections={7: canonical_bytes(other)}), pin) == {"corrections"}
    assert {"corrections", "verdict"} <= failed(told.parts(corrections={}), pin)


@pytest.mark.parametrize("changes", [{"rows_sha256": "0" * 64}, {"evidence_sha256": "0" * 64}])
def test_a_correction_of_something_else(corrected, pin, changes):
    assert failed(corrected(**changes).parts(), pin) == {"corrections"}


def test_a_correction_without_a_verdict(corrected, pin):
    told = corrected()
    del told.more[-1]
    assert failed(told.parts(), pin) == {"corrections"}


def test_a_second_verdict_that_the_corrected_evidence_does_not_give(corrected, pin):
    told = corrected()
    told.more[-1] = ("adjudicated", "ledger", told.verdict)
    assert failed(told.parts(), pin) == {"verdict"}


# What turns on other claims.


@pytest.mark.parametrize(
    ("amends", "stated", "state"),
    [
        (False, "committed", "ok"),
        (True, "committed", "not checked"),
        (True, "post_hoc", "not checked"),
        (True, "recorded", "failed"),
    ],
)
def test_an_amendment_may_be_post_hoc(story, pin, amends, stated, state):
    if amends:
        story.document["amends"] = {"claim": "b" * 16, "reason": "The recipe named another width."}
    story.precedence = stated
    story.measure_again()
    story.estimate()
    story.judge()
    assert lines(story.parts(), pin)["precedence"].state == state
