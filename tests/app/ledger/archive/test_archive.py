"""A whole ledger in one file: the same bytes for the same ledger, and from them the same ledger again."""

import hashlib
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import text

from app.ledger import checkpoints
from app.ledger.archive import ArchiveError, export, import_ledger, write_secrets
from app.ledger.archive.members import About
from app.ledger.archive.reading import Archive
from app.ledger.audit import audit
from app.ledger.audit.tables import PROJECTED
from app.ledger.blobs import BlobError
from app.ledger.bundles import Bundles
from app.ledger.rebuilding import COPIED, DamagedError, UsedDatabaseError, one_moment
from app.ledger.registrants import register
from app.ledger.replaying import ReplayError
from claims.entries import leaf_hash
from claims.merkle import root_of

SAME = [table.__tablename__ for table in (*COPIED, *PROJECTED)]


def silent(*_):
    pass


def exported(ledger, vkey):
    """The bytes of the archive, and of the secrets."""
    archive, secrets = io.BytesIO(), io.BytesIO()
    with one_moment(ledger) as session:
        write_secrets(session, export(session, vkey, archive, silent), secrets)
    return archive.getvalue(), secrets.getvalue()


def imported(target, archive, secrets=None, remembered=()):
    opened = Archive(io.BytesIO(archive), silent)
    apart = None if secrets is None else io.BytesIO(secrets)
    return import_ledger(target.ledger, opened, apart, remembered, silent)


def tables(postgres, database):
    with postgres.superuser(database) as connection:
        connection.execute("UPDATE runs SET joins = 0")
        return {name: sorted(map(str, connection.execute(f"SELECT t FROM {name} t"))) for name in SAME}


@pytest.fixture
def archive(life):
    return exported(life.ledger, life.signing.vkey)


def test_what_comes_back_is_the_same_ledger(life, archive, empty, postgres):
    target = empty()
    done = imported(target, *archive, checkpoints.read_copies(life.file))
    assert done.audited.findings == ()
    assert done.vkey == life.signing.vkey
    assert tables(postgres, target.name) == tables(postgres, "ledger_tests")
    assert exported(target.ledger, life.signing.vkey) == archive
    with target.ledger.begin() as session:
        assert audit(session, life.signing.vkey, checkpoints.read_copies(life.file)).findings == ()


def test_bundles_are_the_same(life, archive, empty):
    target = empty()
    imported(target, *archive)
    for name in ("refuted", "old", "wrong"):
        claim, made = life.claims[name], []
        for ledger in (life.ledger, target.ledger):
            bundles = Bundles(ledger, life.signing, life.file)
            made.append(bundles.described(claim, bundles.tree(claim)))
        assert made[0] == made[1]


def test_the_imported_ledger_goes_on(life, archive, empty):
    target = empty()
    imported(target, *archive)
    life.ledger = target.ledger
    life.judge(life.claims["running"], 0.6)
    life.judge(life.claims["waiting"], 0.4)
    life.put("another")
    life.sign()
    with target.ledger.begin() as session:
        assert audit(session, life.signing.vkey, checkpoints.read_copies(life.file)).findings == ()


def test_without_its_secrets_what_waits_is_lost_and_told(life, archive, empty):
    target = empty()
    done = imported(target, archive[0])
    waiting = {f"{life.claims[name]}-1" for name in ("standing on it", "newer", "theirs", "waiting", "awaited")}
    assert {run for run, _ in done.waiting.lost} == waiting
    assert done.waiting.queued == (f"{life.claims['running']}-1",)
    assert {finding.where for finding in done.audited.findings} == {f"nonce of run {run}" for run in waiting}


def test_nothing_secret_is_in_the_archive(life, archive):
    with life.ledger.begin() as session:
        secret = session.execute(text("SELECT encode(nonce, 'hex') FROM nonces WHERE run = :run"),
                                 {"run": f"{life.claims['waiting']}-1"}).scalar_one()  # fmt: skip
        hashes = session.execute(text("SELECT sha256 FROM api_keys")).scalars().all()
    for word in (secret, *hashes):
        assert word.encode() not in archive[0]
        assert word.encode() in archive[1]


