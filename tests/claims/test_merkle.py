"""The tree against the published vectors of RFC 6962's reference implementation, and against pymerkle."""

import hashlib
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymerkle import InmemoryTree

from claims import merkle
from claims.entries import leaf_hash
from claims.merkle import Coordinate, MissingNodeError

MOST = 300
# The vectors of google/certificate-transparency and transparency-dev/merkle (testonly, proof/verify_test.go).
ENTRIES = ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
ROOTS = (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
INCLUSION = {  # (index from 0, size)
    (0, 1): [],
    (0, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (5, 8): [
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 3): ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"],
    (1, 5): [
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
}
CONSISTENCY = {
    (1, 1): [],
    (1, 8): [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ],
    (6, 8): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
    (2, 5): [
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ],
    (6, 7): [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ],
}
EMPTY, NO_HASH = bytes.fromhex(ROOTS[0]), b"no hash"


class Stored:
    """A log's nodes, stored as its leaves come; counts what is read."""

    def __init__(self, entries: Sequence[bytes]) -> None:
        self.leaves = [leaf_hash(entry) for entry in entries]
        self.nodes: dict[Coordinate, bytes] = {}
        self.calls: list[list[Coordinate]] = []
        for seq, leaf in enumerate(self.leaves):
            self.nodes[0, seq] = leaf
            self.nodes |= merkle.grow(seq, leaf, self.read(merkle.needed_by(seq)))

    def read(self, wanted: Sequence[Coordinate]) -> Mapping[Coordinate, bytes]:
        self.calls.append(list(wanted))
        return {coordinate: self.nodes[coordinate] for coordinate in wanted}


VECTORS = Stored([bytes.fromhex(entry) for entry in ENTRIES])
LOG = Stored([str(seq).encode() for seq in range(MOST)])
PEER = InmemoryTree.init_from_entries([str(seq).encode() for seq in range(MOST)])
sizes = st.integers(1, MOST)


def test_published_roots():
    assert bytes.fromhex(ROOTS[0]) == merkle.EMPTY_ROOT
    for size, root in enumerate(ROOTS):
        assert merkle.root_of(iter(VECTORS.leaves[:size])).hex() == root
        assert merkle.root(size, VECTORS.read).hex() == root


@pytest.mark.parametrize(("index", "size"), INCLUSION)
def test_published_inclusion_proofs(index, size):
    proof = [bytes.fromhex(node) for node in INCLUSION[index, size]]
    assert merkle.inclusion(index, size, VECTORS.read) == proof
    assert merkle.verify_inclusion(VECTORS.leaves[index], index, size, proof, bytes.fromhex(ROOTS[size]))


@pytest.mark.parametrize(("first", "second"), CONSISTENCY)
def test_published_consistency_proofs(first, second):
    proof = [bytes.fromhex(node) for node in CONSISTENCY[first, second]]
    roots = bytes.fromhex(ROOTS[first]), bytes.fromhex(ROOTS[second])
    assert merkle.consistency(first, second, VECTORS.read) == proof
    assert merkle.verify_consistency(first, second, *roots, proof)


def test_the_examples_of_rfc_6962_section_2_1_3():
    a, b, c, d, e, f, j = VECTORS.leaves[:7]
    g, h, i = merkle.node_hash(a, b), merkle.node_hash(c, d), merkle.node_hash(e, f)
    k, l = merkle.node_hash(g, h), merkle.node_hash(i, j)  # noqa: E741 - the RFC's names
    paths = {0: [b, h, l], 3: [c, g, l], 4: [f, j, k], 6: [i, k]}
    assert {index: merkle.inclusion(index, 7, VECTORS.read) for index in paths} == paths
    proofs = {3: [c, d, g, l], 4: [l], 6: [i, j, k]}
    assert {first: merkle.consistency(first, 7, VECTORS.read) for first in proofs} == proofs


@pytest.mark.parametrize("size", range(1, 50))
def test_every_root_and_proof_of_small_trees_is_pymerkles(size):
    _compare_root(size)
    for index in range(size):
        _compare_inclusion(index, size)
    for first in range(1, size + 1):
        _compare_consistency(first, size)


@given(st.data(), sizes)
def test_roots_and_proofs_of_larger_trees_are_pymerkles(data, size):
    _compare_root(size)
    _compare_inclusion(data.draw(st.integers(0, size - 1)), size)
    _compare_consistency(data.draw(st.integers(1, size)), size)


def _compare_root(size: int) -> None:
    expected = PEER.get_root(size)
    assert merkle.root(size, LOG.read) == expected
    assert merkle.root_of(LOG.leaves[:size]) == expected


def _compare_inclusion(index: int, size: int) -> None:
    proof = merkle.inclusion(index, size, LOG.read)
    leaf, *path = PEER.prove_inclusion(index + 1, size).path  # pymerkle counts from one, and begins with the leaf
    assert (leaf, path) == (LOG.leaves[index], proof)
    assert merkle.verify_inclusion(LOG.leaves[index], index, size, proof, PEER.get_root(size))


def _compare_consistency(first: int, second: int) -> None:
    proof = merkle.consistency(first, second, LOG.read)
    assert proof == _as_in_the_rfc(first, second)
    assert merkle.verify_consistency(first, second, PEER.get_root(first), PEER.get_root(second), proof)


def _as_in_the_rfc(first: int, second: int) -> list[bytes]:
    """pymerkle's proof has the RFC's hashes, but parts the one right of the first tree down to its first leaf."""
    theirs = PEER.prove_consistency(first, second)
    if first == second:
        return []
    smallest = theirs.subset.index(1)  # the last complete subtree of the first tree
    right = theirs.path[:smallest]
    for node in right[1:]:
        right = [merkle.node_hash(right[0], node)]
    known = first & (first - 1) == 0  # that subtree is the first tree, whose root the verifier has
    return [*([] if known else [theirs.path[smallest]]), *right, *theirs.path[smallest + 1 :]]


@given(sizes)
def test_growing_from_stored_nodes_stores_every_complete_subtree_once(size):
    log = Stored([str(seq).encode() for seq in range(size)])
    assert set(log.nodes) == {(level, i) for level in range(10) for i in range(size >> level)}
    for (level, index), node in log.nodes.items():
        assert merkle.root_of(log.leaves[index << level : (index + 1) << level]) == node
    assert merkle.root(size, log.read) == merkle.root_of(log.leaves)


def test_what_a_leaf_completes():
    assert [merkle.completed_by(seq) for seq in (0, 1, 2, 3, 7)] == [
        [],
        [(1, 0)],
        [],
        [(1, 1), (2, 0)],
        [(1, 3), (2, 1), (3, 0)],
    ]
    assert merkle.needed_by(7) == [(0, 6), (1, 2), (2, 0)]
    assert merkle.completed_by(2**40 - 1)[-1] == (40, 0)


@given(st.integers(1, 2**63), st.data())
def test_few_nodes_are_read_and_in_one_call(size, data):
    """Of trees that nobody could store: every node is the same 32 bytes."""
    calls: list[int] = []

    def read(wanted: Sequence[Coordinate]) -> dict[Coordinate, bytes]:
        calls.append(len(wanted))
        assert all((index + 1) << level <= size for level, index in wanted), "a node of an incomplete subtree"
        return dict.fromkeys(wanted, EMPTY)

    depth = size.bit_length()
    for proof in (
        lambda: merkle.root(size, read),
        lambda: merkle.inclusion(data.draw(st.integers(0, size - 1)), size, read),
        lambda: merkle.consistency(data.draw(st.integers(1, size)), size, read),
    ):
        calls.clear()
        proof()
        assert len(calls) <= 1
        assert sum(calls) <= 2 * depth


@given(st.data(), st.integers(2, MOST))
def test_a_changed_inclusion_proof_does_not_hold(data, size):
    index = data.draw(st.integers(0, size - 1))
    leaf, root = LOG.leaves[index], merkle.root(size, LOG.read)
    proof = merkle.inclusion(index, size, LOG.read)
    assert merkle.verify_inclusion(leaf, index, size, proof, root)
    assert not merkle.verify_inclusion(_flip(data, leaf), index, size, proof, root)
    assert not merkle.verify_inclusion(leaf, index, size, proof, _flip(data, root))
    assert not merkle.verify_inclusion(leaf, index, size, _flip_one(data, proof), root)
    assert not merkle.verify_inclusion(leaf, index, size, _other_length(data, proof), root)
    other = data.draw(st.integers(0, size + 1).filter(lambda drawn: drawn != index))
    assert not merkle.verify_inclusion(leaf, other, size, proof, root)
    assert not merkle.verify_inclusion(leaf, index, 2 * size, proof, root)


@given(st.data(), st.integers(2, MOST))
def test_a_proof_for_another_size_holds_only_where_the_path_is_the_same(data, size):
    """RFC 9162's algorithm knows of the size what the path tells: another size with the same turns is as good."""
    index = data.draw(st.integers(0, size - 1))
    other = data.draw(st.integers(index + 1, MOST).filter(lambda drawn: drawn != size))
    proof, root = merkle.inclusion(index, size, LOG.read), merkle.root(size, LOG.read)
    same = _turns(index, size) == _turns(index, other)
    assert merkle.verify_inclusion(LOG.leaves[index], index, other, proof, root) is same
    assert not merkle.verify_inclusion(LOG.leaves[index], index, other, proof, merkle.root(other, LOG.read))


def _turns(index: int, size: int) -> list[int]:
    """On which side each hash of the path is joined, leaf first: pymerkle's rule."""
    return PEER.prove_inclusion(index + 1, size).rule[:-1]


@given(st.data(), st.integers(2, MOST))
def test_a_changed_consistency_proof_does_not_hold(data, second):
    first = data.draw(st.integers(1, second - 1))
    before, after = merkle.root(first, LOG.read), merkle.root(second, LOG.read)
    proof = merkle.consistency(first, second, LOG.read)
    assert merkle.verify_consistency(first, second, before, after, proof)
    assert not merkle.verify_consistency(first, second, _flip(data, before), after, proof)
    assert not merkle.verify_consistency(first, second, before, _flip(data, after), proof)
    assert not merkle.verify_consistency(first, second, before, after, _flip_one(data, proof))
    assert not merkle.verify_consistency(first, second, before, after, _other_length(data, proof))
    assert not merkle.verify_consistency(first, second, after, before, proof)
    assert not merkle.verify_consistency(second, first, after, before, proof)
    other = data.draw(st.integers(0, second).filter(lambda drawn: drawn != first))
    assert not merkle.verify_consistency(other, second, before, after, proof)
    assert not merkle.verify_consistency(first, 2 * second, before, after, proof)


def _flip(data: st.DataObject, hash_: bytes) -> bytes:
    place, bit = data.draw(st.integers(0, len(hash_) - 1)), data.draw(st.integers(0, 7))
    return hash_[:place] + bytes([hash_[place] ^ 1 << bit]) + hash_[place + 1 :]


def _flip_one(data: st.DataObject, proof: Sequence[bytes]) -> list[bytes]:
    place = data.draw(st.integers(0, len(proof) - 1))
    return [*proof[:place], _flip(data, proof[place]), *proof[place + 1 :]]


def _other_length(data: st.DataObject, proof: Sequence[bytes]) -> list[bytes]:
    place = data.draw(st.integers(0, len(proof) - 1))
    more = data.draw(st.sampled_from([EMPTY, *proof]))
    return data.draw(st.sampled_from([[*proof[:place], *proof[place + 1 :]], [*proof, more], [more, *proof]]))


hostile = st.one_of(st.just(EMPTY), st.just(NO_HASH), st.binary(max_size=40))
numbers = st.integers(-3, 9) | st.integers(-(2**70), 2**70)


@given(numbers, numbers, hostile, hostile, st.lists(hostile, max_size=5))
def test_whatever_is_given_is_answered(first, second, one, two, proof):
    assert merkle.verify_inclusion(one, first, second, proof, two) in (True, False)
    assert merkle.verify_consistency(first, second, one, two, proof) in (True, False)


@pytest.mark.parametrize("place", ["leaf", "root", "proof"])
def test_hashes_of_other_lengths_never_hold(place):
    good = {"leaf": LOG.leaves[1], "root": merkle.root(5, LOG.read), "proof": merkle.inclusion(1, 5, LOG.read)}
    assert merkle.verify_inclusion(good["leaf"], 1, 5, good["proof"], good["root"])
    for bad in (b"", good["leaf"][:-1], good["leaf"] + b"\0"):
        given_ = good | {place: [*good["proof"][:-1], bad] if place == "proof" else bad}
        assert not merkle.verify_inclusion(given_["leaf"], 1, 5, given_["proof"], given_["root"])
    assert not merkle.verify_inclusion(NO_HASH, 0, 1, [], NO_HASH)
    assert not merkle.verify_consistency(1, 1, NO_HASH, NO_HASH, [])
    assert not merkle.verify_consistency(0, 1, EMPTY, NO_HASH, [])


def test_a_proof_of_a_larger_tree_is_not_one_of_a_smaller():
    """Its first hashes are as good, and one more leads to the larger tree's root: too long for the sizes given."""
    one, two = LOG.leaves[:2]
    assert merkle.verify_inclusion(two, 1, 2, [one], merkle.root(2, LOG.read))
    assert not merkle.verify_inclusion(two, 0, 1, [one], merkle.root(2, LOG.read))
    proof, seven, eight = merkle.consistency(7, 8, LOG.read), merkle.root(7, LOG.read), merkle.root(8, LOG.read)
    assert merkle.verify_consistency(7, 8, seven, eight, proof)
    assert not merkle.verify_consistency(3, 4, seven, eight, proof)


def test_numbers_out_of_range_never_hold():
    """Each would lead to the right root, were its numbers not looked at."""
    one, two = LOG.leaves[:2]
    assert not merkle.verify_inclusion(one, 5, 1, [], one)
    assert not merkle.verify_inclusion(one, -1, 0, [], one)
    assert not merkle.verify_consistency(-1, 2, one, merkle.node_hash(one, two), [one, two])
    assert not merkle.verify_consistency(3, 5, merkle.root(3, LOG.read), merkle.root(5, LOG.read), [])


def test_consistency_with_the_empty_tree_and_with_itself():
    root = merkle.root(5, LOG.read)
    assert merkle.consistency(0, 5, LOG.read) == merkle.consistency(5, 5, LOG.read) == []
    assert merkle.consistency(0, 0, LOG.read) == []
    assert merkle.verify_consistency(0, 5, EMPTY, root, [])
    assert merkle.verify_consistency(0, 0, EMPTY, EMPTY, [])
    assert merkle.verify_consistency(5, 5, root, root, [])
    assert not merkle.verify_consistency(0, 5, root, root, [])
    assert not merkle.verify_consistency(0, 5, EMPTY, root, [root])
    assert not merkle.verify_consistency(0, 0, root, root, [])
    assert not merkle.verify_consistency(0, 0, EMPTY, EMPTY, [EMPTY])
    assert not merkle.verify_consistency(5, 5, root, EMPTY, [])
    assert not merkle.verify_consistency(5, 5, root, root, [root])
    assert not merkle.verify_consistency(4, 5, root, root, [])


def test_a_leaf_cannot_stand_for_a_node():
    """The first byte parts them: an entry of 64 bytes that are two hashes is no node over these."""
    left, right = LOG.leaves[:2]
    assert merkle.node_hash(left, right) == hashlib.sha256(b"\1" + left + right).digest() != leaf_hash(left + right)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: merkle.completed_by(-1),
        lambda: merkle.needed_by(-1),
        lambda: merkle.root(-1, LOG.read),
        lambda: merkle.inclusion(-1, 5, LOG.read),
        lambda: merkle.inclusion(5, 5, LOG.read),
        lambda: merkle.inclusion(0, 0, LOG.read),
        lambda: merkle.consistency(-1, 5, LOG.read),
        lambda: merkle.consistency(6, 5, LOG.read),
        lambda: merkle.node_hash(EMPTY, NO_HASH),
        lambda: merkle.node_hash(NO_HASH, EMPTY),
        lambda: merkle.root_of([EMPTY, NO_HASH]),
        lambda: merkle.root_of([NO_HASH]),
    ],
)
def test_numbers_out_of_range_are_refused_in_words(ask):
    with pytest.raises(ValueError, match=r"^(a leaf has|a tree|a node is|the hash of leaf) "):
        ask()


def test_a_node_that_is_not_stored_is_told():
    with pytest.raises(MissingNodeError, match="no node 2 at level 1"):
        merkle.root(6, lambda wanted: {each: EMPTY for each in wanted if each != (1, 2)})
    with pytest.raises(MissingNodeError, match="no node 0 at level 0"):
        merkle.grow(1, EMPTY, {})
