"""`antedate export`, `import` and `rebuild`, beside a database of their own."""

import stat

import pytest
from sqlalchemy import make_url, text

from app.ledger import filing
from app.ledger.database import Ledger
from app.ledger.migrate import upgrade
from app.ledger.registrants import issue_key, register
from app.ledger.signing import load_or_create
from claims.registration.reading import freeze_document


@pytest.fixture
def databases(postgres):
    """Two migrated databases with nothing in them."""
    with postgres.database("whole_one") as one, postgres.database("whole_two") as two:
        for urls in (one, two):
            upgrade(urls.database_owner_url)
        yield one, two


@pytest.fixture
def here(databases, example, tmp_path, monkeypatch):
    """A ledger with one claim, the commands' environment set to it, and where its data is."""
    data = tmp_path / "data"
    monkeypatch.setenv("ANTEDATE_DATA", str(data))
    monkeypatch.setenv("DATABASE_URL", databases[0].database_url)
    signing = load_or_create(data / "secrets" / "signing.key", "local")
    ledger = Ledger(databases[0].database_url)
    with ledger.begin() as session:
        register(session, "ada", "Ada")
        issue_key(session, "ada", ["file"])
        place = {"signing": signing, "public_url": "http://127.0.0.1", "model_root": None}
        filing.file(session, freeze_document(example), "ada", **place)
    ledger.dispose()
    return tmp_path


def claims(url):
    ledger = Ledger(url)
    with ledger.begin() as session:
        found = session.execute(text("SELECT count(*) FROM claims")).scalar_one()
    ledger.dispose()
    return found


def test_a_ledger_moves_from_one_database_to_another(run, here, databases):
    archive, secrets = here / "ledger.zip", here / "secrets.jsonl"
    done = run("export", str(archive), "--secrets", str(secrets), "--json")
    assert done.code == 0, done.err
    assert done.json["entries"] == 1
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    assert stat.S_IMODE(archive.stat().st_mode) == 0o644
    done = run("import", str(archive), "--secrets", str(secrets), "--json", DATABASE_URL=databases[1].database_url)
    assert done.code == 0, done.err
    assert (done.json["entries"], len(done.json["queued"]), done.json["lost"]) == (1, 1, [])
    assert claims(databases[1].database_url) == 1
    again = here / "again.zip"
    assert run("export", str(again), DATABASE_URL=databases[1].database_url).code == 0
    assert again.read_bytes() == archive.read_bytes()


def test_without_secrets_the_waiting_run_is_named(run, here, databases):
    archive = here / "ledger.zip"
    assert run("export", str(archive)).out.startswith(f"archive: {archive}\nentries: 1\nroot: ")
    done = run("import", str(archive), DATABASE_URL=databases[1].database_url)
    assert done.code == 0, done.err
    assert "-1 can never be measured: its nonce is not there" in done.err
    assert "queued: 0" in done.out


def test_a_rebuilt_ledger_is_told(run, here, databases):
    done = run("rebuild", "--into", databases[1].database_url, "--json")
    assert done.code == 0, done.err
    assert (done.json["entries"], len(done.json["queued"])) == (1, 1)
    done = run("rebuild", "--into", databases[1].database_url)
    assert done.code == 1
    assert "rows in entries" in done.err


def test_checkpoints_outside_that_cannot_be_read_are_told(run, here, databases):
    archive = here / "ledger.zip"
    assert run("export", str(archive)).code == 0
    (here / "data" / "checkpoints.jsonl").write_text("no copy\n")
    for command in (("rebuild", "--into", databases[1].database_url), ("import", str(archive)), ("audit",)):
        done = run(*command)
        assert (done.code, "cannot be read as a file of checkpoints" in done.err) == (2, True), done.err


def test_rebuilding_needs_a_database_that_answers_and_is_migrated(run, here, databases, postgres):
    elsewhere = make_url(databases[1].database_url).set(database="nowhere").render_as_string(hide_password=False)
    for url, why in ((elsewhere, "that answers"), ("nonsense", "that answers")):
        done = run("rebuild", "--into", url)
        assert (done.code, why in done.err) == (2, True), done.err
    with postgres.database("whole_bare") as bare:
        done = run("rebuild", "--into", bare.database_url)
        assert done.code == 2
        assert "antedate migrate" in done.err


def test_nothing_is_overwritten_and_nothing_half_done_is_left(run, here, postgres):
    archive = here / "ledger.zip"
    archive.write_text("mine")
    done = run("export", str(archive), "--secrets", str(here / "s"))
    assert done.code == 2
    assert archive.read_text() == "mine"
    with postgres.superuser("whole_one") as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("ALTER TABLE entries DISABLE TRIGGER USER")
        connection.execute("ALTER TABLE entries DROP CONSTRAINT ck_entries_leaf_hash")
        connection.execute("UPDATE entries SET canonical = canonical || '\\x0a'::bytea")
    done = run("export", str(here / "other.zip"), "--secrets", str(here / "s"))
    assert (done.code, "damaged" in done.err) == (9, True)
    assert sorted(path.name for path in here.iterdir()) == ["data", "ledger.zip"]


def test_a_damaged_ledger_is_not_rebuilt(run, here, databases, postgres):
    with postgres.superuser("whole_one") as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("UPDATE nonces SET nonce = sha256('x')")
    done = run("rebuild", "--into", databases[1].database_url)
    assert done.code == 9
    assert "nonce of run" in done.err
    assert claims(databases[1].database_url) == 0


def test_what_is_no_archive_is_refused_in_words(run, here, databases):
    (here / "x").write_text("no archive")
    done = run("import", str(here / "x"), DATABASE_URL=databases[1].database_url)
    assert (done.code, "no ZIP archive" in done.err) == (1, True)
    done = run("import", str(here / "y"), DATABASE_URL=databases[1].database_url)
    assert (done.code, "cannot be read" in done.err) == (2, True)


def test_the_log_goes_on_under_its_own_key(run, here, databases):
    archive = here / "ledger.zip"
    assert run("export", str(archive)).code == 0
    other = {"DATABASE_URL": databases[1].database_url, "ANTEDATE_SIGNING_KEY_FILE": str(here / "other.key")}
    load_or_create(here / "other.key", "local")
    done = run("import", str(archive), **other)
    assert done.code == 2
    assert "bring that log's key" in done.err


def test_an_export_needs_the_key(run, here):
    done = run("export", str(here / "z"), ANTEDATE_SIGNING_KEY_FILE=str(here / "none.key"))
    assert done.code == 2
    assert "ANTEDATE_SIGNING_KEY_FILE" in done.err
    assert not (here / "none.key").exists()
