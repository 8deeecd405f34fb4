"""Timestamps by a real authority of one's own, good ones and every kind of bad one."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography.x509.oid import ExtendedKeyUsageOID

from claims import timestamps
from claims.signed_note import InvalidNoteError
from claims.timestamps import InvalidTimestampError
from tests.outside.authority import VALID, OwnAuthority

NOTE = "antedate/test\n5\nAAAA\n\n— antedate/test c2lnbmF0dXJl\n"
TEXT = timestamps.text_of(NOTE)


@pytest.fixture(scope="module")
def authority():
    return OwnAuthority()


@pytest.fixture(scope="module")
def roots(authority):
    return timestamps.read_roots(authority.root)


@pytest.fixture
def asked():
    return timestamps.request(TEXT)


def test_the_text_that_the_log_signed_is_stamped_and_no_signature():
    assert TEXT == b"antedate/test\n5\nAAAA\n"
    with pytest.raises(InvalidNoteError):
        timestamps.text_of("no note")


def test_an_answer_gives_the_time_that_it_asserts(authority, roots, asked):
    time = datetime(2026, 12, 1, 9, 30, 15, tzinfo=UTC)
    answer = authority.answer(asked.body, time=time, accuracy={"seconds": 1})
    assert timestamps.verify(answer, TEXT, roots, asked.nonce) == time
    assert timestamps.verify(answer, TEXT, roots) == time


def test_every_request_has_a_nonce_of_its_own():
    assert len({timestamps.request(TEXT).nonce for _ in range(20)}) == 20


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        ({"status": "rejection", "says": "no more today"}, "answered 2, rejection: no more today"),
        ({"status": "waiting"}, "answered 3, waiting"),
        ({"status": "granted_with_mods"}, "answered 1, granted_with_mods"),
    ],
)
def test_what_was_not_granted_is_refused_in_words(authority, roots, asked, answered, words):
    answer = authority.answer(asked.body, **answered)
    with pytest.raises(InvalidTimestampError, match=words):
        timestamps.verify(answer, TEXT, roots, asked.nonce)


@pytest.mark.parametrize("nonce", [1, None])
def test_an_answer_to_another_request_is_refused(authority, roots, asked, nonce):
    with pytest.raises(InvalidTimestampError, match=r"[Nn]once"):
        timestamps.verify(authority.answer(asked.body, nonce=nonce), TEXT, roots, asked.nonce)


def test_a_timestamp_of_another_text_is_refused(authority, roots, asked):
    other = timestamps.request(b"antedate/test\n6\nAAAA\n")
    answer = authority.answer(other.body)
    with pytest.raises(InvalidTimestampError, match="Mismatch between messages"):
        timestamps.verify(answer, TEXT, roots)


def test_a_timestamp_over_another_hash_is_refused(authority, roots, asked):
    imprint = {"hash_algorithm": {"algorithm": "sha512"}, "hashed_message": bytes(64)}
    with pytest.raises(InvalidTimestampError, match="another hash than SHA-256"):
        timestamps.verify(authority.answer(asked.body, message_imprint=imprint), TEXT, roots, asked.nonce)


def test_an_authority_under_another_root_is_refused(roots, asked):
    with pytest.raises(InvalidTimestampError, match="does not hold"):
        timestamps.verify(OwnAuthority().answer(asked.body), TEXT, roots, asked.nonce)


def test_a_certificate_for_another_purpose_is_refused(asked):
    other = OwnAuthority(purpose=ExtendedKeyUsageOID.CODE_SIGNING)
    with pytest.raises(InvalidTimestampError, match="does not hold"):
        timestamps.verify(other.answer(asked.body), TEXT, timestamps.read_roots(other.root), asked.nonce)


@pytest.mark.parametrize("days", [-1, 1])
def test_a_time_at_which_the_certificate_was_not_valid_is_refused(authority, roots, asked, days):
    end = VALID[days > 0]
    answer = authority.answer(asked.body, time=end + timedelta(days=days))
    with pytest.raises(InvalidTimestampError, match="does not hold"):
        timestamps.verify(answer, TEXT, roots, asked.nonce)


def test_a_clock_that_is_less_accurate_than_the_margin_is_refused(authority, roots, asked):
    with pytest.raises(InvalidTimestampError, match="accurate to 0:01:00, and 0:00:05 is needed"):
        timestamps.verify(authority.answer(asked.body, accuracy={"seconds": 60}), TEXT, roots, asked.nonce)


def test_no_byte_of_an_answer_can_be_changed_unseen(authority, roots, asked):
    """Changed ones are refused, or say the same; such bytes are outside of what is signed."""
    time = datetime(2026, 12, 1, 9, 30, 15, tzinfo=UTC)
    answer = authority.answer(asked.body, time=time)
    for at in range(0, len(answer), 3):
        altered = answer[:at] + bytes([answer[at] ^ 0x04]) + answer[at + 1 :]
        try:
            assert timestamps.verify(altered, TEXT, roots, asked.nonce) == time
        except InvalidTimestampError:
            continue


@pytest.mark.parametrize("answer", [b"", b"<html>", b"\x30\x03\x02\x01\x00", b"\x30\x05\x30\x03\x02\x01\x00"])
def test_what_is_no_answer_is_refused(roots, answer):
    with pytest.raises(InvalidTimestampError):
        timestamps.verify(answer, TEXT, roots)


def test_roots_are_certificates():
    with pytest.raises(InvalidTimestampError, match="no certificates in PEM form"):
        timestamps.read_roots(b"-----BEGIN NOTHING-----")
