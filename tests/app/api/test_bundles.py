"""Bundles over HTTP, of claims on the real log: what a claim's archive holds, and that it never changes."""

import base64
import hashlib
import io
import json
import random
import subprocess
import sys
import zipfile
from datetime import timedelta

import pytest

from app.ledger import checkpoints
from app.ledger.append import append
from app.ledger.blobs import BlobError
from app.ledger.bundles import AT_ONCE, parts_of
from app.ledger.judging import record_evidence, record_void, registration_of
from app.ledger.opening import seeds_of
from app.ledger.runs import hold
from claims import checkpoint
from claims.bundle.archive import UnreadablePartError, read, write
from claims.canonical import canonical_bytes
from claims.checkpoint import Checkpoint
from claims.evidence import Evidence
from claims.instruments import catalogue
from claims.rows import decode, encode


def planted_rows(organisms: int = 24, pairs: int = 3) -> bytes:
    """Rows as planted_key_recovery writes them, from a fixed seed."""
    draw = random.Random(13)
    components = [f"{kind}_L{layer}" for layer in range(4) for kind in ("attn", "mlp")]
    found = []
    for organism in range(organisms):
        common = {"organism": organism, "dimension": "planted_key"}
        carriers = set(draw.sample(components, 3))
        found.append({**common, "kind": "organism", "accuracy": draw.uniform(0.92, 1.0), "governed": True})
        for name in components:
            norm = draw.uniform(1, 2) * (2 if name in carriers else 1)
            found.append({**common, "kind": "key", "component": name, "norm": norm, "constructed": name in carriers})
        for pair in range(pairs):
            cell = {**common, "pair_id": f"{organism}/{pair}", "cluster": f"{organism}/{pair}"}
            for name in components:
                effects = {"differential": draw.gauss(0, 1), "chosen": 1.0, "rejected": 0.0}
                found.append({**cell, "kind": "attribution", "component": name, **effects})
                patched = {"effect": draw.gauss(0, 1), "state": "ok", "direction": "noising", "margin": 1.0}
                found.append({**cell, "kind": "patch", "component": name, **patched})
    return encode(found)


ROWS = planted_rows()


@pytest.fixture
def measure_claim(service, open_claim):
    """`measure_claim(claim)`: its run ends with ROWS and what the instrument itself estimates from them."""

    def measured(claim: str) -> None:
        open_claim(claim)
        with service.ledger.begin() as session:
            run = hold(session, f"{claim}-1")
            registration = registration_of(session, run)
            seeds = seeds_of(session, claim, run.id)
            estimated = catalogue()["planted_key_recovery"].estimate(decode(ROWS), registration, seeds)
            body = {
                "schema": "antedate.evidence/1",
                "instrument": registration.instrument.name,
                "version": registration.instrument.version,
                "params": registration.instrument.params,
                "subject": {
                    "model": {"weights_sha256": None, "dtype": "float32", "device": "cpu", "attention": "eager"},
                    "dataset": {"sha256": None, "n": 72},
                },
                "access": ["weights"],
                **estimated.model_dump(),
                "nondeterminism": {},
                "controls": {"positive": True},
                "conformance": {},
                "gauge": "invariant",
                "provenance": {
                    "commit": "ab" * 20, "dirty": "clean", "diff_sha256": None, "instrument_source_sha256": "0" * 64,
                    "packages": {}, "platform": "test", "started": "2026-11-30T12:00:00.000000Z",
                    "finished": "2026-11-30T12:01:00.000000Z",
                },
                "cost": {"seconds": 60.0},
                "rows_sha256": hashlib.sha256(ROWS).hexdigest(),
            }  # fmt: skip
            record_evidence(session, run, Evidence.model_validate(body), ROWS)

    return measured


@pytest.fixture
def sign_head(service):
    """`sign_head()`: the size of a checkpoint over the log as it is."""

    def signed() -> int:
        with service.ledger.begin() as session:
            return checkpoints.issue(session, service.client.app.state.signing).size

    return signed


@pytest.fixture
def bundle(client):
    """`bundle(claim, query="")`: the answer, whose bytes are those of a bundle."""

    def fetched(claim, query=""):
        answer = client.get(f"/v1/claims/{claim}/bundle.zip{query}")
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == "application/zip"
        assert answer.headers["ETag"] == f'"{hashlib.sha256(answer.content).hexdigest()}"'
        assert int(answer.headers["Content-Length"]) == len(answer.content)
        read(io.BytesIO(answer.content))
        return answer

    return fetched


