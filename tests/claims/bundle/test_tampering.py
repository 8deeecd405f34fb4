"""What reproduce.py says of a bundle that somebody has changed: it names it, and does not exit with 0."""

import hashlib
import io
import json
import random
from dataclasses import replace

import pytest

from claims import merkle
from claims.bundle.archive import read
from claims.bundle.parts import Proven
from claims.bundle.reproduce.files import Files, in_folder
from claims.bundle.reproduce.main import examined
from claims.bundle.script import formulas
from claims.canonical import canonical_bytes, sha256_hex
from claims.rows import encode

RUN = "bundledclaim0001-1"
GAP = "recovery_gap_constructed"


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_byte_changed_in_any_file_is_named(corrected_life, unpacked, reproduce):
    folder = unpacked(corrected_life.parts())
    draw = random.Random(3)
    for path in files_in(folder):
        whole = path.read_bytes()
        if path.name == "reproduce.py":  # a comment: a program that was changed may also say anything else
            places = [whole.index(b"# Means and rank")]
        else:
            places = [0, len(whole) - 1, draw.randrange(len(whole))]
        for place in places:
            spoilt = bytearray(whole)
            spoilt[place] ^= 1
            path.write_bytes(spoilt)
            done = reproduce(folder)
            assert done.returncode == 1, (path, place)
            assert b"Traceback" not in done.stderr, done.stderr
            assert str(path.relative_to(folder)) in done.stderr.decode(), (path, place, done.stderr)
            path.write_bytes(whole)
    assert reproduce(folder).returncode == 0


def test_a_file_that_is_missing_is_named(measured_life, unpacked, reproduce):
    folder = unpacked(measured_life.parts())
    for path in files_in(folder):
        if path.name == "reproduce.py":
            continue
        whole = path.read_bytes()
        path.unlink()
        done = reproduce(folder)
        assert done.returncode == 1
        assert f"{path.relative_to(folder)}: it cannot be read" in done.stderr.decode()
        path.write_bytes(whole)


def test_a_pinned_key_is_compared(measured_life, unpacked, reproduce):
    folder = unpacked(measured_life.parts())
    expected = (folder / "expected_output.txt").read_bytes()
    own = reproduce(folder, "--vkey", measured_life.log.vkey)
    assert (own.returncode, own.stderr) == (0, b"")
    changed = [pair for pair in zip(expected.splitlines(), own.stdout.splitlines(), strict=True) if pair[0] != pair[1]]
    assert len(changed) == 1
    assert b"NOT CHECKED" in changed[0][0]
    other = reproduce(folder, "--vkey", "antedate/other+00000000+AAAA")
    assert other.returncode == 1
    assert b"not the key that you gave" in other.stderr


# A forger recomputes what can be recomputed: every sum and the expected output are true of the forged parts.


def forged_output(parts, build, tmp_path, reproduce):
    import zipfile

    folder = tmp_path / "forged"
    with zipfile.ZipFile(io.BytesIO(build(parts))) as archive:
        archive.extractall(folder)
    done = reproduce(folder)
    report = examined(Files(in_folder(folder)), formulas("planted_key_recovery"))
    assert done.returncode == (1 if report.problems else 0)
    assert b"Traceback" not in done.stderr
    assert done.stdout == (folder / "expected_output.txt").read_bytes()
    return done.stderr.decode()


@pytest.fixture
def forged(build, tmp_path, reproduce):
    return lambda parts: forged_output(parts, build, tmp_path, reproduce)


def changed_document(parts):
    document = json.loads(parts.registration)
    document["hypotheses"][0]["predict"]["op"] = "<"
    return replace(parts, registration=canonical_bytes(document))


def changed_receipt(parts):
    receipt = json.loads(parts.receipt)
    return replace(parts, receipt=canonical_bytes({**receipt, "filed": "2026-11-01T12:00:02.000000Z"}))


def changed_receipt_note(parts):
    receipt = json.loads(parts.receipt)
    return replace(parts, receipt=canonical_bytes({**receipt, "note": receipt["note"].replace("12:00:02", "11:00:02")}))


def changed_evidence(parts):
    body = json.loads(parts.evidence[RUN])
    body["estimates"][GAP]["value"] = 0.25
    return replace(parts, evidence={RUN: canonical_bytes(body)})


