import pytest

from claims.seeds import seed

NONCE = bytes(range(32))
DOCUMENT = "ab" * 32


@pytest.mark.parametrize(
    ("label", "beacon", "expected"),  # by `openssl dgst -sha256 -mac HMAC` over the same bytes
    [("organism/3/train", b"round", 0x95D529F2AB93A567), ("bootstrap", b"", 0xE375EFBEC720FFA0)],
)
def test_known_seeds(label, beacon, expected):
    assert seed(NONCE, DOCUMENT, label, beacon) == expected


def test_every_input_changes_the_seed():
    seeds = {
        seed(NONCE, DOCUMENT, "a"),
        seed(NONCE, DOCUMENT, "b"),
        seed(NONCE, DOCUMENT, "a", b"x"),
        seed(NONCE, "cd" * 32, "a"),
        seed(NONCE[::-1], DOCUMENT, "a"),
    }
    assert len(seeds) == 5
    assert all(0 <= value < 2**64 for value in seeds)


@pytest.mark.parametrize("document", ["ab", "", "ab" * 33])
def test_a_document_hash_has_its_length(document):
    with pytest.raises(ValueError, match="64 hex"):
        seed(NONCE, document, "a")
