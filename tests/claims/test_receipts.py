import base64
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from claims.entries import Entry, leaf_hash
from claims.receipts import check, text_of
from claims.signed_note import InvalidNoteError, sign, vkey

KEY = Ed25519PrivateKey.from_private_bytes(b"1" * 32)
VKEY = vkey("ledger", KEY.public_key())
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENTRY = Entry(5, "registered", "c" * 12, "local", NOON, {"document_sha256": "ab" * 32})


def test_a_receipt_says_what_was_filed():
    text = text_of(ENTRY, "main")
    leaf = base64.b64encode(leaf_hash(ENTRY.canonical())).decode()
    assert text == f"antedate/main/receipt\ncccccccccccc\n5\n{leaf}\n{'ab' * 32}\n2026-11-30T12:00:00.000000Z\n"
    receipt = check(sign(text, "ledger", KEY), VKEY)
    assert (receipt.origin, receipt.claim, receipt.seq, receipt.filed) == ("antedate/main/receipt", "c" * 12, 5, NOON)
    assert (receipt.leaf_hash, receipt.document_sha256) == (leaf_hash(ENTRY.canonical()), "ab" * 32)


@pytest.mark.parametrize(
    "text",
    [
        "hello\n",
        text_of(ENTRY, "main").replace("/receipt", ""),
        text_of(ENTRY, "main").replace("\n5\n", "\nfive\n"),
        text_of(ENTRY, "main").replace("12:00:00.000000Z", "12:00Z"),
        text_of(ENTRY, "main") + "more\n",
    ],
)
def test_a_signed_note_that_is_no_receipt(text):
    with pytest.raises(InvalidNoteError, match="not a receipt"):
        check(sign(text, "ledger", KEY), VKEY)


def test_a_receipt_that_was_changed():
    with pytest.raises(InvalidNoteError, match="does not hold"):
        check(sign(text_of(ENTRY, "main"), "ledger", KEY).replace("\n5\n", "\n4\n"), VKEY)
