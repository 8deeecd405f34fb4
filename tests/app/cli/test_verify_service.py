"""`antedate verify` against a service that really measured and signed, and against one that changed its past."""

import io
import json
from dataclasses import replace

import pytest

from app.cli import verification
from app.cli.following import Following
from app.cli.local import connect
from app.cli.remembered import Memory
from app.cli.service import Service
from app.cli.whole_log import check_complete
from app.ledger import blobs, checkpoints
from app.ledger.judging import record_evidence
from app.ledger.links import supersede
from app.ledger.runs import hold
from claims import checkpoint, signed_note
from claims.bundle import archive
from claims.evidence import Evidence
from claims.verifying import Case, Pin
from claims.verifying.lines import DoesNotHoldError
from tests.claims.verifying.story import OTHER_KEY, ROWS, Story, planted_document

NOT_KNOWN_OFFLINE = {"trust", "complete"}


@pytest.fixture
def measured(service, file_claim, open_claim):
    """`measured()`: the id of a claim whose evidence is what its instrument makes of its rows."""

    def made():
        parts = planted_document()
        claim = file_claim(**{name: parts[name] for name in ("sampling", "subject", "kill_criteria")})
        open_claim(claim)
        entries = service.client.get(f"/v1/claims/{claim}/history").json()["items"]
        nonce = next(entry["payload"]["nonce"] for entry in entries if entry["type"] == "opened")
        document = service.client.get(f"/v1/claims/{claim}").json()["registration"]
        story = Story(document=document, nonce=bytes.fromhex(nonce), rows=ROWS)
        story.measure_again()
        story.estimate()
        with service.ledger.begin() as session:
            run = hold(session, f"{claim}-1")
            assert run is not None
            blobs.put(session, story.again, "application/jsonl")
            record_evidence(session, run, Evidence.model_validate(story.evidence), story.rows)
        return claim

    return made


@pytest.fixture
def verify(run, tmp_path):
    return lambda *arguments, **environment: run(
        "verify", *arguments, "--json", **{"ANTEDATE_STATE": str(tmp_path / "state"), **environment}
    )


def found(done):
    assert done.out, done.err
    return {line["name"]: line for line in done.json["lines"]}


def states(done):
    return {name: line["state"] for name, line in found(done).items()}


def unchecked(done):
    return {name for name, state in states(done).items() if state == "not checked"}


def test_a_claim_by_its_page_its_id_and_its_bundle(verify, measured, listening):
    claim = measured()
    first = verify(f"{listening}/claims/{claim}")
    assert first.code == 0, first.out
    assert unchecked(first) == NOT_KNOWN_OFFLINE | {"seen before"}
    assert "TRUSTED ON FIRST USE" in found(first)["log key"]["detail"]
    for target in (f"{listening}/v1/claims/{claim}", f"{listening}/v1/claims/{claim}/bundle.zip"):
        done = verify(target)
        assert (done.code, unchecked(done)) == (0, NOT_KNOWN_OFFLINE)
        assert "this client remembers" in found(done)["log key"]["detail"]
    assert verify(claim, "--url", listening).code == 0
    assert verify(claim, ANTEDATE_URL=listening).code == 0
    assert verify(f"{listening}/claims/{claim}", ANTEDATE_URL="http://elsewhere.example").code == 2


def test_the_whole_log_shows_that_nothing_is_left_out(verify, measured, listening):
    claim = measured()
    done = verify(claim, "--url", listening, "--whole-log")
    assert (done.code, unchecked(done)) == (0, {"trust", "seen before"})
    assert "5 are about the claim" in found(done)["complete"]["detail"]


def test_the_log_grows_and_is_shown_to_continue(verify, measured, listening, service):
    claim = measured()
    assert verify(claim, "--url", listening).code == 0
    for _ in range(2):
        done = verify(measured(), "--url", listening)
        assert done.code == 0, done.out
        assert states(done)["seen before"] == states(done)["log now"] == "ok"
        assert "begins with that of" in found(done)["seen before"]["detail"]
    older = verify(claim, "--url", listening)
    assert "begins with that of" in found(older)["seen before"]["detail"]
    assert older.code == 0


