"""The checks of reproduce.py one by one, where a forger made everything else agree."""

import base64
import hashlib
import json
from dataclasses import replace

import pytest

from claims import checkpoint, merkle, receipts, signed_note
from claims.bundle.archive import _files, _given
from claims.bundle.parts import Proven
from claims.bundle.reproduce.figures import disagreement, shown
from claims.bundle.reproduce.files import MismatchError, parsed
from claims.bundle.reproduce.main import examined
from claims.bundle.reproduce.record import ProvenEntry, line_of
from claims.bundle.script import formulas
from claims.canonical import canonical_bytes
from claims.checkpoint import Checkpoint
from claims.entries import leaf_hash

RUN = "bundledclaim0001-1"


@pytest.fixture
def problems():
    """`problems(parts)`: what is wrong with them."""
    return lambda parts: examined(_files(_given(parts)), formulas("planted_key_recovery")).problems


def with_receipt(parts, **changed):
    return replace(parts, receipt=canonical_bytes({**json.loads(parts.receipt), **changed}))


def test_nothing_is_wrong_with_a_true_bundle(any_life, problems):
    assert problems(any_life.parts()) == []


def test_a_receipt_of_another_entry_is_named(measured_life, problems):
    log, parts = measured_life.log, measured_life.parts()
    other = replace(log.first, seq=log.first.seq + 1)
    note = signed_note.sign(receipts.text_of(other, "test"), log.name, log.key)
    assert problems(with_receipt(parts, note=note)) == ["receipt.json: its note is not of entry 2"]
    entry = json.loads(parts.receipt)["entry"]
    for changed in (
        {"leaf_hash": "0" * 64},
        {"object": {**entry["object"], "actor": "bob"}},
        {"canonical": base64.b64encode(other.canonical()).decode()},
    ):
        said = problems(with_receipt(parts, entry={**entry, **changed}))
        assert said == ["receipt.json: its entry is another"], changed
    assert problems(with_receipt(parts, precedence="proven")) == ["receipt.json: its precedence is not that of entry 2"]


def test_entries_of_another_claim_and_out_of_order_are_named(measured_life, problems):
    log, parts = measured_life.log, measured_life.parts()
    noted = log.entries[-8]
    assert noted.claim is None
    proof = merkle.inclusion(noted.seq, len(log.entries), log.read)
    foreign = Proven(noted.seq, noted.canonical(), proof)
    entries = sorted([*parts.entries, foreign], key=lambda entry: entry.index)
    assert problems(replace(parts, entries=entries)) == [f"entries.jsonl: entry {noted.seq} is of another claim"]
    first, second, third, *others = parts.entries
    said = problems(replace(parts, entries=[first, third, second, *others]))
    assert f"entries.jsonl: entry {second.index} does not come after the one before it" in said


def test_rows_measured_twice_are_those_that_the_evidence_names(corrected_life, problems):
    parts = replace(corrected_life.parts(), again={RUN: lambda: (b"{}\n",)})
    (said,) = problems(parts)
    assert said.startswith(f"rows/{RUN}.again.jsonl is not what evidence/{RUN}")


def test_a_checkpoint_of_another_log_is_named(measured_life, problems):
    log, parts = measured_life.log, measured_life.parts()
    head = Checkpoint("antedate/other", len(log.entries), merkle.root(len(log.entries), log.read))
    note = checkpoint.sign(head, log.name, log.key)
    assert "checkpoint: it is of antedate/other, and the key of antedate/test" in problems(
        replace(parts, checkpoint=note)
    )
    extended = checkpoint.sign(replace(head, origin=log.name, extensions=("more",)), log.name, log.key)
    said = problems(replace(parts, checkpoint=extended))
    assert said == ["checkpoint: it says more than origin, size and root"]


@pytest.mark.parametrize(
    ("vkey", "said"),
    [
        ("antedate/test+00000000+", "it says id 00000000"),
        ("antedate/tess+b3c36602+", "it says id b3c36602"),
    ],
)
def test_a_key_that_is_not_what_it_is_called_is_named(measured_life, problems, vkey, said):
    parts = measured_life.parts()
    encoded = parts.vkey.split("+", 2)[2]  # base64, which may hold another
    assert any(said in problem for problem in problems(replace(parts, vkey=vkey + encoded)))