def reproduced(archive: bytes, folder, *arguments: str) -> subprocess.CompletedProcess:
    """Unzipped into an empty directory, and run there with nothing but the standard library to be found."""
    zipfile.ZipFile(io.BytesIO(archive)).extractall(folder)
    command = [sys.executable, "-I", "-S", str(folder / "reproduce.py"), *arguments]
    return subprocess.run(command, cwd="/", env={}, capture_output=True, check=False)


def test_the_bundle_of_a_measured_claim_reproduces_its_figures_alone(
    client, file_claim, measure_claim, bundle, tmp_path
):
    claim = file_claim()
    measure_claim(claim)
    archive = bundle(claim).content
    key = client.get("/v1/log/key").text.strip()
    done = reproduced(archive, tmp_path / "bundle")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == (tmp_path / "bundle" / "expected_output.txt").read_bytes()
    assert b"within tolerance                      yes\n" in done.stdout
    estimates = client.get(f"/v1/claims/{claim}/evidence").json()["estimates"]
    assert len(estimates) == 7
    for name, estimate in estimates.items():
        assert f"{name} " in done.stdout.decode()
        assert f"{estimate['value']:+.6f}" in done.stdout.decode()
    assert reproduced(archive, tmp_path / "pinned", "--vkey", key).returncode == 0
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        assert files.read(f"rows/{claim}-1.jsonl") == ROWS
        assert files.read(f"evidence/{claim}-1.json") == client.get(f"/v1/claims/{claim}/evidence").content


def test_the_same_size_gives_the_same_bytes_however_much_follows(service, file_claim, measure_claim, sign_head, bundle):
    claim, newer = file_claim(), file_claim()
    measure_claim(claim)
    size = sign_head()
    first = bundle(claim)
    assert first.headers["Content-Location"] == f"/v1/claims/{claim}/bundle.zip?tree_size={size}"
    others = [file_claim() for _ in range(3)]
    with service.ledger.begin() as session:
        append(session, "superseded", claim, "ada", {"by": newer, "reason": "A better one."})
        append(session, "noted", None, "ledger", {"note": "Years went by."})
    measure_claim(others[0])
    later = sign_head()
    service.client.app.state.bundles._known.clear()
    assert bundle(claim).content == bundle(claim, f"?tree_size={size}").content == first.content
    grown = bundle(claim, f"?tree_size={later}")
    assert [entry.index for entry in read(io.BytesIO(grown.content)).entries] != [
        entry.index for entry in read(io.BytesIO(first.content)).entries
    ]


def test_a_claim_has_a_bundle_at_every_stage(  # noqa: PLR0917 - fixtures
    service, file_claim, open_claim, sign_head, bundle, tmp_path
):
    claim = file_claim()
    waiting = bundle(claim)  # no checkpoint covered it: one was signed
    open_claim(claim)
    assert bundle(claim).content == waiting.content, "the newest checkpoint is the same"
    sign_head()
    running = bundle(claim)
    with service.ledger.begin() as session:
        record_void(session, hold(session, f"{claim}-1"), "worker_lost", {"attempts": 3})
    voided = bundle(claim)
    for stage, answer in {"waiting": waiting, "running": running, "voided": voided}.items():
        done = reproduced(answer.content, tmp_path / stage)
        assert (done.returncode, done.stderr) == (0, b""), stage
        assert b"nothing was measured" in done.stdout
    assert b"not judged yet: no run was opened" in (tmp_path / "waiting" / "expected_output.txt").read_bytes()
    assert b"not judged yet: its run is open" in (tmp_path / "running" / "expected_output.txt").read_bytes()
    assert b"is void: worker_lost" in (tmp_path / "voided" / "expected_output.txt").read_bytes()