def test_a_bundle_at_an_earlier_size(verify, measured, listening, service):
    claim = measured()
    at = service.client.get(f"/v1/claims/{claim}/bundle.zip").headers["Content-Location"]
    size = at.rpartition("=")[2]
    assert verify(claim, "--url", listening, "--tree-size", size).code == 0
    assert verify(f"{listening}/v1/claims/{claim}/bundle.zip?tree_size={size}").code == 0
    assert verify(claim, "--url", listening, "--tree-size", "1").code == 4


def test_a_claim_that_waits(verify, file_claim, listening, service):
    claim = file_claim()
    done = verify(claim, "--url", listening)
    assert done.code == 0, done.out
    assert states(done)["nonce"] == states(done)["verdict"] == "not checked"
    assert states(done)["receipt"] == "ok"


def test_figures_that_nobody_measured_fail(verify, file_claim, judge_claim, listening):
    claim = file_claim()
    judge_claim(claim, 0.5)
    done = verify(claim, "--url", listening)
    assert done.code == 7
    assert states(done)["verdict"] == "ok"
    assert states(done)["estimates"] == "failed"


def test_a_service_that_lost_its_key_is_not_followed(verify, measured, listening, service, monkeypatch):
    claim = measured()
    assert verify(claim, "--url", listening).code == 0
    other = signed_note.vkey("antedate/local", OTHER_KEY.public_key())
    done = verify(claim, "--url", listening, "--vkey", other)
    assert done.code == 7
    assert states(done)["log key"] == "failed"
    assert states(done)["seen before"] == "not checked"


def test_a_service_that_takes_another_name_for_its_log_is_not_followed(verify, measured, listening, tmp_path):
    claim = measured()
    assert verify(claim, "--url", listening).code == 0
    (known,) = (tmp_path / "state").glob("service-*.txt")
    (kept,) = (tmp_path / "state").glob("*.json")
    former = "antedate/former"
    remembered = {"origin": former, "vkey": signed_note.vkey(former, OTHER_KEY.public_key()), "pinned": ""}
    memory = Memory(tmp_path / "state")
    memory.file(former).write_text(json.dumps({**remembered, "checkpoint": None}))
    known.write_text(f"{former}\n")
    kept.unlink()
    done = verify(claim, "--url", listening)
    assert done.code == 7
    assert states(done)["log key"] == "failed"


def test_no_such_claim_and_no_such_service(verify, listening):
    assert verify("a" * 16, "--url", listening).code == 4
    assert verify("a" * 16, "--url", "http://127.0.0.1:1").code == 3
    assert verify(f"{listening}/claims/{'a' * 16}").code == 4


def test_a_key_is_sent_to_the_service_that_was_named_and_to_no_address_alone(
    verify, file_claim, listening, service, monkeypatch
):
    sent = []

    def connected(url, key):
        sent.append(key)
        return connect(url, key)

    monkeypatch.setattr("app.cli.fetching.connect", connected)
    claim = file_claim()
    verify(f"{listening}/claims/{claim}", ANTEDATE_KEY=service.ada)
    verify(claim, ANTEDATE_URL=listening, ANTEDATE_KEY=service.ada)
    verify(f"{listening}/claims/{claim}", ANTEDATE_URL=listening, ANTEDATE_KEY=service.ada)
    assert sent == [None, service.ada, service.ada]


def test_a_download_that_is_too_large(verify, measured, listening, monkeypatch):
    monkeypatch.setattr("app.cli.verify.MEBIBYTE", 64 * 1024)
    done = verify(measured(), "--url", listening, "--largest", "1")
    assert done.code == 2
    assert "larger than allowed (65536 bytes)" in done.err


@pytest.fixture
def remembered(verify, measured, listening, service, tmp_path):
    """`remembered(size, root)`: what the client remembers of the log is another head that the log's key signed."""

    def put(more, root):
        assert verify(measured(), "--url", listening).code == 0
        (file,) = (tmp_path / "state").glob("*.json")
        known = json.loads(file.read_text())
        head = checkpoint.parse(known["checkpoint"])
        signing = service.client.app.state.signing
        other = checkpoint.Checkpoint(head.origin, head.size + more, root or head.root)
        known["checkpoint"] = checkpoint.sign(other, signing.name, signing.key)
        file.write_text(json.dumps(known))
        return known["checkpoint"], file

    return put


