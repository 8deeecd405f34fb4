import itertools

from claims.lifecycle import CLAIM_STATUSES
from claims.precedence import PRECEDENCES
from claims.trust import trust_of


def test_the_whole_table():
    for precedence, status, calibrated in itertools.product(PRECEDENCES, CLAIM_STATUSES, (False, True)):
        first = precedence in {"proven", "committed", "recorded"}
        decided = status in {"confirmed", "refuted"}
        expected = {
            (False, False): "exploratory",
            (False, True): "calibrated",
            (True, False): "registered",
            (True, True): "adjudicated" if decided else "registered",
        }[first, calibrated]
        assert trust_of(precedence, status, calibrated=calibrated) == expected


def test_a_refutation_counts_as_much_as_a_confirmation():
    for precedence, calibrated in itertools.product(PRECEDENCES, (False, True)):
        refuted, confirmed = (trust_of(precedence, word, calibrated=calibrated) for word in ("refuted", "confirmed"))
        assert refuted == confirmed