def changed_rows(parts):
    return replace(parts, rows={RUN: lambda: (b"".join(parts.rows[RUN]()).replace(b'"effect":0.', b'"effect":1.', 1),)})


def with_entry(parts, place, change):
    """The entry changed; its proof is still the one that the log gave for the true one."""
    entries = list(parts.entries)
    entry = json.loads(entries[place].canonical)
    change(entry)
    entries[place] = Proven(entries[place].index, canonical_bytes(entry), entries[place].proof)
    return replace(parts, entries=entries)


def changed_verdict(parts):
    return with_entry(parts, 4, lambda entry: entry["payload"].update(status="confirmed"))


def changed_time(parts):
    return with_entry(parts, 0, lambda entry: entry.update(time="2026-11-01T12:00:02.000000Z"))


def changed_nonce(parts):
    return with_entry(parts, 1, lambda entry: entry["payload"].update(nonce="ff" * 32))


def changed_proof(parts):
    first, *others = parts.entries
    return replace(parts, entries=[replace(first, proof=[bytes(32), *first.proof[1:]]), *others])


def changed_checkpoint(parts):
    origin, size, root, rest = parts.checkpoint.split("\n", 3)
    return replace(parts, checkpoint=f"{origin}\n{int(size) + 1}\n{root}\n{rest}")


def without_the_verdict(parts):
    return replace(parts, entries=parts.entries[:-1])


FORGERIES = [
    (changed_document, "registration.json is not the document whose hash was registered"),
    (changed_receipt, "receipt.json: its filed is not that of entry 2"),
    (changed_receipt_note, "receipt.json: the signature by antedate/test+b3c36602 does not hold"),
    (changed_evidence, f"evidence/{RUN}.json is not the evidence that entry 9 names"),
    (changed_rows, f"rows/{RUN}.jsonl is not what evidence/{RUN}.json and entry 9 name"),
    (changed_verdict, "entries.jsonl: entry 10 is not in the tree of 11 entries that the checkpoint signs"),
    (changed_time, "entries.jsonl: entry 2 is not in the tree of 11 entries that the checkpoint signs"),
    (changed_nonce, "the nonce revealed is not the one committed to"),
    (changed_proof, "entries.jsonl: entry 2 is not in the tree of 11 entries that the checkpoint signs"),
    (changed_checkpoint, "checkpoint: the signature by antedate/test+b3c36602 does not hold"),
]


@pytest.mark.parametrize(("forge", "said"), FORGERIES, ids=[forge.__name__ for forge, _ in FORGERIES])
def test_a_forgery_with_every_sum_made_true_is_named(measured_life, forged, forge, said):
    assert f"MISMATCH  {said}\n" in forged(forge(measured_life.parts()))


def test_the_canonical_archive_of_a_forgery_is_read_for_others_to_judge(measured_life, build):
    """`read` says that the bytes are those of the parts; whether the parts are true is for the checks to say."""
    parts = changed_evidence(measured_life.parts())
    assert read(io.BytesIO(build(parts))).evidence == parts.evidence


def relogged(life, change):
    """A log, signed by its own key, in which the evidence was always another: an operator's work."""
    log = type(life.log)()
    bodies = {}
    for entry in life.log.entries:
        payload = dict(entry.payload)
        change(entry.type, payload, bodies)
        log.append(entry.type, payload, claim=entry.claim, actor=entry.actor)
    return log, bodies


def test_a_log_that_says_what_the_rows_do_not_is_named(measured_life, forged):
    """An operator signs what he likes; the rows still say otherwise."""

    def change(type_, payload, bodies):
        if type_ == "evidence_recorded":
            body = json.loads(json.dumps(payload["evidence"]))
            body["estimates"][GAP]["value"] = 0.4375
            del body["diagnostics"]["organism_accuracy"]
            del body["estimates"]["spearman"]
            body["estimates"]["invented"] = body["estimates"][GAP]
            bodies[RUN] = canonical_bytes(body)
            payload |= {"evidence": body, "evidence_sha256": sha256_hex(bodies[RUN])}
        elif type_ == "adjudicated":
            payload["hypotheses"] = [dict(judged) for judged in payload["hypotheses"]]
            payload["hypotheses"][0]["lo"] = 0.0

    log, bodies = relogged(measured_life, change)
    said = forged(log.parts(log.receipt(), evidence=bodies, rows=measured_life.files["rows"]))
    assert f"run {RUN}: {GAP} is +0.093750 from the rows, published as +0.437500" in said
    assert f"run {RUN}: organism_accuracy follows from the rows, and the record leaves it out" in said
    assert f"run {RUN}: spearman follows from the rows, and the record leaves it out" in said
    assert f"run {RUN}: invented is published, and the rows do not give it" in said
    assert "entry 10: hypothesis H1 is judged on other figures" in said


