"""What the command writes, and what it leaves when it cannot."""

import hashlib
import json
import signal

from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.registration.unregistered import Unregistered
from claims.rows import decode
from claims.seeds import seeds_of
from claims.weights import weights_sha256


def test_evidence_and_rows_are_those_of_what_was_asked(measure, agreement, llama, out, evidence):
    code, output, errors = measure(*agreement, "--model", str(llama))
    assert code == 0, errors
    assert {file.name for file in out.iterdir()} == {"evidence.json", "rows.jsonl", "again.jsonl", "unregistered.json"}
    found, body = Evidence.model_validate(evidence()), (out / "rows.jsonl").read_bytes()
    assert found.rows_sha256 == hashlib.sha256(body).hexdigest()
    again = (out / "again.jsonl").read_bytes()
    assert found.nondeterminism[f"again_sha256.{hashlib.sha256(again).hexdigest()}"] == len(list(decode(again)))
    assert found.subject.model.weights_sha256 == weights_sha256(llama)
    assert (found.subject.dataset.n, found.refusal) == (16, None)
    asked = json.loads((out / "unregistered.json").read_text())
    document = Unregistered.model_validate(asked["document"])
    seeds = seeds_of(bytes.fromhex(asked["seed"]), document.sha256())
    again = catalogue()["attribution_patching_agreement"].estimate(decode(body), document, seeds)
    assert again.estimates == found.estimates
    for name, estimate in found.estimates.items():
        assert f"metric: {name} {estimate.value:.6g} [{estimate.lo:.6g}, {estimate.hi:.6g}]\n" in output
    assert f"seed: {asked['seed']}\n" in output
    assert "measuring: 16/16 pairs" in errors


def test_dimensions_are_chosen(measure, agreement, llama, out):
    code, output, _ = measure(*agreement, "--model", str(llama), "--dimension", "honesty", "--quiet")
    assert (code, output) == (0, "")
    assert {row["dimension"] for row in decode((out / "rows.jsonl").read_bytes())} == {"honesty"}


def test_a_measurement_that_is_there_is_not_overwritten(measure, agreement, llama, out):
    out.mkdir()
    (out / "evidence.json").write_text("{}")
    code, _, errors = measure(*agreement, "--model", str(llama))
    assert code == 2
    assert "holds evidence.json already" in errors
    assert [file.read_text() for file in out.iterdir()] == ["{}"]


def test_a_refusal_is_told_and_written_and_leaves_no_rows(measure, agreement, tmp_path, out, evidence):
    (tmp_path / "nothing").mkdir()
    out.mkdir()
    (out / "rows.jsonl").write_text("of an earlier measurement\n")
    code, output, errors = measure(*agreement, "--model", str(tmp_path / "nothing"), "--force", "--json")
    found = Evidence.model_validate(evidence())
    assert code == 5
    assert json.loads(output)["evidence"] == evidence()
    assert (found.estimates, found.rows_sha256) == ({}, hashlib.sha256(b"").hexdigest())
    for said in (found.refusal.reason, found.refusal.detail, found.refusal.remedy):
        assert said in errors
    assert not (out / "rows.jsonl").exists()
    assert not (out / "again.jsonl").exists()


def test_weights_that_do_not_fit_into_memory_are_a_refusal(measure, agreement, too_large, evidence):
    code, _, errors = measure(*agreement, "--model", str(too_large))
    assert code == 5
    assert evidence()["refusal"]["reason"] == "insufficient_memory"
    assert "bytes of memory" in errors


def test_an_interrupted_measurement_leaves_nothing(start, organism, out, eventually):
    process = start(*organism, "--size", "organisms=1000", "--size", "pairs_per_organism=4")

    def rows_are_being_measured():
        assert process.poll() is None, process.communicate()
        return list(out.glob(".unfinished-*/rows.jsonl"))

    eventually(rows_are_being_measured, seconds=120)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert not out.exists()
