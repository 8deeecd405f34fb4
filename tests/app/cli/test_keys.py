"""Keys as an operator handles them, on a real database."""

import pytest

from app.ledger.registrants import authenticate


@pytest.fixture
def keys(run, service):
    return lambda *arguments: run("keys", *arguments, DATABASE_URL=service.settings.database_url)


def test_a_key_is_issued_listed_and_revoked(keys, service):
    issued = keys("issue", "grace", "--name", "Grace", "--scope", "file", "--scope", "run", "--json").json
    with service.ledger.begin() as session:
        caller = authenticate(session, issued["key"])
    assert caller is not None
    assert (caller.registrant, caller.scopes) == ("grace", {"file", "run"})
    prefix = issued["key"][:10]
    assert prefix in keys("list").out
    assert issued["key"] not in keys("list").out
    assert keys("revoke", prefix).code == 0
    with service.ledger.begin() as session:
        assert authenticate(session, issued["key"]) is None
    listed = next(key for key in keys("list", "--json").json["items"] if key["prefix"] == prefix)
    assert listed["revoked"] is not None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("issue", "Grace!", "--name", "Grace", "--scope", "file"), "no registrant id"),
        (("issue", "grace", "--name", "Grace", "--scope", "everything"), "everything"),
        (("revoke", "ant_nobody"), "no valid key"),
    ],
)
def test_what_cannot_be_is_said_in_one_message(keys, arguments, told):
    done = keys(*arguments)
    assert (done.code, told in done.err) == (2, True)


def test_without_a_database_it_says_how(run, tmp_path):
    done = run("keys", "list", DATABASE_URL="", ANTEDATE_DATA=str(tmp_path))
    assert done.code == 3
    assert "antedate up" in done.err


def test_a_database_that_cannot_be_used_is_no_fault_of_ours(run, postgres):
    with postgres.database("never_migrated") as urls:
        done = run("keys", "list", DATABASE_URL=urls.database_url)
    assert (done.code, "antedate migrate" in done.err) == (2, True)
    done = run("keys", "list", DATABASE_URL="postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    assert (done.code, "does not answer" in done.err) == (3, True)
    done = run("keys", "list", DATABASE_URL="nonsense")
    assert (done.code, "DATABASE_URL" in done.err) == (2, True)


def test_migrating_again_changes_nothing(run, api_urls):
    done = run("migrate", DATABASE_URL=api_urls.database_url, DATABASE_OWNER_URL=api_urls.database_owner_url)
    assert done.code == 0


def test_migrating_needs_the_owner(run, api_urls):
    done = run("migrate", DATABASE_URL=api_urls.database_url, DATABASE_OWNER_URL="")
    assert done.code == 2
    assert "DATABASE_OWNER_URL" in done.err
