"""Every line of a verification: it holds for an honest bundle, and a forgery fails it alone."""

import base64
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from claims import anchored_round, checkpoint, signed_note
from claims.anchored_round import Anchor, AnchoredRound
from claims.beacon import MAINNET, Round
from claims.canonical import canonical_bytes, sha256_hex
from claims.verifying import CHECKS, Case, Pin, verify
from tests.claims.verifying.story import CLAIM, KEY, ORIGIN, OTHER_KEY, RUN
from tests.outside.chain import OwnChain

GAP = "recovery_gap_constructed"
ALWAYS_OPEN = {"trust"}


def lines(parts, pin, chains=frozenset({MAINNET.hash})):
    return {line.name: line for line in verify(Case(parts, pin, chains))}


def failed(parts, pin, *chains):
    return {name for name, line in lines(parts, pin, *chains).items() if line.state == "failed"}


@pytest.fixture
def pin(story):
    return Pin(story.vkey, "given")


def test_an_honest_bundle_passes(story, pin):
    found = lines(story.parts(), pin)
    assert list(found) == list(CHECKS)
    assert {name for name, line in found.items() if line.state == "not checked"} == ALWAYS_OPEN
    assert {name: line for name, line in found.items() if line.state == "failed"} == {}
    assert "9 entries" in found["checkpoint"].detail
    assert "adjudicated if planted_key_recovery 1 is calibrated, else registered" in found["trust"].detail


# What stands in the bundle, altered by somebody who holds no key.


def test_another_document(story, pin):
    other = canonical_bytes({**story.document, "title": "Another"})
    assert failed(story.parts(registration=other), pin) == {"document"}
    assert failed(story.parts(registration=story.canonical + b"\n"), pin) == {"document"}


def test_a_proof_of_another_tree(story, pin):
    parts = story.parts()
    parts.entries[3].proof[1] = b"\x00" * 32
    assert failed(parts, pin) == {"inclusion"}


def test_an_entry_left_out_of_the_middle_breaks_the_life(story, pin):
    kept = [entry for entry in story.parts().entries if b'"opened"' not in entry.canonical]
    found = lines(story.parts(entries=kept), pin)
    assert [name for name, line in found.items() if line.state == "failed"] == ["entries"]
    assert found["nonce"].state == "not checked"


def test_an_entry_in_other_bytes(story, pin):
    parts = story.parts()
    spaced = json.dumps(json.loads(parts.entries[2].canonical)).encode()
    parts.entries[2] = replace(parts.entries[2], canonical=spaced)
    assert failed(parts, pin) == {"entries", "inclusion"}


def test_a_replaced_key(story, pin):
    other = signed_note.vkey(ORIGIN, OTHER_KEY.public_key())
    assert failed(story.parts(vkey=other), pin) == {"log key"}
    story.key = OTHER_KEY
    assert failed(story.parts(), pin) == {"log key", "checkpoint", "receipt"}


def test_a_checkpoint_that_the_log_did_not_sign(story, pin):
    head = checkpoint.parse(story.parts().checkpoint)
    assert failed(story.parts(checkpoint=checkpoint.sign(head, ORIGIN, OTHER_KEY)), pin) == {"checkpoint"}
    elsewhere = checkpoint.sign(replace(head, origin="antedate/elsewhere"), ORIGIN, KEY)
    assert failed(story.parts(checkpoint=elsewhere), pin) == {"checkpoint"}


def test_a_receipt_that_says_something_else(story, pin):
    receipt = json.loads(story.parts().receipt)
    for name in (
        "claim",
        "registrant",
        "filed",
        "document_sha256",
        "nonce_sha256",
        "precedence",
        "service",
        "check",
        "url",
        "vkey",
        "more",
    ):
        assert failed(story.parts(receipt=canonical_bytes({**receipt, name: "other"})), pin) == {"receipt"}, name
        without = {key: value for key, value in receipt.items() if key != name}
        if name != "more":
            assert failed(story.parts(receipt=canonical_bytes(without)), pin) == {"receipt"}, name
    assert failed(story.parts(receipt=json.dumps(receipt).encode()), pin) == {"receipt"}
    for name in receipt["entry"]:
        other = {**receipt, "entry": {**receipt["entry"], name: "00"}}
        assert failed(story.parts(receipt=canonical_bytes(other)), pin) == {"receipt"}, name
    for note in (receipt["note"].replace(CLAIM, "a" * 12), story.parts().checkpoint, "", None):
        assert failed(story.parts(receipt=canonical_bytes({**receipt, "note": note})), pin) == {"receipt"}


