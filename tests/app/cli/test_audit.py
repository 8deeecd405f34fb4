"""`antedate audit` beside a database of its own."""

import base64
import json
from pathlib import Path

import pytest

from app.ledger import checkpoints, filing
from app.ledger.audit.remedies import PROJECTED, REMEDIES
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.registrants import register
from app.ledger.signing import load_or_create
from claims import checkpoint
from claims.checkpoint import Checkpoint
from claims.registration.reading import freeze_document

DOCS = Path(__file__).parents[3] / "docs" / "audit.md"


@pytest.fixture
def here(postgres, example, tmp_path, monkeypatch):
    """A ledger with one claim and a head, and the commands' environment set to it; where its data is."""
    with postgres.database("audited_here") as urls:
        upgrade(urls.database_owner_url)
        monkeypatch.setenv("ANTEDATE_DATA", str(tmp_path))
        monkeypatch.setenv("DATABASE_URL", urls.database_url)
        signing = load_or_create(tmp_path / "secrets" / "signing.key", "local")
        ledger = Ledger(urls.database_url)
        with ledger.begin() as session:
            register(session, "ada", "Ada")
            place = {"signing": signing, "public_url": "http://127.0.0.1", "model_root": None}
            filing.file(session, freeze_document(example), "ada", **place)
        checkpoints.publish(ledger, signing, tmp_path / "checkpoints.jsonl")
        ledger.dispose()
        yield tmp_path


def test_a_sound_ledger_passes(run, here):
    done = run("audit")
    assert done.code == 0, done.err
    assert "entries: 1\n" in done.out
    assert "remembered: 1 checkpoints kept outside the database\nfindings: 0\n" in done.out
    assert run("audit", "--json").json["findings"] == []


def test_what_was_tampered_with_is_told_with_what_to_do(run, here, postgres):
    with postgres.superuser("audited_here") as connection:
        connection.execute("UPDATE claims SET title = 'Another'")
        connection.execute("UPDATE nonces SET nonce = sha256('x')")
    done = run("audit")
    assert done.code == 9
    assert "title: it is Another, and the log says " in done.out
    assert done.out.count(PROJECTED) == 1
    assert "antedate: the audit has 2 findings" in done.err
    done = run("audit", "--json")
    assert (done.code, done.json["count"]) == (9, 2)
    assert {one["remedy"] for one in done.json["findings"]} == {PROJECTED, REMEDIES["nonce of run "]}


def test_a_note_that_somebody_kept_is_compared(run, here):
    (line,) = (here / "checkpoints.jsonl").read_text().splitlines()
    (here / "note").write_text(json.loads(line)["note"])
    done = run("audit", "--remember", str(here / "note"), "--remember", str(here / "checkpoints.jsonl"), "--json")
    assert (done.code, done.json["remembered"]) == (0, 3), done.out
    signing = load_or_create(here / "secrets" / "signing.key", "local")
    for size, root in ((1, b"0" * 32), (2, base64.b64decode(json.loads(line)["root"]))):
        forged = checkpoint.sign(Checkpoint(signing.name, size, root), signing.name, signing.key)
        (here / "note").write_text(forged)
        done = run("audit", "--remember", str(here / "note"), "--json")
        assert done.code == 9
        assert {one["where"] for one in done.json["findings"]} == {f"remembered checkpoint {size}"}


def test_another_key_than_the_one_that_signed(run, here):
    other = load_or_create(here / "other.key", "local")
    done = run("audit", "--key", other.vkey, "--json")
    assert done.code == 9
    kinds = {one["where"].split()[0] for one in done.json["findings"]}
    assert kinds == {"checkpoint", "remembered", "receipt"}


def test_what_cannot_be_used_is_refused(run, here):
    (here / "words").write_text("no checkpoint")
    for given, why in (
        (("--remember", str(here / "none")), "there is no file"),
        (("--remember", str(here / "words")), "holds no checkpoint"),
        (("--key", "words"), "no verifier key"),
    ):
        done = run("audit", *given)
        assert (done.code, why in done.err) == (2, True), done.err
    done = run("audit", ANTEDATE_SIGNING_KEY_FILE=str(here / "none.key"))
    assert (done.code, "--key" in done.err) == (2, True)


@pytest.mark.parametrize("words", [*REMEDIES.values(), PROJECTED])
def test_every_remedy_is_documented(words):
    assert f"| {words} |" in DOCS.read_text()
