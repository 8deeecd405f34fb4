"""The stored tree against the tree over all leaves, and against proofs checked by an independent implementation."""

import pytest
from sqlalchemy import text

from app.ledger import proofs, tree
from app.ledger.append import append
from claims import merkle


def leaves(session):
    return [bytes(leaf) for leaf in session.execute(text("SELECT leaf_hash FROM entries ORDER BY seq")).scalars()]


@pytest.fixture
def grown(ledger):
    """A log of 37 entries, each appended in a transaction of its own."""
    for number in range(37):
        with ledger.begin() as session:
            append(session, "noted", None, "ada", {"note": "test", "number": number})
    return ledger


def test_every_head_that_the_log_ever_had_follows_from_stored_nodes(grown):
    with grown.begin() as session:
        found = leaves(session)
        assert tree.size(session) == len(found) == 37
        for size in range(1, 38):
            assert merkle.root(size, tree.reader(session)) == merkle.root_of(found[:size])


def test_every_entry_is_proven_in_every_tree_that_holds_it(grown):
    with grown.begin() as session:
        found = leaves(session)
        for size in (1, 2, 31, 32, 33, 37):
            root = merkle.root_of(found[:size])
            for index in range(size):
                path = proofs.inclusion(session, index, size)
                assert merkle.verify_inclusion(found[index], index, size, path, root)


def test_every_tree_is_proven_to_continue_every_earlier_one(grown, full):
    with grown.begin() as session:
        found = leaves(session)
        roots = {size: merkle.root_of(found[:size]) for size in range(1, 38)}
        for first in range(1, 38) if full else (1, 2, 3, 16, 31, 32, 36, 37):
            for second in range(first, 38):
                path = proofs.consistency(session, first, second)
                assert merkle.verify_consistency(first, second, roots[first], roots[second], path)


def test_nothing_is_proven_of_a_log_that_is_not_there(grown):
    with grown.begin() as session:
        with pytest.raises(ValueError, match="has 37 entries, not 38"):
            proofs.inclusion(session, 0, 38)
        with pytest.raises(ValueError, match="has 37 entries, not 38"):
            proofs.consistency(session, 3, 38)
        with pytest.raises(ValueError, match="37"):
            proofs.inclusion(session, 37, 37)


def test_a_proof_reads_a_number_of_nodes_that_grows_as_the_logarithm(grown):
    with grown.begin() as session:
        asked = []

        def counting(wanted):
            asked.append(len(wanted))
            return tree.read(session, wanted)

        merkle.inclusion(5, 37, counting)
        merkle.consistency(20, 37, counting)
        assert len(asked) == 2
        assert max(asked) <= 12


def test_a_missing_node_is_named(grown, postgres):
    with postgres.superuser("ledger_tests") as connection, connection.transaction():
        connection.execute("ALTER TABLE nodes DISABLE TRIGGER USER")
        connection.execute("DELETE FROM nodes WHERE level = 5")
        for which in ("rows", "all"):
            connection.execute(f"ALTER TABLE nodes ENABLE ALWAYS TRIGGER nodes_keep_{which}")
    with grown.begin() as session, pytest.raises(tree.DamagedTreeError, match="lacks its node 0 of level 5"):
        proofs.inclusion(session, 36, 37)


def test_nodes_cannot_be_changed(grown, postgres):
    with postgres.superuser("ledger_tests") as connection, pytest.raises(Exception, match="append-only"):
        connection.execute("UPDATE nodes SET hash = hash")


def test_an_entry_that_no_entry_bundle_could_hold_is_refused(ledger):
    with ledger.begin() as session, pytest.raises(ValueError, match="at most 65535 bytes"):
        append(session, "noted", None, "ada", {"note": "x" * 65_500})
