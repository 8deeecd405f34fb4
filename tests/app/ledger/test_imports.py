"""Imported records on the ledger: one entry each, replayed alike, beside every claim and never among them."""

import json
from pathlib import Path

import pytest

from app.ledger import imports
from app.ledger.errors import AlreadyImportedError
from app.ledger.filters import ClaimFilter
from app.ledger.inline import INLINE_BYTES
from app.ledger.log import history
from app.ledger.queries import counts, get_claim, list_claims
from claims.flaws import RefusedInputError
from claims.imports import ReadRecord, read_record
from claims.registration.yaml_form import read_yaml

EXAMPLES = Path(__file__).parents[3] / "examples" / "imports"


@pytest.fixture
def read():
    """`read(name="planted_key", **parts)`: a shipped record with these parts replaced."""

    def made(name="planted_key", **parts) -> ReadRecord:
        document = read_yaml((EXAMPLES / f"{name}.yaml").read_bytes())
        return read_record(json.dumps({**document, **parts}).encode())

    return made


def test_a_record_is_one_entry_on_somebodys_word(ledger, read):
    sent = read()
    with ledger.begin() as session:
        row = imports.put(session, sent, "ada")
        (entry,) = history(session, row.id)
        assert (entry.type, entry.claim, entry.actor) == ("imported", row.id, "ada")
        assert entry.payload == {"record": sent.document, "document_sha256": sent.sha256}
        assert (row.seq, row.imported, row.document) == (entry.seq, entry.time, sent.canonical)
        assert (row.outcome, row.commit, row.dirty) == ("refuted", "f93f4b5578c221d3d2665f9b305f3e86759be862", "dirty")


def test_no_count_list_or_filter_of_claims_holds_it(ledger, read, put_claim):
    with ledger.begin() as session:
        put_claim(session)
        before = counts(session)
        row = imports.put(session, read(), "ada")
        after = counts(session)
        assert (after.by_status, after.superseded, after.evidence) == (before.by_status, 0, 0)
        assert after.entries == before.entries + 1
        assert imports.count(session) == 1
        assert get_claim(session, row.id) is None
        for chosen in (ClaimFilter(), ClaimFilter(precedence=("attested",)), ClaimFilter(refuted_or_superseded=True)):
            assert row.id not in {claim.id for claim in list_claims(session, chosen).items}


def test_the_same_record_is_refused_with_the_first(ledger, read):
    with ledger.begin() as session:
        first = imports.put(session, read(), "ada").id
    with ledger.begin() as session, pytest.raises(AlreadyImportedError) as known:
        imports.put(session, read(), "bob")
    assert known.value.record == first


def test_a_record_too_large_for_its_entry_stands_beside_it(ledger, read):
    sent = read(limits=["x" * 2000] * 40)
    assert len(sent.canonical) > INLINE_BYTES
    with ledger.begin() as session:
        row = imports.put(session, sent, "ada")
        assert history(session, row.id)[0].payload["record"]["size"] == len(sent.canonical)
        assert (row.record, row.document) == (sent.document, sent.canonical)


def test_replacing_marks_the_older_and_is_told_from_both(ledger, read):
    with ledger.begin() as session:
        old = imports.put(session, read(), "ada").id
        new = imports.put(session, read(replaces={"record": old, "reason": "Mistyped."}), "ada").id
    with ledger.begin() as session:
        older, newer = (imports.find(session, name) for name in (old, new))
        assert (older.superseded_by, newer.superseded_by) == (new, None)
        assert [row and row.id for row in imports.beside(session, older)] == [None, new]
        assert [row and row.id for row in imports.beside(session, newer)] == [old, None]


@pytest.mark.parametrize(
    ("registrant", "replaced", "code"),
    [("bob", "old", "not_your_import"), ("ada", "gone", "import_superseded"), ("ada", "none", "unknown_import")],
)
def test_what_may_not_be_replaced(ledger, read, registrant, replaced, code):
    with ledger.begin() as session:
        gone = imports.put(session, read(title="Gone"), "ada").id
        old = imports.put(session, read(title="Old", replaces={"record": gone, "reason": "x"}), "ada").id
        before = counts(session).entries
    names = {"old": old, "gone": gone, "none": "a" * 16}
    sent = read(title="New", replaces={"record": names[replaced], "reason": "x"})
    with ledger.begin() as session:
        with pytest.raises(RefusedInputError) as refused:
            imports.put(session, sent, registrant)
        assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [("/replaces/record", code)]
        assert counts(session).entries == before


def test_replaying_the_log_gives_the_same_records(ledger, replayed, read):
    with ledger.begin() as session:
        old = imports.put(session, read(), "ada").id
        imports.put(session, read("mean_spearman"), "bob")
        imports.put(session, read(limits=["x" * 2000] * 40, replaces={"record": old, "reason": "x"}), "ada")
    before, after = replayed()
    assert len(before["imports"]) == 3
    assert after == before


def test_newest_first_in_parts(ledger, read):
    with ledger.begin() as session:
        made = [imports.put(session, read(title=f"Record {number}"), "ada").id for number in range(3)]
        page = imports.newest(session, cursor=None, limit=2)
        assert [row.id for row in page.items] == made[:0:-1]
        rest = imports.newest(session, cursor=page.next, limit=2)
        assert ([row.id for row in rest.items], rest.next) == ([made[0]], None)
