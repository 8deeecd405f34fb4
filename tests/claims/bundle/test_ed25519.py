"""Plain Ed25519 against the vectors of RFC 8032 (section 7.1) and against `cryptography`."""

import json
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.bundle.reproduce.ed25519 import BASE, L, P, compressed, decompressed, multiplied, signature_holds

VECTORS = json.loads(Path(__file__).with_name("rfc8032.json").read_text())
KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
PUBLIC = KEY.public_key().public_bytes_raw()


def holds_by_cryptography(public: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_the_published_vectors_hold_and_nothing_near_them_does(vector):
    secret, public, message, signature = (
        bytes.fromhex(vector[part]) for part in ("secret", "public", "message", "signature")
    )
    assert Ed25519PrivateKey.from_private_bytes(secret).sign(message) == signature, "the vector was copied wrongly"
    assert signature_holds(public, message, signature)
    assert not signature_holds(public, message + b"\0", signature)
    for place in (0, 31, 32, 63):
        spoilt = bytearray(signature)
        spoilt[place] ^= 1
        assert not signature_holds(public, message, bytes(spoilt))
    other = bytearray(public)
    other[0] ^= 1
    assert not signature_holds(bytes(other), message, signature)


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200), st.integers(0, 63), st.integers(0, 255))
def test_it_agrees_with_cryptography_on_true_and_false_signatures(secret, message, place, change):
    key = Ed25519PrivateKey.from_private_bytes(secret)
    public, signature = key.public_key().public_bytes_raw(), bytearray(key.sign(message))
    signature[place] ^= change
    found = signature_holds(public, message, bytes(signature))
    assert found == holds_by_cryptography(public, message, bytes(signature)) == (change == 0)


@pytest.mark.parametrize("times", [1, 2, 7])
def test_a_second_signature_made_from_a_first_is_refused(times):
    """S + L satisfies the equation too: RFC 8032 and `cryptography` ask for S below L."""
    signature = KEY.sign(b"message")
    s = int.from_bytes(signature[32:], "little") + times * L
    forged = signature[:32] + s.to_bytes(32, "little")
    assert signature_holds(PUBLIC, b"message", signature)
    assert not signature_holds(PUBLIC, b"message", forged)
    assert not holds_by_cryptography(PUBLIC, b"message", forged)


@pytest.mark.parametrize(
    "encoded",
    [
        (P + 1).to_bytes(32, "little"),  # y not below p
        (1 | 1 << 255).to_bytes(32, "little"),  # x = 0 with a sign
        (2).to_bytes(32, "little"),  # on no point
    ],
)
def test_what_encodes_no_point_is_no_key(encoded):
    assert decompressed(encoded) is None
    assert not signature_holds(encoded, b"", KEY.sign(b""))


@pytest.mark.parametrize(("public", "signature"), [(PUBLIC[:31], KEY.sign(b"")), (PUBLIC, KEY.sign(b"")[:63])])
def test_other_lengths_are_refused(public, signature):
    assert not signature_holds(public, b"", signature)


def test_the_base_point_has_the_order_of_the_group():
    assert compressed(BASE).hex() == "58" + "66" * 31
    assert compressed(multiplied(L, BASE)) == compressed((0, 1, 1, 0))
