"""Warnings are read together where many say the same, and none is lost."""

from operator import itemgetter

from hypothesis import given
from hypothesis import strategies as st

from claims.design import WARNING_CODES
from claims.warned import FEW, by_code

POINTERS = st.sampled_from(
    ["/hypotheses/0", "/hypotheses/1/predict", "/hypotheses/9", "/assumptions/x/sd", "/analysis"]
)
WARNINGS = st.lists(
    st.fixed_dictionaries({"code": st.sampled_from(sorted(WARNING_CODES)), "pointer": POINTERS, "detail": st.text()})
)


@given(WARNINGS)
def test_none_is_left_out_and_none_is_told_twice(warnings):
    told = [
        {"code": alike.code, "pointer": pointer, "detail": detail}
        for alike in by_code({"hypotheses": [{"id": "H1"}, {"id": "H2"}], "warnings": warnings})
        for pointer, detail in zip(alike.pointers, alike.details, strict=True)
    ]
    in_order = itemgetter("code", "pointer", "detail")
    assert sorted(told, key=in_order) == sorted(warnings, key=in_order)


def test_what_they_are_about_is_named_by_hypothesis_where_it_is_one():
    places = ("/hypotheses/1/predict", "/assumptions/x/sd", "/hypotheses/0", "/hypotheses/9")
    warnings = [{"code": "POWER", "pointer": place, "detail": "d"} for place in places]
    (alike,) = by_code({"hypotheses": [{"id": "H1"}, {"id": "H2"}], "warnings": warnings})
    assert alike.about == ["H2", "/assumptions/x/sd", "H1", "/hypotheses/9"]
    assert not alike.few
    assert alike.meaning == WARNING_CODES["POWER"]
    (alike,) = by_code({"warnings": warnings[:FEW]})
    assert alike.few


def test_a_check_without_warnings_has_none():
    assert by_code({}) == []
