import re

import pytest
from sqlalchemy import text

from app.ledger.registrants import SCOPES, Caller, authenticate, issue_key, register, revoke_key


def issue(ledger, scopes=SCOPES):
    with ledger.begin() as session:
        register(session, "ada", "Ada Lovelace")
        return issue_key(session, "ada", scopes)


def who(ledger, token):
    with ledger.begin() as session:
        return authenticate(session, token)


def test_a_token_says_whose_it_is_and_what_it_may_do(ledger):
    token = issue(ledger, ["run", "file"])
    assert re.fullmatch(r"ant_[A-Za-z0-9_-]{43}", token)
    assert who(ledger, token) == Caller("ada", frozenset({"file", "run"}))


def test_only_the_hash_of_a_token_is_kept(ledger, postgres):
    token = issue(ledger)
    with postgres.superuser("ledger_tests") as connection:
        (row,) = connection.execute("SELECT k::text FROM api_keys k").fetchall()
    assert token not in row[0]
    assert token[:10] in row[0]


@pytest.mark.parametrize("change", [str.swapcase, lambda token: token[:-1], lambda token: token + "A", lambda _: ""])
def test_any_other_token_is_nobodys(ledger, change):
    assert who(ledger, change(issue(ledger))) is None


@pytest.mark.parametrize("token", ["ant_" + "A" * 43, "ant_" + "\0" * 43, "ant_" + "é" * 43, "\ud800"])
def test_a_token_that_was_never_issued_is_nobodys(ledger, token):
    assert who(ledger, token) is None


def test_a_revoked_key_opens_nothing_while_others_still_do(ledger):
    first, second = issue(ledger), issue(ledger)
    with ledger.begin() as session:
        assert revoke_key(session, first[:10]) == 1
        assert revoke_key(session, first[:10]) == 0
    assert who(ledger, first) is None
    assert who(ledger, second) == Caller("ada", frozenset(SCOPES))


def test_registering_again_leaves_the_registrant_as_is(ledger):
    issue(ledger)
    with ledger.begin() as session:
        register(session, "ada", "Somebody else")
        assert session.execute(text("SELECT name FROM registrants")).scalars().all() == ["Ada Lovelace"]


@pytest.mark.parametrize("registrant", ["", "Ada", "a_b", "x" * 65, "ada\n"])
def test_a_registrants_id_has_one_form(ledger, registrant):
    with pytest.raises(ValueError, match="is no registrant id"), ledger.begin() as session:
        register(session, registrant, "Ada")


@pytest.mark.parametrize("scopes", [[], ["file", "everything"]])
def test_a_key_has_scopes_that_there_are(ledger, scopes):
    with pytest.raises(ValueError, match="a key has scopes among"):
        issue(ledger, scopes)
