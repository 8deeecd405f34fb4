"""The YAML form: YAML 1.2's core schema, nothing that JSON has no equal for, and the same document as the JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.flaws import RefusedInputError
from claims.registration.reading import freeze, freeze_document
from claims.registration.yaml_form import read_yaml


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("1e-5", 1e-5), ("1E5", 1e5), (".5", 0.5), ("1.", 1.0), ("-0.25", -0.25), ("+3", 3), ("-7", -7), ("007", 7),
        ("0o17", 15), ("0x1F", 31), ("0b1", "0b1"), ("1_000", "1_000"), ("1:30", "1:30"), ("2026-11-30", "2026-11-30"),
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("y", "y"), ("true", True), ("FALSE", False),
        ("tRue", "tRue"), ("null", None), ("~", None), ("", None), ("None", "None"), ("'1'", "1"), ('"true"', "true"),
        ("<<", "<<"), ("=", "="), ("e3", "e3"), ("1e", "1e"), (".", "."), ("-", None), ("+", "+"),
    ],
)  # fmt: skip
def test_scalars_of_the_core_schema(scalar, value):
    if scalar == "-":  # an empty item of a list
        assert read_yaml(b"a:\n  -") == {"a": [None]}
        return
    read = read_yaml(f"a: {scalar}".encode())
    assert read == {"a": value}
    assert type(read["a"]) is type(value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\na: 2", ("", "duplicate_key")),
        ("x:\n  - {a: 1, 'a': 2}", ("/x/0", "duplicate_key")),
        ("a: &anchor 1", ("", "yaml_construct")),
        ("a: *alias", ("", "yaml_construct")),
        ("a: !!str 1", ("", "yaml_construct")),
        ("a: !secret 1", ("", "yaml_construct")),
        ("a: ! 1", ("", "yaml_construct")),
        ("!!map {a: 1}", ("", "yaml_construct")),
        ("--- 1\n--- 2", ("", "yaml_construct")),
        ("", ("", "yaml_construct")),
        ("# only a comment", ("", "yaml_construct")),
        ("1: x", ("", "yaml_construct")),
        ("true: x", ("", "yaml_construct")),
        ("? [a]\n: 1", ("", "yaml_construct")),
        ("a: [", ("", "malformed_yaml")),
        ("a: b: c", ("", "malformed_yaml")),
        ("\ta: 1", ("", "malformed_yaml")),
        ("a: .nan", ("/a", "not_a_number")),
        ("a: [-.inf]", ("/a/0", "not_a_number")),
        ("a: 1e999", ("/a", "number_out_of_range")),
        ("a: 0x" + "f" * 9000, ("/a", "number_out_of_range")),
        ("a: 18446744073709551615", ("/a", "number_out_of_range")),
        ("a: |\n  two\n  lines\n", ("/a", "control_character")),
        ("a: >\n  folded\n", ("/a", "control_character")),
        ('a: "\\0"', ("/a", "control_character")),
        ("a: \x07", ("", "control_character")),
        ('a: "\\ud800"', ("/a", "lone_surrogate")),
        ("a: e\u0301", ("/a", "not_nfc")),
        ("[" * 5000, ("", "too_deep")),
        ("{a: " * 5000, ("", "too_deep")),
        ("- " * 5000, ("", "too_deep")),
    ],
)
def test_what_yaml_may_not_hold(text, expected):
    with pytest.raises(RefusedInputError) as refused:
        read_yaml(text.encode())
    assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [expected]


def test_bytes_that_are_not_utf8():
    with pytest.raises(RefusedInputError, match="not UTF-8"):
        read_yaml(b"a: \xff")
    with pytest.raises(RefusedInputError, match="byte order mark"):
        read_yaml(b"\xef\xbb\xbfa: 1")


def test_folded_text_is_one_line():
    assert read_yaml(b"a: >-\n  one\n  line\n") == {"a": "one line"}


def test_the_depth_limit_is_that_of_json():
    assert read_yaml(b"[" * 64 + b"]" * 64)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text("aé/~0 ☃no:#-1e", max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab0", max_size=3), inner, max_size=4),
    max_leaves=15,
)


@given(JSON)
def test_json_is_yaml(value):
    assert read_yaml(json.dumps(value, ensure_ascii=False).encode()) == value


def test_both_forms_of_a_document_have_one_identity(document, instruments):
    as_yaml = json.dumps(document, indent=2).replace('"value": 0.5', "value: 5e-1").encode()
    assert freeze_document(read_yaml(as_yaml), instruments) == freeze(json.dumps(document).encode(), instruments)
