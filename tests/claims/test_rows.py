import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.flaws import RefusedInputError
from claims.rows import decode, encode

VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
ROWS = st.lists(st.dictionaries(st.text(max_size=5), VALUES, max_size=4), max_size=6)


def utf8(row: dict) -> bool:
    return all(character < "\ud800" or character > "\udfff" for text in row.items() for character in str(text))


@given(ROWS)
def test_rows_are_read_back_as_they_were(rows):
    assert list(decode(encode(rows))) == rows


@given(ROWS)
def test_the_same_rows_have_the_same_bytes(rows):
    turned = [dict(reversed(row.items())) for row in rows]
    assert encode(turned) == encode(rows)
    assert encode(decode(encode(rows))) == encode(rows)
    assert encode(rows).count(b"\n") == len(rows)


def test_the_form_of_a_row():
    assert (
        encode([{"b": 0.1, "a": "é\n\u2028", "c": np.float64(2.5)}]) == '{"a":"é\\n\u2028","b":0.1,"c":2.5}\n'.encode()
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), "\ud800", np.float32(1)])
def test_what_is_no_measurement_is_refused_with_its_row(value):
    with pytest.raises(RefusedInputError) as refused:
        encode([{"a": 1}, {"a": value}])
    assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [("/2", "bad_row")]


@pytest.mark.parametrize(
    ("body", "row"),
    [
        (b'{"a":1}\n{"a":NaN}\n', "/2"),
        (b'{"a":1}\n[1]\n', "/2"),
        (b'{"a":1}\n\n', "/2"),
        (b'{"a":1}\n{"a":1}', "/2"),
        (b"\xff\n", "/1"),
    ],
)
def test_a_damaged_file_is_refused_with_the_row(body, row):
    with pytest.raises(RefusedInputError) as refused:
        list(decode(body))
    assert [(flaw.pointer, flaw.code) for flaw in refused.value.flaws] == [(row, "bad_row")]


def test_no_rows():
    assert encode([]) == b""
    assert list(decode(b"")) == []
