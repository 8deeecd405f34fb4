import threading

import pytest
from sqlalchemy import text

from app.ledger.errors import IdempotencyKeyReusedError
from app.ledger.idempotency import Answer, recall, remember
from app.ledger.registrants import register

ANSWER = Answer(201, {"zebra": 1, "claim": "abc", "nested": {"b": 1e-5, "a": [1.0]}})


@pytest.fixture(autouse=True)
def registrants(ledger):
    with ledger.begin() as session:
        register(session, "ada", "Ada")
        register(session, "bob", "Bob")


def once(ledger, registrant="ada", key="k1", request=b"body", answer=ANSWER):
    with ledger.begin() as session:
        first = recall(session, registrant, key, request)
        if first is None:
            remember(session, registrant, key, request, answer)
        return first


def test_the_same_request_gets_the_first_answer_in_the_same_order(ledger):
    assert once(ledger) is None
    again = once(ledger)
    assert again == ANSWER
    assert str(again) == str(ANSWER)


def test_another_request_under_the_same_key_is_refused(ledger):
    once(ledger)
    with pytest.raises(IdempotencyKeyReusedError):
        once(ledger, request=b"other")


def test_keys_are_each_registrants_own(ledger):
    once(ledger)
    assert once(ledger, registrant="bob", request=b"other") is None


def test_a_request_that_fails_is_not_remembered(ledger):
    with ledger.begin() as session:
        recall(session, "ada", "k1", b"body")
        remember(session, "ada", "k1", b"body", ANSWER)
        session.rollback()
    assert once(ledger) is None


def test_of_the_same_requests_at_the_same_time_one_acts(ledger, eventually):
    answers = []
    second = threading.Thread(target=lambda: answers.append(once(ledger)))

    def the_second_waits():
        with ledger.begin() as session:
            return session.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one() == 1

    with ledger.begin() as session:
        assert recall(session, "ada", "k1", b"body") is None
        second.start()
        eventually(the_second_waits)
        remember(session, "ada", "k1", b"body", ANSWER)
    second.join()
    assert answers == [ANSWER]
