"""`antedate verify`: what it prints of a bundle, what it remembers, and how it ends."""

import io
import json
from datetime import UTC, datetime

import pytest

from claims import anchored_round, checkpoint, signed_note
from claims.anchored_round import Anchor, AnchoredRound
from claims.bundle import archive
from tests.claims.verifying.story import ORIGIN, OTHER_KEY, Story, honest_story
from tests.outside.chain import OwnChain
from tests.outside.witness import OwnWitness


@pytest.fixture(scope="session")
def honest() -> Story:
    return honest_story()


@pytest.fixture
def bundle(tmp_path):
    """`bundle(story, name="bundle.zip")`: the story's bundle in a file, by its name for the command."""

    def written(story, name="bundle.zip", **others):
        file = io.BytesIO()
        archive.write(story.parts(**others), file)
        path = tmp_path / name
        path.write_bytes(file.getvalue())
        return str(path)

    return written


@pytest.fixture
def verify(run, tmp_path):
    """`verify(...)`: the command with a state directory of this test's own."""
    return lambda *arguments, **environment: run(
        "verify", *arguments, **{"ANTEDATE_STATE": str(tmp_path / "state"), **environment}
    )


def states(done):
    return {line["name"]: line["state"] for line in done.json["lines"]}


def test_an_honest_bundle_by_a_given_key(verify, bundle, honest):
    done = verify(bundle(honest), "--vkey", honest.vkey)
    assert done.code == 0, done.out
    assert "rebuilt byte for byte, sha256:" in done.out
    assert "the rule gives" in done.out
    assert " 0 FAILED" in done.out
    assert done.err == ""


def test_every_line_as_json(verify, bundle, honest):
    done = verify(bundle(honest), "--vkey", honest.vkey, "--json")
    found = states(done)
    left = {"trust", "complete", "since then", "seen before", "log now"}
    assert {name for name, state in found.items() if state != "ok"} == left
    assert (done.json["failed"], done.json["not_checked"]) == (0, 5)


def test_strict_wants_everything_checked(verify, bundle, honest):
    assert verify(bundle(honest), "--vkey", honest.vkey, "--strict").code == 8


def test_a_bundles_own_key_is_not_believed(verify, bundle, honest):
    done = verify(bundle(honest), "--json")
    assert done.code == 0
    found = states(done)
    assert {found[name] for name in ("log key", "checkpoint", "receipt", "seen before")} == {"not checked"}


def test_a_given_key_is_remembered(verify, bundle, honest):
    verify(bundle(honest), "--vkey", honest.vkey)
    done = verify(bundle(honest), "--json")
    found = states(done)
    assert {found[name] for name in ("log key", "checkpoint", "receipt", "seen before")} == {"ok"}
    detail = {line["name"]: line["detail"] for line in done.json["lines"]}
    assert "this client remembers" in detail["log key"]
    assert "the same tree of 9 entries, seen before" in detail["seen before"]


def test_a_replaced_key_fails_a_client_that_remembers(verify, bundle, honest, tmp_path):
    verify(bundle(honest), "--vkey", honest.vkey)
    other = honest_story()
    other.key = OTHER_KEY
    done = verify(bundle(other), "--json")
    assert done.code == 7
    assert {name for name, state in states(done).items() if state == "failed"} == {"log key", "checkpoint", "receipt"}
    (file,) = (tmp_path / "state").glob("*.json")
    assert f"remove {file}." in {line["name"]: line["detail"] for line in done.json["lines"]}["log key"]


def test_a_forged_figure_is_named(verify, bundle):
    story = honest_story()
    story.evidence["estimates"]["recovery_gap_constructed"]["value"] += 1e-6
    story.judge()
    done = verify(bundle(story), "--vkey", story.vkey)
    assert done.code == 7
    assert "recovery_gap_constructed value" in done.out
    assert "1 FAILED" in done.out


def test_a_changed_byte(verify, bundle, honest, tmp_path):
    path = tmp_path / "bundle.zip"
    bundle(honest)
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(bytes(body))
    done = verify(str(path), "--vkey", honest.vkey)
    assert done.code == 7
    assert "FAILED" in done.out
    assert not (tmp_path / "state").exists()


def test_a_fork_is_told_loudly_and_both_heads_are_kept(verify, bundle, honest, tmp_path):
    verify(bundle(honest), "--vkey", honest.vkey)
    forked = honest_story()
    forked.changes["noted"] = {"note": "another past"}
    done = verify(bundle(forked, "forked.zip"), "--json")
    assert done.code == 7
    detail = {line["name"]: line["detail"] for line in done.json["lines"]}["seen before"]
    assert "FORK OF THE LOG" in detail
    kept = sorted((tmp_path / "state").glob("fork-*.note"))
    assert len(kept) == 2
    notes = {note.read_text() for note in kept}
    assert notes == {honest.parts().checkpoint, forked.parts().checkpoint}
    assert all(str(note) in detail for note in kept)
    remembered = verify(bundle(honest), "--json")
    assert states(remembered)["seen before"] == "ok"


