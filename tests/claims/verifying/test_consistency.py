"""Two heads of one log: which of their contradictions convicts it, and which may be anybody's fault."""

import hashlib

import pytest

from claims.checkpoint import Checkpoint
from claims.entries import leaf_hash
from claims.merkle import root_of
from claims.verifying.consistency import ForkError, check_consistency

LEAVES = [leaf_hash(bytes([n])) for n in range(3)]


def head(size, root=None):
    return Checkpoint("antedate/tests", size, root or root_of(LEAVES[:size]))


def test_two_trees_of_one_size_convict_the_log():
    with pytest.raises(ForkError) as raised:
        check_consistency(head(2), head(2, b"\x11" * 32), None)
    assert raised.value.certain


def test_a_proof_that_does_not_hold_convicts_nobody_yet():
    """Heads of one honest log, and a service that answers with another proof than theirs."""
    proof = [LEAVES[2]]
    assert "begins with" in check_consistency(head(2), head(3), lambda *_: proof)
    with pytest.raises(ForkError) as raised:
        check_consistency(head(2), head(3), lambda *_: [hashlib.sha256().digest()])
    assert not raised.value.certain
