"""Pairs that say nearly the same: what is found, what is not, and what that makes of clusters."""

from dataclasses import replace
from itertools import combinations
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claims.diagnostic import diagnostic
from claims.dialogue import Message
from claims.near_duplicates import LIKE, TooManyOverlapsError, merged_clusters, near_duplicates
from claims.pairs import Pair

ONE = Pair(
    id="one",
    dimension="factuality",
    prompt="Which river flows through the old town of Prague, and where does it end?",
    chosen="The Vltava flows through Prague and joins the Elbe at the town of Mělník.",
    rejected="The Danube flows through Prague and ends in the Black Sea near Odessa.",
    cluster="one",
    meta={},
)
ANOTHER = replace(
    ONE,
    id="another",
    prompt="Which metal is liquid at room temperature, and what was it used for in hats?",
    chosen="Mercury is liquid at room temperature; hatters cured felt with its nitrate.",
    rejected="Gallium is liquid at room temperature, and it made the brims of hats stiff.",
    cluster="another",
)


def groups(*pairs: Pair) -> tuple[tuple[str, ...], ...]:
    return near_duplicates(pairs)


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"chosen": ONE.rejected, "rejected": ONE.chosen},
        {"dimension": "tone", "meta": {"copy": True}},
        {side: getattr(ONE, side).upper().replace(",", ";") for side in ("prompt", "chosen", "rejected")},
        {"prompt": ONE.prompt.replace("Prague", "Brno"), "chosen": ONE.chosen.replace("Vltava", "Svratka")},
        {"prompt": (Message(role="system", content="Be " + "very " * 99), Message(role="user", content=ONE.prompt))},
    ],
    ids=["copy", "swapped", "elsewhere", "case and punctuation", "two words", "dialogue"],
)
def test_copies_and_variants_are_found(parts):
    assert groups(ONE, ANOTHER, replace(ONE, id="copy", **parts)) == (("copy", "one"),)


def test_independent_pairs_are_not():
    assert groups(ONE, ANOTHER) == ()
    assert near_duplicates(diagnostic().rows) == ()


def test_a_shared_system_message_makes_nothing_alike():
    system = Message(role="system", content=" ".join(f"rule{number}" for number in range(200)))
    asked = [replace(pair, prompt=(system, Message(role="user", content=pair.prompt))) for pair in (ONE, ANOTHER)]
    assert groups(*asked) == ()


@pytest.mark.parametrize(
    ("texts", "alike"),
    [
        (("", "Yes.", "No."), True),
        (("Why?", "是的、因为水在零度结冰。", "不是、水在十度结冰。"), True),
        (("?", "<", ">"), True),
        (("Who?", "!", "?!"), False),
    ],
)
def test_short_texts_and_texts_without_words(texts, alike):
    prompt, chosen, rejected = texts
    short = replace(ONE, prompt=prompt, chosen=chosen, rejected=rejected)
    other = short if alike else replace(short, chosen="¿", rejected="¡")
    assert (groups(short, replace(other, id="two")) == (("one", "two"),)) is alike


def test_what_is_alike_through_another_is_one_group():
    words = [f"w{number}" for number in range(40)]
    chain = [replace(ONE, id=f"p{first}", prompt=" ".join(words[first : first + 20])) for first in (0, 6, 12)]
    chain = [replace(pair, chosen="yes", rejected="no") for pair in chain]
    assert groups(chain[0], chain[2]) == ()
    assert groups(*chain) == (("p0", "p12", "p6"),)


def test_too_much_text_in_common_is_told_beforehand():
    many = [replace(ONE, id=str(number)) for number in range(50)]
    with pytest.raises(TooManyOverlapsError):
        near_duplicates(many, most_overlaps=1000)
    assert near_duplicates(many, most_overlaps=10_000) == (tuple(sorted(str(number) for number in range(50))),)


def test_nothing_and_one():
    assert groups() == ()
    assert merged_clusters([]) == {}
    assert merged_clusters([ONE]) == {"one": "one"}


def test_clusters_grow_together():
    cloned = replace(ONE, id="zz", cluster="clones")
    far = replace(ANOTHER, id="aa", cluster="clones")
    merged = merged_clusters([ONE, cloned, far])
    assert merged == {"one": "clones", "zz": "clones", "aa": "clones"}
    assert merged_clusters([ONE, ANOTHER]) == {"one": "one", "another": "another"}


TEXT = st.lists(st.sampled_from("abc"), max_size=6).map(" ".join)
PAIRS = st.lists(
    st.builds(
        Pair,
        st.text("pqr", min_size=1, max_size=4),
        st.just("d"),
        TEXT,
        TEXT,
        TEXT,
        st.sampled_from("xyzuvw"),
        st.just({}),
    ),
    max_size=8,
    unique_by=lambda pair: pair.id,
)


def shingles(pair: Pair) -> set[tuple[str, ...]]:
    texts = [text.split() for text in (pair.prompt, pair.chosen, pair.rejected)]
    return {tuple(words[at : at + 3]) for words in texts if words for at in range(max(1, len(words) - 2))}


def components(ids: list[str], edges: list[tuple[str, str]]) -> set[frozenset[str]]:
    of = {one: {one} for one in ids}
    for one, other in edges:
        joined = of[one] | of[other]
        of.update(dict.fromkeys(joined, joined))
    return {frozenset(members) for members in of.values()}


@given(PAIRS, st.randoms(use_true_random=False))
def test_groups_are_the_components_of_the_definition(pairs, random):
    ids = [pair.id for pair in pairs]
    alike = []
    for one, other in combinations(pairs, 2):
        ours, theirs = shingles(one), shingles(other)
        if ours & theirs and len(ours & theirs) / len(ours | theirs) >= LIKE:
            alike.append((one.id, other.id))
    found = near_duplicates(pairs)
    assert {frozenset(group) for group in found} == {group for group in components(ids, alike) if len(group) > 1}
    assert list(found) == sorted(tuple(sorted(group)) for group in found)
    merged = merged_clusters(pairs)
    declared = [(one.id, other.id) for one, other in combinations(pairs, 2) if one.cluster == other.cluster]
    names = {pair.id: pair.cluster for pair in pairs}
    for group in components(ids, alike + declared):
        assert {merged[one] for one in group} == {names[min(group)]}
    assert len(set(merged.values())) == len(components(ids, alike + declared))
    with patch("claims.near_duplicates._CELLS", random.randrange(1, 40)):  # compared in blocks of any size
        assert (near_duplicates(pairs), merged_clusters(pairs)) == (found, merged)
    shuffled = random.sample(pairs, len(pairs))
    assert (near_duplicates(shuffled), merged_clusters(shuffled)) == (found, merged)
    again = [replace(pair, cluster=merged[pair.id]) for pair in pairs]
    assert merged_clusters(again) == merged
