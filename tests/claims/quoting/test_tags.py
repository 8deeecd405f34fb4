"""Tags in texts: what is found, where, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.quoting import BadTag, Tag, tags_in

ID = "k3v9x2m8q4w7"


def one(text, **how):
    (found,) = tags_in(text, **how)
    return found


def test_a_tag_whole():
    tag = one(
        f"first\nThe gap [[claim:{ID} metric=gap value=-0.57 field=lo tol=0.01 as=percent,negated status=refuted]]"
    )
    assert (tag.line, tag.column, tag.kind, tag.id, tag.metric, tag.field) == (2, 9, "claim", ID, "gap", "lo")
    assert (tag.quoted.text, str(tag.rule), tag.percent, tag.negated) == ("-0.57", "±0.01", True, True)
    assert tag.statuses == {"refuted"}


@pytest.mark.parametrize(
    ("before", "number"),
    [
        ("The gap is -0.57 ", "-0.57"),
        ("-0.57", "-0.57"),
        ("The gap is **\N{MINUS SIGN}0.57** <!-- ", "\N{MINUS SIGN}0.57"),
        ("a gap of ($-0.57$) ", "-0.57"),
        ("| gap | -0.57 | ", "-0.57"),
        ("<td>&minus;0.57</td><!-- ", "&minus;0.57"),
        ("``-0.57`` .. ", "-0.57"),
        ("about ~43.4% ", "43.4%"),
        ("about 43.4 % ", "43.4 %"),
        ("from 1 to 2, so 3 ", "3"),
        ("x" * 5000 + " 0.5 ", "0.5"),
    ],
)
def test_the_number_just_before_is_the_one_bound(before, number):
    assert one(f"{before}[[claim:{ID} metric=gap]] of it").quoted.text == number


@pytest.mark.parametrize(
    ("before", "number", "percent"),
    [
        ("a gap of $-0.57$% ", "-0.57", False),
        ("a gap of 0.57% ", "0.57", False),
        (r"or 43.4\% % ", r"43.4\%", True),
        (r"or $43.4\,\%$ % ", r"43.4\,\%", True),
        (r"\textbf{-0.57} & % ", "-0.57", False),
    ],
)
def test_in_latex_a_bare_percent_sign_is_a_comment(before, number, percent):
    tag = one(f"{before}[[claim:{ID} metric=gap]]", latex=True)
    assert (tag.quoted.text, tag.percent) == (number, percent)


@pytest.mark.parametrize(
    "before",
    [
        "",
        "the gap ",
        "0.43-0.57 ",
        "0.43\N{EN DASH}0.57 ",
        "1,200 ",
        "version 1.2.3 ",
        "H2 ",
        "-0.57 for the gap ",
        "10^5 ",
        "1/2/ ",
    ],
)
def test_no_number_is_guessed(before):
    bad = one(f"{before}[[claim:{ID} metric=gap]]")
    assert isinstance(bad, BadTag)
    assert "write value=" in bad.detail


@pytest.mark.parametrize(
    ("tag", "column", "says"),
    [
        (f"[[claim:{ID} metric=gap value=1", 3, "not closed"),
        (f"[[claim:{ID}\nmetric=gap value=1]]", 3, "not closed"),
        ("[[claim:short metric=gap value=1]]", 3, "12 to 20"),
        (f"[[Claim:{ID} metric=gap value=1]]", 3, "a tag begins"),
        (f"[[ claim:{ID} metric=gap value=1]]", 3, "a tag begins"),
        (f"[[claims:{ID} metric=gap value=1]]", 3, "a tag begins"),
        (f"[[claim={ID} metric=gap value=1]]", 3, "a tag begins"),
        (f"[[claim:{ID}, metric=gap value=1]]", 3, "a tag begins"),
        (f"[[claim:{ID} value=1]]", 3, "lacks metric"),
        (f"[[claim:{ID} metric=gap colour=red]]", 35, "no key 'colour'"),
        (f"[[claim:{ID} metric=gap value=1 value=1]]", 43, "twice"),
        (f"[[claim:{ID} metric=gap value=]]", 35, "no key=value"),
        (f"[[claim:{ID} metric=gap -0.57]]", 35, "no key=value"),
        (f"[[claim:{ID} metric=gap value=x]]", 35, "no number"),
        (f"[[claim:{ID} metric=Gap! value=1]]", 24, "no metric's name"),
        (f"[[claim:{ID} metric=gap value=1 field=mean]]", 43, "estimate, lo or hi"),
        (f"[[claim:{ID} metric=gap value=1 round=half]]", 43, "no rule"),
        (f"[[claim:{ID} metric=gap value=1 round=0sig]]", 43, "no rule"),
        (f"[[claim:{ID} metric=gap value=1 tol=0]]", 43, "no tolerance"),
        (f"[[claim:{ID} metric=gap value=1 tol=1%]]", 43, "no tolerance"),
        (f"[[claim:{ID} metric=gap value=1 as=big]]", 43, "percent, negated"),
        (f"[[claim:{ID} metric=gap value=1 status=false]]", 43, "no status"),
        (f"[[claim:{ID} metric=gap value=1 round=2dp tol=1]]", 53, "exclude each other"),
    ],
)
def test_refused_with_line_and_column(tag, column, says):
    bad = one(f"1\n0 {tag}\n")
    assert isinstance(bad, BadTag)
    assert (bad.line, bad.column) == (2, column)
    assert says in bad.detail


def test_what_is_no_tag_is_left_alone():
    assert list(tags_in("[[wiki]] [[claims]] [claim:x] [[a claim: b]] claim:1")) == []


def test_several_on_a_line_and_carriage_returns():
    found = list(tags_in(f"1 [[claim:{ID} metric=a]], 2 [[import:{ID} metric=b]]\r\n3 [[claim:{ID} metric=c]]\r\n"))
    assert [(tag.line, tag.kind, tag.quoted.text) for tag in found] == [
        (1, "claim", "1"),
        (1, "import", "2"),
        (2, "claim", "3"),
    ]


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.booleans())
def test_any_text_is_read_without_an_error(text, latex):
    for tag in tags_in(f"{text}[[claim:{ID} metric=gap]]{text}", latex=latex):
        assert isinstance(tag, Tag | BadTag)
