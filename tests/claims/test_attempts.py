"""What one attempt came to, and that no attempt is ever lost from the count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.attempts import OUTCOMES, Attempts, came_to, family
from claims.lifecycle import CLAIM_STATUSES, VERDICTS

OUTCOME_LISTS = st.lists(st.sampled_from(VERDICTS), max_size=4)
FOUND = st.lists(
    st.builds(
        Attempts,
        outcome=st.sampled_from(OUTCOMES),
        primary=st.booleans(),
        again=st.booleans(),
        count=st.integers(1, 50),
        before=st.integers(0, 50),
    )
)


@pytest.mark.parametrize(
    ("status", "primaries", "secondaries", "overdue", "word"),
    [
        ("registered", [], [], False, "undecided"),
        ("registered", [], [], True, "overdue"),
        ("running", [], [], False, "undecided"),
        ("withdrawn", [], [], False, "withdrawn"),
        ("refuted", ["confirmed"], ["refuted"], False, "confirmed"),
        ("confirmed", [], ["refuted", "confirmed"], False, "refuted"),
        ("refuted", ["refuted", "void"], [], False, "refuted"),
        ("void", ["confirmed", "void"], [], False, "void"),
        ("inconclusive", ["confirmed", "inconclusive"], [], False, "inconclusive"),
        ("confirmed", ["confirmed", "confirmed"], ["void"], False, "confirmed"),
    ],
)
def test_what_an_attempt_came_to(status, primaries, secondaries, overdue, word):
    assert came_to(status, primaries, secondaries, overdue=overdue) == word


@given(st.sampled_from(CLAIM_STATUSES), OUTCOME_LISTS, OUTCOME_LISTS, st.booleans())
def test_every_attempt_came_to_one_word_whatever_the_order_of_its_hypotheses(status, primaries, secondaries, overdue):
    word = came_to(status, primaries, secondaries, overdue=overdue)
    if status not in {"registered", "running"} and not primaries and not secondaries:
        assert word == status
    assert word in OUTCOMES
    assert came_to(status, primaries[::-1], secondaries[::-1], overdue=overdue) == word


@given(FOUND)
def test_every_attempt_is_counted_once_and_no_reproduction_is(found):
    counted = family(found)
    own = [one for one in found if not one.again]
    assert tuple(counted.outcomes) == OUTCOMES
    assert sum(counted.outcomes.values()) == counted.of == sum(one.count for one in own)
    assert counted.of + counted.reproductions == sum(one.count for one in found)
    assert counted.secondary == sum(one.count for one in own if not one.primary)
    assert counted.number == sum(one.before for one in own)
