import base64

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from claims.signed_note import InvalidNoteError, name_of, sign, verify, vkey

# The example of golang.org/x/mod/sumdb/note, which C2SP signed-note was written after.
GO_VKEY = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
GO_SEED = base64.b64decode("AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz")[1:]
GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
GO_NOTE = (
    GO_TEXT
    + "\n— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
KEY, OTHER = Ed25519PrivateKey.from_private_bytes(b"1" * 32), Ed25519PrivateKey.from_private_bytes(b"2" * 32)
NAME = "antedate.example/log"
VKEY = vkey(NAME, KEY.public_key())
_, HEX_ID, ENCODED = VKEY.split("+", 2)


def test_the_published_example_in_both_directions():
    key = Ed25519PrivateKey.from_private_bytes(GO_SEED)
    assert vkey("PeterNeumann", key.public_key()) == GO_VKEY
    assert sign(GO_TEXT, "PeterNeumann", key) == GO_NOTE
    assert verify(GO_NOTE, GO_VKEY) == GO_TEXT


def test_the_example_of_the_specification():
    line = (
        "— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM="
    )
    key = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
    assert verify(f"This is an example message.\n\n{line}\n", key) == "This is an example message.\n"


def test_text_with_blank_lines_and_other_signatures_beside():
    text = "one\n\ntwo ☃\n"
    note = sign(text, NAME, KEY)
    cosigned = note + sign(text, "witness", OTHER).rpartition("\n\n")[2]
    assert verify(cosigned, VKEY) == text
    assert verify(cosigned, vkey("witness", OTHER.public_key())) == text


def test_any_change_of_a_byte_is_noticed():
    note = sign("claim\n1\n", NAME, KEY).encode()
    for index in range(len(note)):
        for flipped in (note[index] ^ 1, note[index] ^ 0x20):
            changed = note[:index] + bytes([flipped]) + note[index + 1 :]
            with pytest.raises((InvalidNoteError, UnicodeDecodeError)):
                verify(changed.decode(), VKEY)


@pytest.mark.parametrize(
    "note",
    [
        "",
        "text\n",
        "text\n\n",
        "text\n\n— name\n",
        "text\n\n— name ????\n",
        "text\n\n— name AAAA\n",
        "text\n\nname AAAAAAAAAAAA\n",
        sign("text\n", NAME, KEY)[:-1],
        sign("text\n", NAME, KEY) + "— na\0me AAAAAAAAAAAA\n",
        sign("text\n", NAME, KEY) + "— na+me AAAAAAAAAAAA\n",
        sign("text\n", NAME, KEY) + "— na\u00a0me AAAAAAAAAAAA\n",
        sign("text\n", NAME, KEY) + "—  AAAAAAAAAAAA\n",
        sign("text\n", NAME, KEY).replace("text", "\ud800"),
        sign("text\n", NAME, OTHER),
        sign("text\n", "another", KEY),
        sign("text\n", NAME, KEY).replace("text", "next"),
        sign("text\n", NAME, KEY) + sign("text\n", NAME, KEY).rpartition("\n\n")[2],
    ],
)
def test_notes_that_do_not_hold(note):
    with pytest.raises(InvalidNoteError):
        verify(note, VKEY)


@pytest.mark.parametrize("text", ["", "no end", "tab\there\n", "nul\x00\n", "half \ud800 a pair\n"])
def test_text_that_cannot_be_signed(text):
    with pytest.raises(InvalidNoteError):
        sign(text, NAME, KEY)


@pytest.mark.parametrize("name", ["", "a b", "a+b", "a\n", "a\u00a0b", "a\0b", "\udfff"])
def test_names_that_no_key_may_have(name):
    with pytest.raises(InvalidNoteError):
        sign("text\n", name, KEY)
    with pytest.raises(InvalidNoteError):
        vkey(name, KEY.public_key())


@pytest.mark.parametrize(
    "bad",
    [
        "",
        NAME,
        VKEY.replace("+", "-"),
        VKEY[:-4],
        VKEY.replace(NAME, "other"),
        VKEY.rpartition("+")[0] + "+AQ==",
        VKEY + "=",
        NAME + "+00000000+AhAA",
        NAME + "+00000000+" + VKEY.rpartition("+")[2],
    ],
)
def test_verifier_keys_that_are_none(bad):
    with pytest.raises(InvalidNoteError):
        verify(sign("text\n", NAME, KEY), bad)


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (VKEY.replace(NAME, "other"), "its bytes give"),
        (NAME + "+00000000+" + ENCODED, "its bytes give"),
        (f"{NAME}+{HEX_ID}+AQ==", "32 bytes of public key"),
        (f"{NAME}+{HEX_ID}+BAAA", "type 0x04, not 0x01"),
        (f"{NAME}+{HEX_ID}+", "type 0x, not 0x01"),
    ],
)
def test_what_is_wrong_with_a_verifier_key(bad, why):
    with pytest.raises(InvalidNoteError, match=why):
        name_of(bad)