def test_a_metric_said_not_to_be_measured_may_follow_from_the_rows(measured_life, forged):
    def change(type_, payload, bodies):
        if type_ == "evidence_recorded":
            body = json.loads(json.dumps(payload["evidence"]))
            del body["estimates"]["spearman"]
            body["not_measured"]["spearman"] = "Too few organisms for an interval."
            bodies[RUN] = canonical_bytes(body)
            payload |= {"evidence": body, "evidence_sha256": sha256_hex(bodies[RUN])}

    log, bodies = relogged(measured_life, change)
    parts = log.parts(log.receipt(), evidence=bodies, rows=measured_life.files["rows"])
    assert forged(parts) == ""


@pytest.mark.parametrize(("more", "said"), [(0, ""), (1, f"evidence/{RUN}.json is not the document in entry 9")])
def test_large_evidence_stands_in_its_entry_by_hash_and_size(measured_life, forged, more, said):
    def change(type_, payload, bodies):
        if type_ == "evidence_recorded":
            bodies[RUN] = canonical_bytes(payload["evidence"])
            payload["evidence"] = {"sha256": sha256_hex(bodies[RUN]), "size": len(bodies[RUN]) + more}

    log, bodies = relogged(measured_life, change)
    parts = log.parts(log.receipt(), evidence=bodies, rows=measured_life.files["rows"])
    assert forged(parts) == (f"MISMATCH  {said}\n" if said else "")


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (("run_ended", "opened", "evidence_recorded", "adjudicated"), "comes before its run was opened"),
        (("opened", "run_ended", "adjudicated", "evidence_recorded"), "judges what has no evidence"),
        (("opened", "opened", "evidence_recorded", "adjudicated"), "opens its run again"),
        (("opened", "evidence_recorded", "adjudicated", "adjudicated"), "judges again without a correction"),
        (("opened", "evidence_recorded", "evidence_recorded", "adjudicated"), "records its run again"),
        (("opened", "evidence_recorded", "corrected", "adjudicated"), "corrects what was not judged"),
        (("registered", "opened", "evidence_recorded", "adjudicated"), "registers the claim again"),
    ],
)
def test_a_log_out_of_order_is_named(measured_life, forged, order, said):
    log = type(measured_life.log)()
    payloads = {entry.type: entry for entry in measured_life.log.entries}
    payloads["corrected"] = payloads["evidence_recorded"]
    corrections = {}
    for type_ in ("registered", *order):
        entry = log.append(type_, payloads[type_].payload, actor=payloads[type_].actor)
        if type_ == "corrected":
            corrections[entry.seq] = measured_life.files["evidence"][RUN]
    assert said in forged(log.parts(log.receipt(), **measured_life.files, corrections=corrections))


def test_rows_that_no_formula_can_read_are_named(measured_life, forged):
    rows = encode([{"kind": "organism", "organism": 1}])

    def change(type_, payload, bodies):
        if type_ == "evidence_recorded":
            body = {**payload["evidence"], "rows_sha256": hashlib.sha256(rows).hexdigest()}
            bodies[RUN] = canonical_bytes(body)
            sha256 = sha256_hex(bodies[RUN])
            payload |= {"evidence": body, "evidence_sha256": sha256, "rows_sha256": body["rows_sha256"]}

    log, bodies = relogged(measured_life, change)
    said = forged(log.parts(log.receipt(), evidence=bodies, rows={RUN: lambda: (rows,)}))
    assert f"run {RUN}: its rows cannot be read, KeyError 'governed'" in said


def test_the_tree_is_the_logs_own(measured_life):
    log = measured_life.log
    leaves = [log.nodes[0, seq] for seq in range(len(log.entries))]
    assert merkle.root(len(leaves), log.read) == merkle.root_of(leaves)
