"""Flaws as commands tell them: what says the same many times is told once, and no place is lost."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.flawed import flaw_lines
from claims.flaws import Flaw


def lines_of(*pointers, code="bad_row", detail="It is bad."):
    return list(flaw_lines([vars(Flaw(pointer, code, detail, "Mend it.")) for pointer in pointers]))


def test_a_few_have_a_line_each_in_their_order():
    flaws = [Flaw(f"/a/{n}", code, code, "Mend it.") for n in range(3) for code in ("bad_row", "empty_line")]
    told = list(flaw_lines([vars(flaw) for flaw in flaws]))
    assert told == [f"  {flaw.pointer}: {flaw.detail}. Mend it." for flaw in flaws]
    assert lines_of("") == ["  (the whole): It is bad. Mend it."]


def test_what_says_something_else_has_its_own_line():
    flaws = [Flaw(f"/{n}", "bad_row", f"It is {'bad' if n % 2 else 'worse'}.", "Mend it.") for n in range(1, 11)]
    told = list(flaw_lines([vars(flaw) for flaw in flaws]))
    assert told == [
        "  /1,3,5,7,9 (5 places): It is bad. Mend it.",
        "  /2,4,6,8,10 (5 places): It is worse. Mend it.",
    ]


@pytest.mark.parametrize(
    ("pointers", "where"),
    [
        (["/1", "/2", "/3", "/4"], "/1-4"),
        (["/a/0/b/1", "/a/0/b/2", "/a/1/b/1", "/a/1/b/2"], "/a/0/b/1,2, /a/1/b/1,2"),
        (["/x", "/a/0/lo", "/a/1/lo", "/a/2/lo", "/a/2/hi"], "/x, /a/0-2/lo, /a/2/hi"),
        (["/a/01", "/a/02", "/a/03", "/a/04"], "/a/01, /a/02, /a/03, /a/04"),  # keys, no indices
        (["/5", "/4", "/3", "/2"], "/5,4,3,2"),
        (["", "/a/", "/a/0", "/a/1"], "(the whole), /a/, /a/0,1"),
    ],
)
def test_where_many_are(pointers, where):
    assert lines_of(*pointers) == [f"  {where} ({len(pointers)} places): It is bad. Mend it."]


@given(st.lists(st.integers(0, 60), min_size=4, unique=True))
def test_every_place_is_told(indices):
    (told,) = lines_of(*(f"/hypotheses/{index}/metric" for index in indices))
    (ranges,) = re.findall(r"^  /hypotheses/([\d,-]+)/metric ", told)
    ends = [[int(end) for end in part.split("-")] for part in ranges.split(",")]
    assert [index for end in ends for index in range(end[0], end[-1] + 1)] == indices
