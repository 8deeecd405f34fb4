import pytest

from app.ledger.judging import record_evidence
from app.ledger.runs import hold


def test_a_ledger_that_is_what_its_log_says_passes(lived):
    found = lived.audit()
    assert found.findings == ()
    assert found.count == 0


@pytest.mark.parametrize(("lo", "hi"), [(0.6, 1.0), (0.0, 0.4), (-1.0, 1.0)])
def test_a_ledger_with_figures_that_are_whole_numbers_passes(lived, lives, evidence, lo, hi):
    """The log's canonical bytes write 1.0 as 1, the tables hold doubles: the same number."""
    with lived.ledger.begin() as session:
        claim = lives.put(session)
        lives.open(session, claim)
        record_evidence(session, hold(session, f"{claim}-1"), evidence(lo, hi), b"")
    assert lived.audit().findings == ()


def test_a_node_that_is_moved_to_before_the_first_is_found(lived):
    """Counted from the end it would be the node that it was."""
    last = "(SELECT level, max(index) FROM nodes WHERE level = 1 GROUP BY level)"
    with lived.tampering() as tampered:
        assert tampered(f"UPDATE nodes SET index = -1 WHERE (level, index) = {last}").count