def test_without_a_service_nobody_proves_growth(verify, bundle, honest):
    verify(bundle(honest), "--vkey", honest.vkey)
    later = honest_story()
    later.after = 5
    done = verify(bundle(later, "later.zip"), "--json")
    assert done.code == 0
    assert states(done)["seen before"] == "not checked"
    assert states(verify(bundle(honest), "--json"))["seen before"] == "ok"


def test_a_checkpoint_that_was_kept_elsewhere(verify, bundle, honest, tmp_path):
    kept = tmp_path / "kept.note"
    kept.write_text(honest.parts().checkpoint)
    done = verify(bundle(honest), "--vkey", honest.vkey, "--since", str(kept), "--json")
    assert states(done)["since"] == "ok"
    head = checkpoint.parse(honest.parts().checkpoint)
    kept.write_text(checkpoint.sign(head, ORIGIN, OTHER_KEY))
    done = verify(bundle(honest), "--since", str(kept), "--json")
    assert (done.code, states(done)["since"]) == (7, "failed")


@pytest.mark.parametrize("vkey", ["", "antedate/tests", "antedate/tests+00000000+AAAA", "x" * 500])
def test_a_key_that_is_none(verify, bundle, honest, vkey):
    done = verify(bundle(honest), "--vkey", vkey)
    assert done.code == 2
    assert "--vkey is no key of a log" in done.err


@pytest.mark.parametrize("target", ["absent.zip", "http://127.0.0.1:1/x", "", "/"])
def test_what_names_no_bundle(verify, target):
    assert verify(target).code == 2


def test_a_file_that_is_too_large(verify, tmp_path):
    path = tmp_path / "large.zip"
    with path.open("wb") as file:
        file.truncate(2 * 1024 * 1024)
    done = verify(str(path), "--largest", "1")
    assert done.code == 2
    assert "more than --largest allows (1 MiB)" in done.err


def test_a_state_that_is_damaged_is_not_passed_over(verify, bundle, honest, tmp_path):
    verify(bundle(honest), "--vkey", honest.vkey)
    (file,) = (tmp_path / "state").glob("*.json")
    file.write_text("{")
    done = verify(bundle(honest))
    assert done.code == 2
    assert "is damaged" in done.err
    remembered = {
        "origin": ORIGIN,
        "vkey": signed_note.vkey(ORIGIN, OTHER_KEY.public_key()),
        "pinned": "",
        "checkpoint": "x",
    }
    file.write_text(json.dumps(remembered))
    assert verify(bundle(honest), "--vkey", honest.vkey).code == 0


@pytest.mark.parametrize(
    "given",
    [("--witness", "antedate/tests+00000000+AAAA"), ("--timestamp-roots", b"no certificates"), ("--anchored", None)],
)
def test_whom_to_believe_has_to_be_somebody(verify, bundle, honest, tmp_path, given):
    option, content = given
    file = tmp_path / "given"
    if isinstance(content, bytes):
        file.write_bytes(content)
    done = verify(bundle(honest), option, content if isinstance(content, str) else str(file))
    assert done.code == 2, done.out
    assert "--witness takes a key" in done.err or "cannot read" in done.err


def test_a_witness_that_is_believed(verify, bundle, tmp_path):
    """Offline, of a bundle as of the very checkpoint that was anchored: nothing has to be proven to continue it."""
    story = honest_story()
    time = datetime(2026, 11, 30, 12, 0, 1, tzinfo=UTC)
    chain = OwnChain(period=2, genesis=int(time.timestamp()) - 10)
    number = anchored_round.awaited(chain.chain, time)
    size = len(story.log())
    story.beacon = AnchoredRound(chain.chain, chain.round(number), Anchor(size, "witness", "witness.example", time))
    story.measure_again()
    story.estimate()
    story.judge()
    witness, note = OwnWitness(story.vkey), story.parts().checkpoint
    file = tmp_path / "anchored.note"
    file.write_text(f"{note}{witness.cosign(note, time)}\n")
    believed = ("--witness", witness.vkey, "--anchored", str(file), "--beacon-chain", chain.chain.hash)
    done = verify(bundle(story), "--vkey", story.vkey, *believed, "--json")
    assert done.code == 0, done.out
    assert states(done)["anchor"] == states(done)["beacon"] == "ok"
    assert states(verify(bundle(story), "--json"))["anchor"] == "not checked"
