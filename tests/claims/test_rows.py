import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.flaws import RefusedInputError
from claims.rows import decode, decode_chunks, encode, lines

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


@given(ROWS, st.lists(st.integers(0, 200), max_size=5))
def test_wherever_the_bytes_are_cut_the_rows_are_the_same(rows, cuts):
    body = encode(rows)
    at = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    assert list(decode_chunks(body[a:b] for a, b in itertools.pairwise(at))) == rows


def test_rows_are_written_and_read_one_by_one():
    written = lines({"row": number} for number in itertools.count())
    assert [next(written) for _ in range(2)] == [b'{"row":0}\n', b'{"row":1}\n']
    read = decode_chunks(itertools.chain([b'{"row":0}\n{"ro', b'w":1}\n'], itertools.repeat(b'{"row":2}\n')))
    assert list(itertools.islice(read, 3)) == [{"row": 0}, {"row": 1}, {"row": 2}]


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