def test_a_registrant_who_is_known_there_stays(life, archive, empty):
    target = empty()
    with target.ledger.begin() as session:
        register(session, "ada", "Ada of this place")
    imported(target, *archive)
    with target.ledger.begin() as session:
        names = session.execute(text("SELECT name FROM registrants ORDER BY name")).scalars().all()
        assert names == ["Ada of this place", "Bob"]


def test_it_writes_only_to_an_empty_ledger(archive, empty):
    target = empty()
    imported(target, *archive)
    with pytest.raises(UsedDatabaseError, match="rows in entries"):
        imported(target, *archive)


def test_the_archive_is_strict_zip_with_sums_that_anybody_can_check(archive):
    with zipfile.ZipFile(io.BytesIO(archive[0])) as opened:
        assert opened.testzip() is None
        for line in opened.read("SHA256SUMS").decode().splitlines():
            digest, _, name = line.partition("  ")
            assert hashlib.sha256(opened.read(name)).hexdigest() == digest
        for info in opened.infolist():
            assert (info.date_time, info.compress_type, info.external_attr >> 16) == (
                (1980, 1, 1, 0, 0, 0),
                0,
                0o100644,
            )
        entries = opened.read("entries.jsonl").splitlines()
        assert [json.loads(line)["seq"] for line in entries] == list(range(len(entries)))


def repacked(archive, change, *, sums=True):
    """The archive with its members changed by `change(dict of name to bytes)`, and sums that agree."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        members = {name: opened.read(name) for name in opened.namelist()}
    change(members)
    if sums:
        stated = ((hashlib.sha256(data).hexdigest(), name) for name, data in members.items() if name != "SHA256SUMS")
        members["SHA256SUMS"] = "".join(f"{digest}  {name}\n" for digest, name in stated).encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        for name, data in members.items():
            opened.writestr(name, data)
    return written.getvalue()


def edit(name, old, new, count=1):
    def change(members):
        assert old in members[name]
        members[name] = members[name].replace(old, new, count)

    return change


def drop(name):
    return lambda members: members.pop(name)


def swap_lines(members):
    lines = members["entries.jsonl"].splitlines(keepends=True)
    lines[5], lines[6] = lines[6], lines[5]
    members["entries.jsonl"] = b"".join(lines)


def cut_tail(members):
    lines = members["entries.jsonl"].splitlines(keepends=True)
    members["entries.jsonl"] = b"".join(lines[:-1])


def cut_tail_well(members):
    cut_tail(members)
    about = json.loads(members["archive.json"])
    members["archive.json"] = json.dumps({**about, "size": about["size"] - 1}, separators=(",", ":")).encode() + b"\n"


def forge_well(members):
    """Other words in an entry, and the tree's root as it then is; only who signed the log before can tell."""
    edit("entries.jsonl", b'"Better."', b'"Bitter."')(members)
    root = root_of(leaf_hash(line) for line in members["entries.jsonl"].splitlines())
    about = json.loads(members["archive.json"])
    members["archive.json"] = json.dumps({**about, "root": root.hex()}, separators=(",", ":")).encode() + b"\n"


def damage_blob(members):
    name = next(name for name in members if name.startswith("blobs/") and members[name])
    members[name] = b"x" + members[name][1:]