def test_a_signature_of_another_key_id_is_named(measured_life, problems):
    parts = measured_life.parts()
    text, _, line = parts.checkpoint.rpartition(" ")
    signed = base64.b64decode(line)
    note = f"{text} {base64.b64encode(bytes(4) + signed[4:]).decode()}\n"
    assert problems(replace(parts, checkpoint=note)) == [
        "checkpoint: it is signed by another key than antedate/test+b3c36602"
    ]
    more = parts.checkpoint + parts.checkpoint.rpartition("\n\n")[2]
    assert problems(replace(parts, checkpoint=more)) == ["checkpoint: it bears other lines than one signature"]


def line(**changed) -> bytes:
    entry = {"seq": 3, "type": "opened", "claim": "c", "actor": "a", "time": "t", "payload": {"run": RUN}}
    canonical = canonical_bytes({**entry, **changed})
    return line_of(3, canonical, [leaf_hash(canonical)])


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (line().replace(b'"index":3', b'"index": 3'), "it is not spelt as a bundle spells it"),
        (line().replace(b'"index":3', b'"index":3.0'), "it is not spelt as a bundle spells it"),
        (line().replace(b'"actor":"a"', b'"actor":"b"'), "it is not spelt as a bundle spells it"),
        (line()[:-1] + b',"more":1}', "it is not spelt as a bundle spells it"),
        (line(seq=4), "entry 4 is said to be number 3"),
        (b"[]", "it is no proven entry"),
        (b"{", "it is no JSON"),
        (b"\xff", "byte 0 is not UTF-8"),
        (line().replace(b'"proof":["', b'"proof":["zz'), "it lacks a number or a proof in hex"),
    ],
)
def test_an_entry_has_one_spelling(data, said):
    with pytest.raises(MismatchError, match=said):
        ProvenEntry(data, 1)


def test_a_run_is_not_the_name_of_another_file():
    assert ProvenEntry(line(), 1).run == RUN
    for name in ("../../etc/passwd", "", 7, None, "bundledclaim0001-1/x"):
        with pytest.raises(MismatchError, match="is no run"):
            _ = ProvenEntry(line(payload={"run": name}), 1).run


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.4339622641509434, "+0.433962"),
        (-0.441117, "-0.441117"),
        (0.0, "+0.000000"),
        (-0.0, "+0.000000"),
        (-6.9e-18, "+0.000000"),
        (None, "-"),
        (1.25e-5, "+1.250000e-05"),
        (-2e9, "-2.000000e+09"),
        (235.2342, "+235.234200"),
        (24.0, "+24.000000"),
    ],
)
def test_a_figure_has_one_text(value, text):
    assert shown(value) == text


def test_disagreement_is_a_share_of_the_value_and_of_no_less_than_a_millionth():
    assert disagreement(1.5, 1.0) == 0.5
    assert disagreement(1001.0, 1000.0) == 1 / 1000
    assert disagreement(1e-13, 0.0) == pytest.approx(1e-7)


def test_nan_is_no_figure():
    with pytest.raises(MismatchError, match="NaN is no number"):
        parsed(b'{"effect":NaN}', "rows")


def test_an_expected_output_that_is_another_is_named_with_every_sum_made_true(measured_life, unpacked, reproduce):
    folder = unpacked(measured_life.parts())
    expected, sums = folder / "expected_output.txt", folder / "SHA256SUMS"
    true = expected.read_bytes()
    for forged in (true.replace(b"refuted", b"confirmed"), true + b"more\n", true[:-1]):
        before = hashlib.sha256(expected.read_bytes()).hexdigest()
        expected.write_bytes(forged)
        sums.write_text(sums.read_text().replace(before, hashlib.sha256(forged).hexdigest()))
        done = reproduce(folder)
        assert done.returncode == 1
        assert done.stderr.startswith(b"MISMATCH  expected_output.txt")
        assert b"SHA256SUMS" not in done.stderr
