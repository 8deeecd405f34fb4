"""What is refused in the bytes of a registration, and where it is said to be."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claims.canonical import canonical_bytes, sha256_hex
from claims.flaws import RefusedInputError
from claims.registration.reading import LISTED, freeze, freeze_document, read_json


def flaws_of(body: bytes) -> list[tuple[str, str]]:
    with pytest.raises(RefusedInputError) as refused:
        read_json(body)
    return [(flaw.pointer, flaw.code) for flaw in refused.value.flaws]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", [("", "malformed_json")]),
        (b"{", [("", "malformed_json")]),
        (b'{"a": 1,}', [("", "malformed_json")]),
        (b"{} {}", [("", "malformed_json")]),
        (b"[01]", [("", "malformed_json")]),
        (b'["\\x"]', [("", "malformed_json")]),
        (b'["a\nb"]', [("", "control_character")]),
        (b'["a\x00"]', [("", "control_character")]),
        (b"\xef\xbb\xbf{}", [("", "byte_order_mark")]),
        ('{"a": 1}'.encode("utf-16"), [("", "byte_order_mark")]),
        (b'["\xff"]', [("", "not_utf8")]),
        (b'["\xed\xa0\x80"]', [("", "not_utf8")]),  # a surrogate, encoded
        (b'["\xc0\x80"]', [("", "not_utf8")]),  # NUL, overlong
        (b'{"a": NaN, "b": [-Infinity]}', [("/a", "not_a_number"), ("/b/0", "not_a_number")]),
        (b"[Infinity]", [("/0", "not_a_number")]),
        (b"[1e999, -1e999, 1e-999]", [(f"/{index}", "number_out_of_range") for index in range(3)]),
        (b"[9007199254740992, -9007199254740992]", [("/0", "number_out_of_range"), ("/1", "number_out_of_range")]),
        (b"[18446744073709551615, 1e16]", [("/0", "number_out_of_range"), ("/1", "number_out_of_range")]),
        (b"[" + b"9" * 100_000 + b"]", [("/0", "number_out_of_range")]),
        (b'{"a": 1, "a": 1}', [("", "duplicate_key")]),
        (b'{"x": [{"a": 1, "\\u0061": 2}]}', [("/x/0", "duplicate_key")]),
        (b'{"a": "\\ud800"}', [("/a", "lone_surrogate")]),
        (b'{"a": "\\udc00\\ud800"}', [("/a", "lone_surrogate")]),
        (b'{"a": {"\\ud800": 1}}', [("/a", "lone_surrogate")]),
        (b'{"a": "\\u0000"}', [("/a", "control_character")]),
        (b'{"a": "line\\nline"}', [("/a", "control_character")]),
        (b'{"a\\t": 1}', [("", "control_character")]),
        (b'{"a": "\\u0085\\u2028"}', [("/a", "control_character")]),
        (b'{"a": "\\u202egnol"}', [("/a", "hidden_character")]),
        (b'{"a": "\\u2066x\\u2069\\u200b\\ufeff\\u00ad"}', [("/a", "hidden_character")]),
        ('{"a": "e\u0301"}'.encode(), [("/a", "not_nfc")]),
        ('{"e\u0301": 1}'.encode(), [("", "not_nfc")]),
        ('{"/~": "\u212b\u202e"}'.encode(), [("/~1~0", "hidden_character"), ("/~1~0", "not_nfc")]),
    ],
)
def test_flaws_of_the_text_with_their_places(body, expected):
    assert flaws_of(body) == expected


def test_several_flaws_are_told_at_once_in_document_order():
    body = '{"a": NaN, "b": {"c": "e\u0301", "c": 1e999}, "\\ud800": "\\u202e"}'.encode()
    assert flaws_of(body) == [
        ("/a", "not_a_number"),
        ("/b/c", "not_nfc"),
        ("/b", "duplicate_key"),
        ("/b/c", "number_out_of_range"),
        ("", "lone_surrogate"),
        ("/\\ud800", "hidden_character"),
    ]


def test_what_a_flaw_says_can_be_sent():
    with pytest.raises(RefusedInputError) as refused:
        read_json(b'{"\\ud800\\u202e": {"\\ud800": "\\udfff", "\\ud800": 1e999}}')
    for flaw in refused.value.flaws:
        f"{flaw.pointer} {flaw.detail} {flaw.remedy}".encode()
        assert "\u202e" not in flaw.pointer + flaw.detail


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b"[[{", b' [\n"[[[", '])
def test_depth_is_measured_before_anything_recurses(opening):
    assert flaws_of(opening * 5000) == [("", "too_deep")]


def test_the_depth_limit_is_64_and_brackets_in_text_do_not_count():
    assert read_json(b"[" * 64 + b"]" * 64)
    assert flaws_of(b"[" * 65 + b"]" * 65) == [("", "too_deep")]
    assert read_json(b'["' + b"[" * 500 + b'\\"\\\\"]') == ["[" * 500 + '"\\']
    assert read_json(b"[" + b",".join([b"[[]]"] * 500) + b"]")


def test_what_json_allows_is_read():
    body = '{"a": [0, -0, 1.5, 1e-5, -9007199254740991, true, null], "é": "क्\u200dष 👩\u200d💻 \U0001f600"}'.encode()
    assert read_json(body) == json.loads(body)


NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e9, 1e9)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text("aé/~0 ☃", max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("aé/~0", max_size=3), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_every_json_value_is_read_as_it_is(value):
    assert read_json(json.dumps(value).encode()) == value


@given(JSON)
def test_canonical_bytes_are_read_back_to_themselves(value):
    canonical = canonical_bytes(value)
    assert canonical_bytes(read_json(canonical)) == canonical


@settings(max_examples=500)
@given(st.binary(max_size=60) | st.text('{}[]":,\\u0123456789eE+-.dNaInfity \n', max_size=60).map(str.encode))
def test_no_bytes_raise_anything_but_a_refusal(body):
    with suppress(RefusedInputError):
        read_json(body)


def test_a_document_is_frozen_as_filed(document, instruments):
    body = json.dumps(document, indent=3).encode()
    frozen = freeze(body, instruments)
    assert frozen.document == document
    assert frozen.canonical == canonical_bytes(document)
    assert frozen.sha256 == sha256_hex(frozen.canonical)
    assert frozen.registration.title == document["title"]
    assert "rationale" not in json.loads(frozen.canonical), "a default is no part of what was filed"
    assert freeze(frozen.canonical, instruments) == frozen


def test_the_order_and_layout_of_keys_do_not_change_the_identity(document, instruments):
    turned = dict(reversed(document.items()))
    assert freeze_document(turned, instruments).sha256 == freeze_document(document, instruments).sha256


def test_flaws_of_text_and_of_shape_are_told_together(document, instruments):
    document["title"] = "Cafe\u0301"
    document["colour"] = "red"
    document["analysis"]["confidence"] = 0.8
    body = json.dumps(document).replace('"value": 0.5', '"value": NaN').encode()
    with pytest.raises(RefusedInputError) as refused:
        freeze(body, instruments)
    assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [
        ("/title", "not_nfc"),
        ("/hypotheses/0/predict/value", "not_a_number"),
        ("/analysis/confidence", "not_allowed"),
        ("/colour", "unknown_key"),
    ]


def test_a_flood_of_flaws_is_counted_not_listed(document, instruments):
    document |= {f"key{index}": index for index in range(5000)}
    with pytest.raises(RefusedInputError) as refused:
        freeze(json.dumps(document).encode(), instruments)
    assert len(refused.value.flaws) == LISTED + 1
    last = refused.value.flaws[-1]
    assert (last.code, last.detail) == ("too_many_flaws", "4,900 more flaws are not listed")