def test_a_receipt_for_another_entry(story, pin):
    note = json.loads(story.parts().receipt)["note"]
    text = note.rpartition("\n\n")[0].split("\n")
    for place, other in (
        (0, "antedate/elsewhere/receipt"),
        (1, "a" * 12),
        (2, "7"),
        (3, base64.b64encode(b"\x00" * 32).decode()),
        (4, "0" * 64),
    ):
        forged = "\n".join([*text[:place], other, *text[place + 1 :]]) + "\n"
        receipt = {**json.loads(story.parts().receipt), "note": signed_note.sign(forged, ORIGIN, KEY)}
        assert failed(story.parts(receipt=canonical_bytes(receipt)), pin) == {"receipt"}


def test_other_evidence_and_other_rows(story, pin):
    body = {**story.evidence, "provenance": {**story.evidence["provenance"], "platform": "elsewhere"}}
    assert failed(story.parts(evidence={RUN: canonical_bytes(body)}), pin) == {"evidence"}
    other = story.rows.replace(b"{", b'{"aside":1,', 1)
    assert failed(story.parts(rows={RUN: lambda: [other]}), pin) == {"rows"}
    assert failed(story.parts(rows={RUN: lambda: [story.rows[:9], story.rows[9:]]}), pin) == set()
    again = story.again.replace(b'"margin":1.0', b'"margin":1.5', 1)
    assert failed(story.parts(again={RUN: lambda: [again]}), pin) == {"rows", "non-determinism"}


def test_missing_and_surplus_files(story, pin):
    assert {"evidence", "estimates", "verdict"} <= failed(story.parts(evidence={}), pin)
    assert {"rows", "estimates", "intervals"} <= failed(story.parts(rows={}), pin)
    more = {RUN: canonical_bytes(story.evidence), "other-1": b"{}"}
    assert failed(story.parts(evidence=more), pin) == {"evidence"}
    surplus = {RUN: lambda: [story.again], "other-1": lambda: [b""]}
    assert failed(story.parts(again=surplus), pin) == {"rows"}
    assert failed(story.parts(corrections={3: b"{}"}), pin) == {"corrections"}
    found = lines(story.parts(again={}), pin)
    assert found["non-determinism"].state == "not checked"
    assert found["seeds"].state == "ok"


# What the log itself says, by an operator who signs whatever suits him.


def test_entries_out_of_time(story, pin):
    story.shifted["opened"] = -timedelta(hours=1)
    assert failed(story.parts(), pin) == {"entries"}


def test_a_second_verdict_without_a_correction(story, pin):
    story.more.append(("adjudicated", "ledger", story.verdict))
    assert failed(story.parts(), pin) == {"entries"}


def test_a_hash_that_is_not_the_documents(story, pin):
    story.changes["registered"] = {"document_sha256": "0" * 64}
    assert {"document"} <= failed(story.parts(), pin) <= {"document", "seeds", "diagnostics"}


def test_another_document_in_the_entry_than_the_one_whose_hash_it_states(story, pin):
    story.changes["registered"] = {"registration": {**story.document, "title": "Another"}}
    assert failed(story.parts(), pin) == {"document"}


def test_a_document_registered_in_other_than_its_one_form(story, pin):
    spaced = json.dumps(story.document).encode()
    named = {"sha256": sha256_hex(spaced), "size": len(spaced)}
    story.changes["registered"] = {"document_sha256": named["sha256"], "registration": named}
    assert {"document"} <= failed(story.parts(registration=spaced), pin) <= {"document", "seeds", "diagnostics"}


def test_documents_beside_the_entry_are_held_to_hash_and_size(story, pin):
    named = {"sha256": sha256_hex(story.canonical), "size": len(story.canonical)}
    evidence = canonical_bytes(story.evidence)
    of_evidence = {"sha256": sha256_hex(evidence), "size": len(evidence)}
    story.changes = {"registered": {"registration": named}, "evidence_recorded": {"evidence": of_evidence}}
    assert failed(story.parts(), pin) == set()
    named["size"] += 1
    of_evidence["sha256"] = "0" * 64
    assert failed(story.parts(), pin) == {"document", "evidence"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"evidence_sha256": "0" * 64}, {"evidence"}),
        ({"evidence": {"other": True}}, {"evidence"}),
        ({"rows_sha256": "0" * 64}, {"evidence", "rows"}),
    ],
)
def test_evidence_that_is_not_what_was_logged(story, pin, changes, expected):
    story.changes["evidence_recorded"] = changes
    assert failed(story.parts(), pin) == expected


def test_an_entry_at_another_index(story, pin):
    parts = story.parts()
    parts.entries[2] = replace(parts.entries[2], index=5)
    found = lines(parts, pin)
    assert "stands at index 5" in found["entries"].detail
    assert found["inclusion"].state == "failed"


