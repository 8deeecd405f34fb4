from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.pages.claim.families import grouped
from app.pages.claim.page import claim_page
from app.pages.rendering import environment

PARTS = """{% import "parts.html" as parts with context %}
{% include "claim/outcome.html" %}{% include "claim/gaps.html" %}"""
names = st.from_regex(r"[a-c](\.[a-c]_L[0-9]{1,2})?", fullmatch=True)


@given(values=st.dictionaries(names, st.integers()), first=st.lists(names))
def test_every_value_is_shown_once(values: dict[str, int], first: list[str]):
    found = grouped(values, first)
    of_families = [(f"{family.name}.{member}", value) for family in found.families for member, value in family.members]
    shown = [*found.first, *found.single, *of_families]
    assert sorted(shown) == sorted(values.items())
    assert found.total == len(values)
    assert [name for name, _ in found.first] == [name for name in dict.fromkeys(first) if name in values]


def test_members_stand_in_the_order_of_people():
    found = grouped({f"moves.head_L{layer}_H{head}": 0 for layer in (10, 2) for head in (11, 3)})
    (family,) = found.families
    assert [name for name, _ in family.members] == ["head_L2_H3", "head_L2_H11", "head_L10_H3", "head_L10_H11"]
    assert family.only == 0


def test_the_whole_stands_outside_its_family():
    found = grouped({"unreachable": 12, **{f"unreachable.mlp_L{layer}": 3 for layer in range(4)}})
    assert list(found.single) == [("unreachable", 12)]
    assert len(found.families[0].members) == 4


def test_a_family_of_few_stands_open():
    found = grouped({"rho.safety": 1, "rho.honesty": 2, "mean_rho": 3})
    assert [name for name, _ in found.single] == ["mean_rho", "rho.honesty", "rho.safety"]
    assert not found.families


def test_a_thousand_estimates_are_counted_and_folded_with_what_was_predicted_first(refuted):
    one = next(iter(refuted.evidence.estimates.values()))
    many = {f"mean_effect.head_L{layer}_H{head}": one for layer in range(32) for head in range(32)}
    reasons = {f"moves.head_L0_H{head}": "too few" for head in range(9)}
    changes = {"estimates": {**refuted.evidence.estimates, **many}, "not_measured": reasons}
    page = claim_page(replace(refuted, evidence=refuted.evidence.model_copy(update=changes)), "")
    asked = [one.metric for one in refuted.registration.hypotheses]
    assert [name for name, _ in page.estimates.first] == [name for name in asked if name in changes["estimates"]]
    html = environment().from_string(PARTS).render(claim=page)
    assert re.search(r"<summary>Every estimate of the run, 1\u202f027,", html)
    assert re.search(r'<summary><span class="code">mean_effect</span>, 1\u202f024 rows</summary>', html)
    assert html.count('<th scope="row" class="code">head_') == 1024
    assert "<summary>Moves, 9 of them: too few</summary>" in html
    assert html.index("Predicted</h3>") < html.index("mean_effect</span>")
