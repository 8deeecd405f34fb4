"""The script's own inclusion proof against `claims.merkle`."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from claims import merkle
from claims.bundle.reproduce.proofs import is_included, leaf_of
from claims.entries import leaf_hash

leaves = st.lists(st.binary(max_size=4), min_size=1, max_size=40).map(lambda found: [leaf_of(each) for each in found])


def read_from(tree: list[bytes]):
    def read(wanted):
        return {(level, index): merkle.root_of(tree[index << level : index + 1 << level]) for level, index in wanted}

    return read


@given(leaves, st.data())
def test_it_accepts_what_the_tree_proves_and_nothing_else(tree, data):
    index = data.draw(st.integers(0, len(tree) - 1))
    size, root = len(tree), merkle.root_of(tree)
    proof = merkle.inclusion(index, size, read_from(tree))
    assert is_included(tree[index], index, size, proof, root)
    asked = (data.draw(st.integers(-1, size + 1)), data.draw(st.integers(0, size + 2)))
    cut = proof[: data.draw(st.integers(0, len(proof)))] + data.draw(st.lists(st.binary(min_size=32, max_size=32)))
    other = hashlib.sha256(b"other").digest()
    for given_ in ((tree[index], *asked, proof, root), (tree[index], index, size, cut, root)):
        assert is_included(*given_) == merkle.verify_inclusion(*given_)
    assert not is_included(other, index, size, proof, root)
    assert not is_included(tree[index], index, size, proof, other)


def test_the_leaf_is_that_of_the_log():
    assert leaf_of(b"{}") == leaf_hash(b"{}")