def test_a_nonce_chosen_late(story, pin):
    story.changes["opened"] = {"nonce": "06" * 32}
    assert failed(story.parts(), pin) == {"nonce", "entries", "seeds", "diagnostics"}


def test_a_nonce_chosen_late_and_committed_to_anew_picks_other_cells(story, pin):
    story.nonce = b"\x06" * 32
    assert failed(story.parts(), pin) == {"seeds", "diagnostics"}


def test_as_many_cells_but_of_other_pairs(story, pin):
    """Only the rows that were measured again tell."""
    count, again, nonce = story.again.count(b"\n"), story.again, story.nonce
    for other in range(1, 2000):
        story.nonce = other.to_bytes(32, "big")
        story.measure_again()
        if story.again.count(b"\n") == count and story.again != again:
            break
    else:
        pytest.fail("no other choice of pairs has as many cells")
    story.nonce = nonce
    story.estimate()
    story.judge()
    assert failed(story.parts(), pin) == {"seeds"}


def test_seeds_that_pick_other_cells(story, pin):
    story.evidence["nondeterminism"]["cells"] += 1.0
    assert failed(story.parts(), pin) == {"seeds", "non-determinism"}
    assert failed(story.parts(again={}), pin) == {"seeds"}


def test_other_pairs_measured_twice_than_the_seeds_pick(story, pin):
    story.nonce, nonce = b"\x06" * 32, story.nonce
    story.measure_again()
    story.nonce = nonce
    story.estimate()
    story.judge()
    assert failed(story.parts(), pin) == {"seeds"}


@pytest.mark.parametrize("name", ["band.recovery_gap_constructed", "cells_identical", "share"])
def test_a_band_that_the_second_rows_do_not_give(story, pin, name):
    story.evidence["nondeterminism"][name] += 1e-6
    story.judge()
    assert failed(story.parts(), pin) == {"non-determinism"}


def test_a_band_hidden_or_invented(story, pin):
    story.evidence["nondeterminism"]["band.invented"] = 1.0
    assert failed(story.parts(), pin) == {"non-determinism"}
    del story.evidence["nondeterminism"]["band.invented"], story.evidence["nondeterminism"]["band.spearman"]
    assert failed(story.parts(), pin) == {"non-determinism"}


@pytest.mark.parametrize(
    ("field", "line"), [("value", "estimates"), ("lo", "intervals"), ("hi", "intervals"), ("n_effective", "estimates")]
)
def test_a_figure_that_the_rows_do_not_give(story, pin, field, line):
    story.evidence["estimates"][GAP][field] += 1e-7
    story.judge()
    assert failed(story.parts(), pin) == {line}


@pytest.mark.parametrize(("field", "other"), [("n", 11), ("unit", "pair"), ("method", "bca"), ("level", 0.9)])
def test_what_stands_beside_a_figure(story, pin, field, other):
    story.evidence["estimates"]["spearman"][field] = other
    assert failed(story.parts(), pin) == {"estimates"}


def test_a_metric_hidden_or_invented(story, pin):
    hidden = story.evidence["estimates"].pop("spearman")
    assert failed(story.parts(), pin) == {"estimates"}
    story.evidence["estimates"] |= {"spearman": hidden, "invented": hidden}
    assert failed(story.parts(), pin) == {"estimates"}


@pytest.mark.parametrize(
    ("part", "name", "other"),
    [
        ("diagnostics", "organism_accuracy", 0.96),
        ("diagnostics", "invented", 1.0),
        ("counts", "negative_margins", 1),
        ("not_measured", "recovery_gap", "it was inconvenient"),
        ("controls", "negative", True),
    ],
)
def test_diagnostics_counts_and_controls(story, pin, part, name, other):
    story.evidence[part][name] = other
    story.judge()
    assert failed(story.parts(), pin) == {"diagnostics"}


def test_a_verdict_that_the_rule_does_not_give(story, pin):
    honest = json.loads(json.dumps(story.verdict))
    other = "inconclusive" if honest["status"] != "inconclusive" else "confirmed"
    for alter in (
        lambda verdict: verdict.update(status=other),
        lambda verdict: verdict["hypotheses"][1].update(outcome=other),
        lambda verdict: verdict["hypotheses"][0].update(lo=0.0),
        lambda verdict: verdict["hypotheses"][0].update(estimate=0.5),
        lambda verdict: verdict["hypotheses"][0].update(void_reason="cancelled"),
        lambda verdict: verdict["hypotheses"].pop(),
        lambda verdict: verdict["hypotheses"].reverse(),
        lambda verdict: verdict.update(note="trust me"),
    ):
        story.verdict = json.loads(json.dumps(honest))
        alter(story.verdict)
        assert failed(story.parts(), pin) == {"verdict"}


