import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.canonical import canonical_bytes, sha256_hex
from claims.flaws import RefusedInputError


@pytest.mark.parametrize(
    ("bits", "text"),  # RFC 8785, appendix B
    [
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af6", "1e+23"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("41b3de4355555555", "333333333.3333333"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
    ],
)
def test_numbers_as_the_rfc_lists_them(bits, text):
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical_bytes(number).decode() == text


def test_keys_are_sorted_by_utf16_and_text_is_not_escaped_beyond_need():
    value = {"\U0001f600": 1, "\ufb01": 2, "a": "\u20ac$\u000f\nA'\"\\/", "1": 3}
    text = '{"1":3,"a":"\u20ac$\\u000f\\nA\'\\"\\\\/","\U0001f600":1,"\ufb01":2}'
    assert canonical_bytes(value).decode() == text


@pytest.mark.parametrize(
    "value", [2**53, -(2**53), float("nan"), float("inf"), "\ud800", {"\ud800": 1}, {1: 2}, {1, 2}]
)
def test_what_has_no_canonical_form_is_refused(value):
    with pytest.raises(RefusedInputError) as refused:
        canonical_bytes({"x": [value]})
    assert refused.value.flaws[0].code == "not_canonical"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_number_is_changed(number):
    assert float(json.loads(canonical_bytes(number))) == number


def test_sha256_of_nothing():
    assert sha256_hex(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