def test_a_corrected_claim_shows_both_figures(  # noqa: PLR0917 - fixtures
    service, client, file_claim, measure_claim, sign_head, bundle, tmp_path
):
    """The bundle shows the verdict as it stands; that of the earlier tree stays what it was, and names the later."""
    claim = file_claim()
    measure_claim(claim)
    first = bundle(claim)
    earlier = first.headers["Content-Location"].partition("=")[2]
    found = client.get(f"/v1/claims/{claim}/evidence").json()
    sha256 = hashlib.sha256(canonical_bytes(found)).hexdigest()
    verdict = next(
        entry["payload"]
        for entry in client.get(f"/v1/claims/{claim}/history").json()["items"]
        if entry["type"] == "adjudicated"
    )
    run = {"run": f"{claim}-1"}
    named = {"evidence_sha256": sha256, "rows_sha256": found["rows_sha256"]}
    with service.ledger.begin() as session:
        append(session, "corrected", claim, "ada", {**run, "cause": "A sign.", "evidence": found, **named})
        append(session, "adjudicated", claim, "ledger", verdict)
    size = sign_head()
    again = bundle(claim, f"?tree_size={earlier}")
    assert again.content == first.content
    assert again.headers["Link"] == f'</v1/claims/{claim}/bundle.zip?tree_size={size}>; rel="latest-version"'
    corrected = bundle(claim)
    assert corrected.content == bundle(claim, f"?tree_size={size}").content
    assert "Link" not in corrected.headers
    done = reproduced(corrected.content, tmp_path / "corrected")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"(corrections: 1)" in done.stdout
    assert b"before correction" in done.stdout


def test_evidence_that_the_rows_do_not_give_is_shown_as_such(file_claim, judge_claim, bundle, tmp_path):
    claim = file_claim()
    judge_claim(claim, 0.3)
    done = reproduced(bundle(claim).content, tmp_path)
    assert done.returncode == 1
    assert b"its rows cannot be read" in done.stderr
    assert done.stdout == (tmp_path / "expected_output.txt").read_bytes()


def test_the_sha256_is_a_line_that_sha256sum_checks(client, file_claim, bundle, tmp_path):
    claim = file_claim()
    line = client.get(f"/v1/claims/{claim}/bundle.zip.sha256")
    archive = bundle(claim)
    (tmp_path / "bundle.zip").write_bytes(archive.content)
    done = subprocess.run(
        ["sha256sum", "--check", "-"], cwd=tmp_path, input=line.content, capture_output=True, check=False
    )
    assert done.stdout == b"bundle.zip: OK\n"
    assert line.headers["Content-Type"].startswith("text/plain")
    location = archive.headers["Content-Location"]
    assert line.headers["Content-Location"] == location.replace("bundle.zip", "bundle.zip.sha256")


@pytest.mark.parametrize("known", [True, False])
def test_what_a_reader_has_already_costs_no_body(service, client, file_claim, bundle, known):
    claim = file_claim()
    tag = bundle(claim).headers["ETag"]
    if not known:
        service.client.app.state.bundles._known.clear()
    again = client.get(f"/v1/claims/{claim}/bundle.zip", headers={"If-None-Match": tag})
    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    head = client.head(f"/v1/claims/{claim}/bundle.zip")
    assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", tag)
    line = client.get(f"/v1/claims/{claim}/bundle.zip.sha256")
    kept = client.get(f"/v1/claims/{claim}/bundle.zip.sha256", headers={"If-None-Match": line.headers["ETag"]})
    assert kept.status_code == 304


def test_what_there_is_no_bundle_of_is_said_in_words(service, client, file_claim, sign_head, problem_of):
    earlier = sign_head() if service.entries() else 0
    claim = file_claim()
    size = sign_head()
    for suffix in ("", ".sha256"):
        address = f"/v1/claims/{claim}/bundle.zip{suffix}"
        unsigned = problem_of(client.get(f"{address}?tree_size={size + 1}"), 404, "not_found")
        assert unsigned["detail"] == f"No checkpoint was signed over a log of {size + 1} entries."
        if earlier:
            early = problem_of(client.get(f"{address}?tree_size={earlier}"), 404, "not_found")
            assert f"which the tree of {earlier} entries does not hold" in early["detail"]
        problem_of(client.get(f"/v1/claims/nosuchclaim00000/bundle.zip{suffix}"), 404, "not_found")
        for bad in ("0", "-1", "x", "1.5", str(2**63)):
            problem_of(client.get(f"{address}?tree_size={bad}"), 422, "invalid_query")