DEEP = 20_000 * b"[" + 20_000 * b"]"
CHANGES = {
    "an entry's word": (edit("entries.jsonl", b'"Better."', b'"Bitter."'), ArchiveError),
    "an entry's word, and the root": (forge_well, DamagedError),
    "a verdict": (edit("entries.jsonl", b'"status":"refuted"', b'"status":"confirmed"'), ArchiveError),
    "a nonce": (edit("entries.jsonl", b'"nonce":"', b'"nonce":"0'), ReplayError),
    "entries swapped": (swap_lines, ArchiveError),
    "the tail cut": (cut_tail, ArchiveError),
    "the tail cut, and said so": (cut_tail_well, ArchiveError),
    "a checkpoint's root": (edit("checkpoints.jsonl", b'"root":"', b'"root":"AAAA'), ArchiveError),
    "a receipt": (edit("receipts.jsonl", b'"registrant":"ada"', b'"registrant":"eve"'), DamagedError),
    "a blob": (damage_blob, ArchiveError),
    "a blob left out": (lambda members: members.pop(next(n for n in members if n.startswith("blobs/"))), ArchiveError),
    "a member left out": (drop("anchors.jsonl"), ArchiveError),
    "a member more": (lambda members: members.update({"blobs/x": b""}), ArchiveError),
    "a media type": (edit("blobs.jsonl", b"application/jsonl", b"text/html"), DamagedError),
    "the key": (edit("log.vkey", b"antedate/tests+", b"antedate/other+"), DamagedError),
    "the log's name": (edit("archive.json", b"antedate.archive/1", b"antedate.archive/2"), ArchiveError),
    "an entry too deep to be read": (edit("entries.jsonl", b'"Better."', DEEP), ArchiveError),
    "a receipt too deep to be read": (edit("receipts.jsonl", b'"ada"', DEEP), ArchiveError),
    "words that are none": (edit("anchors.jsonl", b'"witness"', b'"wish"'), ArchiveError),
}


def test_of_an_archive_that_was_changed_nothing_is_kept(archive, empty):
    target = empty()
    for what, (change, refused) in CHANGES.items():
        # Secrets say which root they are of; who forges that may leave them out.
        secrets = None if change is forge_well else archive[1]
        with pytest.raises(refused) as told:
            imported(target, repacked(archive[0], change), secrets)
        assert told.type is refused, what
        with target.ledger.begin() as session:
            for table in ("entries", "blobs", "claims", "nonces", "registrants"):
                assert session.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() == 0, what


def test_a_change_that_the_sums_do_not_know_is_named(archive):
    changed = repacked(archive[0], edit("entries.jsonl", b'"Better."', b'"Bitter."'), sums=False)
    with pytest.raises(ArchiveError, match=r"entries\.jsonl is not what SHA256SUMS says"):
        Archive(io.BytesIO(changed), silent)


def test_secrets_of_another_archive_are_refused(archive, empty):
    other = archive[1].replace(b'"log":"antedate/tests"', b'"log":"antedate/other"', 1)
    with pytest.raises(ArchiveError, match="not of this archive"):
        imported(empty(), archive[0], other)


def test_another_nonce_than_was_committed_to_is_refused(life, archive, empty):
    run = f'"{life.claims["waiting"]}-1","nonce":"'.encode()
    at = archive[1].index(run) + len(run)
    other = archive[1][:at] + b"00000000" + archive[1][at + 8 :]
    with pytest.raises(DamagedError) as damaged:
        imported(empty(), archive[0], other)
    assert {finding.where for finding in damaged.value.audited.findings} == {f"nonce of run {life.claims['waiting']}-1"}


def test_a_history_other_than_the_one_kept_here_is_refused(life, archive, empty):
    (last,) = list(checkpoints.read_copies(life.file))[-1:]
    other = checkpoints.Issued(last.size, b"0" * 32, last.note, last.time)
    with pytest.raises(DamagedError):
        imported(empty(), *archive, [other])


def test_a_damaged_ledger_is_not_exported(life, postgres):
    with postgres.superuser("ledger_tests") as connection:
        connection.execute("UPDATE blob_chunks SET data = 'x' WHERE index = 0")
    with pytest.raises(BlobError):
        exported(life.ledger, life.signing.vkey)


@given(st.binary(max_size=300))
def test_what_is_no_archive_is_refused_in_words(data):
    with pytest.raises(ArchiveError):
        Archive(io.BytesIO(data), silent)


@given(st.dictionaries(st.sampled_from(["schema", "log", "size", "root", "more"]), st.integers() | st.text()))
def test_what_does_not_say_which_ledger_it_is_is_refused(wire):
    with pytest.raises(ArchiveError):
        About.from_object({**wire, "more": 1}, "antedate.archive/1")