@pytest.mark.parametrize("more", [0, -1])
def test_another_past_is_a_fork(verify, measured, listening, remembered, more):
    note, file = remembered(more, b"\x11" * 32)
    done = verify(measured(), "--url", listening)
    assert done.code == 7
    for name in ("seen before", "log now"):
        assert "FORK OF THE LOG" in found(done)[name]["detail"] or states(done)[name] == "ok"
    detail = found(done)["seen before"]["detail"]
    assert "FORK OF THE LOG" in detail
    assert ("proves nothing" in detail) == ("two trees of" not in detail), "two of one size convict by themselves"
    kept = {kept.read_text() for kept in file.parent.glob("fork-*.note")}
    assert note in kept
    assert len(kept) >= 2
    assert json.loads(file.read_text())["checkpoint"] == note


def test_a_log_that_has_shrunk(verify, measured, listening, remembered):
    note, _ = remembered(100, None)
    done = verify(measured(), "--url", listening)
    assert done.code == 7
    assert "does not show that its" in found(done)["seen before"]["detail"]
    assert str(checkpoint.parse(note).size) in found(done)["seen before"]["detail"]


def test_an_older_head_than_the_one_remembered_is_no_progress(verify, measured, listening, service, tmp_path):
    claim, later = measured(), measured()
    verify(later, "--url", listening)
    (file,) = (tmp_path / "state").glob("*.json")
    before = file.read_text()
    with service.ledger.begin() as session:
        newest = checkpoints.newest(session)
    assert json.loads(before)["checkpoint"] == newest.note
    assert verify(claim, "--url", listening).code == 0
    assert file.read_text() == before


@pytest.fixture
def case(measured, service) -> Case:
    """The claim of a bundle that the service gave, its key pinned."""
    body = service.client.get(f"/v1/claims/{measured()}/bundle.zip").content
    parts = archive.read(io.BytesIO(body))
    return Case(parts, Pin(parts.vkey, "given"))


def test_an_entry_that_a_bundle_leaves_out(case, listening):
    with Service(listening) as served:
        assert "5 are about the claim" in check_complete(case, served, whole=True)
        for kept in (case.parts.entries[:-1], case.parts.entries[:1]):
            short = replace(case, parts=replace(case.parts, entries=kept))
            with pytest.raises(DoesNotHoldError, match="entries that the bundle leaves out"):
                check_complete(short, served, whole=True)


def test_entries_that_are_not_those_that_were_signed(case, listening):
    head = replace(checkpoint.parse(case.parts.checkpoint), root=b"\x11" * 32)
    other = replace(case, parts=replace(case.parts, checkpoint=checkpoint.sign(head, head.origin, OTHER_KEY)))
    with Service(listening) as served, pytest.raises(DoesNotHoldError, match="are not those it signed"):
        check_complete(other, served, whole=True)


def test_the_bundle_of_another_claim_is_not_the_one_asked_for(case):
    assert verification.asked_for(case, str(case.registered.claim)).state == "ok"
    assert verification.asked_for(case, "a" * 16).state == "failed"


def test_what_is_remembered_never_goes_back(case, verify, measured, listening, tmp_path):
    assert verify(measured(), "--url", listening).code == 0
    memory, origin = Memory(tmp_path / "state"), "antedate/local"
    before = memory.of(origin)
    with Service(listening) as served:
        found = list(Following(memory, case.pin, served).lines(case.parts.checkpoint, None))
        assert [line.state for line in found] == ["ok", "ok"]
        following = Following(memory, case.pin, served)
        assert following.beside_the_one_before(following.head(case.parts.checkpoint))
    assert memory.of(origin) == before


def test_what_became_of_the_claim_after_its_bundle_is_told(verify, measured, file_claim, listening, service):
    claim = measured()
    assert "shows no entry about it after" in found(verify(claim, "--url", listening))["since then"]["detail"]
    newer = file_claim()
    with service.ledger.begin() as session:
        supersede(session, claim, newer, "ada", "A better design.")
    done = verify(claim, "--url", listening)
    line = found(done)["since then"]
    assert (done.code, line["state"]) == (0, "not checked")
    assert "superseded by entry" in line["detail"]
    assert verify(claim, "--url", listening, "--strict").code == 8