def test_a_receipt_that_is_gone_is_said_in_words(client, file_claim, problem_of, monkeypatch):
    claim = file_claim()
    monkeypatch.setattr("app.ledger.bundles.queries.receipt", lambda session, claim: None)
    assert "receipt" in problem_of(client.get(f"/v1/claims/{claim}/bundle.zip"), 404, "not_found")["detail"]


def test_so_many_are_built_at_once_and_no_more(client, service, file_claim, problem_of, monkeypatch):
    claim = file_claim()
    monkeypatch.setattr("app.ledger.bundles.WAIT_SECONDS", 0.01)
    building = service.client.app.state.bundles._building
    for _ in range(AT_ONCE):
        building.acquire()
    try:
        answer = client.get(f"/v1/claims/{claim}/bundle.zip")
        assert answer.headers["Retry-After"]
        assert problem_of(answer, 503, "unavailable")["detail"] == "2 other bundles are being built."
    finally:
        building.release(AT_ONCE)
    assert client.get(f"/v1/claims/{claim}/bundle.zip").status_code == 200


def test_rows_are_read_from_the_database_chunk_by_chunk(service, file_claim, measure_claim, sign_head, monkeypatch):
    """A chunk that was changed in the database is found, whatever the record says of it."""
    claim = file_claim()
    measure_claim(claim)
    size = sign_head()
    with service.ledger.begin() as session:
        parts = parts_of(session, service.ledger, service.client.app.state.signing.vkey, claim, size)
    monkeypatch.setattr("app.ledger.blobs._chunk", lambda session, sha256, index: b"{}\n")
    with pytest.raises(UnreadablePartError, match=f"rows/{claim}-1.jsonl") as caught:
        write(parts, io.BytesIO())
    assert isinstance(caught.value.__cause__, BlobError)
    assert json.loads(parts.registration)["schema"] == "antedate.registration/1"


def small(document):
    """Organisms that train in a fraction of a second, whether they obey or not."""
    chosen = document(sampling={"organisms": 15, "pairs_per_organism": 4, "stopping": "fixed"}, kill_criteria=[])
    recipe = {"layers": 4, "hidden": 32, "heads": 4, "carriers": 3, "frozen_scale": 0.2, "min_accuracy": 0, "steps": 20}
    chosen["subject"]["model"]["params"] = recipe
    del chosen["controls"]
    return chosen


def test_the_bundle_of_a_claim_that_a_worker_measured(service, document, bundle, tmp_path):
    from workers.finishing import finish_run
    from workers.measuring import Worker, measure_shard

    answer = service.file(json.dumps(small(document)).encode())
    assert answer.status_code == 201, answer.text
    claim = answer.json()["claim"]
    worker = Worker(service.ledger, service.settings.model_root, timedelta(seconds=60))
    for index in range(15):
        measure_shard(worker, f"{claim}-1", index)
    finish_run(service.ledger, f"{claim}-1")
    archive = bundle(claim).content
    done = reproduced(archive, tmp_path / "bundle")
    assert (done.returncode, done.stderr) == (0, b""), done.stdout
    assert done.stdout == (tmp_path / "bundle" / "expected_output.txt").read_bytes()
    assert b"within tolerance                      yes\n" in done.stdout
    assert (tmp_path / "bundle" / "rows" / f"{claim}-1.again.jsonl").stat().st_size


def test_no_head_is_signed_for_a_bundle_over_a_log_that_was_not_the_published_one(
    service, client, file_claim, problem_of
):
    """A backup was restored: the database agrees with itself, and the copies outside know better."""
    claim = file_claim()
    with service.ledger.begin() as session:
        before = checkpoints.newest(session)
    copies, signing = service.client.app.state.settings.checkpoints, service.client.app.state.signing
    note = checkpoint.sign(Checkpoint(signing.name, 1, bytes(32)), signing.name, signing.key)
    kept = {
        "size": 1,
        "root": base64.b64encode(bytes(32)).decode(),
        "note": note,
        "time": "2026-11-30T12:00:00.000000Z",
    }
    copies.write_text(json.dumps(kept) + "\n", encoding="utf-8")
    try:
        problem = problem_of(client.get(f"/v1/claims/{claim}/bundle.zip"), 404, "not_found")
    finally:
        copies.unlink()
    assert "not those that were published" in problem["detail"]
    with service.ledger.begin() as session:
        assert checkpoints.newest(session) == before
    assert client.get(f"/v1/claims/{claim}/bundle.zip").status_code == 200