def test_a_precedence_that_the_rule_does_not_give(story, pin):
    for word in ("recorded", "post_hoc", "attested", "proven", "nonsense"):
        story.precedence = word
        assert failed(story.parts(), pin) == {"precedence"}, word


# A beacon round that was mixed in.

ANCHORED = datetime(2026, 11, 30, 12, 0, 1, tzinfo=UTC)


@pytest.fixture(scope="session")
def own_chain():
    """A chain of ours that began shortly before the story."""
    return OwnChain(period=2, genesis=int(ANCHORED.timestamp()) - 10)


@pytest.fixture
def proven(story, own_chain):
    """`proven(round=…, size=…)`: the story opened with the round that an anchor settles on, or another."""

    def told(off=0, size=4):
        number = anchored_round.awaited(own_chain.chain, ANCHORED) + off
        return mix(
            AnchoredRound(own_chain.chain, own_chain.round(number), Anchor(size, "timestamp", "tsa.test", ANCHORED))
        )

    def mix(mixed):
        story.beacon = mixed
        story.measure_again()
        story.estimate()
        story.judge()
        return story

    told.mix = mix
    return told


def test_a_round_that_an_anchor_settled_on(proven, pin, own_chain):
    found = lines(proven().parts(), pin, frozenset({own_chain.chain.hash}))
    assert [name for name, line in found.items() if line.state == "failed"] == []
    assert "signed by its group" in found["beacon"].detail
    assert found["anchor"].state == "not checked"
    assert "timestamp tsa.test" in found["anchor"].detail
    assert "proven once opened, as far as beacon and anchor hold" in found["precedence"].detail
    assert found["seeds"].state == "ok"


def test_a_chain_of_the_operators_own_is_not_taken_for_a_public_one(proven, pin):
    found = lines(proven().parts(), pin)
    assert found["beacon"].state == "not checked"
    assert "--beacon-chain" in found["beacon"].detail


@pytest.mark.parametrize("how", [{"off": 1}, {"off": -1}, {"size": 1}])
def test_a_round_that_was_chosen(proven, pin, own_chain, how):
    assert failed(proven(**how).parts(), pin, frozenset({own_chain.chain.hash})) == {"beacon"}


def test_a_round_that_nobody_signed(proven, pin, own_chain):
    honest = proven().beacon
    forged = replace(honest, round=Round(honest.round.round, b"s" * 96, honest.round.previous))
    assert failed(proven.mix(forged).parts(), pin, frozenset({own_chain.chain.hash})) == {"beacon"}


def test_a_round_of_drands_mainnet(proven, pin):
    signature, previous = bytes(96), bytes(96)
    anchor = Anchor(4, "witness", "w", ANCHORED)
    unsigned = Round(anchored_round.awaited(MAINNET, ANCHORED), signature, previous)
    assert failed(proven.mix(AnchoredRound(MAINNET, unsigned, anchor)).parts(), pin) == {"beacon"}


def test_a_beacon_in_no_form(story, pin):
    story.changes["opened"] = {"beacon": {"round": 1}}
    assert {"beacon", "entries"} <= failed(story.parts(), pin)


# What cannot be known is said to be.


def test_without_a_pinned_key_no_signature_counts(story):
    found = lines(story.parts(), None)
    for name in ("log key", "checkpoint", "receipt"):
        assert found[name].state == "not checked", found[name]
    assert "--vkey" in found["log key"].detail
    story.key = OTHER_KEY
    mixed = story.parts(vkey=signed_note.vkey(ORIGIN, KEY.public_key()))
    assert failed(mixed, None) == {"checkpoint", "receipt"}


def test_trust_on_first_use_is_called_so(story):
    assert "TRUSTED ON FIRST USE" in lines(story.parts(), Pin(story.vkey, "first use"))["log key"].detail


def test_a_version_that_is_not_known_here(story, pin):
    story.evidence["version"] = "2"
    story.judge()
    found = lines(story.parts(), pin)
    for name in ("estimates", "intervals", "diagnostics"):
        assert found[name].state == "not checked"
        assert "version 2 of planted_key_recovery measured" in found[name].detail
    assert found["verdict"].state == "ok"


def test_without_cells_measured_twice_no_seed_can_be_told(story, pin):
    story.evidence["nondeterminism"] = {}
    found = lines(story.parts(), pin)
    assert found["seeds"].state == found["non-determinism"].state == "not checked"


def test_details_obey_no_terminal(story, pin):
    other = {**story.document, "title": "\x1b[2Jgone\u202e"}
    detail = lines(story.parts(registration=canonical_bytes(other)), pin)["document"].detail
    story.document["title"] = "\x1b[2Jgone\u202e"
    shown = lines(story.parts(), pin)["document"].detail
    assert all(character.isprintable() for character in detail + shown)
